"""Which program a command calls, and what reads it."""

import posixpath
import re
from typing import Final

from pipegen.commands.programs.builtins import BUILTINS
from pipegen.commands.programs.finding import run_find
from pipegen.commands.programs.printing import PRINTING
from pipegen.commands.programs.pytest_call import run_pytest
from pipegen.commands.programs.python import run_launcher
from pipegen.commands.programs.shells import run_script, run_shell
from pipegen.commands.programs.tables import Launcher, Wrapper
from pipegen.commands.programs.wrapping import run_wrapper
from pipegen.commands.programs.xargs import run_xargs
from pipegen.commands.reading import Why
from pipegen.commands.running.machine import Call, Machine, Result, Status, from_root, on_machine, starts, unread
from pipegen.commands.running.values import Field, Hole, known, written

_TESTS: Final = re.compile(r"\bpy\.?test\b")
_SCRIPT: Final = re.compile(r"\.(?:sh|bash|py)\Z")
_PYTHON: Final = re.compile(r"python[0-9.]*\Z")


def run_program(machine: Machine, call: Call) -> Result:
    """Run the program that a call names."""
    name = known(call.argv[0])
    if name is None:
        return _unknown(machine, call)
    if not name:
        return Result()
    wrapper = _wrapper(machine, call, name)
    if wrapper is not None:
        return run_wrapper(machine, call, *wrapper)
    base = posixpath.basename(name)
    if "/" in name and not _is_tool(machine, base):
        return run_script(machine, call, call.argv[0], call.argv[1:])
    builtin = BUILTINS.get(name)
    return _tool(machine, call, base) if builtin is None else builtin(machine, call)


def _unknown(machine: Machine, call: Call) -> Result:
    if len(call.argv) == 1 and any(isinstance(piece, Hole) and not piece.quoted for piece in call.argv[0]):
        reason = "what it runs, if anything, is not known before it runs"
    else:
        reason = "which program it runs is not known before it runs"
    return unread(machine, call, Why.UNKNOWN, reason)


def _is_tool(machine: Machine, base: str) -> bool:
    """Whether a path leads to a program that is known wherever it lies: `.venv/bin/pytest`, `/usr/bin/env`."""
    tables = machine.tables
    return (
        base in tables.pytest_names
        or base in tables.shells
        or base in PRINTING
        or base in {"find", "xargs", "[", "test", "true", "false"}
        or _PYTHON.match(base) is not None
        or any(launcher.name[0] == base for launcher in tables.launchers)
        or base in tables.inert
    )


def _tool(machine: Machine, call: Call, base: str) -> Result:
    tables = machine.tables
    launcher = _launcher(machine, call, base)
    if base in tables.pytest_names:
        starts(machine, call)
        return run_pytest(machine, call)
    if launcher is not None:
        starts(machine, call)
        return run_launcher(machine, call, launcher)
    if base in tables.shells:
        return run_shell(machine, call)
    if base in {"find", "xargs"}:
        return run_find(machine, call) if base == "find" else run_xargs(machine, call)
    if base in PRINTING:
        return PRINTING[base](machine, call)
    if _SCRIPT.search(base) and base not in tables.inert:
        return run_script(machine, call, call.argv[0], call.argv[1:])
    return _other(machine, call, base)


def _other(machine: Machine, call: Call, base: str) -> Result:
    """A program of which nothing is known, except perhaps that it runs no tests, or that it runs some."""
    tables = machine.tables
    starts(machine, call, idle=base in tables.inert)
    status = Status.OPEN if _asks(call, base, tables.conditions) else Status.FINE
    if base in tables.foreign:
        return unread(machine, call, Why.FOREIGN, f'"{base}" runs what its own files say')
    if base not in tables.inert and any(_TESTS.search(written(word)) for word in call.argv[1:]):
        return unread(machine, call, Why.FOREIGN, f'"{base}" is given something that names pytest')
    return Result(status=status, output=call.unknown_output())


def _asks(call: Call, base: str, conditions: frozenset[str]) -> bool:
    """Whether a program is called for its status: `which`, or `grep -q`."""
    if base in conditions:
        return True
    return "grep" in base and any(re.match(r"-[a-zA-Z]*q|--quiet|--silent", written(word)) for word in call.argv[1:])


def _launcher(machine: Machine, call: Call, base: str) -> Launcher | None:
    name = "python" if _PYTHON.match(base) else base
    for launcher in machine.tables.launchers:
        if launcher.name[0] == name and _follows(call.argv[1:], launcher.name[1:]):
            return launcher
    return None


def _follows(argv: tuple[Field, ...], words: tuple[str, ...]) -> bool:
    return len(argv) >= len(words) and all(known(one) == two for one, two in zip(argv, words, strict=False))


def _wrapper(machine: Machine, call: Call, name: str) -> tuple[Wrapper, int] | None:
    """The wrapper that a call names, and the argument behind its name; a script's may stand behind a shell."""
    base = posixpath.basename(name)
    for wrapper in machine.tables.by_word.get(base, ()):
        if _follows(call.argv[1:], wrapper.name[1:]):
            return wrapper, len(wrapper.name)
    scripts = machine.tables.by_word.get("", ())
    start = 1 if base in machine.tables.shells or name in {"source", "."} else 0
    path = known(call.argv[start]) if scripts and len(call.argv) > start else None
    if not path or ("/" not in path and not start):
        return None
    place = on_machine(call.state, path)
    root_path = from_root(machine.checkout, place) if place else None
    for wrapper in scripts:
        if wrapper.name[0] == root_path and _follows(call.argv[start + 1 :], wrapper.name[1:]):
            return wrapper, start + len(wrapper.name)
    return None
