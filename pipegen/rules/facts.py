"""What rules may look at: the workspace's pipelines, the repository's files, and what each job collects of them."""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TypeVar

from pipegen.commands import Collection, Files, Reading, TestRun, Unread, no_content
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span
from pipegen.manifest.located import Scalar
from pipegen.model import Catalogue, Expansion, Job, Workspace
from pipegen.rules.chains import Chain, Chains
from pipegen.rules.job_script import Scripts
from pipegen.rules.ownership import Ownership
from pipegen.rules.taken import Taken

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """One pipeline of the workspace, up to its jobs; `templates` are the texts of its templates, by file."""

    workspace: Workspace
    catalogue: Catalogue
    expansion: Expansion
    templates: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """The repository that the areas are about.

    `tests` are its test files, sorted. `content` gives the text of a file, None where there is none; `readable` is
    false where only the names of files are known (a listing): then `content` gives None for all. `renames` has the new
    name of each file that git saw renamed. `at` is what to show of the list of files where something is wrong with it.
    """

    files: Files
    tests: tuple[str, ...]
    content: Callable[[str], str | None]
    readable: bool
    renames: Mapping[str, str]
    at: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A test run of a job's commands, with what it collects."""

    run: TestRun
    collection: Collection


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFacts:
    """A job with what its commands say and collect. `setup` counts: its commands stand in front in `reading`.

    `collected` are the files of all runs that execute tests, `called` the scripts and programs that it starts; a job
    that every build skips does neither.
    """

    pipeline: Pipeline
    job: Job
    reading: Reading
    runs: tuple[Ran, ...]
    collected: frozenset[str] = field(init=False)
    called: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Put together what rules ask for again and again."""
        skipped = self.skip is not None
        paths = (path for ran in self.runs if ran.run.executes for path in ran.collection.paths)
        object.__setattr__(self, "collected", frozenset(() if skipped else paths))
        object.__setattr__(self, "called", frozenset(() if skipped else (call.path for call in self.reading.calls)))

    @property
    def skip(self) -> Scalar | None:
        """Buildkite's `skip`, where it skips the job in every build."""
        skip = self.job.nodes.get("skip")
        if not isinstance(skip, Scalar) or "{{" in skip.text:
            return None
        return None if skip.text in {"", "false"} else skip

    @property
    def unread(self) -> tuple[Unread, ...]:
        """What may run tests and could not be read; of a job whose tests pipegen runs, its setup prepares alone."""
        first = len(self.job.setup) if self.generated else 0
        return tuple(one for one in self.reading.unread if one.place.command >= first)

    @property
    def generated(self) -> bool:
        """Whether pipegen wrote its commands, from `tests` and `also`."""
        return "commands" not in self.job.nodes


@dataclass(frozen=True, slots=True, kw_only=True)
class Landed:
    """Which numbered changes are in the history of HEAD, as `#N`; `unknown` says why others may be as well."""

    changes: frozenset[str]
    unknown: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything together. `today` is a date as `YYYY-MM-DD`; `landed` is asked only where an end names a change.

    `source` gives the text of a file of the workspace, for fixes; None where there is none.
    """

    pipelines: tuple[Pipeline, ...]
    inventory: Inventory
    jobs: tuple[JobFacts, ...]
    today: str
    landed: Callable[[], Landed]
    source: Callable[[str], str | None] = no_content
    defaults_before: Mapping[str, str] = field(default_factory=dict)
    """The default of each toggle at the revision that is compared with; empty where none is."""
    scripts: Scripts = field(default_factory=Scripts)
    """The texts of commands as they are read, each once, whichever rule asks."""
    ownership: Ownership = field(init=False)
    chains: Mapping[int, Chains] = field(init=False)
    taken: Taken = field(init=False)
    """What patterns take of the repository's files."""
    _made: dict[object, object] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Sort out once who owns what."""
        chains = {id(pipeline): Chains.of(pipeline.catalogue) for pipeline in self.pipelines}
        object.__setattr__(self, "chains", chains)
        object.__setattr__(self, "taken", Taken.of(self.inventory.files))
        claims = (claim for pipeline in self.pipelines for claim in pipeline.expansion.claims)
        owners = Ownership.of(claims, self.inventory.tests, self.inventory.files)
        object.__setattr__(self, "ownership", owners)

    def once(self, work: Callable[["Facts"], _T]) -> _T:
        """What a function makes of these facts, worked out once for all rules that need it.

        It is named as a function of a module: the same one is the same work.
        """
        if work not in self._made:
            self._made[work] = work(self)
        made: _T = self._made[work]  # type: ignore[assignment]  # it is what that very function returned
        return made

    def chain(self, one: JobFacts) -> Chain:
        """The layers that a job's attributes come from."""
        return self.chains[id(one.pipeline)].chain(one.job)
