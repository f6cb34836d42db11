"""The workspace file, decoded: one view of it for each pipeline."""

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from pipegen import codes
from pipegen.dataclass import replace
from pipegen.diagnostics import Diagnostic
from pipegen.manifest import workspace_fields as wf
from pipegen.manifest.fields import FIXED, NAME, Level
from pipegen.manifest.layers import read_layer
from pipegen.manifest.located import Entry, Items, Node, Report, Scalar
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.programs import pytest_options_of, wrappers_of
from pipegen.manifest.record import Field, Values
from pipegen.manifest.shape import Boolean
from pipegen.manifest.switches import schedules_of, switches_of
from pipegen.manifest.uploading import notify_of, uploading_of
from pipegen.manifest.values import either, entries_of, located, text_at
from pipegen.manifest.waivers import quarantine_of, waivers_of
from pipegen.model import (
    Edited,
    Lane,
    Limits,
    Located,
    Owner,
    Selection,
    TestSettings,
    Toggle,
    Unselected,
    Workspace,
)
from pipegen.patterns import PatternError, Patterns

LANGUAGE_VERSION = "1"
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
        return (replace(workspace, faulty=_meant(values) | _faulty(root, report.found[start:])),)
    result = []
    for name, override in pipelines.items():
        own = wf.PIPELINE.read(override, report, name)
        laid = _overridden(root, override) if isinstance(override, MappingNode) else root
        merged = wf.WORKSPACE.read(laid, Report(), "workspace")
        if merged is not None:
            workspace = _decode(merged, path, name, report)
            below = frozenset() if own is None else own.faulty
            faulty = _meant(merged) | below | _faulty(root, report.found[start:])
            result.append(replace(workspace, faulty=faulty))
    return tuple(result)


def _meant(values: Values) -> frozenset[str]:
    """The keys that are missing, or that unknown ones were probably meant to be."""
    return frozenset(name for name in values.faulty if values.node.get(name) is None)


def _faulty(root: MappingNode, found: Iterable[Diagnostic]) -> frozenset[str]:
    """Where something was found: `KEY`, or `KEY.NAME` if it is in the value of one entry of a mapping."""
    result = set()
    for diagnostic in found:
        entry = root.around(diagnostic.span)
        if entry is not None:
            inner = entry.value.around(diagnostic.span) if isinstance(entry.value, MappingNode) else None
            name = "" if inner is None or inner.key.span == diagnostic.span else f".{inner.key.text}"
            result.add(entry.key.text + name)
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


