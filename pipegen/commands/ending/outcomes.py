"""How commands end, and what a shell remembers of it."""

import enum
from collections.abc import Mapping
from typing import Final

from pipegen.commands.shell.syntax import Command
from pipegen.dataclass import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of a shell that have a say in what a failure does: `set -e` and `set -o pipefail`."""

    errexit: bool = False
    pipefail: bool = False


class Lost(enum.Enum):
    """What dropped a status. The values are for messages, behind "because"."""

    OR = 'what stands behind "||" succeeds'
    PIPE = "a pipe ends as its last command does, without pipefail"
    NEXT = "the shell goes on to the next command, without -e"
    AND = 'of "a && b" -e looks at b alone, and more commands follow'
    TESTED = 'it is part of what stands in front of "&&" or "||", or of a condition, where -e does not look'
    BACKGROUND = 'it runs in the background, and no "wait" asks how it ended'
    CONDITION = "it is a condition, whose failure is an answer"
    NEGATED = '"!" turns its failure into success'
    SUBSTITUTED = "of $(…) in another command only the output counts"
    FIND = '"find -exec … \\;" does not pass on how its commands end'


class Flow(enum.Enum):
    """Where a shell goes on: with what follows, nowhere, behind the function or the loop, or with its next round."""

    NEXT = "next"
    EXIT = "exit"
    RETURN = "return"
    BREAK = "break"
    CONTINUE = "continue"


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A shell at one point of its way.

    `last` is `$?`. `failed` says that the command in question has failed, `lost` what dropped that, if anything did.
    `waiting` is a failure in the background that a `wait` can still find. `unsure` says that the way here depends on
    more than is known. Values of `variables` are None where they are not known; `since` are those set after the
    failure.
    """

    options: Options
    last: int = 0
    failed: bool = False
    lost: Lost | None = None
    waiting: bool = False
    unsure: bool = False
    pipes: tuple[int, ...] = ()
    variables: tuple[tuple[str, str | None], ...] = ()
    since: frozenset[str] = frozenset()

    def value(self, name: str) -> str | None:
        """The value of a variable, None if it is not known."""
        return next((value for key, value in self.variables if key == name), None)

    def assign(self, name: str, value: str | None) -> "State":
        """The state behind an assignment."""
        kept = tuple(item for item in self.variables if item[0] != name)
        since = self.since | {name} if self.failed else self.since
        return replace(self, variables=tuple(sorted((*kept, (name, value)), key=lambda item: item[0])), since=since)

    def ended(self, status: int) -> "State":
        """The state behind a command with this status."""
        return replace(self, last=status)

    def drop(self, how: Lost) -> "State":
        """The failure no longer shows in a status. What dropped it first is what an author has to change."""
        return replace(self, lost=self.lost or how) if self.failed else self


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One way in which commands can end; their status is `state.last`.

    `exempt`: the status comes from where `-e` does not look. `why` is what drops it if nothing asks for it.
    """

    state: State
    flow: Flow = Flow.NEXT
    exempt: bool = False
    why: Lost | None = None

    @property
    def status(self) -> int:
        """How the last command ended."""
        return self.state.last


MAX_OUTCOMES: Final = 400
"""Ways that are followed; where there are more, nothing is said."""
MAX_STEPS: Final = 3_000
"""Commands that are run for one answer."""


class TooManyWaysError(Exception):
    """The text has more ways through it than are followed."""


def distinct(outcomes: list[Outcome]) -> list[Outcome]:
    """Each way once.

    Raises:
        TooManyWaysError: there are too many.
    """
    found = list(dict.fromkeys(outcomes))
    if len(found) > MAX_OUTCOMES:
        raise TooManyWaysError
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What does not change on the way: the command that fails, other test runs, and the functions of the text.

    `assigned` are the variables that the text sets anywhere; None where that is not known.
    """

    fails: int
    runs: frozenset[int]
    functions: Mapping[str, Command]
    assigned: frozenset[str] | None
