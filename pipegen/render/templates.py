"""One job through one template: what templates may read, and what becomes of the YAML that they render."""

from collections.abc import Mapping
from dataclasses import dataclass

from pipegen import codes
from pipegen.diagnostics import Related, Span, did_you_mean
from pipegen.jinja import Facts, JinjaError, Names, Templates
from pipegen.manifest.located import Report
from pipegen.model import Job
from pipegen.plain import PlainMap
from pipegen.render.document import DocumentError, read_document

SUFFIX = ".yaml.j2"
MUST_DELIVER = ("commands", "env")


class JobNames(Names):
    """`job` in a template; it remembers what was read, because a template that drops the commands tests nothing."""

    def __init__(self, values: Mapping[str, object]) -> None:
        super().__init__("job", values)
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> object:
        value = super().__getitem__(name)
        self.read.add(name)
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Renderer:
    """Renders jobs with the templates of a workspace; `folder` is where users find them."""

    templates: Templates
    known: tuple[str, ...]
    folder: str
    build_names: Mapping[str, object]
    report: Report

    def render(self, job: Job) -> PlainMap | None:
        """The attributes that the job's template sets (None: removed); None with a diagnostic if it cannot."""
        name = job.template.text
        if name not in self.known:
            self._error(job, f'there is no template "{name}"', hint=did_you_mean(name, self.known))
            return None
        names = JobNames(job_values(job))
        try:
            text = self.templates.render(
                name + SUFFIX, {**self.build_names, "job": names, "hardware": hardware_names(job)}
            )
        except JinjaError as error:
            at = f"{self.folder}{name}{SUFFIX}"
            where = f"{at}:{error.line}" if error.line else at
            self._error(job, f'template "{name}" cannot be rendered: {error} ({where})', hint=error.hint)
            return None
        step = self._parsed(job, text)
        if step is not None:
            self._check_delivery(job, names.read)
        return step

    def _parsed(self, job: Job, text: str) -> PlainMap | None:
        try:
            step = read_document(text)
        except DocumentError as error:
            self._error(
                job,
                f'template "{job.template.text}" renders what is no Buildkite step for "{job.key}": {error} '
                f"(line {error.line} of what it renders)",
                hint=error.hint,
            )
            return None
        if not isinstance(step, Mapping):
            self._error(job, f'template "{job.template.text}" renders no mapping, and a Buildkite step is one')
            return None
        return step

    def _check_delivery(self, job: Job, read: set[str]) -> None:
        for name in MUST_DELIVER:
            given = job.commands if name == "commands" else job.env
            if given and name not in read:
                what = "commands" if name == "commands" else "environment"
                self.report.add(
                    codes.UNDELIVERED,
                    job.template.span,
                    f'template "{job.template.text}" never reads job.{name}: the {what} of "{job.key}" would be lost',
                    hint=f"deliver job.{name} in the template",
                    related=(Related(span=job.span, note="the job"),),
                )

    def _error(self, job: Job, message: str, *, hint: str = "") -> None:
        self.report.add(
            codes.TEMPLATE_ERROR,
            job.template.span,
            message,
            hint=hint,
            related=(Related(span=job.span, note="the job"),),
        )


def hardware_names(job: Job) -> Names:
    """`hardware` in a template: the catalogue entry."""
    entry = job.hardware
    facts = Facts("hardware.facts", dict(entry.facts))
    own: dict[str, object] = {"name": entry.name, "title": job.hardware_title, "lane": entry.lane, "queue": job.queue}
    return Names("hardware", {**entry.facts, **own, "facts": facts})


def job_values(job: Job) -> dict[str, object]:
    """`job` in a template, as documented: everything about one job, typed."""
    attributes = job.attributes
    return {
        "key": job.key,
        "label": job.label,
        "title": job.title,
        "area": job.origin.area or "",
        "lane": job.lane,
        "group": job.group,
        "hardware": hardware_names(job),
        "queue": job.queue,
        "tags": dict(job.tags),
        "agents": attributes.get("agents"),
        "gpus": job.gpus,
        "nodes": job.node_count,
        "working_dir": job.working_dir,
        "env": dict(job.env),
        "setup": [{"run": command.run, "title": command.title} for command in job.setup],
        "commands": [{"run": command.run, "title": command.title} for command in job.commands],
        "depends_on": None if job.depends_on is None else [dependency.key for dependency in job.depends_on],
        "timeout_in_minutes": job.timeout_in_minutes,
        "parallelism": job.parallelism,
        "retry": attributes.get("retry"),
        "priority": attributes.get("priority"),
        "soft_fail": attributes.get("soft_fail", False),
        "artifact_paths": attributes.get("artifact_paths", []),
    }


def template_span(folder: str, name: str) -> Span:
    """A template as a place."""
    return Span(path=f"{folder}{name}{SUFFIX}")
