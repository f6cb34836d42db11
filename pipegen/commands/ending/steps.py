"""What becomes of an outcome where it goes on: behind a command, a list, a condition, a loop or a subshell."""

from pipegen.commands.ending.outcomes import Flow, Lost, Outcome, State
from pipegen.commands.ending.simple import learned
from pipegen.dataclass import replace


def went_on(before: Outcome, *, tested: bool) -> State:
    """The state in which the next command starts: a status that nobody asked for is gone."""
    state = before.state
    if not (state.failed and before.status) or state.waiting:
        return state
    return state.drop(before.why or (Lost.TESTED if tested and state.options.errexit else Lost.NEXT))


def exited(one: Outcome) -> Outcome:
    """What `-e` makes of the end of a list."""
    if one.flow is Flow.NEXT and one.status and one.state.options.errexit and not one.exempt:
        return replace(one, flow=Flow.EXIT)
    return one


def negated(one: Outcome) -> Outcome:
    """What `!` makes of an end; `-e` does not look at it."""
    if one.status:
        return replace(one, state=one.state.ended(0).drop(Lost.NEGATED), exempt=False)
    return replace(one, state=one.state.ended(1), exempt=True)


def answered(one: Outcome) -> Outcome:
    """A condition that did not hold."""
    return replace(one, state=one.state.drop(Lost.CONDITION))


def broken(one: Outcome) -> Outcome:
    """Behind a loop that was left: after a success, what failed in earlier rounds was tried again."""
    state = one.state
    retried = state.failed and state.lost is not None
    return Outcome(state=replace(state, failed=False, lost=None) if retried else state)


def left(one: Outcome, outside: State) -> Outcome:
    """Behind a subshell: nothing that was set in it stays."""
    return Outcome(state=replace(learned(outside, one.state), last=one.status), why=one.why if one.status else None)
