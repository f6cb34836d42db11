"""The workspace file, decoded: one view of it for each pipeline."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TypeVar

from pipegen import codes
from pipegen.diagnostics import Diagnostic, did_you_mean
from pipegen.manifest import workspace_fields as wf
from pipegen.manifest.fields import FIXED, NAME, Level
from pipegen.manifest.layers import read_layer
from pipegen.manifest.located import Entry, Items, Node, Report, Scalar
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.shape import Boolean, Field, Values
from pipegen.model import (
    Condition,
    Does,
    Edited,
    Effect,
    Lane,
    Limits,
    Located,
    Owner,
    Schedule,
    Selection,
    SetPriority,
    SetSchedule,
    Switch,
    TestSettings,
    Toggle,
    Unselected,
    Workspace,
)
from pipegen.patterns import PatternError, Patterns

T = TypeVar("T")

LANGUAGE_VERSION = "1"
RESERVED_WHEN = ("changed", "sources", "always", "manual")
_LANE_GROUP: Field[object] = Field(name="group", shape=FIXED, about="the group of its jobs, instead of the file's")
_LANE_REQUIRED: Field[object] = Field(
    name="required",
    shape=Boolean(),
    about="whether every owned test needs a job or a reasoned none on it",
    default=False,
)
LANE_EXTRA = (_LANE_GROUP, _LANE_REQUIRED)


def decode_workspaces(root: Node, path: str, report: Report) -> tuple[Workspace, ...]:
    """Decode the workspace file: one `Workspace` for each pipeline, or a single one without a name."""
    start = len(report.found)
    values = wf.WORKSPACE.read(root, report, "workspace")
    if values is None or not isinstance(root, MappingNode):
        return ()
    pipelines = values.get(wf.PIPELINES)
    if not pipelines:
        workspace = _decode(values, path, None, report)
        return (replace(workspace, faulty=values.faulty | _faulty(root, report.found[start:])),)
    result = []
    for name, override in pipelines.items():
        own = wf.PIPELINE.read(override, report, name)
        laid = _overridden(root, override) if isinstance(override, MappingNode) else root
        merged = wf.WORKSPACE.read(laid, Report(), "workspace")
        if merged is not None:
            workspace = _decode(merged, path, name, report)
            below = frozenset() if own is None else own.faulty
            faulty = merged.faulty | below | _faulty(root, report.found[start:])
            result.append(replace(workspace, faulty=faulty))
    return tuple(result)


def _faulty(root: MappingNode, found: Iterable[Diagnostic]) -> frozenset[str]:
    """The keys of the file in or below which something was found."""
    starts = sorted((entry.key.span, entry.key.text) for entry in root.entries)
    result = set()
    for diagnostic in found:
        above = [name for span, name in starts if span <= diagnostic.span]
        result |= set(above[-1:])
    return frozenset(result)


def _overridden(root: MappingNode, override: MappingNode) -> MappingNode:
    """The workspace with a pipeline's keys laid over it; maps (selection, variables, …) merge one level."""
    entries = {entry.key.text: entry for entry in root.entries}
    for entry in override.entries:
        under = entries.get(entry.key.text)
        if under is not None and isinstance(under.value, MappingNode) and isinstance(entry.value, MappingNode):
            inner = {e.key.text: e for e in (*under.value.entries, *entry.value.entries)}
            entries[entry.key.text] = Entry(key=entry.key, value=replace(entry.value, entries=tuple(inner.values())))
        else:
            entries[entry.key.text] = entry
    return replace(root, entries=tuple(entries.values()))


def _or(values: Values, field: Field[T], default: T) -> T:
    found = values.get(field)
    return default if found is None else found


def _decode(values: Values, path: str, pipeline: str | None, report: Report) -> Workspace:
    schedules = _schedules(values, report)
    lanes = _lanes(values, report)
    limits = values.get(wf.LIMITS_FIELD)
    return Workspace(
        path=path,
        pipeline=pipeline,
        areas=_paths(values, "areas", ("areas/",), report),
        templates=_inside(values, "templates", values.get(wf.TEMPLATES) or "templates/", report),
        hardware_files=_paths(values, "hardware", (".buildkite/hardware.yaml",), report),
        tests=_tests(values.get(wf.TESTS_FIELD), lanes, report),
        listing=_listing(values, report),
        owners=_owners(values),
        environment=_or(values, wf.BUILD_ENVIRONMENT, ()),
        variables=_located_map(values, "variables"),
        selection=_selection(values.get(wf.SELECTION_FIELD), values, report),
        schedules=schedules,
        switches=_switches(values, schedules, report),
        lanes=lanes,
        toggles=_toggles(values, report),
        limits=Limits(
            jobs_per_upload=500 if limits is None else _or(limits, wf.JOBS_PER_UPLOAD, 500),
            jobs_per_build=4000 if limits is None else _or(limits, wf.JOBS_PER_BUILD, 4000),
            timeout_in_minutes=None if limits is None else limits.get(wf.DEFAULT_TIMEOUT),
        ),
        external_keys=_or(values, wf.EXTERNAL_KEYS, ()),
    )


