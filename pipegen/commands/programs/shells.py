"""Shells, and the scripts of the repository that they run: followed to the commands inside."""

import posixpath
import re
from typing import Final

from pipegen.commands.programs.python import run_python_file
from pipegen.commands.reading import Called, Why
from pipegen.commands.running.machine import Call, Machine, Result, from_root, on_machine, starts, unread
from pipegen.commands.running.state import Stop
from pipegen.commands.running.values import Field, bared, inner_text, joined, known, plain
from pipegen.commands.shell.texts import ScriptText
from pipegen.dataclass import dataclass

_SHEBANG: Final = re.compile(r"#!\s*(?P<program>\S+)(?:[ \t]+(?:-\S+[ \t]+)*(?P<word>[^\s-]\S*))?")
_SHELL: Final = re.compile(r"(?:ba|da|k|z|a)?sh\Z")
_PYTHON: Final = re.compile(r"python[0-9.]*\Z")
_TESTS: Final = re.compile(r"\bpy\.?test\b")
_VALUED: Final = frozenset({"--rcfile", "--init-file"})


def run_eval(machine: Machine, call: Call) -> Result:
    """`eval`: its arguments are text for the shell that it stands in."""
    text = inner_text(joined(call.argv[1:], " "), call.frame.text)
    return machine.run_text(text, call.state, stdin=call.frame.stdin, depth=call.frame.depth + 1)


def run_shell(machine: Machine, call: Call) -> Result:
    """`bash -c TEXT`, `bash SCRIPT`, or a shell that reads its commands from its input."""
    index, has_text = _options(call.argv)
    rest = call.argv[index:]
    if has_text:
        return run_text_argument(machine, call, rest[0], rest[1:]) if rest else Result()
    if rest:
        return run_script(machine, call, rest[0], rest[1:])
    if call.frame.stdin is None:
        return Result()
    return run_text_argument(machine, call, joined(call.frame.stdin, "\n"), ())


def _options(argv: tuple[Field, ...]) -> tuple[int, bool]:
    """Where a shell's options end, and whether one of them was `-c`."""
    index = 1
    has_text = False
    while index < len(argv):
        text = known(argv[index])
        if text is None or text[:1] not in {"-", "+"} or text == "-":
            break
        index += 1
        if text == "--":
            break
        if text.startswith("--"):
            index += text in _VALUED
            continue
        has_text = has_text or "c" in text
        index += text.count("o") + text.count("O")
    return index, has_text


def run_text_argument(machine: Machine, call: Call, text: Field, rest: tuple[Field, ...]) -> Result:
    """A shell of its own runs the text of an argument; what follows are `$0` and the positional parameters."""
    state = call.child()
    state.name = bared(rest[0]) if rest else plain("bash", call.at)
    state.arguments = tuple(bared(argument) for argument in rest[1:])
    inner = inner_text(text, call.frame.text)
    return machine.run_text(inner, state, stdin=call.frame.stdin, depth=call.frame.depth + 1)


def run_source(machine: Machine, call: Call) -> Result:
    """`source` and `.`: a script in the shell that it stands in."""
    if len(call.argv) < 2:
        return Result()
    name = known(call.argv[1])
    if name is not None and name.endswith("/bin/activate"):
        # A virtual environment: it sets where programs come from and nothing that is asked for here.
        return Result()
    state = call.state
    arguments, before = state.arguments, state.name
    if len(call.argv) > 2:
        state.arguments = tuple(bared(argument) for argument in call.argv[2:])
    result = run_script(machine, call, call.argv[1], None)
    state.arguments, state.name = arguments, before
    if state.stop is Stop.RETURN:
        state.stop = None
    return result


def run_script(machine: Machine, call: Call, script: Field, arguments: tuple[Field, ...] | None) -> Result:
    """A script that a command names, by a shell or by itself. Without `arguments` it is sourced.

    One that lies outside of the repository is a program like any other.
    """
    name = known(script)
    if name is None:
        return unread(machine, call, Why.UNKNOWN, "which script it runs is not known before it runs")
    place = on_machine(call.state, name)
    if place is None:
        return unread(machine, call, Why.FOLDER, f"it runs in a folder that is not known: {call.state.lost}")
    path = from_root(machine.checkout, place)
    if arguments is None:
        call.state.unsure |= not path
    else:
        starts(machine, call)
    if not path:
        return Result(output=call.unknown_output())
    content = machine.content(path)
    machine.findings.add(Called(path=path, place=call.place, read=content is not None))
    if content is None:
        return unread(machine, call, Why.CONTENT, f'the content of "{path}" is not available')
    return _follow(machine, call, _Found(path=path, name=name, text=content), arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A script: its path, the name it was called by, its text."""

    path: str
    name: str
    text: str


def _follow(machine: Machine, call: Call, found: _Found, arguments: tuple[Field, ...] | None) -> Result:
    path, content = found.path, found.text
    program = _program(path, content)
    if arguments is not None and _PYTHON.match(program):
        return run_python_file(machine, call, path, arguments)
    if not _SHELL.match(program):
        if _TESTS.search(content):
            return unread(machine, call, Why.FOREIGN, f'"{path}" is run by {program} and may run tests')
        return Result(output=call.unknown_output())
    state = call.state if arguments is None else call.child()
    state.name = plain(found.name, call.at)
    if arguments is not None:
        state.arguments = tuple(bared(argument) for argument in arguments)
    text = ScriptText(text=content, path=path, via=call.place)
    return machine.run_text(text, state, stdin=call.frame.stdin, depth=call.frame.depth + 1)


def _program(path: str, content: str) -> str:
    """The base name of what runs a script: its first line says it, else its name, else it is a shell."""
    found = _SHEBANG.match(content)
    if found:
        program = posixpath.basename(found["program"])
        return found["word"] or program if program == "env" else program
    return "python" if path.endswith(".py") else "sh"
