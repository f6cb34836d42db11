"""What bash reads and a POSIX shell such as dash does not, or otherwise: after POSIX (XCU 2) and dash(1)."""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from pipegen.commands.ending.locate import commands_in
from pipegen.commands.shell.syntax import (
    Assignment,
    Case,
    Command,
    For,
    Function,
    Literal,
    Parameter,
    Redirect,
    Script,
    Simple,
    Substitution,
    Test,
    Word,
)
from pipegen.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Bashism:
    """A piece of bash: what it is as it is written, where it stands, and what to write instead."""

    what: str
    at: int
    instead: str


_BUILTINS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "source": "write . (a dot), with a / in the path",
        "declare": "assign without it, or use export",
        "typeset": "assign without it, or use export",
        "let": "write x=$((…))",
        "shopt": "do without it",
        "pushd": "write cd in a subshell: (cd DIR && …)",
        "popd": "write cd in a subshell: (cd DIR && …)",
        "mapfile": "read the lines in a loop",
        "readarray": "read the lines in a loop",
    }
)
_VARIABLES: Final = frozenset({"BASH_SOURCE", "BASHPID", "FUNCNAME", "PIPESTATUS", "RANDOM", "SECONDS"})
_POSIX_OPERATOR: Final = re.compile(r":?[-=?+]\Z|%%?\Z|##?\Z|\Z")
_BRACES: Final = re.compile(r"(?<!\$)\{(?:[^{}\s,]*,[^{}\s]*|[^{}\s.]+\.\.[^{}\s]+)\}")
_DESCRIPTOR: Final = re.compile(r"\d+-?\Z|-\Z")


def bashisms(script: Script, text: str) -> Iterator[Bashism]:
    """Every piece of bash in a text, once for each place."""
    for command in commands_in(script):
        yield from _of_command(command, text)
    yield from _joint(script, text)


def _of_command(command: Command, text: str) -> Iterator[Bashism]:
    match command:
        case Test():
            what = "[[" if text.startswith("[[", command.at) else "(("
            instead = "write [ … ]" if what == "[[" else "write [ … ] or $((…))"
            yield Bashism(what=what, at=command.at, instead=instead)
        case Function() if text.startswith("function", command.at):
            yield Bashism(what="function", at=command.at, instead="write NAME() { …; }")
        case For():
            yield from _of_loop(command, text)
        case Case():
            for arm in command.arms:
                if arm.end != ";;":
                    yield Bashism(what=arm.end, at=command.at, instead="end each arm with ;;")
        case Simple():
            yield from _of_simple(command, text)
        case _:
            pass


def _of_loop(command: For, text: str) -> Iterator[Bashism]:
    if command.select or command.name is None:
        what = "select" if command.select else "for (("
        yield Bashism(what=what, at=command.at, instead="write for NAME in …, or while")
    for word in command.words or ():
        yield from _of_word(word, text)


def _of_simple(command: Simple, text: str) -> Iterator[Bashism]:
    for assignment in command.assignments:
        yield from _of_assignment(assignment, text)
    for word in command.words:
        yield from _of_word(word, text)
    for redirect in command.redirects:
        yield from _of_redirect(redirect, text)
    yield from _of_call(command)


def _of_assignment(assignment: Assignment, text: str) -> Iterator[Bashism]:
    if isinstance(assignment.value, tuple) or assignment.index is not None:
        what = f"{assignment.name}=(…)" if assignment.index is None else f"{assignment.name}[…]="
        yield Bashism(what=what, at=assignment.at, instead="sh has no arrays: use words, or set --")
        return
    if assignment.append:
        name = assignment.name
        yield Bashism(what=f"{name}+=", at=assignment.at, instead=f'write {name}="${name}…"')
    yield from _of_word(assignment.value, text)


def _of_redirect(redirect: Redirect, text: str) -> Iterator[Bashism]:
    if redirect.operator in {"&>", "&>>"}:
        yield Bashism(what=redirect.operator, at=redirect.at, instead="write > FILE 2>&1")
    elif redirect.operator == "<<<":
        yield Bashism(what="<<<", at=redirect.at, instead="write printf … | or a here-document")
    elif redirect.operator == ">&" and not _DESCRIPTOR.match(redirect.target.bare or "1"):
        yield Bashism(what=">&", at=redirect.at, instead="write > FILE 2>&1")
    yield from _of_word(redirect.target, text)


def _of_word(word: Word, text: str) -> Iterator[Bashism]:
    if word.array is not None:
        yield Bashism(what="=(…)", at=word.at, instead="sh has no arrays: use words, or set --")
    for part in word.parts:
        match part:
            case Substitution(process=True):
                what = text[part.at : part.at + 2]
                yield Bashism(what=f"{what}…)", at=part.at, instead="write to a file first, or use a pipe")
            case Parameter():
                yield from _of_parameter(part, text)
            case Literal(quoted=True, exact=False) if text[part.at - 2 : part.at] == "$'":
                yield Bashism(what="$'…'", at=part.at - 2, instead="use printf")
            case Literal(quoted=False) if found := _BRACES.search(part.text):
                yield Bashism(what=found[0], at=part.at + found.start(), instead="write the words out")
            case _:
                pass


def _of_parameter(part: Parameter, text: str) -> Iterator[Bashism]:
    odd = part.prefix == "!" or part.index is not None or part.name in _VARIABLES
    if odd or not _POSIX_OPERATOR.match(part.operator):
        yield Bashism(what=part.written, at=part.at, instead="sh has no such expansion: do without it, or run bash -c")
    if part.operand is not None:
        yield from _of_word(part.operand, text)


def _of_call(command: Simple) -> Iterator[Bashism]:
    words = [word.bare for word in command.words]
    name = words[0] if words else None
    if name in _BUILTINS:
        yield Bashism(what=name or "", at=command.at, instead=_BUILTINS[name or ""])
    if name in {"[", "test"} and "==" in words:
        yield Bashism(what="==", at=command.words[words.index("==")].at, instead="write =")
    if name == "set" and "pipefail" in words:
        instead = "sh knows no pipefail: run bash -o pipefail -c '…', or do without the pipe"
        yield Bashism(what="set -o pipefail", at=command.at, instead=instead)
    if name == "echo" and len(words) > 1 and re.match(r"-[neE]*e", words[1] or ""):
        yield Bashism(what="echo -e", at=command.at, instead="use printf")
    if name == "export" and "-f" in words:
        yield Bashism(what="export -f", at=command.at, instead="put the function into a script")
    if name == "wait" and "-n" in words:
        yield Bashism(what="wait -n", at=command.at, instead="wait for each job by its $!")


def _joint(script: Script, text: str) -> Iterator[Bashism]:
    """`|&` between commands."""
    for commands in script.lists:
        for pipeline in (commands.first, *(pipeline for _, pipeline in commands.rest)):
            for before, after in zip(pipeline.commands, pipeline.commands[1:], strict=False):
                between = text[before.at : after.at].rstrip()
                if between.endswith("|&"):
                    at = before.at + len(between) - 2
                    yield Bashism(what="|&", at=at, instead="write 2>&1 |")
