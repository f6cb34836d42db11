"""Programs and scripts that run what they are given: `timeout`, `env`, `uv run`, and those of the workspace."""

import re
from typing import Final

from pipegen.commands.programs.options import Taken, taken
from pipegen.commands.programs.python import run_module
from pipegen.commands.programs.shells import run_text_argument
from pipegen.commands.programs.tables import Carries, Wrapper
from pipegen.commands.reading import How, Why
from pipegen.commands.running.machine import Call, Machine, Prefixed, Result, on_machine, unread, unread_at
from pipegen.commands.running.simple import setting_of, take_out
from pipegen.commands.running.state import State
from pipegen.commands.running.values import Field, Hole, Text, bared, joined, known, place_of, plain
from pipegen.dataclass import replace

_ASSIGNED: Final = re.compile(r"([A-Za-z_]\w*)=", re.ASCII)


def run_wrapper(machine: Machine, call: Call, wrapper: Wrapper, start: int) -> Result:
    """Run what a wrapper carries; `start` is the argument behind its name."""
    call = _closed_in(call, wrapper)
    carried = _variable(call, wrapper)
    if carried is not None:
        return run_text_argument(machine, _moved(call, wrapper, ()), carried, ())
    stop = wrapper.module | (frozenset({wrapper.text_option}) if wrapper.text_option else frozenset())
    options = taken(call.argv, start, wrapper.options, stop=stop)
    if options.doubt is not None:
        return unread(machine, call, Why.OPTION, options.doubt)
    call = _without(machine, _in_folder(call, options, wrapper), options, wrapper)
    rest = call.argv[options.end :]
    if options.stopped is not None:
        option, value = options.stopped
        if option in wrapper.module:
            return run_module(machine, call, value, rest)
        return run_text_argument(machine, call, value, ())
    if wrapper.assigns:
        call, rest = _assigned(machine, call, rest)
    return _carry(machine, _moved(call, wrapper, rest), wrapper, rest[wrapper.skip :])


def _carry(machine: Machine, call: Call, wrapper: Wrapper, rest: tuple[Field, ...]) -> Result:
    if not rest:
        return Result(output=call.unknown_output())
    match wrapper.carries:
        case Carries.COMMAND:
            return machine.run(_separate(call).of(rest))
        case Carries.TEXT:
            return run_text_argument(machine, call, rest[0], (plain("bash", call.at), *rest[1:]))
        case Carries.TEXTS:
            for text in rest:
                run_text_argument(machine, call, text, ())
            return Result(output=call.unknown_output())
        case Carries.JOINED:
            return run_text_argument(machine, call, joined(rest, " "), ())


def _separate(call: Call) -> Call:
    """The call in a shell of its own: what it does to its folder and variables ends with it."""
    state = call.state.copy()
    state.functions = {name: function for name, function in state.functions.items() if name in state.handed_on}
    return replace(call, state=state)


def _perhaps(call: Call) -> Call:
    state = call.state.copy()
    state.maybe = True
    return replace(call, state=state)


def _variable(call: Call, wrapper: Wrapper) -> Field | None:
    """The text that a wrapper takes from the environment, where it is set."""
    if wrapper.variable is None:
        return None
    prefixed = call.prefix.get(wrapper.variable)
    if prefixed is not None:
        return prefixed.value
    value = call.state.variables.get(wrapper.variable)
    return value if isinstance(value, tuple) and wrapper.variable in call.state.exported else None


def _in_folder(call: Call, options: Taken, wrapper: Wrapper) -> Call:
    """The call in the folder that an option names."""
    for name, value in options.values:
        if name in wrapper.options.folders:
            state = call.state.copy()
            _enter(state, value)
            return replace(call, state=state)
    return call


def _closed_in(call: Call, wrapper: Wrapper) -> Call:
    """The call with a mark that its environment may be another one than the job's."""
    if not wrapper.closed:
        return call
    state = call.state.copy()
    state.within = " ".join(wrapper.name)
    return replace(call, state=state)


def _without(machine: Machine, call: Call, options: Taken, wrapper: Wrapper) -> Call:
    """The call without the variables that options take out of its environment."""
    names = [(known(value), value) for option, value in options.values if option in wrapper.unsets]
    if not names:
        return call
    state, prefix = call.state.copy(), dict(call.prefix)
    for name, value in names:
        if name:
            state.unset(name)
            take_out(machine, state, call.frame, name, place_of(value, call.at))
            prefix.pop(name, None)
    return replace(call, state=state, prefix=prefix)


def _moved(call: Call, wrapper: Wrapper, rest: tuple[Field, ...]) -> Call:
    """The call in the folder where the wrapper runs what it carries."""
    if wrapper.folder is None and wrapper.folder_argument is None:
        return call
    state = call.state.copy()
    if wrapper.folder is not None:
        state.folder = wrapper.folder
    elif wrapper.folder_argument is not None and wrapper.folder_argument <= len(rest):
        _enter(state, rest[wrapper.folder_argument - 1])
    return replace(call, state=state)


def _enter(state: State, folder: Field) -> None:
    text = known(folder)
    place = on_machine(state, text) if text is not None else None
    if place is None:
        state.lose("its working folder")
    else:
        state.folder = place


def _assigned(machine: Machine, call: Call, rest: tuple[Field, ...]) -> tuple[Call, tuple[Field, ...]]:
    """`NAME=value` words in front of the command.

    One that is not known before it runs is said to be unread, and taken for such words: the rest may run.
    """
    prefix = dict(call.prefix)
    count = 0
    for argument in rest:
        head = argument[0] if argument else None
        if isinstance(head, Hole) and count + 1 < len(rest):
            unread_at(machine, call, argument, Why.UNKNOWN, "what it sets, or runs, is not known before it runs")
            call = _perhaps(call)
            count += 1
            continue
        found = _ASSIGNED.match(head.text) if isinstance(head, Text) else None
        if found is None or not isinstance(head, Text):
            break
        value = bared((Text(head.text[found.end() :], quoted=False, at=head.at, exact=False), *argument[1:]))
        place = call.frame.text.place(place_of(argument, call.at))
        setting = setting_of(found[1], known(value), How.PREFIX, call.state, place)
        machine.findings.add(setting)
        prefix[found[1]] = Prefixed(value=value, setting=setting)
        count += 1
    return replace(call, prefix=prefix), rest[count:]
