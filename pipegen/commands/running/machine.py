"""What the programs in commands work with: one call of one, the shell that called it, and where findings go."""

import enum
import posixpath
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final, Protocol

from pipegen.commands.finds import Glob
from pipegen.commands.programs.tables import Tables
from pipegen.commands.reading import Called, Setting, Started, TestRun, Unread, Why
from pipegen.commands.running.state import State
from pipegen.commands.running.values import Each, Field, Hole, Output, glob_text, is_glob, known, place_of, written
from pipegen.commands.shell.syntax import Command, Script, Word
from pipegen.commands.shell.texts import Place, ShellText
from pipegen.dataclass import dataclass, replace

MAX_CALLS: Final = 10_000
MAX_TEXTS: Final = 30

_OF_ITS_OWN: Final = frozenset({Why.FOREIGN, Why.OPTION})
"""What cannot be read of a program that certainly is one: it leaves the shell that starts it as it was."""


class Status(enum.Enum):
    """How a command ended. FINE: well, or the job fails; OPEN: it asks something that is not known here."""

    TRUE = "true"
    FALSE = "false"
    FINE = "fine"
    OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What is known of a command that has run; it prints nothing unless it says so."""

    status: Status = Status.FINE
    output: Output = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The text that a command stands in, what it reads from its input (None: unknown), and how deep texts nest."""

    text: ShellText
    documents: Mapping[int, Word]
    stdin: Output | None = None
    depth: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefixed:
    """A variable that is set for one command alone."""

    value: Field
    setting: Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A program with its arguments, the variables set in front of it, and the shell that calls it."""

    argv: tuple[Field, ...]
    prefix: Mapping[str, Prefixed]
    state: State
    frame: Frame
    at: int
    reads: Output | None = None
    """What it reads, where a redirection of its own says so."""

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.frame.text.place(self.at)

    @property
    def shown(self) -> str:
        """The call for people."""
        return " ".join(written(argument) for argument in self.argv)

    @property
    def environment(self) -> Mapping[str, Setting]:
        """What the commands have set for the program, by name."""
        return {**self.state.settings, **{name: prefixed.setting for name, prefixed in self.prefix.items()}}

    def of(self, argv: tuple[Field, ...]) -> "Call":
        """Another program called in its place."""
        return replace(self, argv=argv, at=place_of(argv[0], self.at) if argv else self.at)

    def child(self) -> State:
        """The state of a shell that the call starts."""
        state = self.state.child({name: prefixed.value for name, prefixed in self.prefix.items()})
        state.settings = dict(self.environment)
        return state

    def unknown_output(self) -> Output:
        """What it prints, where that is not known."""
        return ((Hole(f"$({self.shown})", quoted=False, at=self.at),),)


@dataclass(slots=True, kw_only=True)
class Findings:
    """What has been found so far. While `quiet`, nothing is kept: a loop's body is read until its state is stable."""

    runs: list[TestRun] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    settings: list[Setting] = field(default_factory=list)
    calls: list[Called] = field(default_factory=list)
    programs: list[Started] = field(default_factory=list)
    quiet: int = 0
    steps: int = 0

    def add(self, found: TestRun | Unread | Setting | Called | Started) -> None:
        """Keep it."""
        if self.quiet:
            return
        match found:
            case TestRun():
                self.runs.append(found)
            case Unread():
                self.unread.append(found)
            case Setting():
                self.settings.append(found)
            case Called():
                self.calls.append(found)
            case Started():
                self.programs.append(found)


class Machine(Protocol):
    """The shell as programs see it."""

    @property
    def checkout(self) -> str:
        """The repository's root on the machine."""

    @property
    def content(self) -> Callable[[str], str | None]:
        """The text of a file of the repository, None where it is not there."""

    @property
    def tables(self) -> Tables:
        """What is known of programs."""

    @property
    def findings(self) -> Findings:
        """Where findings go."""

    def is_test(self, path: str) -> bool:
        """Whether a file is named like a test."""

    def run(self, call: Call) -> Result:
        """Run a program."""

    def run_text(self, text: ShellText, state: State, *, stdin: Output | None, depth: int) -> Result:
        """Run shell text in a state, which it changes."""


class Shell(Machine, Protocol):
    """The shell as its own control structures see it."""

    def script(self, script: Script, state: State, frame: Frame) -> Result:
        """Run lists of commands."""

    def command(self, command: Command, state: State, frame: Frame) -> Result:
        """Run one command."""

    def expand(self, words: tuple[Word, ...], state: State, frame: Frame) -> tuple[Field, ...]:
        """Words as arguments."""

    def one(self, word: Word, state: State, frame: Frame) -> Field:
        """A word that the shell does not split."""


def unread(machine: Machine, call: Call, why: Why, reason: str, *, text: str | None = None) -> Result:
    """Report that a call could not be read, and assume that it went well."""
    shown = call.shown if text is None else text
    machine.findings.add(Unread(text=shown, place=call.place, why=why, reason=reason))
    call.state.unsure |= why not in _OF_ITS_OWN
    return Result(output=call.unknown_output())


def starts(machine: Machine, call: Call, *, idle: bool = False) -> None:
    """Note that a call starts a program."""
    environment = tuple(call.environment.values())
    machine.findings.add(Started(place=call.place, environment=environment, idle=idle))


def unread_at(  # noqa: PLR0913, PLR0917 - what is to be said
    machine: Machine, call: Call, argument: Field, why: Why, reason: str, configured: str | None = None
) -> None:
    """Report that an argument could not be read."""
    place = call.frame.text.place(place_of(argument, call.at))
    machine.findings.add(Unread(text=written(argument), place=place, why=why, reason=reason, configured=configured))


def from_root(checkout: str, path: str) -> str | None:
    """A path on the machine from the repository's root ("" is the root itself), None where it lies outside."""
    root = checkout.rstrip("/")
    clean = posixpath.normpath(path)
    if clean == (root or "/"):
        return ""
    return clean[len(root) + 1 :] if clean.startswith(root + "/") else None


def on_machine(state: State, path: str) -> str | None:
    """A path as a command names it, from the machine's root; None where the folder is not known."""
    if path.startswith("/"):
        return posixpath.normpath(path)
    return None if state.folder is None else posixpath.normpath(posixpath.join(state.folder, path))


def expand_globs(machine: Machine, state: State, field_: Field) -> Field:
    """A field as the shell passes it on: a glob becomes the files that it finds when it runs.

    No file's name begins with a dash or holds `::`, so that a glob of that kind finds nothing and stays as it is.
    """
    if not is_glob(field_):
        return field_
    text = known(field_)
    if text is None or text.startswith("-") or "::" in text:
        return field_
    glob = _glob(machine, state, field_, text)
    at = place_of(field_, 0)
    return (Hole(text, quoted=False, at=at),) if glob is None else (Each(glob, at),)


def _glob(machine: Machine, state: State, field_: Field, text: str) -> Glob | None:
    pattern = glob_text(field_)
    if not pattern.startswith("/"):
        if state.folder is None:
            return None
        pattern = posixpath.join(escape(state.folder), pattern)
    path = from_root(escape(machine.checkout), pattern)
    if path is None:
        return None
    return Glob(pattern=path + "/" * text.endswith("/"), written=text, recursive=state.globstar)


def escape(path: str) -> str:
    """A path as a pattern that only it matches."""
    return "".join(f"\\{char}" if char in "*?[]\\" else char for char in path)
