"""From pipelines and an inventory to the facts: what the commands of every job say, and what they collect."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from posixpath import join, normpath
from typing import Final

from pipegen.commands import (
    Collection,
    Collector,
    CommandReader,
    PytestSettings,
    Reading,
    TestRun,
    collect_ignores,
    no_content,
    pytest_settings,
    tables_of,
)
from pipegen.commands.shell.syntax import Parsed
from pipegen.dataclass import dataclass
from pipegen.dollar import REFERENCE
from pipegen.model import Job, TestSettings
from pipegen.rules.facts import Facts, Inventory, JobFacts, Landed, Pipeline, Ran
from pipegen.rules.job_script import Scripts, without_references

_SOMEWHERE: Final = "/checkout"


def gather(  # noqa: PLR0913 - everything that facts are made of
    *,
    pipelines: Sequence[Pipeline],
    inventory: Inventory,
    today: str,
    landed: Callable[[], Landed],
    source: Callable[[str], str | None] = no_content,
    defaults_before: Mapping[str, str] | None = None,
) -> Facts:
    """Read the commands of every job, and collect what their test runs collect.

    Jobs share one reader: what several of them say is read once.
    """
    readers: dict[object, _Reader] = {}
    syntax: dict[str, Parsed] = {}
    jobs = []
    for pipeline in pipelines:
        settings = pipeline.workspace.tests
        told = (settings.checkout, settings.files, settings.wrappers, settings.pytest_flags, settings.pytest_valued)
        if told not in readers:
            readers[told] = _Reader.of(settings, inventory, syntax)
        reader = readers[told]
        jobs += [reader.facts(pipeline, job) for job in pipeline.expansion.jobs]
    return Facts(
        pipelines=tuple(pipelines),
        inventory=inventory,
        jobs=tuple(jobs),
        today=today,
        landed=landed,
        source=source,
        defaults_before=defaults_before or {},
        scripts=Scripts(syntax=syntax),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    """Reads and collects for all jobs with the same settings; what runs collect is worked out once."""

    reader: CommandReader
    collector: Collector
    runs: dict[int, tuple[Reading, tuple[Ran, ...]]] = field(default_factory=dict)
    collections: dict[object, Collection] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: TestSettings, inventory: Inventory, syntax: dict[str, Parsed]) -> "_Reader":
        content = inventory.content if inventory.readable else no_content
        checkout = _on_machine(settings.checkout)
        own = _own_settings(settings, inventory)
        tables = tables_of(settings, own)
        return cls(
            reader=CommandReader(
                checkout=checkout, files=settings.files, content=content, tables=tables, parsed=syntax
            ),
            collector=_collector(settings, own, inventory, checkout),
        )

    def facts(self, pipeline: Pipeline, job: Job) -> JobFacts:
        """A job with what its commands say. Of its environment what only the agent knows is left out."""
        commands = [without_references(command.run) for command in job.commands]
        known = {name: value for name, value in job.env.items() if not REFERENCE.search(value)}
        reading = self.reader.read(commands, working_dir=job.working_dir, environment=known)
        if id(reading) not in self.runs:
            self.runs[id(reading)] = reading, tuple(self._ran(run) for run in reading.runs)
        return JobFacts(pipeline=pipeline, job=job, reading=reading, runs=self.runs[id(reading)][1])

    def _ran(self, run: TestRun) -> Ran:
        run = self.collector.settled(run)
        return Ran(run=run, collection=self._collect(run))

    def _collect(self, run: TestRun) -> Collection:
        """What a run collects; another one with the same words in the same folder collects the same."""
        where = (run.tool, run.folder, run.root, run.rest)
        what = (run.targets, run.ignores, run.ignore_globs, run.deselects, run.overrides, run.keeps_duplicates)
        found = self.collections.get((where, what))
        if found is None:
            found = self.collections[where, what] = self.collector.collect(run)
        return found


def _own_settings(settings: TestSettings, inventory: Inventory) -> PytestSettings | None:
    """What the repository tells pytest; None where nobody can read that."""

    def content(path: str) -> str | None:
        return inventory.content(path) if path in inventory.files.known else None

    folders = [*(root.removeprefix("./").strip("/") for root in settings.roots), ""]
    return pytest_settings(content, folders) if inventory.readable else None


def _collector(settings: TestSettings, own: PytestSettings | None, inventory: Inventory, checkout: str) -> Collector:
    """What pytest collects by its own settings; where nobody can read those, what the workspace calls tests."""
    if own is None:
        return Collector(files=inventory.files, checkout=checkout, names=settings.files)
    return Collector(
        files=inventory.files,
        checkout=checkout,
        names=own.python_files,
        not_entered=own.norecursedirs,
        testpaths=own.testpaths,
        conftests=collect_ignores(inventory.content, inventory.files.paths),
        settings=own.path,
    )


def _on_machine(checkout: str) -> str:
    """Where the repository lies on the machine; somewhere, where the workspace leaves that to the agent."""
    return checkout if checkout.startswith("/") else normpath(join(_SOMEWHERE, checkout))
