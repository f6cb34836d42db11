"""What a shell knows while it runs: folder, variables, functions, and whether it is still running."""

import enum
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Final

from pipegen.commands.reading import Setting
from pipegen.commands.running.values import Field, Hole, Value, written
from pipegen.commands.shell.syntax import Command, Word
from pipegen.commands.shell.texts import ShellText
from pipegen.dataclass import dataclass, field_names, replace


class Stop(enum.Enum):
    """Why nothing further of a script, function or loop runs. A failure ends a job that would have gone wrong."""

    EXIT = "exit"
    FAILURE = "failure"
    RETURN = "return"
    BREAK = "break"
    CONTINUE = "continue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Defined:
    """A function, with the text and here-documents that it stands in."""

    body: Command
    text: ShellText
    documents: Mapping[int, Word]


@dataclass(slots=True, kw_only=True)
class State:
    """A shell's state. It changes as commands are read; a subshell gets a copy.

    `folder` is a path on the machine, None where it depends on something unknown, which `lost` names. A variable that
    maps to None is unset (those in `removed` are out of the environment too); one that is missing is whatever the job's
    environment says. `maybe` marks commands that run under a condition, `exits` those behind a place where the script
    may have ended well. `handed_on` are functions that shells which it starts know as well. `unsure`: something was not
    read that may have set any variable. `within` is a wrapper around it that may keep the job's environment from it.
    """

    folder: str | None
    lost: str = ""
    previous: str | None = None
    stack: tuple[str | None, ...] = ()
    variables: dict[str, Value | None] = field(default_factory=dict)
    exported: set[str] = field(default_factory=set)
    removed: set[str] = field(default_factory=set)
    settings: dict[str, Setting] = field(default_factory=dict)
    functions: dict[str, Defined] = field(default_factory=dict)
    handed_on: set[str] = field(default_factory=set)
    arguments: tuple[Field, ...] | None = None
    name: Field | None = None
    exports_all: bool = False
    globstar: bool = False
    maybe: bool = False
    exits: bool = False
    unsure: bool = False
    within: str | None = None
    stop: Stop | None = None
    scopes: list[dict[str, Value | None]] = field(default_factory=list)

    def copy(self) -> "State":
        """A state of its own for a subshell or a branch."""
        return replace(
            self,
            variables=dict(self.variables),
            exported=set(self.exported),
            removed=set(self.removed),
            settings=dict(self.settings),
            functions=dict(self.functions),
            handed_on=set(self.handed_on),
            scopes=[dict(scope) for scope in self.scopes],
        )

    def take(self, other: "State") -> None:
        """Go on where another state has got to."""
        for name in _FIELDS:
            setattr(self, name, getattr(other, name))

    def assign(self, name: str, value: Value | None) -> None:
        """Give a variable a value, or none."""
        self.variables[name] = value
        if self.exports_all:
            self.exported.add(name)

    def forget(self, names: Iterable[str], at: int) -> None:
        """Make variables unknown."""
        for name in names:
            self.variables[name] = (Hole(f"${name}", quoted=False, at=at),)
            if name in self.settings:
                self.settings[name] = replace(self.settings[name], value=None)

    def unset(self, name: str) -> None:
        """Take a variable out of the shell and out of the environment."""
        self.variables[name] = None
        self.keep_in(name)

    def hand_out(self, name: str) -> None:
        """Let a variable be in the environment."""
        self.exported.add(name)
        self.removed.discard(name)

    def keep_in(self, name: str) -> None:
        """Take a variable out of the environment; the shell still knows it."""
        self.exported.discard(name)
        self.removed.add(name)

    def lose(self, why: str) -> None:
        """Make the folder unknown."""
        self.previous, self.folder, self.lost = self.folder, None, why

    def child(self, prefix: Mapping[str, Value]) -> "State":
        """The state of a new shell process: it inherits the folder and what is exported."""
        inherited = {name: self.variables[name] for name in self.exported if name in self.variables}
        gone: dict[str, Value | None] = dict.fromkeys(self.removed)
        variables = {**gone, **inherited, **prefix}
        return State(
            folder=self.folder,
            lost=self.lost,
            previous=self.previous,
            variables=variables,
            exported=set(variables) - self.removed,
            removed=self.removed - prefix.keys(),
            settings=dict(self.settings),
            functions={name: self.functions[name] for name in self.handed_on if name in self.functions},
            handed_on=set(self.handed_on),
            maybe=self.maybe,
            exits=self.exits,
            unsure=self.unsure,
            within=self.within,
        )


_FIELDS: Final = field_names(State)

_FAR: Final = frozenset({Stop.EXIT, Stop.FAILURE})


def join(one: State, other: State) -> State:
    """The state behind two ways that a script can take: what differs between them is unknown.

    A way that ended says nothing about what follows, except that it is only reached sometimes: unless it ended in a
    failure, which fails the job.
    """
    if one.stop is not None or other.stop is not None:
        return _join_stopped(one, other)
    both = one.copy()
    for name in one.variables.keys() | other.variables.keys():
        if (
            name not in one.variables
            or name not in other.variables
            or not same(one.variables[name], other.variables[name])
        ):
            both.forget((name,), 0)
    both.exported = one.exported | other.exported
    both.removed = one.removed & other.removed
    both.settings = _join_settings(one.settings, other.settings)
    both.functions = {**other.functions, **one.functions}
    if one.folder != other.folder:
        both.lose(one.lost or other.lost or f'"{one.folder}" or "{other.folder}"')
    if one.arguments != other.arguments:
        both.arguments = None
    both.maybe = one.maybe and other.maybe
    both.exits = one.exits or other.exits
    both.unsure = one.unsure or other.unsure
    return both


def _join_stopped(one: State, other: State) -> State:
    if one.stop is not None and other.stop is not None:
        nearer = one if other.stop in _FAR else other
        return nearer.copy()
    ended, alive = (one, other) if one.stop is not None else (other, one)
    result = alive.copy()
    result.unsure |= ended.unsure
    if ended.stop is Stop.EXIT:
        result.exits = True
    elif ended.stop is not Stop.FAILURE:
        result.maybe = True
    return result


def _join_settings(one: Mapping[str, Setting], other: Mapping[str, Setting]) -> dict[str, Setting]:
    """Settings of two ways; where they differ, the value is not known."""
    joined = {**other, **one}
    for name, setting in joined.items():
        if name not in one or name not in other or one[name].value != other[name].value:
            joined[name] = replace(setting, value=None)
    return joined


def same(one: Value | None, other: Value | None) -> bool:
    """Whether two values are the same text, wherever it was written."""
    return one is other or shape(one) == shape(other)


def shape(value: Value | None) -> object:
    """A value without the places that it came from, to compare."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return tuple((type(piece).__name__, written((piece,))) for piece in value)
    return ("items", *(shape(item) for item in value.items))
