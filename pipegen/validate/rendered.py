"""The checks of a rendered pipeline, each problem brought back to the manifest line that caused it."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from pipegen import codes
from pipegen.diagnostics import Diagnostic, Related, Span
from pipegen.dollar import TextError, escape_tree, literal_tree
from pipegen.manifest.located import Items, Node
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.model import Job, Limits, Rendered, RenderedStep
from pipegen.plain import Path, Plain, PlainMap
from pipegen.validate.block_step import check_block_step
from pipegen.validate.command_step import check_command_step
from pipegen.validate.graph import GraphNode, check_graph
from pipegen.validate.limits import check_limits
from pipegen.validate.pipeline import check_pipeline
from pipegen.validate.problem import Problem

WRITTEN_AS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "command": ("commands", "tests"),
        "label": ("label", "title"),
        "agents": ("agents", "hardware"),
    }
)
"""Attributes of a step by the words of a manifest that make them."""


def validate(
    rendered: Rendered, limits: Limits, external_keys: Collection[str], place: Span, *, interpolation: bool
) -> tuple[Diagnostic, ...]:
    """Everything that Buildkite or its agent would refuse or silently mishandle. `place` stands for the whole.

    With `interpolation` the upload fills in variables, and texts that no escaping can carry through it are refused;
    without, a value that only the agent knows at upload is.
    """
    found: list[Diagnostic] = []
    steps = [step for group in rendered.groups for step in group.steps]
    for step in steps:
        check = check_block_step if step.is_gate else check_command_step
        found += (_located(problem, step) for problem in check(step.step))
        found += _texts(step, interpolation=interpolation)
    found += _graph(steps, external_keys)
    pipeline = rendered.pipeline
    whole = [
        *check_limits(_list(pipeline), jobs_per_upload=limits.jobs_per_upload, jobs_per_build=limits.jobs_per_build)
    ]
    whole += (problem for problem in check_pipeline(pipeline) if not _inside_a_step(problem.path))
    found += (Diagnostic(code=p.code, span=place, message=p.message, help=p.help) for p in whole)
    return tuple(found)


def _list(pipeline: PlainMap) -> Sequence[Plain]:
    steps = pipeline["steps"]
    return steps if isinstance(steps, Sequence) and not isinstance(steps, str) else ()


def _inside_a_step(path: Path) -> bool:
    """Whether a problem of the pipeline is one of a single step, which is checked by itself: `steps.0.steps.3.…`."""
    return len(path) >= 4 and path[0] == "steps" and path[2] == "steps"


def _located(problem: Problem, step: RenderedStep) -> Diagnostic:
    span, from_template = place_of(step.job, problem.path)
    what = "the gate of " if step.is_gate else ""
    related = (Related(span=step.job.template.span, note="the template that sets it"),) if from_template else ()
    return Diagnostic(
        code=problem.code,
        span=span,
        message=f'{problem.message} ({what}"{step.job.key}")',
        help=problem.help,
        related=related,
    )


def place_of(job: Job, path: Path) -> tuple[Span, bool]:
    """Where a value of a step was written, as closely as known, and whether that was in the template alone."""
    if not path:
        return job.span, False
    name = str(path[0])
    for written in WRITTEN_AS.get(name, (name,)):
        node = job.nodes.get(written)
        if node is not None:
            return _walk(node, path[1:]).span, False
    return job.span, name not in ("label", "key", "agents", "depends_on", "command")


def _walk(node: Node, path: Path) -> Node:
    for part in path:
        match node:
            case MappingNode():
                inner = node.get(str(part))
            case Items() if isinstance(part, int) and part < len(node.items):
                inner = node.items[part]
            case _:
                inner = None
        if inner is None:
            return node
        node = inner
    return node


def _texts(step: RenderedStep, *, interpolation: bool) -> Iterator[Diagnostic]:
    for path, text, is_key in _strings(step.step, ()):
        spelled: Plain = {text: ""} if is_key else text
        try:
            if interpolation:
                escape_tree(spelled)
            else:
                literal_tree(spelled)
        except TextError as error:
            span, _ = place_of(step.job, path)
            hint = (
                "use `pipegen upload`, which sends text as it is" if interpolation else "leave --no-interpolation away"
            )
            yield Diagnostic(code=codes.UNCARRIABLE_TEXT, span=span, message=f'{error} ("{step.job.key}")', help=hint)


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


def _graph(steps: Iterable[RenderedStep], external_keys: Collection[str]) -> Iterator[Diagnostic]:
    by_key: dict[str, RenderedStep] = {}
    nodes = []
    for step in steps:
        key = step.step.get("key")
        if isinstance(key, str):
            by_key.setdefault(key, step)
            nodes.append(GraphNode(key=key, depends_on=tuple(_targets(step.step.get("depends_on")))))
    for problem in check_graph(nodes, external_keys):
        job = by_key[problem.key].job
        dependency = next((d for d in job.depends_on or () if d.key == problem.other), None)
        span = job.span if dependency is None else dependency.span
        yield Diagnostic(code=problem.code, span=span, message=problem.message, help=problem.help)


def _targets(depends_on: Plain) -> Iterator[str]:
    items = depends_on if isinstance(depends_on, Sequence) and not isinstance(depends_on, str) else (depends_on,)
    for item in items:
        key = item.get("step") if isinstance(item, Mapping) else item
        if isinstance(key, str):
            yield key
