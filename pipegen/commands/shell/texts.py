"""Pieces of shell text and the places in them: what a job runs, a script that it calls, a text inside a quoted word."""

from bisect import bisect_right
from dataclasses import field
from typing import TypeAlias

from pipegen.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where something stands in what a job runs.

    `command` is the index of the job's command, from 0. `offset` counts characters from the start of that command's
    text, or from the start of `script` where it stands in a file of the repository; `line` counts from 1 in the same
    text. `via` is where a script was called.
    """

    command: int
    offset: int
    line: int
    script: str | None = None
    via: "Place | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobText:
    """Commands of a job as one script, one below the other, from the one with the index `first` on.

    `starts` holds the offset of each of them.
    """

    text: str
    starts: tuple[int, ...] = (0,)
    first: int = 0

    def place(self, offset: int) -> Place:
        """The place of a character."""
        command = max(bisect_right(self.starts, offset) - 1, 0)
        start = self.starts[command]
        return Place(command=self.first + command, offset=offset - start, line=self.text.count("\n", start, offset) + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptText:
    """A script of the repository, and where it was called."""

    text: str
    path: str
    via: Place

    def place(self, offset: int) -> Place:
        """The place of a character."""
        line = self.text.count("\n", 0, offset) + 1
        return Place(command=self.via.command, offset=offset, line=line, script=self.path, via=self.via)


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """Text from `start` on comes from `at` in the text around it: character by character, or all of it from there."""

    start: int
    at: int
    exact: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InnerText:
    """Shell text that was a word of another text, such as the argument of `bash -c`."""

    text: str
    segments: tuple[Segment, ...]
    around: "ShellText"
    starts: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Keep the starts apart, to search in."""
        object.__setattr__(self, "starts", tuple(segment.start for segment in self.segments))

    def place(self, offset: int) -> Place:
        """The place of a character in the outermost text that it stands in."""
        index = max(bisect_right(self.starts, offset) - 1, 0)
        if not self.segments:
            return self.around.place(0)
        segment = self.segments[index]
        return self.around.place(segment.at + (offset - segment.start if segment.exact else 0))


ShellText: TypeAlias = JobText | ScriptText | InnerText
"""Text for a shell that knows its places."""


def job_text(commands: tuple[str, ...]) -> JobText:
    """A job's commands as one script: Buildkite joins them with newlines."""
    starts = []
    at = 0
    for command in commands:
        starts.append(at)
        at += len(command) + 1
    return JobText(text="\n".join(commands), starts=tuple(starts) or (0,))
