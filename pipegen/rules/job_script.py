"""A job's commands as the one text that its shell reads."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import field
from typing import Final

from pipegen.commands import Place
from pipegen.commands.ending import Lost, Options, Whole, ending_of, fails_at_once
from pipegen.commands.shell.parser import parse
from pipegen.commands.shell.syntax import Parsed, Script, ShellSyntaxError
from pipegen.dataclass import dataclass
from pipegen.dollar import REFERENCE, UPLOAD_OPEN
from pipegen.model import Job

AND: Final = " && "
_SIGNS: Final = re.compile(r"[|;&\n!`(]|\bset\b|\bfind\b")
"""What a text holds that is more than one simple command, or changes what its failure does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobScript:
    """The text, and where in it each command begins."""

    text: str
    starts: tuple[int, ...]

    @classmethod
    def of(cls, job: Job) -> "JobScript":
        """As the job's template joins it, with newlines or `&&`."""
        between = AND if job.hardware.shell.joined else "\n"
        commands = [without_references(command.run) for command in job.commands]
        starts, at = [], 0
        for command in commands:
            starts.append(at)
            at += len(command) + len(between)
        return cls(text=between.join(commands), starts=tuple(starts))

    def offset(self, place: Place) -> int:
        """Where in the text something of a command stands."""
        return self.starts[place.command] + place.offset

    def place(self, offset: int) -> Place:
        """The place of a character in its command."""
        command = max(bisect_right(self.starts, offset) - 1, 0)
        start = self.starts[command]
        line = self.text.count("\n", start, offset) + 1
        return Place(command=command, offset=offset - start, line=line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripts:
    """Reads texts, and how they end, once each."""

    syntax: dict[str, Parsed] = field(default_factory=dict)
    """What the reader of commands has parsed already."""
    _parsed: dict[str, Whole | None] = field(default_factory=dict, init=False)
    _plain: dict[tuple[str, ...], bool] = field(default_factory=dict, init=False)
    _endings: dict[object, Lost | None] = field(default_factory=dict, init=False)

    def parse(self, text: str) -> Whole | None:
        """A text as it is read; None where a shell would refuse it."""
        if text not in self._parsed:
            script = self.script(text)
            self._parsed[text] = None if script is None else Whole.of(script)
        return self._parsed[text]

    def script(self, text: str) -> Script | None:
        """The syntax of a text alone, for who looks nothing up in it; None where a shell would refuse it."""
        if text not in self.syntax:
            try:
                self.syntax[text] = parse(text)
            except ShellSyntaxError:
                return None
        return self.syntax[text].script

    def fails_at_once(self, job: Job, place: Place, options: Options) -> bool:
        """Whether something stands in a command of a job with nothing around it that could drop how it ends."""
        texts = tuple(command.run for command in job.commands)
        if texts not in self._plain:
            self._plain[texts] = not any(_SIGNS.search(text) for text in texts)
        if options.errexit and self._plain[texts]:
            return True  # one simple command a line, as most are: nothing has to be read for that
        wholes = [self.parse(without_references(text)) for text in texts]
        whole = wholes[place.command]
        if whole is None or any(one is None or one.changes for one in wholes):
            return False
        return fails_at_once(whole, place.offset, options)

    def ending(self, text: str, offset: int, options: Options, runs: Sequence[int]) -> Lost | None:
        """What drops the failure of a command; see `ending_of`."""
        key = (text, offset, options, tuple(runs))
        if key not in self._endings:
            whole = self.parse(text)
            self._endings[key] = None if whole is None else ending_of(whole, offset, options, runs)
        return self._endings[key]


def without_references(text: str) -> str:
    """A command in which what the agent fills in at upload is a variable that nobody knows."""
    return REFERENCE.sub(r"${UPLOAD_\1}", text) if UPLOAD_OPEN in text else text
