"""Lists, pipelines and compound commands, run with one failure in them."""

from collections.abc import Iterable
from dataclasses import field
from typing import Final

from pipegen.commands.ending.locate import Whole, simple_commands
from pipegen.commands.ending.nested import nested_at
from pipegen.commands.ending.outcomes import (
    MAX_STEPS,
    Flow,
    Given,
    Lost,
    Options,
    Outcome,
    State,
    TooManyWaysError,
    distinct,
)
from pipegen.commands.ending.simple import in_simple, judges, learned, test_outcomes
from pipegen.commands.ending.steps import answered, broken, exited, left, negated, went_on
from pipegen.commands.shell.parser import parse
from pipegen.commands.shell.syntax import (
    AndOr,
    Braced,
    Case,
    Command,
    For,
    Function,
    If,
    Pipeline,
    Script,
    ShellSyntaxError,
    Simple,
    Test,
    While,
)
from pipegen.dataclass import dataclass, replace

_ROUNDS: Final = 2


def ending_of(whole: Whole, offset: int, options: Options, runs: Iterable[int] = ()) -> Lost | None:
    """What drops the status of a command if it fails; None where that makes the whole fail, or is not known.

    Args:
        whole: the text.
        offset: where the command stands in it.
        options: those that the shell is started with.
        runs: where other test runs stand. One that is tried where the first has failed is a second try.
    """
    command = whole.at(offset)
    if command is None or fails_at_once(whole, offset, options):
        return None
    others = (whole.at(other) for other in runs)
    given = Given(
        fails=id(command),
        runs=frozenset(id(one) for one in others if one is not None and one is not command),
        functions=whole.functions,
        assigned=whole.assigned,
    )
    try:
        outcomes = Runner(given=given, offset=offset).script(whole.script, State(options=options), tested=False)
    except (TooManyWaysError, RecursionError):
        return None
    found = [one.state for one in outcomes if one.state.failed and not one.state.unsure and one.status == 0]
    return next((state.lost or (Lost.BACKGROUND if state.waiting else Lost.NEXT) for state in found), None)


def fails_at_once(whole: Whole, offset: int, options: Options) -> bool:
    """Whether a command that nothing is around ends a shell with `-e`, as most do: nothing has to be run for that."""
    command = whole.at(offset)
    if command is None or not options.errexit or whole.changes or id(command) not in whole.direct:
        return False
    inside = command.at != offset and nested_at(command, offset, options) is not None
    return not inside and command.words[0].bare != "find"


