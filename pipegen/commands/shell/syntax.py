"""What shell text consists of, after POSIX (XCU chapter 2) and bash's additions. Offsets are in the text read."""

from collections.abc import Mapping
from typing import TypeAlias

from pipegen.dataclass import dataclass


class ShellSyntaxError(Exception):
    """Text that a shell would refuse, or that is read by no rule here.

    `incomplete` says that more text could complete it: an open quote, a loop without its `done`.
    """

    def __init__(self, message: str, at: int, *, incomplete: bool = False) -> None:
        super().__init__(message)
        self.at = at
        self.incomplete = incomplete


@dataclass(frozen=True, slots=True)
class Literal:
    """Characters of a word that stand for themselves; unquoted, `*?[{~` among them have their meaning.

    `exact` says that they stand in the text as they are, one by one from `at` on.
    """

    text: str
    quoted: bool
    at: int
    exact: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """`$name` or `${…}`. `operator` is the text between name and operand (`:-`, `##`, `/`, …), `#` and `!` in front."""

    name: str
    prefix: str
    index: str | None
    operator: str
    operand: "Word | None"
    quoted: bool
    at: int
    written: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Substitution:
    """`$(…)` or backticks: the output of a script. With `process` it is `<(…)`: the name of a file with the output."""

    body: "Script"
    quoted: bool
    at: int
    written: str
    process: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """A part whose text only the machine knows: arithmetic, or a value that the agent fills in."""

    written: str
    quoted: bool
    at: int


Part: TypeAlias = Literal | Parameter | Substitution | Unknown


@dataclass(frozen=True, slots=True)
class Word:
    """A word before expansion. `array` holds the items of `name=(…)` behind `declare` and its like."""

    parts: tuple[Part, ...]
    at: int
    array: "tuple[Word, ...] | None" = None

    @property
    def bare(self) -> str | None:
        """Its text, if it is one run of unquoted characters."""
        if len(self.parts) == 1:
            part = self.parts[0]
            if isinstance(part, Literal) and not part.quoted:
                return part.text
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """`name=value`, `name+=value`, `name[index]=value` or `name=(…)`."""

    name: str
    append: bool
    index: str | None
    value: Word | tuple[Word, ...]
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirect:
    """`2>file`, `<<EOF` and so on; the body of a here-document is in `Parsed.documents` under `at`."""

    operator: str
    target: Word
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Simple:
    """A simple command."""

    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Braced:
    """`{ …; }`, or `( … )` with `subshell`."""

    body: "Script"
    subshell: bool
    redirects: tuple[Redirect, ...]
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class For:
    """`for name in words` (or `select`); without `in` it goes over the positional parameters. None: `for ((…))`."""

    name: str | None
    words: tuple[Word, ...] | None
    body: "Script"
    redirects: tuple[Redirect, ...]
    at: int
    select: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class While:
    """`while` or `until`."""

    condition: "Script"
    body: "Script"
    until: bool
    redirects: tuple[Redirect, ...]
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class If:
    """`if`, every `elif`, and what stands behind `else`."""

    branches: "tuple[tuple[Script, Script], ...]"
    otherwise: "Script | None"
    redirects: tuple[Redirect, ...]
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One `pattern | pattern) …` of a case; `end` is `;;`, `;&` or `;;&`."""

    patterns: tuple[Word, ...]
    body: "Script"
    end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """`case subject in … esac`."""

    subject: Word
    arms: tuple[Arm, ...]
    redirects: tuple[Redirect, ...]
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function's definition."""

    name: str
    body: "Command"
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """`[[ … ]]`, its operators as words, or `(( … ))` without any words."""

    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    at: int

    __test__ = False  # its name is a pytest pattern


Command: TypeAlias = Simple | Braced | For | While | If | Case | Function | Test


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """Commands whose output is the next one's input."""

    commands: tuple[Command, ...]
    negated: bool
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AndOr:
    """Pipelines with `&&` or `||` in front of each but the first."""

    first: Pipeline
    rest: tuple[tuple[str, Pipeline], ...]
    background: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """Lists of commands, one behind the other."""

    lists: tuple[AndOr, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A whole text, with the bodies of its here-documents by the offset of their redirection."""

    script: Script
    documents: Mapping[int, Word]
