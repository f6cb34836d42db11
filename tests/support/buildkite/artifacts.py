"""The artifacts of a loopback build."""

import hashlib
import re
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

MAX_BATCH = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A file that a job uploaded. `content` is None until its bytes arrived; sums are hexadecimal.

    `state` is `new`, then `finished` or `error`.
    """

    id: str
    batch: str
    job_id: str
    path: str
    absolute_path: str
    file_size: int
    sha1sum: str
    sha256sum: str
    content_type: str
    state: str = "new"
    content: bytes | None = None

    @property
    def complete(self) -> bool:
        """Whether the bytes that arrived are those that were announced."""
        return (
            self.content is not None
            and len(self.content) == self.file_size
            and hashlib.sha1(self.content, usedforsecurity=False).hexdigest() == self.sha1sum
            and hashlib.sha256(self.content).hexdigest() == self.sha256sum
        )


def artifact_id(batch: str, index: int) -> str:
    """The id of the artifact at `index` of a batch: the same batch again gets the same ids."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{batch}/{index}"))


class Artifacts:
    """Artifacts are announced in batches, then sent one by one, then declared finished."""

    def __init__(self) -> None:
        self._artifacts: dict[str, Artifact] = {}

    @property
    def all(self) -> tuple[Artifact, ...]:
        """Every announced artifact, in order."""
        return tuple(self._artifacts.values())

    def get(self, identity: str) -> Artifact | None:
        """The artifact of that id."""
        return self._artifacts.get(identity)

    def create(self, announced: Iterable[Artifact]) -> None:
        """Take announced artifacts in; those known stay as they are."""
        for artifact in announced:
            self._artifacts.setdefault(artifact.id, artifact)

    def store(self, *, batch: str, path: str, content: bytes) -> bool:
        """Keep the bytes of an artifact; False if none was announced under that name."""
        for artifact in self.all:
            if (artifact.batch, artifact.path) == (batch, path):
                self._artifacts[artifact.id] = replace(artifact, content=content)
                return True
        return False

    def update(self, states: Sequence[tuple[str, str]]) -> str | None:
        """Set the states of artifacts, or none and say why not (the words are ours)."""
        for identity, state in states:
            artifact = self._artifacts.get(identity)
            if artifact is None or state not in {"finished", "error"}:
                return f"`{identity}` cannot become `{state}`"
            if state == "finished" and not artifact.complete:
                return f"the bytes of `{artifact.path}` are not those that were announced"
        for identity, state in states:
            self._artifacts[identity] = replace(self._artifacts[identity], state=state)
        return None

    def search(
        self, *, query: str, job_id: str, state: str, duplicates: bool, retried: Sequence[str] = ()
    ) -> tuple[Artifact, ...]:
        """Artifacts by path; "" as `job_id` or `state` is any. Without `duplicates`, the last of each path.

        `retried` are the jobs whose artifacts are left out: later attempts took their places.
        """
        pattern = _glob(query)
        found = [
            artifact
            for artifact in self.all
            if pattern.fullmatch(artifact.path)
            and artifact.job_id not in retried
            and job_id in {"", artifact.job_id}
            and state in {"", artifact.state}
        ]
        return tuple(found) if duplicates else tuple({artifact.path: artifact for artifact in found}.values())


def _glob(query: str) -> re.Pattern[str]:
    """`*` stays in its folder, `**` does not."""
    pieces = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    tokens = re.split(r"(\*\*/|\*\*|\*|\?)", query)
    return re.compile("".join(pieces.get(token, re.escape(token)) for token in tokens))