@dataclass(slots=True, kw_only=True)
class Runner:
    """Runs syntax. `tested` is true where `-e` does not look: in conditions, and in front of `&&` and `||`."""

    given: Given
    offset: int
    depth: int = 0
    steps: int = 0
    inside: dict[Options, Lost | None] = field(default_factory=dict)

    def script(self, script: Script, state: State, *, tested: bool) -> list[Outcome]:
        """Lists, one behind the other."""
        going = [Outcome(state=state)]
        done: list[Outcome] = []
        for commands in script.lists:
            outcomes = [
                after for one in going for after in self._list(commands, went_on(one, tested=tested), tested=tested)
            ]
            done += [one for one in outcomes if one.flow is not Flow.NEXT]
            going = distinct([one for one in outcomes if one.flow is Flow.NEXT])
        return distinct([*done, *going])

    def _list(self, commands: AndOr, state: State, *, tested: bool) -> list[Outcome]:
        if commands.background:
            return self._background(commands, state)
        outcomes = self._pipeline(commands.first, state, tested=tested or bool(commands.rest))
        for index, (operator, pipeline) in enumerate(commands.rest):
            inner = tested or index + 1 < len(commands.rest)
            outcomes = [after for one in outcomes for after in self._member(operator, pipeline, one, tested=inner)]
        return distinct([exited(one) if not tested else one for one in outcomes])

    def _member(self, operator: str, pipeline: Pipeline, before: Outcome, *, tested: bool) -> list[Outcome]:
        if before.flow is not Flow.NEXT:
            return [before]
        if (before.status == 0) != (operator == "&&"):
            return [replace(before, exempt=True, why=before.why or Lost.AND)] if before.status else [before]
        state = before.state
        if operator == "||" and state.failed and not state.lost:
            if any(id(command) in self.given.runs for command in pipeline.commands):
                return []  # a second try
            after = self._pipeline(pipeline, state, tested=tested)
            return [
                replace(one, state=one.state.drop(Lost.OR)) if one.flow is Flow.NEXT and one.status == 0 else one
                for one in after
            ]
        return self._pipeline(pipeline, state, tested=tested)

    def _background(self, commands: AndOr, state: State) -> list[Outcome]:
        """A list in the background: how it ends is known to who waits for it."""
        inner = replace(commands, background=False)
        found = []
        for one in self._list(inner, state, tested=False):
            fails = one.state.failed and not state.failed
            lost = one.state.lost if fails else state.lost
            failed = state.failed or fails
            waiting = state.waiting or (fails and one.status != 0)
            found.append(Outcome(state=replace(state, failed=failed, lost=lost, waiting=waiting, last=0)))
        return distinct(found)

    def _pipeline(self, pipeline: Pipeline, state: State, *, tested: bool) -> list[Outcome]:
        inner = tested or pipeline.negated
        if len(pipeline.commands) == 1:
            alone = self.command(pipeline.commands[0], state, tested=inner)
            outcomes = [replace(one, state=replace(one.state, pipes=(one.status,))) for one in alone]
        else:
            outcomes = self._piped(pipeline.commands, state, tested=inner)
        if not pipeline.negated:
            return outcomes
        return [negated(one) if one.flow is Flow.NEXT else one for one in outcomes]

    def _piped(self, commands: tuple[Command, ...], state: State, *, tested: bool) -> list[Outcome]:
        """Each command in a shell of its own."""
        ways: list[tuple[State, tuple[int, ...]]] = [(state, ())]
        for command in commands:
            ways = [
                (learned(before, one.state), (*statuses, one.status))
                for before, statuses in ways
                for one in distinct(self.command(command, before, tested=tested))
            ]
        found = []
        for after, statuses in ways:
            failures = [status for status in statuses if status]
            status = failures[-1] if failures and state.options.pipefail else statuses[-1]
            judged = after.failed and not status and judges(commands[-1])
            ended = replace(after, pipes=statuses, last=status, unsure=after.unsure or judged)
            found.append(Outcome(state=ended.drop(Lost.PIPE) if failures and not status else ended))
        return distinct(found)

    def command(self, command: Command, state: State, *, tested: bool) -> list[Outcome]:
        """One command."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise TooManyWaysError
        match command:
            case Simple():
                return self._simple(command, state, tested=tested)
            case Function():
                return [Outcome(state=state.ended(0))]
            case Test():
                return test_outcomes(command.words, state)
            case Braced() | If() | Case() | For() | While():
                return self._compound(command, state, tested=tested)

    def _compound(self, command: Braced | If | Case | For | While, state: State, *, tested: bool) -> list[Outcome]:
        match command:
            case Braced():
                inside = self.script(command.body, state, tested=tested)
                return [left(one, state) for one in inside] if command.subshell else inside
            case If():
                return self._if(command, state, tested=tested)
            case Case():
                return self._case(command, state, tested=tested)
            case For() | While():
                return self._loop(command, state, tested=tested)

    def _simple(self, command: Simple, state: State, *, tested: bool) -> list[Outcome]:
        name = command.words[0].bare if command.words else None
        body = self.given.functions.get(name) if name else None
        if body is not None and self.depth < _DEEPEST:
            self.depth += 1
            called = self.command(body, state, tested=tested)
            self.depth -= 1
            return [replace(one, flow=Flow.NEXT) if one.flow is Flow.RETURN else one for one in called]
        return in_simple(self, command, state, tested=tested)

    def failure(self, command: Simple, state: State) -> Outcome:
        """The failure of the command in question, or of the text inside of it."""
        failed = replace(state, failed=True, last=1)
        if state.options not in self.inside:
            self.inside[state.options] = self._nested(command, state.options)
        lost = self.inside[state.options]
        return Outcome(state=failed if lost is None else replace(failed, last=0, lost=lost))

    def _nested(self, command: Simple, options: Options) -> Lost | None:
        """What drops the failure inside of the text that a command is given, if it lies in one."""
        nested = None if self.offset == command.at else nested_at(command, self.offset, options)
        if nested is None:
            return None
        try:
            script = parse(nested.text).script
        except ShellSyntaxError:
            return None
        return ending_of(Whole.of(script), self.offset - nested.at, nested.options)

    def _if(self, command: If, state: State, *, tested: bool) -> list[Outcome]:
        found: list[Outcome] = []
        asking = [Outcome(state=state)]
        for condition, body in command.branches:
            asked = [one for before in asking for one in self.script(condition, before.state, tested=True)]
            found += [one for one in asked if one.flow is not Flow.NEXT]
            going = [one for one in asked if one.flow is Flow.NEXT]
            found += [
                after for one in going if one.status == 0 for after in self.script(body, one.state, tested=tested)
            ]
            asking = distinct([answered(one) for one in going if one.status])
        if command.otherwise is None:
            return distinct([*found, *(replace(one, state=one.state.ended(0)) for one in asking)])
        otherwise = command.otherwise
        return distinct([*found, *(a for one in asking for a in self.script(otherwise, one.state, tested=tested))])

    def _case(self, command: Case, state: State, *, tested: bool) -> list[Outcome]:
        """Any of its arms, or none: what the subject is, is not known."""
        unsure = replace(state, unsure=state.unsure or state.failed)
        found = [Outcome(state=unsure.ended(0))]
        for arm in command.arms:
            found += self.script(arm.body, unsure, tested=tested)
        return distinct(found)

    def _loop(self, command: For | While, state: State, *, tested: bool) -> list[Outcome]:
        done: list[Outcome] = []
        going = [Outcome(state=state.ended(0))]
        for _ in range(_ROUNDS):
            entered, left = self._asked(command, going, tested=tested)
            done += left
            after = [one for before in entered for one in self.script(command.body, before, tested=tested)]
            done += [broken(one) for one in after if one.flow is Flow.BREAK]
            done += [one for one in after if one.flow in {Flow.EXIT, Flow.RETURN}]
            again = [one for one in after if one.flow in {Flow.NEXT, Flow.CONTINUE}]
            going = distinct([replace(one, flow=Flow.NEXT) for one in again])
        return distinct(
            [*done, *(going if isinstance(command, For) else self._asked(command, going, tested=tested)[1])]
        )

    def _asked(self, command: For | While, before: list[Outcome], *, tested: bool) -> tuple[list[State], list[Outcome]]:
        """The ways into the body, and those past it: what a loop's condition tries again until it is as it should be.

        Whether that failed before does not matter then.
        """
        starts = [went_on(one, tested=tested) for one in before]
        if isinstance(command, For):
            return starts, []
        tries = any(id(one) == self.given.fails for one in simple_commands(command.condition))
        entered, left = [], []
        for one in (one for start in starts for one in self.script(command.condition, start, tested=True)):
            if one.flow is not Flow.NEXT:
                left.append(one)
            elif (one.status == 0) != command.until:
                entered.append(one.state)
            elif tries:
                left.append(Outcome(state=replace(one.state, failed=False, lost=None, last=0)))
            else:
                left.append(Outcome(state=one.state.ended(0)))
        return entered, left


_DEEPEST: Final = 8
