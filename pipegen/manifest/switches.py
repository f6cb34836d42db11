"""What a build or pull request can say: schedules and switches of the workspace file, decoded."""

from collections.abc import Mapping
from typing import Final

from pipegen import codes
from pipegen.manifest import workspace_fields as wf
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.located import Node, Report
from pipegen.manifest.record import Values
from pipegen.manifest.values import entries_of, items_of, text_at
from pipegen.model import Condition, Does, Effect, Schedule, SetPriority, SetSchedule, Switch

RESERVED_WHEN: Final = ("changed", "sources", "always", "manual")


def condition_of(values: Values) -> Condition:
    """What has to be said: variables with their values, a label."""
    environment = values.get(wf.ENVIRONMENT)
    pairs: tuple[tuple[str, str | None], ...] = ()
    if isinstance(environment, str):
        pairs = ((environment, None),)
    elif isinstance(environment, Mapping):
        pairs = tuple((name, value) for name, value in environment.items() if isinstance(value, str))
    return Condition(environment=pairs, label=text_at(values, "label"))


def schedules_of(values: Values, report: Report) -> Mapping[str, Schedule]:
    """The schedules of a workspace by name."""
    result = {}
    for name, schedule, entry in entries_of(values, wf.SCHEDULES):
        if name in RESERVED_WHEN:
            report.add(
                codes.BAD_NAME, entry.key.span, f'no schedule is called "{name}"', hint=f'"{name}" is a word of `when`'
            )
        result[name] = Schedule(name=name, condition=condition_of(schedule), span=entry.key.span)
    return result


def switches_of(values: Values, schedules: Mapping[str, Schedule], report: Report) -> tuple[Switch, ...]:
    """The switches of a workspace."""
    result = []
    for switch in values.get(wf.SWITCHES) or ():
        condition = condition_of(switch)
        span = switch.node.span
        if not condition.environment and condition.label is None and not switch.faulty & {"environment", "label"}:
            report.add(codes.MISSING_KEY, span, 'a switch lacks "environment" or "label"', hint="say what switches it")
        does: list[Does] = []
        for effect, node in zip(switch.get(wf.DOES) or (), items_of(switch.at("does")), strict=False):
            does += _effects(effect, node, schedules, report, sure="schedules" not in values.faulty)
        if Effect.ONLY in does and [value for _, value in condition.environment] != [None]:
            report.add(
                codes.CONTRADICTION,
                span,
                'a switch that does "only" reads the keys from a variable, and this one names none for it',
                hint="write environment: NAME; its value is a JSON list of keys",
            )
        result.append(Switch(condition=condition, does=tuple(does), span=span))
    return tuple(result)


def _effects(
    effect: object, node: Node, schedules: Mapping[str, Schedule], report: Report, *, sure: bool
) -> list[Does]:
    """What one word or mapping stands for; `sure` says that the workspace's schedules could all be read."""
    if isinstance(effect, str):
        return [Effect(effect)]
    result: list[Does] = []
    if isinstance(effect, Mapping):
        name = effect.get("schedule")
        if isinstance(name, str):
            if name not in schedules and sure:
                report.add(
                    codes.UNKNOWN_REFERENCE,
                    ((node.get("schedule") if isinstance(node, MappingNode) else None) or node).span,
                    f'unknown schedule "{name}"',
                    hint=report.did_you_mean(name, schedules),
                )
            result.append(SetSchedule(schedule=name))
        priority = effect.get("priority")
        if isinstance(priority, int):
            result.append(SetPriority(priority=priority))
    return result
