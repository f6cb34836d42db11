"""Files of selection cases, decoded: changes, and the jobs that they must select."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Final

from pipegen import codes
from pipegen.dataclass import dataclass
from pipegen.manifest.containers import ListOf, MapOf
from pipegen.manifest.fields import ENV_NAME, FIXED, KEY, NAME
from pipegen.manifest.located import Items, Node, Report, Scalar
from pipegen.manifest.record import Field, Record, Values
from pipegen.manifest.shape import Text
from pipegen.manifest.yaml import read_yaml
from pipegen.model import Located, Workspace
from pipegen.source import Tree

_KEYS: Final = ListOf(item=KEY, one=True)
CASE_NAME: Final = Field(name="name", shape=FIXED, about="what happens, in words", required=True)
CHANGED: Final = Field(
    name="changed",
    shape=ListOf(item=FIXED, one=True),
    about="the changed files, from the repository's root",
    default=[],
)
ENVIRONMENT: Final = Field(
    name="environment",
    shape=MapOf(value=Text(jinja=False), name=ENV_NAME),
    about="variables of the build that switches and schedules look at",
    default={},
)
LABELS: Final = Field(name="labels", shape=ListOf(item=FIXED, one=True), about="labels of the pull request", default=[])
SCHEDULE: Final = Field(name="schedule", shape=NAME, about="the schedule that the build is one of")
EXACTLY: Final = Field(name="exactly", shape=_KEYS, about="the jobs that run, and no others but those of every build")
AT_LEAST: Final = Field(name="at_least", shape=_KEYS, about="jobs that run, among others")
NEVER: Final = Field(name="never", shape=_KEYS, about="jobs that do not run")
CASE: Final = Record(
    what="a selection case",
    fields=(CASE_NAME, CHANGED, ENVIRONMENT, LABELS, SCHEDULE, EXACTLY, AT_LEAST, NEVER),
)
CASES: Final = Field(name="cases", shape=ListOf(item=CASE, at_least=1), about="the cases", required=True)
CASE_FILE: Final = Record(what="a file of selection cases", fields=(CASES,))


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionCase:
    """What a build changes and says, and the keys of the jobs that must run or must not; None where nothing is said."""

    name: Located
    changed: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    schedule: Located | None = None
    exactly: tuple[Located, ...] | None = None
    at_least: tuple[Located, ...] | None = None
    never: tuple[Located, ...] | None = None


def load_cases(tree: Tree, workspace: Workspace, report: Report) -> tuple[SelectionCase, ...]:
    """Read every file of cases that the workspace names. One that is not there was reported with the workspace."""
    found: list[SelectionCase] = []
    for place in workspace.selection.cases:
        root = read_yaml(tree, place.text, report, named_at=place.span) if tree.under(place.text) else None
        if root is not None:
            found += decode_cases(root, report)
    return tuple(found)


def decode_cases(root: Node, report: Report) -> tuple[SelectionCase, ...]:
    """Decode one file of cases; those with mistakes are left out."""
    values = CASE_FILE.read(root, report, "cases")
    if values is None:
        return ()
    cases = [_case(one, report) for one in values.get(CASES) or ()]
    return tuple(case for case in cases if case is not None)


def _case(values: Values, report: Report) -> SelectionCase | None:
    if values.faulty:
        return None  # what it would select follows from the mistake
    name = values.node.get("name")
    exactly, at_least, never = (_keys(values, field.name) for field in (EXACTLY, AT_LEAST, NEVER))
    if exactly is None and at_least is None and never is None:
        hint = "add exactly:, at_least: or never: with keys of jobs"
        report.add(codes.MISSING_KEY, values.node.span, "a selection case says nothing about any job", hint=hint)
        return None
    if exactly is not None and (at_least is not None or never is not None):
        other = "at_least" if at_least is not None else "never"
        message = f'"exactly" says all that "{other}" could'
        report.add(codes.CONTRADICTION, values.at(other).span, message, hint=f"take out {other}:")
        return None
    if not isinstance(name, Scalar):
        return None
    schedule = values.node.get("schedule")
    return SelectionCase(
        name=Located(text=name.text, span=name.span),
        changed=values.get(CHANGED) or (),
        environment=values.get(ENVIRONMENT) or {},
        labels=values.get(LABELS) or (),
        schedule=Located(text=schedule.text, span=schedule.span) if isinstance(schedule, Scalar) else None,
        exactly=exactly,
        at_least=at_least,
        never=never,
    )


def _keys(values: Values, name: str) -> tuple[Located, ...] | None:
    node = values.node.get(name)
    if node is None:
        return None
    items: Sequence[Node] = node.items if isinstance(node, Items) else (node,)
    return tuple(Located(text=item.text, span=item.span) for item in items if isinstance(item, Scalar))
