"""What steps become: concrete Buildkite command steps before their templates render them, and who owns what."""

from collections.abc import Mapping

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span
from pipegen.manifest.layers import Nodes
from pipegen.model.places import Located
from pipegen.model.written import Hardware
from pipegen.plain import PlainMap


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A piece of shell text and what logs call it."""

    run: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TestPath:
    """A test entry: a directory, file, glob or node id, from the repository's root.

    `file` is the path without a node id and without a trailing slash; `written` is as authored.
    """

    path: str
    file: str
    written: str
    span: Span

    __test__ = False  # its name is a pytest pattern

    @property
    def is_glob(self) -> bool:
        """Whether the job's shell expands it."""
        return any(character in self.file for character in "*?[")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """An area's ownership of a test path on a lane. `runs` is false for a reasoned `none`."""

    area: str
    lane: str
    test: TestPath
    runs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """A lane on which a step has no job, with the reason that its author gave (`none`), and the end of that."""

    area: str | None
    step: str | None
    lane: str
    reason: str
    tracking: str | None
    until: Located | None
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The names that a job expanded from; its key is made of them."""

    area: str | None
    step: str | None
    part: str | None
    variant: str | None
    mirror: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependency:
    """A key that a job waits for. `allow_failure` lets it run when that one failed.

    `inherited` says that a default of something wider than the step names it, which the step may be meant by itself.
    """

    key: str
    allow_failure: bool
    span: Span
    inherited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The block step in front of a job that was not selected."""

    key: str
    label: str
    depends_on: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One concrete Buildkite command step, before its template renders it.

    `depends_on` is None where neither author nor hardware states any: the attribute is left out then. `attributes`
    are Buildkite's other attributes as they stand in the step. `nodes` are its attributes as they were written, after
    inheritance, so that what is found about one can be shown where it stands. `ignore`, `k` and `m` are what narrows
    the generated pytest call.
    """

    key: str
    label: str
    title: str
    group: Located
    origin: Origin
    owner: str | None
    lane: str
    hardware: Hardware
    hardware_title: str
    queue: str
    tags: Mapping[str, str]
    gpus: int
    node_count: int
    template: Located
    working_dir: str
    env: Mapping[str, str]
    setup: tuple[Command, ...]
    commands: tuple[Command, ...]
    tests: tuple[TestPath, ...]
    also: tuple[TestPath, ...]
    ignore: tuple[TestPath, ...]
    k: str | None
    m: str | None
    sources: tuple[Located, ...]
    when: tuple[Located, ...]
    depends_on: tuple[Dependency, ...] | None
    timeout_in_minutes: int | None
    parallelism: int
    gate: Gate
    was: tuple[str, ...]
    attributes: PlainMap
    nodes: Nodes
    span: Span
    quarantined: tuple[TestPath, ...] = ()
    """Tests of its own that its generated pytest call leaves out because they are in quarantine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """All jobs of a pipeline in the order in which they are emitted, and the lanes that steps do without."""

    jobs: tuple[Job, ...]
    absences: tuple[Absence, ...]
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """The facts of one build that expressions may read: `build` fields, environment and variables, all text."""

    facts: Mapping[str, str]
    environment: Mapping[str, str]
    variables: Mapping[str, str]
    uncertain: frozenset[str] = frozenset()
    """Keys of the workspace with mistakes: names that they do not declare may have been meant to be there."""
    schedules: frozenset[str] = frozenset()
    """The schedules that the build is one of: tests in quarantine that still run there run."""