def _decode(values: Values, path: str, pipeline: str | None, report: Report) -> Workspace:
    schedules = schedules_of(values, report)
    lanes = _lanes(values, report)
    limits = values.get(wf.LIMITS_FIELD)
    owners = _owners(values)
    return Workspace(
        path=path,
        pipeline=pipeline,
        areas=_paths(values, "areas", ("areas/",), report),
        templates=_inside(values, "templates", values.get(wf.TEMPLATES) or "templates/", report),
        templates_at=None if values.get(wf.TEMPLATES) is None else values.at("templates").span,
        hardware_files=_paths(values, "hardware", (".buildkite/hardware.yaml",), report),
        tests=_tests(values.get(wf.TESTS_FIELD), lanes, report),
        listing=_listing(values, report),
        owners=owners,
        environment=either(values, wf.BUILD_ENVIRONMENT, ()),
        variables=_located_map(values, "variables"),
        selection=_selection(values.get(wf.SELECTION_FIELD), values, report),
        schedules=schedules,
        switches=switches_of(values, schedules, report),
        lanes=lanes,
        toggles=_toggles(values, report),
        limits=Limits(
            jobs_per_upload=500 if limits is None else either(limits, wf.JOBS_PER_UPLOAD, 500),
            jobs_per_build=4000 if limits is None else either(limits, wf.JOBS_PER_BUILD, 4000),
            timeout_in_minutes=None if limits is None else limits.get(wf.DEFAULT_TIMEOUT),
        ),
        external_keys=either(values, wf.EXTERNAL_KEYS, ()),
        notify=notify_of(values, schedules, report),
        upload=uploading_of(values),
        waivers=waivers_of(values, owners, report),
        quarantine=quarantine_of(values, owners, {"lanes": lanes, "schedules": schedules}, report),
    )


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
    for place in (found := located(node)):
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
    checkout = either(values, wf.CHECKOUT, ".")
    shards = values.get(wf.SHARDS)
    by_lane = shards if isinstance(shards, Mapping) else {}
    node = values.node.get("shards")
    for entry in node.entries if isinstance(node, MappingNode) else ():
        if entry.key.text not in lanes and lanes:
            report.add(
                codes.UNKNOWN_REFERENCE,
                entry.key.span,
                f'unknown lane "{entry.key.text}" in shards',
                hint=report.did_you_mean(entry.key.text, lanes),
            )
    for root in located(values.node.get("roots") or Items(items=(), span=values.node.span)):
        if outside(root.text):
            report.add(
                codes.BAD_PATTERN,
                root.span,
                f'"{root.text}" lies outside the workspace',
                hint="write a path from the repository's root",
            )
    flags, valued = pytest_options_of(values)
    return TestSettings(
        roots=either(values, wf.ROOTS, ("tests/",)) or ("tests/",),
        files=either(values, wf.FILES, ("test_*.py", "*_test.py")),
        ignore=either(values, wf.IGNORE, ()),
        checkout=checkout,
        working_dir=either(values, wf.WORKING_DIR, checkout),
        pytest=either(values, wf.PYTEST, ("pytest",)),
        shards={lane: tuple(words) for lane, words in by_lane.items()},
        shards_everywhere=shards if isinstance(shards, tuple) else None,
        wrappers=wrappers_of(values),
        pytest_flags=flags,
        pytest_valued=valued,
        faulty=values.faulty,
    )


def _owners(values: Values) -> Mapping[str, Owner]:
    return {
        name: Owner(name=name, github=text_at(owner, "github"), slack=text_at(owner, "slack"), span=entry.key.span)
        for name, owner, entry in entries_of(values, wf.OWNERS)
    }


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
        owned_tests=either(selection, wf.OWNED_TESTS, True),  # noqa: FBT003 - the default of a boolean field
        edited=Edited(either(selection, wf.EDITED, "run")),
        unselected=Unselected(either(selection, wf.UNSELECTED, "block")),
        span=selection.node.span,
        cases=_paths(selection, "cases", (), report),
    )


def _patterns(node: Node, name: str, report: Report) -> tuple[Located, ...]:
    """The patterns of a list that mean something; the others are reported."""
    result = []
    for pattern in located(node):
        if not pattern.text.strip():
            continue  # reported where it was read
        try:
            Patterns.compile([pattern.text])
        except PatternError as error:
            report.add(codes.BAD_PATTERN, pattern.span, f"{name}: {error}", hint=error.help)
        else:
            result.append(pattern)
    return tuple(result)


def _lanes(values: Values, report: Report) -> Mapping[str, Lane]:
    result = {}
    for name, node, entry in entries_of(values, wf.LANES):
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
    for name, toggle, entry in entries_of(values, wf.TOGGLES):
        allowed = toggle.values.get("values")
        choices = allowed if isinstance(allowed, tuple) else ()
        default = text_at(toggle, "default") or ""
        if choices and "default" in toggle.values and default not in choices:
            report.add(
                codes.UNKNOWN_REFERENCE,
                toggle.at("default").span,
                f'default "{default}" is not among the values of {name}',
                hint=report.did_you_mean(default, choices),
            )
        result[name] = Toggle(
            name=name, values=choices, default=default, about=text_at(toggle, "about") or "", span=entry.key.span
        )
    return result
