"""A workspace in memory, through every stage: what tests of the language look at."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from pipegen.app import DEFAULT_WORKSPACE, Output, Place, Request, render_plan, write
from pipegen.app.expansion import Plan, plan_of
from pipegen.diagnostics import Diagnostic, Severity, has_errors, ordered
from pipegen.model import Job, Rendered
from pipegen.select import select_all
from pipegen.source import MappingTree
from pipegen.validate.rendered import validate


class Plus:
    """The bare `+` of a list, which quotes would make text."""


PLUS: Final = Plus()
Value: TypeAlias = str | int | bool | Plus | Sequence["Value"] | Mapping[str, "Value"] | None
"""What a test writes into a manifest."""


def flow(value: Value) -> str:
    """A value as YAML in flow style. Text is quoted, so that it is text whatever it looks like."""
    match value:
        case Plus():
            return "+"
        case str():
            return f'"{_UNQUOTED.sub(_escaped, value)}"'
        case bool() | int() | None:
            return json.dumps(value)
        case Mapping():
            return "{" + ", ".join(f"{flow(name)}: {flow(inner)}" for name, inner in value.items()) + "}"
        case _:
            return "[" + ", ".join(map(flow, value)) + "]"


_UNQUOTED: Final = re.compile(r"[^ !#-\[\]-~]")


def _escaped(character: re.Match[str]) -> str:
    return f"\\U{ord(character[0]):08x}"


def block(values: Mapping[str, Value]) -> str:
    """A file: one line for each key."""
    return "".join(f"{flow(name)}: {flow(value)}\n" for name, value in values.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """What came of a workspace."""

    plan: Plan
    rendered: Rendered
    diagnostics: tuple[Diagnostic, ...]

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """What would stop `generate`."""
        return tuple(found for found in self.diagnostics if found.severity is Severity.ERROR)

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """What would fail `lint` alone."""
        return tuple(found for found in self.diagnostics if found.severity is Severity.FINDING)

    @property
    def jobs(self) -> tuple[Job, ...]:
        """All jobs."""
        return self.plan.expansion.jobs

    def document(self, *, interpolation: bool = True) -> str:
        """The pipeline as `generate` prints it; there must be no errors."""
        assert self.errors == ()
        return write(self.rendered, Output(interpolation=interpolation))


def compiled(
    files: Mapping[str, str], environment: Mapping[str, str] | None = None, *, interpolation: bool = True
) -> Compiled:
    """Everything that a workspace has, selected or not."""
    tree = MappingTree(files={path: text.encode() for path, text in files.items()})
    request = Request(place=Place(root=Path(), path=DEFAULT_WORKSPACE), environment=environment or {})
    plan = plan_of(tree, request)
    assert isinstance(plan, Plan), plan
    rendered, from_rendering = render_plan(plan, select_all(plan.expansion.jobs, "all"))
    complete = not has_errors((*plan.diagnostics, *from_rendering))
    from_validation = validate(rendered, plan.workspace, interpolation=interpolation, complete=complete)
    found = ordered((*plan.diagnostics, *from_rendering, *from_validation))
    return Compiled(plan=plan, rendered=rendered, diagnostics=found)
