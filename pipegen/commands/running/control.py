"""Loops and conditions: what certainly runs, what may run, and what is known behind them."""

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Final

from pipegen.commands.globs import compiled
from pipegen.commands.running.machine import Frame, Result, Shell, Status
from pipegen.commands.running.simple import export
from pipegen.commands.running.state import State, Stop, join, shape
from pipegen.commands.running.values import Field, Hole, bared, glob_text, known
from pipegen.commands.shell.syntax import Case, For, If, Script, Simple, While
from pipegen.dataclass import replace

_ROUNDS: Final = 10
_NEAR: Final = frozenset({Stop.RETURN, Stop.BREAK, Stop.CONTINUE})
_LOOP: Final = frozenset({Stop.BREAK, Stop.CONTINUE})


def run_if(shell: Shell, command: If, state: State, frame: Frame) -> Result:
    """`if`: a condition that is known decides, one that is not makes both ways possible."""
    ways: list[State] = []
    outer = state.maybe
    results: list[Result] = []
    asked: list[Field] = []
    last: Script | None = command.otherwise
    for condition, body in command.branches:
        question = shell.script(condition, state, frame)
        asked += question.output
        if question.status is Status.FALSE:
            continue
        if question.status is Status.TRUE:
            last = body
            break
        ways.append(_branch(shell, body, state, frame, results))
        state.maybe = True
    results.append(Result(status=Status.TRUE) if last is None else shell.script(last, state, frame))
    _meet(state, [*ways, state.copy()], outer=outer)
    result = _one_of(results, command.at)
    return replace(result, output=(*asked, *result.output))


def _branch(shell: Shell, body: Script, state: State, frame: Frame, results: list[Result]) -> State:
    """Run what may run, in a state of its own."""
    branch = state.copy()
    branch.maybe = True
    results.append(shell.script(body, branch, frame))
    return branch


def _one_of(results: Sequence[Result], at: int) -> Result:
    """The result of a command that does one of several things."""
    statuses = {result.status for result in results}
    outputs = {tuple(shape(line) for line in result.output) for result in results}
    if len(statuses) == 1:
        status = statuses.pop()
    else:
        status = Status.FINE if statuses <= {Status.TRUE, Status.FINE} else Status.OPEN
    output = results[0].output if len(outputs) == 1 else ((Hole("$(…)", quoted=False, at=at),),)
    return Result(status=status, output=output)


def _meet(state: State, ways: list[State], *, outer: bool) -> None:
    """Go on behind several ways, one of which was taken."""
    state.take(reduce(join, ways))
    state.maybe = outer or any(way.stop in _NEAR for way in ways)


def run_case(shell: Shell, command: Case, state: State, frame: Frame) -> Result:
    """`case`: a subject and patterns that are known decide."""
    subject = known(shell.one(command.subject, state, frame))
    ways: list[State] = []
    results: list[Result] = []
    outer = state.maybe
    falls = any(arm.end != ";;" for arm in command.arms)
    decided = False
    for arm in command.arms:
        patterns = [shell.one(pattern, state, frame) for pattern in arm.patterns]
        status = Status.OPEN if falls else _matches(subject, patterns)
        if status is Status.FALSE:
            continue
        if status is Status.TRUE:
            results.append(shell.script(arm.body, state, frame))
            decided = True
            break
        ways.append(_branch(shell, arm.body, state, frame, results))
        state.maybe = True
        if falls:
            state.take(join(state, ways[-1]))
    if not decided:
        results.append(Result(status=Status.TRUE))
    _meet(state, [*ways, state.copy()], outer=outer)
    return _one_of(results, command.at)


def _matches(subject: str | None, patterns: list[Field]) -> Status:
    """Whether a subject is one of these patterns."""
    status = Status.FALSE
    for pattern in patterns:
        if known(pattern) == "*":
            return Status.TRUE
        if subject is None or known(pattern) is None:
            status = Status.OPEN
        elif compiled(glob_text(pattern)).fullmatch(subject):
            return Status.TRUE
    return status


def run_for(shell: Shell, command: For, state: State, frame: Frame) -> Result:
    """`for`: once for every word; a word that is not known stands for any number of them."""
    if command.name is None:
        return _repeat(shell, command.body, state, frame)
    if command.words is None:
        items = state.arguments if state.arguments is not None else ((Hole("$@", quoted=False, at=command.at),),)
    else:
        items = shell.expand(command.words, state, frame)
    return _iterate(shell, command, items, state, frame)


