"""What reading a job's commands gives: its test runs, what could not be read, and what they set and call."""

import enum
from typing import TypeAlias

from pipegen.commands.finds import Glob, Search
from pipegen.commands.shell.texts import Place
from pipegen.dataclass import dataclass


class Tool(enum.Enum):
    """What runs the tests: pytest, or Python with the test file as its program (`torchrun file.py` as well)."""

    PYTEST = "pytest"
    PYTHON = "python"


class Why(enum.Enum):
    """Why something could not be read."""

    SYNTAX = "syntax"
    """No shell would take the text, or it is beyond this reader."""
    UNKNOWN = "unknown"
    """It depends on a value that the text does not hold."""
    FOLDER = "folder"
    """The folder in which it runs is not known."""
    OUTSIDE = "outside"
    """It lies outside of the repository."""
    OPTION = "option"
    """An option of which it is not known whether the next word is its value."""
    CONTENT = "content"
    """A script of the repository whose content is not available."""
    FOREIGN = "foreign"
    """A program that may run tests by rules of its own."""
    DEPTH = "depth"
    """Scripts, loops or quoted texts go on and on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """Something that may run tests and could not be read: the text, where it stands, and why, in words.

    What is `configured` stands in no command, but in that file of pytest's own settings.
    """

    text: str
    place: Place
    why: Why
    reason: str
    configured: str | None = None


class How(enum.Enum):
    """How a command sets a variable for what follows."""

    EXPORT = "export"
    PREFIX = "prefix"
    UNSET = "unset"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A variable that the commands put into the environment, or take out. `value` is None where it is not known.

    `sure`: all that its shell ran in front of it was read, so that nothing else has set the variable. `within` is the
    program or script around it that may keep the job's own environment from what it runs.
    """

    name: str
    value: str | None
    how: How
    place: Place
    sure: bool = True
    within: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A program that the commands start, with what they have set for it; `idle` ones run no tests, whatever they do."""

    place: Place
    environment: tuple[Setting, ...]
    idle: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A path from the repository's root ("" is the root itself), as it was written, and where.

    One that is `configured` stands in no command, but under `addopts` in that file of pytest's own settings.
    """

    path: str
    written: str
    place: Place
    configured: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Named(Spot):
    """A directory or file of a run, with the node id inside of the file ("" for all of it)."""

    node: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Globbed:
    """Files of a run that the job's shell expands from a pattern."""

    glob: Glob
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """Files of a run that `find` prints."""

    search: Search
    place: Place


Target: TypeAlias = Named | Globbed | Searched
"""What a run is given to collect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """The text of `-k` or `-m`. One that is `configured` stands in that file of pytest's own settings."""

    text: str
    place: Place
    configured: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRun:
    """One call of pytest, or of a file as a program, as it stands in the commands.

    `folder` is where it runs, from the repository's root ("" is the root), None where that lies outside or is not
    known: then all that it names is outside too. Without targets, pytest collects what lies in the folder.
    `ignores` are paths as `targets`; `ignore_globs` are absolute patterns on the machine, as pytest compares them;
    `deselects` are beginnings of node ids as written, which count from pytest's root directory.

    `maybe`: it stands under a condition. `complete`: everything that says what it collects was read.
    `executes` is false where it runs no test: `--collect-only`, or a file that only defines.
    """

    tool: Tool
    folder: str | None
    targets: tuple[Target, ...] = ()
    ignores: tuple[Spot, ...] = ()
    ignore_globs: tuple[Spot, ...] = ()
    deselects: tuple[Spot, ...] = ()
    k: Expression | None = None
    m: Expression | None = None
    sharded: bool = False
    overrides: tuple[tuple[str, str], ...] = ()
    root: str | None = None
    keeps_duplicates: bool = False
    rest: tuple[str, ...] = ()
    environment: tuple[Setting, ...] = ()
    maybe: bool = False
    complete: bool = True
    executes: bool = True
    place: Place
    text: str

    __test__ = False  # its name is a pytest pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """A file of the repository that the commands run: a shell script, a Python program, or another program.

    `read` says whether its content was there to be followed.
    """

    path: str
    place: Place
    read: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """All that a job's commands say, in the order in which they run.

    `programs` are what they start: tests, scripts, and all else that is none of the shell's own. `together`: commands
    are parts of one script, of which one could not be taken out by itself.
    """

    runs: tuple[TestRun, ...]
    unread: tuple[Unread, ...]
    settings: tuple[Setting, ...]
    calls: tuple[Called, ...]
    programs: tuple[Started, ...] = ()
    together: bool = False
