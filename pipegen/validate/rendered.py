"""The checks of a rendered pipeline, each problem brought back to the manifest line that caused it."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from pipegen import codes
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Code, Diagnostic, Related, Span, first_of
from pipegen.dollar import TextError, escape_tree, is_carried, literal_tree
from pipegen.manifest.located import Items, Node, scalars
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.model import Job, Limits, Rendered, RenderedStep, Workspace
from pipegen.plain import Path, Plain
from pipegen.validate.block_step import check_block_step
from pipegen.validate.codes import (
    DUPLICATE_KEY,
    INVALID_KEY,
    JOBS_PER_STEP,
    JOBS_PER_UPLOAD,
    MISSING_DEPENDENCY,
)
from pipegen.validate.command_step import check_command_step
from pipegen.validate.graph import GraphNode, GraphProblem, check_graph
from pipegen.validate.key import LONGEST_KEY
from pipegen.validate.limits import check_limits, check_step_limit
from pipegen.validate.pipeline import check_pipeline
from pipegen.validate.problem import Problem
from pipegen.validate.step import Sound

WRITTEN_AS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "command": ("commands", "tests"),
        "label": ("label", "title"),
        "agents": ("agents", "hardware"),
    }
)
"""Attributes of a step by the words of a manifest that make them."""
_ALWAYS_THERE: Final = frozenset({"label", "key", "agents", "depends_on", "command"})
"""Attributes that a step has of itself, so that no template need be to blame for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fault:
    """One mistake, which many jobs may have made of one line. `by_template`: no manifest says it, a template does."""

    code: Code
    span: Span
    message: str
    hint: str
    is_gate: bool
    by_template: bool


def validate(
    rendered: Rendered,
    workspace: Workspace,
    *,
    interpolation: bool,
    values: Mapping[str, str] | None = None,
    complete: bool = True,
) -> tuple[Diagnostic, ...]:
    """Everything that Buildkite or its agent would refuse or silently mishandle.

    With `interpolation` the upload fills in variables, and texts that no escaping can carry through that are refused.
    Without, pipegen fills in `values` itself, and what is not among them is refused. Where jobs are missing because of
    mistakes that are reported already, the pipeline is not `complete`: what holds of all of it together is not looked
    at then.
    """
    steps = [step for group in rendered.groups for step in group.steps]
    faults: dict[_Fault, list[Job]] = {}
    known = None if interpolation else values or {}
    sound = Sound()
    for step in steps:
        for fault in (
            *_step_faults(step, workspace.limits, sound),
            *_text_faults(step, known, sound),
        ):
            faults.setdefault(fault, []).append(step.job)
    found = [_diagnostic(fault, jobs) for fault, jobs in faults.items()]
    found += _graph(steps, workspace.external_keys, complete=complete)
    if complete and steps:
        found += (
            Diagnostic(
                code=problem.code,
                span=_place_in(rendered, problem.path) or Span(path=workspace.path),
                message=problem.message,
                help=problem.help,
            )
            for problem in _whole(rendered, workspace.limits)
            if not (problem.code is JOBS_PER_UPLOAD and any(fault.code is JOBS_PER_STEP for fault in faults))
        )
    return tuple(found)


def _whole(rendered: Rendered, limits: Limits) -> Iterator[Problem]:
    """What is wrong with the pipeline and no single step of it."""
    pipeline = rendered.pipeline
    steps = pipeline["steps"]
    if isinstance(steps, Sequence) and not isinstance(steps, str):
        yield from check_limits(steps, jobs_per_upload=limits.jobs_per_upload, jobs_per_build=limits.jobs_per_build)
    yield from (problem for problem in check_pipeline(pipeline) if not _inside_a_step(problem.path))


def _place_in(rendered: Rendered, path: Path) -> Span | None:
    """Where the name of a group is written, if a problem is about that: `steps.0.group`."""
    match path:
        case ("steps", int(at), "group", *_):
            return rendered.groups[at].steps[0].job.group.span
        case _:
            return None


def _inside_a_step(path: Path) -> bool:
    """Whether a problem of the pipeline is one of a single step, which is checked by itself: `steps.0.steps.3.…`."""
    return len(path) >= 4 and path[0] == "steps" and path[2] == "steps"


def _diagnostic(fault: _Fault, jobs: Sequence[Job]) -> Diagnostic:
    whose = ("the gate of " if fault.is_gate else "") + first_of([job.key for job in jobs])
    related = (Related(span=jobs[0].span, note="the job"),) if fault.by_template else ()
    return Diagnostic(
        code=fault.code, span=fault.span, message=f"{fault.message} ({whose})", help=fault.hint, related=related
    )


def _step_faults(step: RenderedStep, limits: Limits, sound: Sound) -> Iterator[_Fault]:
    for problem in _step_problems(step, limits, sound):
        if problem.code is INVALID_KEY and problem.path == ("key",) and len(_own_key(step)) > LONGEST_KEY:
            continue  # reported where jobs get their keys
        place = place_of(step.job, problem.path)
        by_template = place is None
        span = place or step.template_at or step.job.template.span
        yield _Fault(
            code=problem.code,
            span=span,
            message=problem.message,
            hint=problem.help,
            is_gate=step.is_gate,
            by_template=by_template,
        )


def _step_problems(step: RenderedStep, limits: Limits, sound: Sound) -> Iterator[Problem]:
    if step.is_gate:
        yield from check_block_step(step.step, sound)
    else:
        yield from check_command_step(step.step, sound)
        yield from check_step_limit(step.step, jobs_per_upload=limits.jobs_per_upload)


