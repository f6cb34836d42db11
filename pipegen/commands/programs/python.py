"""Python with a file, a module or text as its program, and launchers that start it: `torchrun`, `coverage run`."""

import posixpath
import re
from typing import Final, assert_never

from pipegen.commands.programs.options import taken
from pipegen.commands.programs.python_code import Program, RunsPytest, behaviour
from pipegen.commands.programs.tables import Launcher
from pipegen.commands.reading import Called, Named, TestRun, Tool, Why
from pipegen.commands.running.machine import Call, Machine, Result, from_root, on_machine, unread
from pipegen.commands.running.values import Field, known, place_of, plain, written

_TESTS: Final = re.compile(r"\b(?:py\.?test|unittest)\b")


def run_launcher(machine: Machine, call: Call, launcher: Launcher) -> Result:
    """Run what a launcher starts."""
    start = len(launcher.name)
    options = taken(call.argv, start, launcher.options, stop=launcher.module | launcher.text)
    if options.doubt is not None:
        return unread(machine, call, Why.OPTION, options.doubt)
    rest = call.argv[options.end :]
    if options.stopped is not None:
        option, value = options.stopped
        if option in launcher.text:
            return _text(machine, call, value)
        return run_module(machine, call, value, rest)
    if options.given & launcher.command:
        return machine.run(call.of(rest)) if rest else Result()
    if not rest or known(rest[0]) == "-":
        return Result(output=call.unknown_output())
    return run_python(machine, call, rest[0], rest[1:])


def _text(machine: Machine, call: Call, value: Field) -> Result:
    """`python -c`: short texts that ask for something; one that names a test runner is said to be unread."""
    if _TESTS.search(written(value)):
        return unread(machine, call, Why.FOREIGN, "Python text is not followed, and this one names a test runner")
    return Result(output=call.unknown_output())


def run_module(machine: Machine, call: Call, module: Field, rest: tuple[Field, ...]) -> Result:
    """`python -m module`."""
    name = known(module)
    if name is None:
        return unread(machine, call, Why.UNKNOWN, "which module it runs is not known before it runs")
    programs = dict(machine.tables.modules)
    if name in programs:
        return machine.run(call.of((plain(programs[name], place_of(module, call.at)), *rest)))
    if name in machine.tables.foreign:
        return unread(machine, call, Why.FOREIGN, f'"{name}" finds tests by rules of its own')
    return Result(output=call.unknown_output())


def run_python(machine: Machine, call: Call, program: Field, arguments: tuple[Field, ...]) -> Result:
    """A Python file, as a command names it."""
    name = known(program)
    if name is None:
        return unread(machine, call, Why.UNKNOWN, "which file it runs is not known before it runs")
    place = on_machine(call.state, name)
    if place is None:
        return unread(machine, call, Why.FOLDER, f"it runs in a folder that is not known: {call.state.lost}")
    path = from_root(machine.checkout, place)
    if not path:
        return Result(output=call.unknown_output())
    machine.findings.add(Called(path=path, place=call.place, read=machine.content(path) is not None))
    return run_python_file(machine, call, path, arguments)


def run_python_file(machine: Machine, call: Call, path: str, arguments: tuple[Field, ...]) -> Result:
    """A Python file of the repository. One that is named like a test is a run of it, if any of it runs."""
    content = machine.content(path)
    if content is None:
        _found(machine, call, path, complete=False, executes=True)
        return unread(machine, call, Why.CONTENT, f'the content of "{path}" is not available')
    does = behaviour(content)
    match does:
        case RunsPytest():
            itself = posixpath.join(machine.checkout, path)
            words = [plain(itself if argument is None else argument, call.at) for argument in does.arguments]
            return machine.run(call.of((plain("pytest", call.at), *words, *(arguments if does.own else ()))))
        case Program.FOREIGN:
            reason = f'"{path}" calls a test runner with arguments that it makes itself'
            return unread(machine, call, Why.FOREIGN, reason)
        case Program.BROKEN:
            _found(machine, call, path, complete=True, executes=False)
            return unread(machine, call, Why.SYNTAX, f'"{path}" is not Python as it is read here')
        case Program.RUNS | Program.ONLY_DEFINES:
            _found(machine, call, path, complete=True, executes=does is Program.RUNS)
            return Result(output=call.unknown_output())
    assert_never(does)


def _found(machine: Machine, call: Call, path: str, *, complete: bool, executes: bool) -> None:
    """A file that is named like a test, run as a program."""
    if not machine.is_test(path):
        return
    state = call.state
    target = Named(path=path, written=path, place=call.place)
    machine.findings.add(
        TestRun(
            tool=Tool.PYTHON,
            folder=None if state.folder is None else from_root(machine.checkout, state.folder),
            targets=(target,),
            environment=tuple(call.environment.values()),
            maybe=state.maybe or state.exits,
            complete=complete,
            executes=executes,
            place=call.place,
            text=call.shown,
        )
    )
