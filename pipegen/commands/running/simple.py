"""Simple commands: assignments, the variables in front of a program, redirections, and calls of functions."""

import re
from typing import Final

from pipegen.commands.reading import How, Setting
from pipegen.commands.running.machine import (
    Call,
    Frame,
    Machine,
    Prefixed,
    Result,
    Shell,
    from_root,
    on_machine,
)
from pipegen.commands.running.state import Defined, State, Stop
from pipegen.commands.running.values import Field, Hole, Items, Output, Value, bared, known, lines_of, plain
from pipegen.commands.shell.syntax import Assignment, Literal, Redirect, Simple, Word
from pipegen.commands.shell.texts import Place
from pipegen.dataclass import replace

DECLARE: Final = frozenset({"declare", "typeset", "local", "export", "readonly"})

_ASSIGNS: Final = re.compile(r"[A-Za-z_]\w*\+?=", re.ASCII)
_OUTPUT: Final = frozenset({">", ">>", ">|", "&>", "&>>"})


def run_simple(shell: Shell, command: Simple, state: State, frame: Frame) -> Result:
    """Run a simple command."""
    argv = _arguments(shell, command.words, state, frame)
    prefix: dict[str, Prefixed] = {}
    for assignment in command.assignments:
        value = _value(shell, assignment, state, frame)
        if not argv:
            assign(shell, assignment, value, state, frame)
        elif not isinstance(value, Items):
            setting = setting_of(assignment.name, _text(value), How.PREFIX, state, frame.text.place(assignment.at))
            shell.findings.add(setting)
            prefix[assignment.name] = Prefixed(value=value, setting=setting)
    stdin = read_input(shell, command.redirects, state, frame)
    if not argv:
        return Result()
    frame = replace(frame, stdin=stdin) if stdin is not frame.stdin else frame
    own = stdin if any(redirect.operator.startswith("<") for redirect in command.redirects) else None
    call = Call(argv=argv, prefix=prefix, state=state, frame=frame, at=command.words[0].at, reads=own)
    result = shell.run(call)
    return replace(result, output=()) if is_redirected(command.redirects) else result


def _arguments(shell: Shell, words: tuple[Word, ...], state: State, frame: Frame) -> tuple[Field, ...]:
    """The words of a command as arguments; those that assign behind `export` and its like are not split."""
    if not words or words[0].bare not in DECLARE:
        return shell.expand(words, state, frame)
    fields = list(shell.expand(words[:1], state, frame))
    for word in words[1:]:
        if word.array is not None:
            name = words[0].bare
            assignment = Assignment(name=_name(word), append=False, index=None, value=word.array, at=word.at)
            if name == "local":
                remember(state, assignment.name)
            assign(shell, assignment, _value(shell, assignment, state, frame), state, frame)
        elif word.parts and isinstance(word.parts[0], Literal) and _ASSIGNS.match(word.parts[0].text):
            fields.append(shell.one(word, state, frame))
        else:
            fields += shell.expand((word,), state, frame)
    return tuple(fields)


def _name(word: Word) -> str:
    head = word.parts[0]
    return head.text.rstrip("=+") if isinstance(head, Literal) else ""


def _value(shell: Shell, assignment: Assignment, state: State, frame: Frame) -> Value:
    if isinstance(assignment.value, Word):
        return bared(shell.one(assignment.value, state, frame))
    return Items(tuple(bared(item) for item in shell.expand(assignment.value, state, frame)))


def assign(shell: Machine, assignment: Assignment, value: Value, state: State, frame: Frame) -> None:
    """Give a variable its value; one that is in the environment is set there too."""
    name = assignment.name
    if assignment.index is not None:
        state.forget((name,), assignment.at)
    elif assignment.append:
        state.assign(name, _appended(state, assignment, value))
    else:
        state.assign(name, value)
    if name in state.exported:
        export(shell, state, frame, name, assignment.at)