def _located(node: Node) -> tuple[Located, ...]:
    """The items of a list of text, or one text, with their places."""
    items = node.items if isinstance(node, Items) else (node,)
    return tuple(Located(text=item.text, span=item.span) for item in items if isinstance(item, Scalar))


def _located_map(values: Values, name: str) -> Mapping[str, Located]:
    node = values.node.get(name)
    if not isinstance(node, MappingNode):
        return {}
    return {
        entry.key.text: Located(text=entry.value.text, span=entry.value.span)
        for entry in node.entries
        if isinstance(entry.value, Scalar)
    }


def outside(path: str) -> bool:
    """Whether a path of a workspace file leaves the repository."""
    return path.startswith(("/", "~")) or ".." in PurePosixPath(path).parts


def _paths(values: Values, name: str, default: tuple[str, ...], report: Report) -> tuple[Located, ...]:
    node = values.node.get(name)
    if node is None:
        return tuple(Located(text=text, span=values.node.span) for text in default)
    for place in (found := _located(node)):
        if outside(place.text):
            report.add(
                codes.BAD_PATTERN,
                place.span,
                f'"{place.text}" lies outside the workspace',
                hint="write a path from the repository's root",
            )
    return tuple(place for place in found if not outside(place.text))


def _inside(values: Values, name: str, text: str, report: Report) -> str:
    if outside(text):
        report.add(
            codes.BAD_PATTERN,
            values.at(name).span,
            f'"{text}" lies outside the workspace',
            hint="write a path from the repository's root",
        )
    return text


def _listing(values: Values, report: Report) -> Located | None:
    node = values.node.get("listing")
    if not isinstance(node, Scalar) or values.get(wf.LISTING) is None:
        return None
    return Located(text=_inside(values, "listing", node.text, report), span=node.span)


def _tests(values: Values | None, lanes: Mapping[str, Lane], report: Report) -> TestSettings:
    if values is None:
        return TestSettings(
            roots=("tests/",),
            files=("test_*.py", "*_test.py"),
            ignore=(),
            checkout=".",
            working_dir=".",
            pytest=("pytest",),
            shards={},
            shards_everywhere=None,
        )
    checkout = _or(values, wf.CHECKOUT, ".")
    shards = values.get(wf.SHARDS)
    by_lane = shards if isinstance(shards, Mapping) else {}
    node = values.node.get("shards")
    for entry in node.entries if isinstance(node, MappingNode) else ():
        if entry.key.text not in lanes and lanes:
            report.add(
                codes.UNKNOWN_REFERENCE,
                entry.key.span,
                f'unknown lane "{entry.key.text}" in shards',
                hint=did_you_mean(entry.key.text, lanes),
            )
    for root in _located(values.node.get("roots") or Items(items=(), span=values.node.span)):
        if outside(root.text):
            report.add(
                codes.BAD_PATTERN,
                root.span,
                f'"{root.text}" lies outside the workspace',
                hint="write a path from the repository's root",
            )
    return TestSettings(
        roots=_or(values, wf.ROOTS, ("tests/",)) or ("tests/",),
        files=_or(values, wf.FILES, ("test_*.py", "*_test.py")),
        ignore=_or(values, wf.IGNORE, ()),
        checkout=checkout,
        working_dir=_or(values, wf.WORKING_DIR, checkout),
        pytest=_or(values, wf.PYTEST, ("pytest",)),
        shards={lane: tuple(words) for lane, words in by_lane.items()},
        shards_everywhere=shards if isinstance(shards, tuple) else None,
    )


def _entries(values: Values, field: Field[Mapping[str, T]]) -> list[tuple[str, T, Entry]]:
    """The entries of a map that were read, each with its place."""
    node = values.node.get(field.name)
    read = values.get(field) or {}
    if not isinstance(node, MappingNode):
        return []
    return [(entry.key.text, read[entry.key.text], entry) for entry in node.entries if entry.key.text in read]


def _text(values: Values, name: str) -> str | None:
    found = values.values.get(name)
    return found if isinstance(found, str) else None


def _owners(values: Values) -> Mapping[str, Owner]:
    return {
        name: Owner(name=name, github=_text(owner, "github"), slack=_text(owner, "slack"), span=entry.key.span)
        for name, owner, entry in _entries(values, wf.OWNERS)
    }


def _condition(values: Values) -> Condition:
    environment = values.get(wf.ENVIRONMENT)
    pairs: tuple[tuple[str, str | None], ...] = ()
    if isinstance(environment, str):
        pairs = ((environment, None),)
    elif isinstance(environment, Mapping):
        pairs = tuple((name, value) for name, value in environment.items() if isinstance(value, str))
    return Condition(environment=pairs, label=_text(values, "label"))


