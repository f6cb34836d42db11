"""The pipeline as plain data: groups with their steps, each job's attributes under what its template sets."""

from collections.abc import Mapping, Sequence
from typing import Final

from pipegen.dataclass import replace
from pipegen.diagnostics import Diagnostic
from pipegen.model import Job, Planned, Rendered, RenderedGroup, RenderedStep
from pipegen.plain import Plain, PlainMap
from pipegen.render.templates import ALIASES, Renderer, TemplateFiles

ORDER = (
    "label key type depends_on allow_dependency_failure if if_changed branches agents image env secrets command "
    "plugins matrix parallelism concurrency concurrency_group concurrency_method priority timeout_in_minutes retry "
    "soft_fail skip cancel_on_build_failing artifact_paths cache checkout notify"
).split()
_ORDERED: Final = frozenset(ORDER)


def render(
    planned: Sequence[Planned], files: TemplateFiles, build_names: Mapping[str, object]
) -> tuple[Rendered, tuple[Diagnostic, ...]]:
    """Render every job that is in the pipeline, in the order given; a gate stands in front of its job."""
    renderer = Renderer(templates=files.compiled, files=files, known=files.names, build_names=build_names)
    groups: dict[str, list[RenderedStep]] = {}
    for plan in planned:
        steps = groups.setdefault(plan.job.group.text, [])
        step = _step(plan, renderer)
        if step is None:
            continue
        if plan.gated:
            steps.append(RenderedStep(step=_gate(plan.job), job=plan.job, is_gate=True))
        place = renderer.place(plan.job)
        steps.append(RenderedStep(step=step, job=plan.job, is_gate=False, template_at=place))
    rendered = tuple(RenderedGroup(name=name, steps=tuple(steps)) for name, steps in groups.items() if steps)
    return Rendered(groups=rendered), renderer.found


def _gate(job: Job) -> PlainMap:
    return {"block": job.gate.label, "key": job.gate.key, "depends_on": list(job.gate.depends_on)}


def _step(plan: Planned, renderer: Renderer) -> PlainMap | None:
    job = plan.job
    if plan.timeout_in_minutes != job.timeout_in_minutes:
        job = replace(job, timeout_in_minutes=plan.timeout_in_minutes)
    set_by_template = renderer.render(job)
    if set_by_template is None:
        return None
    step = dict(_attributes(plan))
    for name, value in _canonical(set_by_template).items():
        if value is None:
            step.pop(name, None)
        else:
            step[name] = value
    return _tidy(step)


def _attributes(plan: Planned) -> Mapping[str, Plain]:
    """What the job itself says of the step; delivery of commands and environment is the template's."""
    job = plan.job
    step: dict[str, Plain] = {"label": job.label, "key": job.key, **job.attributes}
    depends_on: list[Plain] | None = None
    if job.depends_on is not None or plan.gated:
        depends_on = [job.gate.key] if plan.gated else []
        for dependency in job.depends_on or ():
            plain: Plain = (
                {"step": dependency.key, "allow_failure": True} if dependency.allow_failure else dependency.key
            )
            depends_on.append(plain)
    step["depends_on"] = depends_on
    step["timeout_in_minutes"] = plan.timeout_in_minutes
    step["parallelism"] = job.parallelism if job.parallelism > 1 else None
    step["priority"] = step.get("priority", plan.priority)
    step["skip"] = plan.skip if plan.skip is not None else step.get("skip")
    return {name: value for name, value in step.items() if value is not None}


def _canonical(step: PlainMap) -> PlainMap:
    """Buildkite's other names of an attribute, as one; commands as the one text that the agent makes of them."""
    result: dict[str, Plain] = {}
    for name, value in step.items():
        if name in ("command", "commands"):
            result["command"] = _joined(value)
        elif ALIASES.get(name) not in step:
            result[ALIASES.get(name, name)] = value
        else:
            result[name] = value
    return result


def _joined(value: Plain) -> Plain:
    """The agent joins a list of commands by newlines. What is no text stays, for validation to report."""
    if isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(item, str) for item in value):
        return "\n".join(str(item) for item in value)
    return value


def _tidy(step: Mapping[str, Plain]) -> PlainMap:
    """The attributes in a fixed, readable order; empty maps of environment and lists of artifacts say nothing."""
    known = [name for name in ORDER if name in step]
    rest = sorted(name for name in step if name not in _ORDERED) if len(known) < len(step) else []
    return {name: step[name] for name in (*known, *rest) if not (name in ("env", "artifact_paths") and not step[name])}
