"""The pipeline of a build as one document."""

from collections.abc import Mapping
from typing import Final

from pipegen.app.changes import Asked, Known, look
from pipegen.app.expansion import Plan, make_plan
from pipegen.app.request import Request
from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import Diagnostic, PipegenError, has_errors, ordered
from pipegen.dollar import escape_tree, literal_tree
from pipegen.emit.json import to_json
from pipegen.emit.yaml import to_yaml
from pipegen.expand.jobs import build_names
from pipegen.model import Planned, Rendered
from pipegen.plain import PlainMap
from pipegen.render import render
from pipegen.render.notices import notices_of, notifies, running_keys, with_notices
from pipegen.report.plan import changes_data, plan_data
from pipegen.select import BuildPlan, ChangedFiles, select, select_all
from pipegen.select.reach import Reach
from pipegen.select.unclassified import report_unclassified, unclassified
from pipegen.validate.notices import check_notices
from pipegen.validate.rendered import validate


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """How the document is written: its format, and whether the upload will fill in variables (None: see the workspace).

    `plan` asks for the plan behind it as well.
    """

    format: str = "yaml"
    interpolation: bool | None = True
    timeouts: bool = True
    plan: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """What `generate` made: the document, or None where errors are in the way, and the plan behind it as data."""

    document: str | None
    diagnostics: tuple[Diagnostic, ...]
    jobs: int = 0
    plan: PlainMap | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A build's pipeline as plain data, with the plan behind it; `diagnostics` are no errors."""

    plan: Plan
    chosen: "Chosen"
    rendered: Rendered
    diagnostics: tuple[Diagnostic, ...]

    @property
    def data(self) -> PlainMap:
        """The plan as data."""
        known = self.chosen.known
        changes = changes_data(known.circumstances, known.compared, self.chosen.unclassified)
        return plan_data(self.plan.workspace, self.chosen.plan, changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The plan of a build with what it rests on; `unclassified` are the changed files that nothing is about."""

    plan: BuildPlan
    known: Known
    unclassified: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]


def choose(request: Request, plan: Plan, asked: Asked) -> Chosen:
    """Decide what becomes of every job of a workspace without errors.

    Raises:
        WrongUsageError: a key or schedule that is not there was asked for, or what a build says cannot be read.
    """
    known = look(request, plan, asked)
    changes = known.circumstances.changes
    reach = Reach.of(plan.expansion) if isinstance(changes, ChangedFiles) else None
    chosen = select(plan.expansion, plan.workspace, known.circumstances, reach)
    leaks = () if reach is None else unclassified(plan.workspace, changes, reach)
    warnings = report_unclassified(leaks, plan.workspace)
    return Chosen(plan=chosen, known=known, unclassified=leaks, diagnostics=(*known.diagnostics, *warnings))


def generate(request: Request, output: Output, asked: Asked | None = None) -> Product:
    """The pipeline of this build as one document.

    Raises:
        PipegenError: see `make` and `write`.
    """
    made = make(request, output, asked)
    if isinstance(made, tuple):
        return Product(document=None, diagnostics=made)
    nothing = made.chosen.plan.nothing
    return Product(
        document=write(made.rendered, output, request.environment, nothing=nothing),
        diagnostics=made.diagnostics,
        jobs=len(made.chosen.plan.emitted),
        plan=made.data if output.plan else None,
    )


def make(request: Request, output: Output, asked: Asked | None = None) -> Made | tuple[Diagnostic, ...]:
    """The pipeline of this build, or the diagnostics alone where errors are among them.

    Raises:
        PipegenError: see `make_plan` and `choose`.
    """
    asked = replace(asked or Asked(), timeouts=output.timeouts)
    request = replace(request, schedules=asked.schedules, labels=asked.labels)
    plan = make_plan(request)
    if isinstance(plan, tuple):
        return plan
    if has_errors((*plan.diagnostics, *plan.templates.diagnostics)):
        return ordered((*plan.diagnostics, *check_steps(request, plan, output)))
    chosen = choose(request, plan, asked)
    rendered, found = _rendered(request, plan, chosen.plan, output)
    diagnostics = ordered((*plan.diagnostics, *chosen.diagnostics, *found))
    if has_errors(diagnostics):
        return diagnostics
    return Made(plan=plan, chosen=chosen, rendered=rendered, diagnostics=diagnostics)


def check_steps(request: Request, plan: Plan, output: Output | None = None) -> tuple[Diagnostic, ...]:
    """Render every job, whatever a build selects, and find all that Buildkite would not take."""
    every = BuildPlan(planned=select_all(plan.expansion.jobs, "to find all mistakes"))
    return _rendered(request, plan, every, output or Output())[1]


def render_plan(plan: Plan, planned: tuple[Planned, ...]) -> tuple[Rendered, tuple[Diagnostic, ...]]:
    """The planned jobs through their templates."""
    rendered, found = render(planned, plan.templates.files, build_names(plan.build))
    return rendered, (*plan.templates.diagnostics, *found)


def _rendered(
    request: Request, plan: Plan, chosen: BuildPlan, output: Output
) -> tuple[Rendered, tuple[Diagnostic, ...]]:
    """The steps of the jobs that are in the pipeline, and everything that Buildkite would not take."""
    rendered, from_rendering = render_plan(plan, chosen.emitted)
    if chosen.nothing is not None:
        return rendered, from_rendering  # a comment, which nothing refuses
    complete = not has_errors((*plan.diagnostics, *from_rendering))
    interpolation = plan.workspace.upload.interpolation if output.interpolation is None else output.interpolation
    values = request.environment
    found = validate(rendered, plan.workspace, interpolation=interpolation, values=values, complete=complete)
    notices = notices_of(plan.workspace)
    from_notices = check_notices(plan.workspace, notices, interpolation=interpolation)
    if notifies(plan.workspace, plan.build.facts, chosen.schedules):
        rendered = with_notices(rendered, notices, running_keys(chosen.planned))
    return rendered, (*from_rendering, *found, *from_notices)


def write(
    rendered: Rendered, output: Output, environment: Mapping[str, str] | None = None, *, nothing: str | None = None
) -> str:
    """The pipeline as text, with every dollar as the upload needs it; a comment, in every format, where it is empty.

    Without interpolation `environment` gives the values that the upload would have filled in.

    Raises:
        PipegenError: a value passed validation and cannot be written (a bug, not a mistake of the user).
    """
    if not rendered.groups:
        return f"# pipegen: nothing selected: {nothing or 'no job has a step'}\n"
    return written(rendered.pipeline, output, environment)


def written(pipeline: PlainMap, output: Output, environment: Mapping[str, str] | None = None) -> str:
    """A pipeline as text; see `write`."""
    try:
        tree = escape_tree(pipeline) if output.interpolation else literal_tree(pipeline, environment)
        return to_json(tree) if output.format == "json" else to_yaml(tree)
    except ValueError as error:
        raise PipegenError(f"the pipeline cannot be written: {error}") from error


REFUSAL: Final = "pipegen made no pipeline"
"""What stands on standard output instead of one: a lone text, which the agent refuses, where nothing would be green."""


def refusal(reason: str) -> str:
    """The line that stands for a pipeline that could not be made."""
    return f"{REFUSAL} ({' '.join(reason.split())})\n".replace(": ", " - ").replace(" #", " ")
