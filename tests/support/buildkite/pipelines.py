"""The uploads of a loopback build and the steps that they left in it."""

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from pipegen.plain import Plain, PlainMap
from tests.support.buildkite import rules


class UploadState(enum.Enum):
    """What became of an upload, in the words of the protocol."""

    PROCESSING = "processing"
    APPLIED = "applied"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """One uploaded document. `posts` counts how often it arrived: the agent repeats it under the same uuid."""

    uuid: str
    job_id: str
    pipeline: PlainMap
    replace: bool
    state: UploadState = UploadState.PROCESSING
    message: str = ""
    posts: int = 1

    @property
    def steps(self) -> tuple[Plain, ...]:
        """The steps of the document, as they arrived."""
        return rules.steps_of(self.pipeline)


class Pipelines:
    """Takes uploads in, each at most once and whole or not at all.

    `running` are steps that the build has before the first upload; `replace` does not remove those.
    """

    def __init__(self, *, running: Iterable[PlainMap], jobs_per_upload: int, from_the_end: bool = False) -> None:
        self._running: tuple[Plain, ...] = tuple(running)
        self._uploaded: tuple[Plain, ...] = ()
        self._jobs_per_upload = jobs_per_upload
        self._from_the_end = from_the_end
        self._uploads: dict[str, Upload] = {}
        self._polls_left: dict[str, int | None] = {}

    @property
    def steps(self) -> tuple[Plain, ...]:
        """The steps of the build, in order of arrival."""
        return self._running + self._uploaded

    @property
    def uploads(self) -> tuple[Upload, ...]:
        """Every upload that arrived, in order of arrival."""
        return tuple(self._uploads.values())

    def find(self, key: str, *, groups: bool) -> Plain:
        """The step of a key, or None; a group only where `groups` count as steps."""
        for step in rules.walk(self.steps):
            if rules.key_of(step) == key and (groups or not (isinstance(step, Mapping) and "group" in step)):
                return step
        return None

    def receive(self, upload: Upload, *, polls: int | None) -> Upload:
        """Take an upload in: at once (`polls` is 0), after so many polls, or never (None)."""
        known = self._uploads.get(upload.uuid)
        if known is not None:
            self._uploads[upload.uuid] = replace(known, posts=known.posts + 1)
            return self._uploads[upload.uuid]
        self._uploads[upload.uuid] = upload
        self._polls_left[upload.uuid] = polls
        if polls == 0:
            self._settle(upload)
        return self._uploads[upload.uuid]

    def poll(self, uuid: str) -> Upload | None:
        """What became of an upload; None if there is none of that uuid."""
        upload = self._uploads.get(uuid)
        if upload is None or upload.state is not UploadState.PROCESSING:
            return upload
        left = self._polls_left[uuid]
        if left == 0:
            self._settle(upload)
        elif left is not None:
            self._polls_left[uuid] = left - 1
        return self._uploads[uuid]

    def _settle(self, upload: Upload) -> None:
        kept = () if upload.replace else self._uploaded
        message = rules.rejection(
            upload.steps,
            used_keys=rules.keys(self._running + kept),
            jobs_per_upload=self._jobs_per_upload,
            from_the_end=self._from_the_end,
        )
        if message is None:
            self._uploaded = kept + upload.steps
            self._uploads[upload.uuid] = replace(upload, state=UploadState.APPLIED)
        else:
            self._uploads[upload.uuid] = replace(upload, state=UploadState.REJECTED, message=message)
