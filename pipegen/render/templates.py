"""One job through one template: what templates may read, and what becomes of the YAML that they render."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Final

from pipegen import codes
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Code, Diagnostic, Related, Span, did_you_mean, first_of
from pipegen.jinja import Facts, JinjaError, Names, Templates
from pipegen.manifest.layers import FIELDS
from pipegen.model import Job
from pipegen.plain import Plain, PlainMap
from pipegen.render.document import DocumentError, Documents

SUFFIX = ".yaml.j2"
ALIASES = {
    "name": "label",
    "id": "key",
    "identifier": "key",
    "timeout": "timeout_in_minutes",
    "artifacts": "artifact_paths",
}
"""Buildkite's other names of an attribute."""
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
class TemplateFiles:
    """The files of all templates by their path from the templates folder.

    `folder` is where users find it, with `/` at its end; `own` are those that stand there, the others are packaged
    ones. `lost` are files that could not be read, None where it is not even known which those are.
    """

    sources: Mapping[str, str]
    folder: str
    own: frozenset[str] = frozenset()
    lost: frozenset[str] | None = frozenset()
    compiled: Templates = field(init=False, repr=False, compare=False)
    """What they compile to, each when a job first asks for it: pipelines with the same files share it."""

    def __post_init__(self) -> None:
        """Compile nothing yet."""
        object.__setattr__(self, "compiled", Templates(self.sources))

    @property
    def names(self) -> tuple[str, ...]:
        """What hardware entries and steps call the templates."""
        return tuple(sorted(file.removesuffix(SUFFIX) for file in self.sources if file.endswith(SUFFIX)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fault:
    """What is wrong with a template, found once or with many jobs."""

    code: Code
    span: Span
    message: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Renderer:
    """Renders jobs with the templates of a workspace."""

    templates: Templates
    files: TemplateFiles
    known: tuple[str, ...]
    build_names: Mapping[str, object]
    documents: Documents = field(default_factory=Documents)
    faults: dict[_Fault, list[Job]] = field(default_factory=dict)

    @property
    def found(self) -> tuple[Diagnostic, ...]:
        """Everything that went wrong, once each, with the first of the jobs that it went wrong with."""
        return tuple(
            Diagnostic(
                code=fault.code,
                span=fault.span,
                message=fault.message,
                help=fault.hint,
                related=(Related(span=jobs[0].span, note=f"for {first_of([job.key for job in jobs])}"),),
            )
            for fault, jobs in self.faults.items()
        )

    def render(self, job: Job) -> PlainMap | None:
        """The attributes that the job's template sets (None: removed); None with a diagnostic if it cannot."""
        name = job.template.text
        if name not in self.known:
            lost = self.files.lost
            if lost is not None and name + SUFFIX not in lost:
                hint = did_you_mean(name, self.known)
                self._fault(job, job.template.span, f'there is no template "{name}"', hint=hint)
            return None
        values = job_values(job)
        names = JobNames(values)
        try:
            text = self.templates.render(
                name + SUFFIX, {**self.build_names, "job": names, "hardware": values["hardware"]}
            )
        except JinjaError as error:
            file = error.template or name + SUFFIX
            message = f'template "{name}": {error}'
            if file not in self.files.own:
                message += f" (line {error.line} of the packaged {file})"
            self._fault(job, self.place(job, file, error.line), message, hint=error.hint)
            return None
        step = self._parsed(job, text)
        if step is not None:
            self._check_delivery(job, names.read)
            self._check_replaced(job, step, names.read)
            if names.read.issuperset(MUST_DELIVER):
                self._check_arrival(job, step)
        return step

    def _parsed(self, job: Job, text: str) -> PlainMap | None:
        try:
            step = self.documents.read(text)
        except DocumentError as error:
            message = f'template "{job.template.text}" renders no Buildkite step: {error}'
            self._fault(
                job, self.place(job), f"{message} (line {error.line} of what it renders)", hint=error.hint or _SAFE
            )
            return None
        if not isinstance(step, Mapping):
            message = f'template "{job.template.text}" renders no Buildkite step: {_kind(step)}, which is no mapping'
            self._fault(job, self.place(job), message, hint="render the attributes of one step, as KEY: VALUE")
            return None
        return step

    def _check_delivery(self, job: Job, read: set[str]) -> None:
        for name in MUST_DELIVER:
            given = job.commands if name == "commands" else job.env
            if given and name not in read:
                what = "commands" if name == "commands" else "environment"
                message = f'template "{job.template.text}" never reads job.{name}: the {what} would be lost'
                hint = f"write {{{{ job.{name} | tojson }}}} where it belongs"
                self._fault(job, self.place(job), message, hint=hint, code=codes.UNDELIVERED)

        if job.node_count > 1 and "nodes" not in read:
            message = f'template "{job.template.text}" never reads job.nodes: the job would run on one machine'
            hint = "name a template that starts all of them, or take out nodes:"
            node = job.nodes.get("nodes")
            span = self.place(job) if node is None else node.span
            self._fault(job, span, message, hint=hint, code=codes.REPLACED)

    def _check_arrival(self, job: Job, step: PlainMap) -> None:
        """Report commands or variables of which no word is in what was rendered: read, and dropped all the same."""
        usual = {name: step[name] for name in MUST_DELIVER if name in step}
        lost = _lost(job, usual) and _lost(job, step)  # most are where one looks first
        for what in lost[:1]:
            message = f'template "{job.template.text}" drops {what} of the job'
            hint = "deliver job.commands and job.env in what the template renders"
            self._fault(job, self.place(job), message, hint=hint, code=codes.UNDELIVERED)
        if "agents" in step and step["agents"] is None:
            message = f'template "{job.template.text}" removes "agents": the job would run wherever an agent is free'
            self._fault(
                job, self.place(job), message, hint="leave agents out: the job has its queue", code=codes.REPLACED
            )

    def _check_replaced(self, job: Job, step: PlainMap, read: set[str]) -> None:
        """Report what somebody wrote and the template sets to something that does not depend on it."""
        for written in step:
            name = ALIASES.get(written, written)
            node = job.nodes.get(name)
            if node is not None and name not in (*read, *MUST_DELIVER, "command"):
                message = (
                    f'template "{job.template.text}" sets "{name}" and never reads job.{name}, which would be lost'
                )
                hint = f"take {name} out, or let the template make its own of job.{name}"
                self._fault(job, node.span, message, hint=hint, code=codes.REPLACED)

    def place(self, job: Job, file: str | None = None, line: int = 0) -> Span:
        """A line of a file of the workspace's own; for a packaged one, where the job's hardware or step names it."""
        wanted = file or job.template.text + SUFFIX
        if wanted in self.files.own:
            return Span(path=self.files.folder + wanted, line=line)
        return job.template.span

    def _fault(self, job: Job, span: Span, message: str, *, hint: str = "", code: Code = codes.TEMPLATE_ERROR) -> None:
        self.faults.setdefault(_Fault(code=code, span=span, message=message, hint=hint), []).append(job)


_SAFE: Final = "put each value that comes from the job through | tojson"
_WORD: Final = re.compile(r"[A-Za-z0-9_./-]+")


def _lost(job: Job, step: PlainMap) -> list[str]:
    """The commands and variables of which nothing is in these attributes."""
    texts: list[str] = []
    _gather(step, texts)
    shown = "\n".join(texts)
    lost = [f'the command "{c.run[:60]}"' for c in job.commands if not _arrives(c.run, shown)]
    return lost + [f'the variable "{name}"' for name in job.env if name not in shown]


def _arrives(run: str, shown: str) -> bool:
    """Whether the longest plain word of a command is in the text: whatever a template quotes, words stay."""
    if run in shown:  # as it was written, words and all
        return True
    words = _WORD.findall(run)
    return not words or max(words, key=len) in shown


def _gather(value: Plain, texts: list[str]) -> None:
    """Every text in there, keys first."""
    match value:
        case str():
            texts.append(value)
        case None | bool() | int() | float():  # before the abstract classes, which take ten times as long to ask
            pass
        case list():
            _gather_all(value, texts)
        case dict() | Mapping():
            texts += value
            _gather_all(value.values(), texts)
        case Sequence():
            _gather_all(value, texts)


def _gather_all(values: Iterable[Plain], texts: list[str]) -> None:
    for value in values:
        if type(value) is str:  # as most values are
            texts.append(value)
        else:
            _gather(value, texts)


def _kind(step: Plain) -> str:
    match step:
        case None:
            return "nothing"
        case str():
            return "text"
        case bool() | int() | float():
            return f'"{step}"'
        case _:
            return "a list"


def hardware_names(job: Job) -> Names:
    """`hardware` in a template: the catalogue entry."""
    entry = job.hardware
    facts = Facts("hardware.facts", dict(entry.facts))
    own: dict[str, object] = {"name": entry.name, "title": job.hardware_title, "lane": entry.lane, "queue": job.queue}
    return Names("hardware", {**entry.facts, **own, "facts": facts})


_ATTRIBUTES: Final = tuple(name for name, field in FIELDS.items() if field.buildkite)
"""What Buildkite itself knows of a step."""


def job_values(job: Job) -> dict[str, object]:
    """`job` in a template, as documented: everything about one job, typed."""
    attributes = job.attributes
    return {
        **{name: attributes.get(name) for name in _ATTRIBUTES},
        "key": job.key,
        "label": job.label,
        "title": job.title,
        "area": job.origin.area or "",
        "lane": job.lane,
        "group": job.group.text,
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
        "plugins": attributes.get("plugins", []),
    }


def template_span(folder: str, name: str) -> Span:
    """A template as a place."""
    return Span(path=f"{folder}{name}{SUFFIX}")
