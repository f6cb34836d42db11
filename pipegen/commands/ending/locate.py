"""Where in a syntax tree a command stands."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.commands.shell.syntax import (
    AndOr,
    Braced,
    Case,
    Command,
    For,
    Function,
    If,
    Literal,
    Parameter,
    Script,
    Simple,
    Substitution,
    Test,
    While,
    Word,
)
from pipegen.dataclass import dataclass

_SETTING: Final = frozenset(
    {"read", "let", "local", "declare", "typeset", "export", "readonly", "mapfile", "readarray", "getopts", "printf"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A script with what is looked up in it: where words of simple commands begin, and its functions.

    `direct` are the commands that stand alone at its top, one behind the other; `changes` says whether the script
    changes options of its shell. `assigned` are the variables that it sets; None where that is not known.
    """

    script: Script
    starts: tuple[int, ...]
    commands: tuple[Simple, ...]
    functions: Mapping[str, Command]
    direct: frozenset[int]
    changes: bool
    assigned: frozenset[str] | None

    @classmethod
    def of(cls, script: Script) -> "Whole":
        """Look through a script."""
        simple = list(simple_commands(script))
        words = sorted(((word.at, at) for at, command in enumerate(simple) for word in command.words))
        return cls(
            script=script,
            starts=tuple(at for at, _ in words),
            commands=tuple(simple[index] for _, index in words),
            functions={function.name: function.body for function in functions_of(script)},
            direct=frozenset(id(one.first.commands[0]) for one in script.lists if _is_direct(one)),
            changes=any(command.words and command.words[0].bare == "set" for command in simple),
            assigned=_assigned(script),
        )

    def at(self, offset: int) -> Simple | None:
        """The simple command with a word that begins at, or last before, an offset."""
        index = bisect_right(self.starts, offset) - 1
        return self.commands[index] if index >= 0 else None


def _assigned(script: Script) -> frozenset[str] | None:
    found: set[str] = set()
    for command in commands_in(script):
        match command:
            case Test(words=()):
                return None  # arithmetic, which is not read
            case For(name=str() as name):
                found.add(name)
            case Simple():
                found.update(assignment.name for assignment in command.assignments)
                if command.words and command.words[0].bare in _SETTING:
                    found.update((word.bare or "").partition("=")[0] for word in command.words[1:])
                    found.update(_head(word) for word in command.words[1:])
                elif command.words and command.words[0].bare in {"eval", "source", "."}:
                    return None
            case _:
                pass
    return frozenset(found)


def _head(word: Word) -> str:
    """The name in front of a `=` whose value is not plain."""
    part = word.parts[0] if word.parts else None
    return part.text.partition("=")[0].removesuffix("+") if isinstance(part, Literal) else ""


def _is_direct(commands: AndOr) -> bool:
    alone = not commands.rest and not commands.background and not commands.first.negated
    return alone and len(commands.first.commands) == 1


def simple_commands(script: Script) -> Iterator[Simple]:
    """Every simple command in there."""
    return (command for command in commands_in(script) if isinstance(command, Simple))


def functions_of(script: Script) -> Iterator[Function]:
    """Every function that is defined in there."""
    return (command for command in commands_in(script) if isinstance(command, Function))


def commands_in(script: Script) -> Iterator[Command]:
    """Every command, what is inside of one behind it; those inside of `$(…)` too."""
    for commands in script.lists:
        for pipeline in (commands.first, *(pipeline for _, pipeline in commands.rest)):
            for command in pipeline.commands:
                yield from _inside(command)


def _inside(command: Command) -> Iterator[Command]:
    yield command
    match command:
        case Simple():
            for body in substitutions(command):
                yield from commands_in(body)
        case Function():
            yield from _inside(command.body)
        case Test():
            pass
        case _:
            for body in _bodies(command):
                yield from commands_in(body)


def _bodies(command: Braced | For | While | If | Case) -> Iterator[Script]:
    match command:
        case Braced() | For():
            yield command.body
        case While():
            yield from (command.condition, command.body)
        case If():
            for condition, body in command.branches:
                yield from (condition, body)
            if command.otherwise is not None:
                yield command.otherwise
        case Case():
            yield from (arm.body for arm in command.arms)


def substitutions(command: Simple) -> Iterator[Script]:
    """The scripts of the `$(…)` in a simple command, in order."""
    for assignment in command.assignments:
        values = (assignment.value,) if isinstance(assignment.value, Word) else assignment.value
        yield from (body for value in values for body in in_word(value))
    for word in command.words:
        yield from in_word(word)


def in_word(word: Word) -> Iterator[Script]:
    """The scripts of the `$(…)` in a word."""
    for part in word.parts:
        match part:
            case Substitution():
                yield part.body
            case Parameter(operand=Word() as operand):
                yield from in_word(operand)
            case _:
                pass