def _own_key(step: RenderedStep) -> str:
    return step.job.gate.key if step.is_gate else step.job.key


def place_of(job: Job, path: Path, *, key: bool = False) -> Span | None:
    """Where a value of a step was written, as closely as known; None where only its template says it.

    `key` asks for the place of the last name in the path rather than of its value.
    """
    if not path:
        return job.span
    name = str(path[0])
    for written in WRITTEN_AS.get(name, (name,)):
        node = job.nodes.get(written)
        if node is not None and not (path == ("agents", "queue") and _inner(node, "queue") is None):
            return _walk(node, path[1:], key=key)
    if path == ("agents", "queue") and (queue := job.hardware.layer.extra.get("queue")) is not None:
        return queue.span
    return job.span if name in _ALWAYS_THERE else None


def _inner(node: Node, part: str | int) -> Node | None:
    match node:
        case MappingNode():
            return node.get(str(part))
        case Items() if isinstance(part, int) and part < len(node.items):
            return node.items[part]
        case _:
            return None


def _walk(node: Node, path: Path, *, key: bool) -> Span:
    span = node.span
    for at, part in enumerate(path):
        if key and at == len(path) - 1 and isinstance(node, MappingNode):
            return next((entry.key.span for entry in node.entries if entry.key.text == part), span)
        inner = _inner(node, part)
        if inner is None:
            return span
        node, span = inner, inner.span
    return span


def _text_faults(step: RenderedStep, values: Mapping[str, str] | None, sound: Sound) -> Iterator[_Fault]:
    """Texts that do not survive the upload. What an author wrote is shown where it stands, else what came of it."""
    group = step.job.group
    if not step.is_gate and (error := _text_error(group.text, values)) is not None:
        yield _lost(group.span, error, step)
    seen = sound.glances.of(step.step)
    if seen is not None and is_carried(seen.texts, seen.keys, interpolation=values is None):
        return
    if _text_error(step.step, values) is None:
        return
    written = [scalar for node in step.job.nodes.values() for scalar in scalars(node)]
    authored = [(scalar.span, wrong) for scalar in written if (wrong := _text_error(scalar.text, values)) is not None]
    for span, wrong in authored or _rendered_texts(step, values):
        yield _lost(span, wrong, step)


def _lost(span: Span, error: TextError, step: RenderedStep) -> _Fault:
    message, _, hint = str(error).partition("; ")
    return _Fault(
        code=codes.UNCARRIABLE_TEXT, span=span, message=message, hint=hint, is_gate=step.is_gate, by_template=False
    )


def _rendered_texts(step: RenderedStep, values: Mapping[str, str] | None) -> Iterator[tuple[Span, TextError]]:
    for path, text, is_key in _strings(step.step, ()):
        error = _text_error({text: ""} if is_key else text, values)
        if error is not None:
            yield place_of(step.job, path, key=is_key) or step.template_at or step.job.template.span, error


def _text_error(tree: Plain, values: Mapping[str, str] | None) -> TextError | None:
    try:
        escape_tree(tree) if values is None else literal_tree(tree, values)
    except TextError as error:
        return error
    return None


def _strings(value: Plain, path: Path) -> Iterator[tuple[Path, str, bool]]:
    """Every text of a step with its path, and whether it is the key of a mapping."""
    match value:
        case str():
            yield path, value, False
        case Mapping():
            for name, inner in value.items():
                yield (*path, name), name, True
                yield from _strings(inner, (*path, name))
        case Sequence():
            for at, inner in enumerate(value):
                yield from _strings(inner, (*path, at))
        case _:
            pass


def _graph(steps: Iterable[RenderedStep], external_keys: Collection[str], *, complete: bool) -> Iterator[Diagnostic]:
    by_key: dict[str, RenderedStep] = {}
    nodes = []
    for step in steps:
        key = step.step.get("key")
        if isinstance(key, str):
            if key not in by_key or key != _own_key(step):
                by_key[key] = step
            nodes.append(GraphNode(key=key, depends_on=tuple(_targets(step.step.get("depends_on")))))
    for problem in check_graph(nodes, external_keys):
        step = by_key[problem.key]
        known = problem.code is DUPLICATE_KEY and problem.key == _own_key(step)
        if not known and (complete or problem.code is not MISSING_DEPENDENCY):
            yield _graph_diagnostic(problem, step)


def _graph_diagnostic(problem: GraphProblem, step: RenderedStep) -> Diagnostic:
    """A problem of keys and dependencies: what no manifest says is the template's doing."""
    job = step.job
    twice = problem.code is DUPLICATE_KEY  # of a template's making, whatever waits for the key
    dependency = None if twice else next((d for d in job.depends_on or () if d.key == problem.other), None)
    by_template = dependency is None and not step.is_gate
    span = dependency.span if dependency is not None else job.gate.span
    if by_template:
        span = step.template_at or job.template.span
    related = (Related(span=job.span, note="the job"),) if by_template else ()
    return Diagnostic(code=problem.code, span=span, message=problem.message, help=problem.help, related=related)


def _targets(depends_on: Plain) -> Iterator[str]:
    items = depends_on if isinstance(depends_on, Sequence) and not isinstance(depends_on, str) else (depends_on,)
    for item in items:
        key = item.get("step") if isinstance(item, Mapping) else item
        if isinstance(key, str):
            yield key
