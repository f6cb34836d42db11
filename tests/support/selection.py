"""Workspaces in memory, up to their jobs, and what selection makes of them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from pipegen.build import build_of, facts_of
from pipegen.diagnostics import has_errors
from pipegen.expand import expand
from pipegen.expand.jobs import build_names
from pipegen.manifest.load import load, load_workspaces
from pipegen.model import Build, Expansion, Hardware, Job, Outcome, Planned, Rendered, Workspace
from pipegen.render import TemplateFiles, render
from pipegen.resolve import resolve
from pipegen.select import BuildPlan, ChangedFiles, Circumstances, select
from pipegen.select.edits import Entries
from pipegen.source import MappingTree

WORKSPACE: Final = """\
version: 1
owners: {core: {github: "@org/core"}}
selection:
  run_all: [setup.py, csrc/, "!csrc/cpu/"]
  ignored: [docs/, "**/*.md"]
schedules:
  nightly: {environment: {NIGHTLY: "1"}}
  weekly: {}
switches:
  - {environment: {RUN_ALL: "1"}, does: run_all}
  - {environment: {NOAUTO: "1"}, does: gate_all}
  - {environment: ONLY_KEYS, does: only}
  - {environment: {SKIP_TIMEOUT: "1"}, does: no_timeouts}
  - {environment: {PRIORITY: HIGH}, does: {priority: 1000}}
  - {label: ready, does: [run_all, schedule: nightly]}
lanes:
  cuda: {}
  amd: {gate: {depends_on: [image-amd]}}
  cpu: {}
"""

HARDWARE: Final = """\
hardware:
  gpu: {lane: cuda, queue: gpu, gpus: 1, template: plain, depends_on: [image]}
  big: {lane: cuda, queue: big, gpus: [1, 8], template: special, depends_on: [image]}
  mi: {lane: amd, queue: mi, gpus: 1, template: plain, depends_on: [image-amd]}
  cpu: {lane: cpu, queue: cpu, template: plain, depends_on: []}
"""

IMAGES: Final = """\
group: Images
order: -1
depends_on: []
timeout_in_minutes: 60
steps:
  - {key: base, hardware: cpu, when: manual, commands: [make base]}
  - {key: image, hardware: cpu, depends_on: [base], sources: [docker/], commands: [make image]}
  - {key: image-amd, hardware: cpu, when: always, commands: [make amd]}
"""

ENGINE: Final = """\
group: Engine
owner: core
hardware: gpu
timeout_in_minutes: 30
sources: [src/engine/, "!src/engine/cpu/"]
areas:
  engine:
    tests: [engine/]
    mirrors: {amd: {hardware: mi, timeout_in_minutes: 50, sources: [+, src/rocm/]}}
  engine/deep:
    tests: [engine/deep/]
    sources: [src/deep/]
    when: nightly
"""

PLAIN: Final = "commands: {{ job.commands | map(attribute='run') | list | tojson }}\nenv: {{ job.env | tojson }}\n"

FILES: Final[Mapping[str, str]] = {
    ".buildkite/pipegen.yaml": WORKSPACE,
    ".buildkite/hardware.yaml": HARDWARE,
    "areas/engine.yaml": ENGINE,
    "areas/images.yaml": IMAGES,
    "templates/plain.yaml.j2": PLAIN,
    "templates/special.yaml.j2": '{% include "shared.j2" %}\n' + PLAIN,
    "templates/shared.j2": "priority: 3\n",
}
"""Two lanes with tests, image builds that wait for one another, and a schedule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """A workspace with its jobs and all that selection is given of it."""

    workspace: Workspace
    expansion: Expansion
    hardware: Mapping[str, Hardware]
    templates: Mapping[str, str]
    build: Build

    @property
    def entries(self) -> Entries:
        """What is compared with another revision."""
        return Entries.of(self.expansion, self.hardware, self.templates)

    def job(self, key: str) -> Job:
        """A job by its key."""
        return next(job for job in self.expansion.jobs if job.key == key)

    def selecting(self, **settings: object) -> "Fleet":
        """The same with other settings of `selection`."""
        selection = replace(self.workspace.selection, **settings)  # type: ignore[arg-type]  # fields by name
        return replace(self, workspace=replace(self.workspace, selection=selection))

    def document(self, plan: BuildPlan) -> Rendered:
        """The steps of a plan, through the templates; there must be no error in them."""
        files = TemplateFiles(sources=self.templates, folder="templates/", own=frozenset(self.templates))
        rendered, found = render(plan.emitted, files, build_names(self.build))
        assert not has_errors(found), [str(one) for one in found]
        return rendered

    def plan(self, *changed: str, known: Circumstances | None = None) -> BuildPlan:
        """What becomes of the jobs where these files changed, and nothing else is known but `known`."""
        circumstances = known or Circumstances()
        if circumstances.changes is None:
            circumstances = replace(circumstances, changes=ChangedFiles(paths=changed))
        return select(self.expansion, self.workspace, circumstances)


def fleet(files: Mapping[str, str | None] | None = None) -> Fleet:
    """`FILES` with others laid over them; None takes one away. There must be no error in them."""
    given = {**FILES, **(files or {})}
    tree = MappingTree(files={path: text.encode() for path, text in given.items() if text is not None})
    workspaces, found = load_workspaces(tree, ".buildkite/pipegen.yaml")
    (workspace,) = workspaces
    loaded, from_files = load(tree, workspace)
    catalogue, from_references = resolve(loaded)
    build, from_build = build_of(workspace, facts_of({}, {}), {}, {})
    expansion, from_jobs = expand(catalogue, build)
    diagnostics = (*found, *from_files, *from_references, *from_build, *from_jobs)
    assert not has_errors(diagnostics), [str(one) for one in diagnostics]
    templates = {
        path.removeprefix("templates/"): text
        for path, text in given.items()
        if path.startswith("templates/") and text is not None
    }
    return Fleet(
        workspace=workspace,
        expansion=expansion,
        hardware=catalogue.hardware,
        templates=templates,
        build=build,
    )


def planned(plan: BuildPlan, key: str) -> Planned:
    """The decision about one job."""
    return next(one for one in plan.planned if one.job.key == key)


def keys(plan: BuildPlan, outcome: Outcome = Outcome.RUN) -> set[str]:
    """The jobs with an outcome."""
    return {one.job.key for one in plan.planned if one.outcome is outcome}