def _schedules(values: Values, report: Report) -> Mapping[str, Schedule]:
    result = {}
    for name, schedule, entry in _entries(values, wf.SCHEDULES):
        if name in RESERVED_WHEN:
            report.add(
                codes.BAD_NAME, entry.key.span, f'no schedule is called "{name}"', hint=f'"{name}" is a word of `when`'
            )
        result[name] = Schedule(name=name, condition=_condition(schedule), span=entry.key.span)
    return result


def _switches(values: Values, schedules: Mapping[str, Schedule], report: Report) -> tuple[Switch, ...]:
    result = []
    for switch in values.get(wf.SWITCHES) or ():
        condition = _condition(switch)
        span = switch.node.span
        if not condition.environment and condition.label is None and not switch.faulty & {"environment", "label"}:
            report.add(codes.MISSING_KEY, span, 'a switch lacks "environment" or "label"', hint="say what switches it")
        does: list[Does] = []
        for effect, node in zip(switch.get(wf.DOES) or (), _items(switch.at("does")), strict=False):
            does += _effects(effect, node, schedules, report)
        if Effect.ONLY in does and [value for _, value in condition.environment] != [None]:
            report.add(
                codes.CONTRADICTION,
                span,
                'a switch that does "only" reads the keys from a variable, and this one names none for it',
                hint="write environment: NAME; its value is a JSON list of keys",
            )
        result.append(Switch(condition=condition, does=tuple(does), span=span))
    return tuple(result)


def _items(node: Node) -> tuple[Node, ...]:
    return node.items if isinstance(node, Items) else (node,)


def _effects(effect: object, node: Node, schedules: Mapping[str, Schedule], report: Report) -> list[Does]:
    if isinstance(effect, str):
        return [Effect(effect)]
    result: list[Does] = []
    if isinstance(effect, Mapping):
        name = effect.get("schedule")
        if isinstance(name, str):
            if name not in schedules:
                report.add(
                    codes.UNKNOWN_REFERENCE,
                    ((node.get("schedule") if isinstance(node, MappingNode) else None) or node).span,
                    f'unknown schedule "{name}"',
                    hint=did_you_mean(name, schedules),
                )
            result.append(SetSchedule(schedule=name))
        priority = effect.get("priority")
        if isinstance(priority, int):
            result.append(SetPriority(priority=priority))
    return result


def _selection(selection: Values | None, values: Values, report: Report) -> Selection:
    if selection is None:
        return Selection(
            base=None,
            run_all=(),
            ignored=(),
            owned_tests=True,
            edited=Edited.RUN,
            unselected=Unselected.BLOCK,
            span=values.node.span,
        )
    nothing = Items(items=(), span=selection.node.span)
    return Selection(
        base=selection.get(wf.BASE),
        run_all=_patterns(selection.node.get("run_all") or nothing, "run_all", report),
        ignored=_patterns(selection.node.get("ignored") or nothing, "ignored", report),
        owned_tests=_or(selection, wf.OWNED_TESTS, True),  # noqa: FBT003 - the default of a boolean field
        edited=Edited(_or(selection, wf.EDITED, "run")),
        unselected=Unselected(_or(selection, wf.UNSELECTED, "block")),
        span=selection.node.span,
        cases=_paths(selection, "cases", (), report),
    )


def _patterns(node: Node, name: str, report: Report) -> tuple[Located, ...]:
    """The patterns of a list that mean something; the others are reported."""
    result = []
    for pattern in _located(node):
        try:
            Patterns.compile([pattern.text])
        except PatternError as error:
            report.add(codes.BAD_PATTERN, pattern.span, f"{name}: {error}", hint=error.help)
        else:
            result.append(pattern)
    return tuple(result)


def _lanes(values: Values, report: Report) -> Mapping[str, Lane]:
    result = {}
    for name, node, entry in _entries(values, wf.LANES):
        if NAME.pattern is None or not NAME.pattern.fullmatch(name):
            continue
        layer = read_layer(node, Level.LANE, name, LANE_EXTRA, report)
        if layer is None:
            continue
        group = layer.extra.get("group")
        required = layer.extra.get("required")
        result[name] = Lane(
            name=name,
            layer=layer,
            group=Located(text=group.text, span=group.span) if isinstance(group, Scalar) else None,
            required=isinstance(required, Scalar) and required.text == "true",
            span=entry.key.span,
        )
    return result


def _toggles(values: Values, report: Report) -> Mapping[str, Toggle]:
    result = {}
    for name, toggle, entry in _entries(values, wf.TOGGLES):
        allowed = toggle.values.get("values")
        choices = allowed if isinstance(allowed, tuple) else ()
        default = _text(toggle, "default") or ""
        if choices and "default" in toggle.values and default not in choices:
            report.add(
                codes.UNKNOWN_REFERENCE,
                toggle.at("default").span,
                f'default "{default}" is not among the values of {name}',
                hint=did_you_mean(default, choices),
            )
        result[name] = Toggle(
            name=name, values=choices, default=default, about=_text(toggle, "about") or "", span=entry.key.span
        )
    return result
