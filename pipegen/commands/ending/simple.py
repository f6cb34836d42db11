"""Simple commands: the one that fails, those whose status is known, and all others, which succeed."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Protocol

from pipegen.commands.ending.locate import substitutions
from pipegen.commands.ending.nested import with_options
from pipegen.commands.ending.outcomes import Flow, Given, Lost, Outcome, State
from pipegen.commands.ending.words import asks_for_failure, truth, value_of
from pipegen.commands.shell.syntax import Command, Parameter, Script, Simple, Word
from pipegen.dataclass import replace

_DECLARE: Final = frozenset({"export", "readonly", "local", "declare", "typeset"})
_OPEN: Final = "&& || ( )".split()
_LOOKS: Final = frozenset({"grep", "egrep", "fgrep", "rg"})
_LEAVES_OUT: Final = re.compile(r"-[a-zA-Z]*v|--invert-match")


class Shell(Protocol):
    """What runs the rest."""

    @property
    def given(self) -> Given:
        """What does not change on the way."""

    def script(self, script: Script, state: State, *, tested: bool) -> list[Outcome]:
        """Lists, one behind the other."""

    def failure(self, command: Simple, state: State) -> Outcome:
        """The failure of the command in question."""


def in_simple(shell: Shell, command: Simple, state: State, *, tested: bool) -> list[Outcome]:
    """Run a simple command, and first what is substituted in it."""
    found: list[Outcome] = []
    for inner, status in _substituted(shell, command, state):
        if not command.words:
            found.append(Outcome(state=_assigned(command, inner).ended(status)))
            continue
        start = inner.drop(Lost.SUBSTITUTED) if status else inner
        found += _called(shell, command, start, tested=tested)
    return found


def _substituted(shell: Shell, command: Simple, state: State) -> list[tuple[State, int]]:
    """The ways through the `$(…)` of a command, with the status of the last one; 0 if there is none."""
    ways = [(state, 0)]
    for body in substitutions(command):
        after = [one for before, _ in ways for one in shell.script(body, before, tested=False)]
        ways = [(learned(state, one.state), one.status) for one in after]
    return list(dict.fromkeys(ways))


def learned(outside: State, inside: State) -> State:
    """What a shell of its own leaves behind in the one around it: whether the command in question failed in it."""
    return replace(outside, failed=inside.failed, lost=inside.lost, unsure=inside.unsure)


def _assigned(command: Simple, state: State) -> State:
    for assignment in command.assignments:
        value = assignment.value
        known = isinstance(value, Word) and not assignment.append and assignment.index is None
        state = state.assign(assignment.name, value_of(value, state) if known and isinstance(value, Word) else None)
    return state


def _called(shell: Shell, command: Simple, state: State, *, tested: bool) -> list[Outcome]:
    if id(command) == shell.given.fails:
        name = command.words[0].bare
        failure = _found(command, shell.failure(command, state))
        succeeded = Outcome(state=state.ended(0))
        if name == "exec":
            return [replace(failure, flow=Flow.EXIT), replace(succeeded, flow=Flow.EXIT)]
        return [failure, succeeded]
    name = command.words[0].bare or ""
    if name in {"exit", "return"} and _is_unset(command.words[1:], state, shell.given.assigned):
        command = replace(command, words=command.words[:1])
    known = _KNOWN.get(name)
    if known is not None:
        return known(command, state)
    if tested and not (state.failed and id(command) in shell.given.runs):
        sure = state if not state.failed else replace(state, unsure=True)
        return [Outcome(state=state.ended(0)), Outcome(state=sure.ended(1))]
    return [Outcome(state=state.ended(0))]


def _found(command: Simple, failure: Outcome) -> Outcome:
    """`find` ends well however what it runs ends, unless that is `-exec … +`."""
    words = [word.bare for word in command.words]
    if words[0] != "find" or "-exec" not in words or "+" in words or not failure.status:
        return failure
    return Outcome(state=failure.state.ended(0).drop(Lost.FIND))


def judges(command: Command) -> bool:
    """Whether the end of a pipe is a look for what a good run prints: `grep`, but not `grep -v`, which drops lines."""
    if not isinstance(command, Simple) or not command.words or command.words[0].bare not in _LOOKS:
        return False
    return not any(_LEAVES_OUT.match(word.bare or "") for word in command.words[1:])


def test_outcomes(words: Sequence[Word], state: State) -> list[Outcome]:
    """`[ … ]` or `[[ … ]]`. Without words it is arithmetic, of which nothing is known."""
    operators = any(word.bare in _OPEN for word in words)
    known = None if operators or not words else truth(words, state)
    if known is not None:
        return [Outcome(state=state.ended(0 if known else 1))]
    open_ = state.failed and (not words or asks_for_failure(words, state))
    after = replace(state, unsure=state.unsure or open_)
    return [Outcome(state=after.ended(0)), Outcome(state=after.ended(1))]


def _brackets(command: Simple, state: State) -> list[Outcome]:
    words = command.words[1:]
    if command.words[0].bare == "[":
        words = words[:-1]
    return test_outcomes(words, state)


def _status(command: Simple, state: State) -> tuple[int | None, State]:
    """The argument of `exit` or `return`, None where it is not known; without one, the status of the last command."""
    if len(command.words) < 2:
        return state.last, state
    value = value_of(command.words[1], state)
    return (int(value) % 256, state) if value is not None and value.isdigit() else (None, state)


def _is_unset(words: Sequence[Word], state: State, assigned: frozenset[str] | None) -> bool:
    """Whether the one argument is a variable that nothing in the text sets: it is empty, and the last status counts.

    What begins with a capital may come from the environment.
    """
    part = words[0].parts[0] if len(words) == 1 and len(words[0].parts) == 1 else None
    if not isinstance(part, Parameter) or assigned is None or part.prefix or part.operator or part.index is not None:
        return False
    return part.name[:1].islower() and part.name not in assigned and state.value(part.name) is None


def _leaving(flow: Flow) -> Callable[[Simple, State], list[Outcome]]:
    def leave(command: Simple, state: State) -> list[Outcome]:
        status, after = _status(command, state)
        if status is None:
            return [Outcome(state=replace(after, unsure=True, last=1), flow=flow)]
        return [Outcome(state=after.ended(status), flow=flow)]

    return leave


def _looping(flow: Flow) -> Callable[[Simple, State], list[Outcome]]:
    def jump(_: Simple, state: State) -> list[Outcome]:
        return [Outcome(state=state.ended(0), flow=flow)]

    return jump


def _set(command: Simple, state: State) -> list[Outcome]:
    words = [word.bare for word in command.words[1:]]
    return [Outcome(state=replace(state, options=with_options(state.options, words), last=0))]


def _wait(command: Simple, state: State) -> list[Outcome]:
    """`wait` alone ends well; with a job it ends as that did."""
    if state.waiting and len(command.words) > 1:
        return [Outcome(state=replace(state, waiting=False, lost=None, last=1))]
    return [Outcome(state=state.ended(0))]


def _declare(command: Simple, state: State) -> list[Outcome]:
    for word in command.words[1:]:
        text = value_of(word, state)
        name, sign, value = (text or "").partition("=")
        state = state.assign(name, value) if sign else state
    return [Outcome(state=state.ended(0))]


def _always(status: int) -> Callable[[Simple, State], list[Outcome]]:
    def end(_: Simple, state: State) -> list[Outcome]:
        return [Outcome(state=state.ended(status))]

    return end


def _read(_: Simple, state: State) -> list[Outcome]:
    """`read` ends well until its input does."""
    return [Outcome(state=state.ended(0)), Outcome(state=state.ended(1))]


_KNOWN: Final[Mapping[str, Callable[[Simple, State], list[Outcome]]]] = MappingProxyType(
    {
        "true": _always(0),
        ":": _always(0),
        "echo": _always(0),
        "printf": _always(0),
        "false": _always(1),
        "exit": _leaving(Flow.EXIT),
        "return": _leaving(Flow.RETURN),
        "break": _looping(Flow.BREAK),
        "continue": _looping(Flow.CONTINUE),
        "set": _set,
        "wait": _wait,
        "read": _read,
        "[": _brackets,
        "test": _brackets,
        **dict.fromkeys(_DECLARE, _declare),
    }
)

test_outcomes.__test__ = False  # type: ignore[attr-defined]  # its name is a pytest pattern