def _appended(state: State, assignment: Assignment, value: Value) -> Value:
    before = state.variables.get(assignment.name, (Hole(f"${assignment.name}", quoted=False, at=assignment.at),))
    if before is None:
        return value
    if isinstance(before, Items) and isinstance(value, Items):
        return Items((*before.items, *value.items))
    if isinstance(before, Items) or isinstance(value, Items):
        return (Hole(f"${assignment.name}", quoted=False, at=assignment.at),)
    return (*before, *value)


def export(shell: Machine, state: State, frame: Frame, name: str, at: int) -> None:
    """Put a variable into the environment of what follows."""
    state.exported.add(name)
    value = state.variables.get(name)
    if name not in state.variables:
        return
    setting = setting_of(name, _text(() if value is None else value), How.EXPORT, state, frame.text.place(at))
    state.settings[name] = setting
    shell.findings.add(setting)


def take_out(shell: Machine, state: State, frame: Frame, name: str, at: int) -> None:
    """Say that a variable is out of the environment of what follows."""
    setting = setting_of(name, None, How.UNSET, state, frame.text.place(at))
    state.settings[name] = setting
    shell.findings.add(setting)


def _text(value: Value) -> str | None:
    return None if isinstance(value, Items) else known(value)


def setting_of(name: str, value: str | None, how: How, state: State, place: Place) -> Setting:
    """A setting in a shell of this state."""
    return Setting(name=name, value=value, how=how, place=place, sure=not state.unsure, within=state.within)


def remember(state: State, name: str) -> None:
    """Keep a variable's value for when the function ends."""
    if state.scopes and name not in state.scopes[-1]:
        state.scopes[-1][name] = state.variables.get(name)


def is_redirected(redirects: tuple[Redirect, ...]) -> bool:
    """Whether the output goes into a file."""
    return any(redirect.operator in _OUTPUT for redirect in redirects)


def read_input(shell: Shell, redirects: tuple[Redirect, ...], state: State, frame: Frame) -> Output | None:
    """What a command reads from its input behind its redirections; None where it is not known."""
    stdin = frame.stdin
    for redirect in redirects:
        match redirect.operator:
            case "<<" | "<<-":
                body = frame.documents.get(redirect.at)
                stdin = lines_of(shell.one(body, state, frame)) if body else None
            case "<<<":
                stdin = lines_of(shell.one(redirect.target, state, frame))
            case "<":
                stdin = _file(shell, shell.one(redirect.target, state, frame), state, redirect.at)
            case _:
                # What it expands to does not matter, but a command inside of it runs.
                shell.one(redirect.target, state, frame)
    return stdin


def _file(shell: Machine, target: Field, state: State, at: int) -> Output | None:
    text = file_text(shell, state, target)
    return None if text is None else lines_of(plain(text, at))


def file_text(shell: Machine, state: State, target: Field) -> str | None:
    """The content of a file of the repository that a command names; None where it is not known."""
    name = known(target)
    place = on_machine(state, name) if name else None
    path = from_root(shell.checkout, place) if place else None
    return shell.content(path) if path else None


def run_function(shell: Shell, defined: Defined, call: Call) -> Result:
    """Call a function: it runs in the shell that calls it, with parameters of its own."""
    state = call.state
    if call.frame.depth > 25:
        # A function that calls itself: what it would do next, it has done already.
        return Result()
    arguments, before = state.arguments, {name: state.variables.get(name) for name in call.prefix}
    for name, prefixed in call.prefix.items():
        state.assign(name, prefixed.value)
    settings, maybe = dict(state.settings), state.maybe
    state.settings = dict(call.environment)
    state.arguments = tuple(bared(argument) for argument in call.argv[1:])
    state.scopes.append({})
    frame = Frame(text=defined.text, documents=defined.documents, stdin=call.frame.stdin, depth=call.frame.depth + 1)
    result = shell.command(defined.body, state, frame)
    state.variables.update(state.scopes.pop())
    if call.prefix:
        state.variables.update(before)
        state.settings = settings
    state.arguments = arguments
    state.maybe = maybe
    if state.stop is Stop.RETURN:
        state.stop = None
    return result
