"""What an attempt leaves for the next one: the plan as a file, and the note in the build that says which file.

The file is an artifact named by its own digest; the note is meta-data of the build. Nothing in them depends on the
clock or the machine, so that the same plan is the same bytes.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pipegen.dataclass import dataclass
from pipegen.plain import Plain, PlainMap
from pipegen.upload.batches import Batch

FORMAT: Final = 1
_SHOWN_DIGITS: Final = 12
"""Of a digest in names: 48 bits, among the few plans of one build."""


class RecordError(ValueError):
    """A file or note that is not what this pipegen writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One upload: its document, the jobs that Buildkite counts in it, and the key of its first group.

    That key is the part's marker: it holds the digest of the whole, so nothing else in the build has it. A part is
    applied as a whole or not at all, so a build that has the marker has all of it.
    """

    marker: str
    jobs: int
    document: str

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its steps, in order, without the marker."""
        groups = json.loads(self.document)["steps"]
        return tuple(str(step["key"]) for group in groups for step in group["steps"] if "key" in step)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """Everything that an attempt decided: the plan, what the annotation says of it, and the parts to upload."""

    plan: PlainMap
    style: str
    summary: str
    parts: tuple[Part, ...]

    def encode(self) -> bytes:
        """The file."""
        content: PlainMap = {
            "format": FORMAT,
            "plan": self.plan,
            "annotation": {"style": self.style, "body": self.summary},
            "uploads": [{"marker": p.marker, "jobs": p.jobs, "document": p.document} for p in self.parts],
        }
        return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode("utf-8", errors="backslashreplace")


def decode(content: bytes) -> Sealed:
    """What a file holds.

    Raises:
        RecordError: it is not what `Sealed.encode` writes.
    """
    found = _read(content)
    try:
        annotation, plan, uploads = found["annotation"], found["plan"], found["uploads"]
        parts = tuple(
            Part(marker=str(one["marker"]), jobs=int(one["jobs"]), document=str(one["document"])) for one in uploads
        )
        return Sealed(plan=plan, style=str(annotation["style"]), summary=str(annotation["body"]), parts=parts)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise RecordError(_fault(error)) from error


def digest_of(content: bytes) -> str:
    """What names a file: SHA-256, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def name_of(digest: str) -> str:
    """The path of the artifact, from wherever it is uploaded."""
    return f"pipegen/plan-{digest[:_SHOWN_DIGITS]}.json"


def marked(batches: Sequence[Batch]) -> tuple[tuple[str, PlainMap], ...]:
    """Each batch as a pipeline whose first group has the batch's marker as its key, and that marker."""
    listed: list[Plain] = [list(batch.groups) for batch in batches]
    whole = digest_of(json.dumps(listed, sort_keys=True).encode("utf-8", errors="backslashreplace"))
    found = []
    for number, batch in enumerate(batches, start=1):
        marker = f"pipegen-{whole[:_SHOWN_DIGITS]}-{number}"
        first, *others = batch.groups
        found.append((marker, {"steps": [{"group": first["group"], "key": marker, **first}, *others]}))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """The note in the build's meta-data: the file's digest, the jobs of each upload (its cuts), and how they go up."""

    digest: str
    jobs: tuple[int, ...]
    interpolation: bool

    def encode(self) -> str:
        """One line of JSON."""
        content = {"digest": self.digest, "jobs": list(self.jobs), "interpolation": self.interpolation}
        return json.dumps({"format": FORMAT, **content})


def decode_note(text: str) -> Note:
    """What a note says.

    Raises:
        RecordError: it is not what `Note.encode` writes.
    """
    found = _read(text.encode())
    try:
        jobs = tuple(int(count) for count in found["jobs"])
        return Note(digest=str(found["digest"]), jobs=jobs, interpolation=found["interpolation"] is True)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise RecordError(_fault(error)) from error


def note_key(identity: Mapping[str, Plain]) -> str:
    """The name of the note of one call of pipegen: what it was asked for, by which step of the build.

    A retried job has its step's id, whatever else is new about it; two steps, or two calls with different options, do
    not see each other's notes.
    """
    text = json.dumps(identity, sort_keys=True)
    return f"pipegen:upload:{digest_of(text.encode('utf-8', errors='backslashreplace'))[:_SHOWN_DIGITS]}"


def _read(content: bytes) -> dict[str, Any]:  # what is taken out of it is checked by type, or a RecordError
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise RecordError("is not JSON") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise RecordError(f"is not of format {FORMAT}")
    return found


def _fault(error: Exception) -> str:
    return f"lacks {error}" if isinstance(error, KeyError) else "holds something else than pipegen writes"
