"""What a build or its pull request says: the workspace's switches and schedules, looked up in what is known of it."""

import json
from collections.abc import Iterable, Mapping

from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import Span, WrongUsageError, did_you_mean
from pipegen.model import Condition, Effect, Reason, SetPriority, SetSchedule, Switch, Workspace
from pipegen.select.circumstances import Circumstances
from pipegen.select.words import joined, quoted


@dataclass(frozen=True, slots=True, kw_only=True)
class Only:
    """The keys that alone are to be in the pipeline, with their prerequisites, and what says so."""

    keys: tuple[str, ...]
    by: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What follows from all that a build says. `schedules` are those that it is one of, each with the reason."""

    gate_all: Reason | None
    only: Only | None
    run_all: Reason | None
    schedules: Mapping[str, Reason]
    timeouts: bool
    priority: int | None


def listen(workspace: Workspace, circumstances: Circumstances) -> Said:
    """Look up every switch and schedule. Of several priorities the highest counts.

    Raises:
        WrongUsageError: a schedule is unknown, or the value of a switch that names keys is no list of keys.
    """
    on = [switch for switch in workspace.switches if holds(switch.condition, circumstances)]
    priorities = [does.priority for switch in on for does in switch.does if isinstance(does, SetPriority)]
    return Said(
        gate_all=_first(on, Effect.GATE_ALL, "gates everything"),
        only=_only(workspace, on, circumstances),
        run_all=_first(on, Effect.RUN_ALL, "runs everything"),
        schedules=_schedules(workspace, on, circumstances),
        timeouts=circumstances.timeouts and not any(Effect.NO_TIMEOUTS in switch.does for switch in on),
        priority=max(priorities, default=None),
    )


def holds(condition: Condition, circumstances: Circumstances) -> bool:
    """Whether a build says what a condition asks for, all of it; empty values count as unset."""
    if not condition.environment and condition.label is None:
        return False
    environment = circumstances.environment
    said = all(
        bool(environment.get(name)) if value is None else environment.get(name) == value
        for name, value in condition.environment
    )
    return said and (condition.label is None or condition.label in circumstances.labels)


def described(condition: Condition) -> str:
    """A condition that holds, in words: `NIGHTLY=1`, `label "ready"`."""
    words = [name if value is None else f"{name}={value}" for name, value in condition.environment]
    return joined([*words, *([] if condition.label is None else [f"label {quoted(condition.label)}"])])


def _first(on: Iterable[Switch], effect: Effect, what: str) -> Reason | None:
    for switch in on:
        if effect in switch.does:
            return Reason(text=f"{described(switch.condition)} {what}", span=switch.span)
    return None


def heard_schedules(workspace: Workspace, circumstances: Circumstances) -> frozenset[str]:
    """The schedules that a build is one of, as `listen` finds them; those of the caller that are unknown left out."""
    known = tuple(name for name in circumstances.schedules if name in workspace.schedules)
    on = [switch for switch in workspace.switches if holds(switch.condition, circumstances)]
    return frozenset(_schedules(workspace, on, replace(circumstances, schedules=known)))


def _schedules(workspace: Workspace, on: Iterable[Switch], circumstances: Circumstances) -> Mapping[str, Reason]:
    found: dict[str, Reason] = {}
    for name in circumstances.schedules:
        if name not in workspace.schedules:
            hint = did_you_mean(name, workspace.schedules) or "the workspace has none"
            raise WrongUsageError(f'unknown schedule "{name}" in --schedule: {hint}')
        found[name] = _makes(f"--schedule {name}", name, workspace.schedules[name].span)
    for name, schedule in workspace.schedules.items():
        if holds(schedule.condition, circumstances):
            found.setdefault(name, _makes(described(schedule.condition), name, schedule.span))
    for switch in on:
        for name in (does.schedule for does in switch.does if isinstance(does, SetSchedule)):
            found.setdefault(name, _makes(described(switch.condition), name, switch.span))
    return found


def _makes(what: str, schedule: str, span: Span) -> Reason:
    return Reason(text=f"{what} makes this a {schedule} build", span=span)


def _only(workspace: Workspace, on: Iterable[Switch], circumstances: Circumstances) -> Only | None:
    """The caller's own word goes before what the environment says."""
    if circumstances.only:
        return Only(keys=circumstances.only, by="--only", span=workspace.selection.span)
    keys: dict[str, None] = {}
    first: Switch | None = None
    for switch in on:
        if Effect.ONLY in switch.does:
            first = first or switch
            for name, _ in switch.condition.environment:
                keys |= dict.fromkeys(_keys(name, circumstances.environment.get(name, "")))
    if first is None:
        return None
    return Only(keys=tuple(keys), by=described(first.condition), span=first.span)


def _keys(name: str, text: str) -> tuple[str, ...]:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return tuple(str(item) for item in value)
    raise WrongUsageError(f'{name} is {quoted(text)}: expected a JSON list of keys, such as ["image-build"]')