def _iterate(shell: Shell, command: For, items: Iterable[Field], state: State, frame: Frame) -> Result:
    output: list[Field] = []
    outer = state.maybe
    result = Result(status=Status.TRUE)
    for item in items:
        certain = not command.select and not any(isinstance(piece, Hole) and not piece.quoted for piece in item)
        way = state if certain else state.copy()
        way.maybe = state.maybe or not certain
        name = command.name or ""
        way.assign(name, bared(item))
        if name in way.exported:
            export(shell, way, frame, name, command.at)
        result = shell.script(command.body, way, frame)
        output += result.output
        stopped, way.stop = way.stop, way.stop if way.stop not in _LOOP else None
        if not certain:
            state.take(join(state, way))
        if stopped is not None and stopped is not Stop.CONTINUE:
            break
    state.maybe = outer
    return Result(status=result.status, output=tuple(output))


def run_while(shell: Shell, command: While, state: State, frame: Frame) -> Result:
    """`while` and `until`; `while read name` goes over the lines of an input that is known."""
    name = _read_name(command)
    if name is not None and frame.stdin is not None and not command.until:
        loop = For(name=name, words=(), body=command.body, redirects=(), at=command.at)
        return _iterate(shell, loop, frame.stdin, state, frame)
    return _repeat(shell, command.body, state, frame, command)


def _read_name(command: While) -> str | None:
    """The variable of `while read -r name`, if the condition is nothing else."""
    lists = command.condition.lists
    if len(lists) != 1 or lists[0].rest or len(lists[0].first.commands) != 1:
        return None
    simple = lists[0].first.commands[0]
    if not isinstance(simple, Simple) or simple.redirects or not simple.words or simple.words[0].bare != "read":
        return None
    names = [word.bare for word in simple.words[1:] if word.bare != "-r"]
    return names[0] if len(names) == 1 and names[0] is not None and names[0].isidentifier() else None


def _repeat(shell: Shell, body: Script, state: State, frame: Frame, command: While | None = None) -> Result:
    """Run a body any number of times: first to find out what stays known, then once for what it does."""
    first = _status(shell, command, state.copy(), frame)
    if first is Status.FALSE:
        return Result()
    head = _stable(shell, body, state, frame, command)
    branch = head.copy()
    branch.maybe = state.maybe or first is not Status.TRUE
    asked = shell.script(command.condition, branch, frame).output if command is not None else ()
    output = (*asked, *shell.script(body, branch, frame).output)
    ended = branch.stop in _LOOP
    if ended:
        branch.stop = None
    branch.maybe = state.maybe
    endless = first is Status.TRUE and ended
    state.take(branch if endless else join(head, branch))
    hole = Hole("$(…)", quoted=False, at=command.at if command else 0)
    return Result(output=((hole,),) if output else ())


def _status(shell: Shell, command: While | None, state: State, frame: Frame) -> Status:
    """What the condition says the first time."""
    if command is None:
        return Status.OPEN
    shell.findings.quiet += 1
    status = shell.script(command.condition, state, frame).status
    shell.findings.quiet -= 1
    if command.until and status in {Status.TRUE, Status.FALSE}:
        return Status.FALSE if status is Status.TRUE else Status.TRUE
    return status if status is not Status.FINE else Status.OPEN


def _stable(shell: Shell, body: Script, state: State, frame: Frame, command: While | None) -> State:
    """A state that holds before every round: what a round changes is unknown in it."""
    shell.findings.quiet += 1
    head = state.copy()
    for _ in range(_ROUNDS):
        trial = head.copy()
        if command is not None:
            shell.script(command.condition, trial, frame)
        shell.script(body, trial, frame)
        if trial.stop not in {None, Stop.CONTINUE}:
            # There is no other round.
            break
        trial.stop = None
        met = join(head, trial)
        met.maybe = head.maybe
        same = _summary(met) == _summary(head)
        head = met
        if same:
            break
    shell.findings.quiet -= 1
    return head


def _summary(state: State) -> object:
    variables = {name: shape(value) for name, value in state.variables.items()}
    return state.folder, variables, tuple(state.functions), state.arguments
