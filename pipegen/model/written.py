"""The workspace as written: settings, lanes, hardware, manifests, and the steps with the layers they inherit from."""

import enum
import posixpath
from collections.abc import Mapping
from dataclasses import field
from typing import TypeAlias

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span
from pipegen.manifest.layers import Layer
from pipegen.manifest.located import Scalar
from pipegen.model.dated import Quarantined, Waiver
from pipegen.model.places import Located
from pipegen.model.uploads import Notify, Uploading
from pipegen.plain import PlainMap


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandWrapper:
    """A program or script of the workspace that runs what it is given.

    `name` is its words, or its path from the repository's root. `carries` says what stands behind its options and
    `skip` positional arguments: a `command` word by word, one `text` for a shell, several `texts`, or arguments that
    are `joined` to one text. `variable` is one whose text is run instead, where it is set. `folder` is where the text
    runs on the machine, `folder_argument` the positional argument, from 1, that says so.
    """

    name: tuple[str, ...]
    carries: str
    flags: tuple[str, ...] = ()
    valued: tuple[str, ...] = ()
    skip: int = 0
    variable: str | None = None
    folder: str | None = None
    folder_argument: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSettings:
    """Where the tests lie and how they are run.

    `checkout` and `working_dir` are paths on the machine that runs a job; `pytest` and the shard words are shell text.
    `pytest_flags` and `pytest_valued` are options of pytest that plugins and conftest files of the project define.
    """

    roots: tuple[str, ...]
    files: tuple[str, ...]
    ignore: tuple[str, ...]
    checkout: str
    working_dir: str
    pytest: tuple[str, ...]
    shards: Mapping[str, tuple[str, ...]]
    shards_everywhere: tuple[str, ...] | None
    wrappers: tuple[CommandWrapper, ...] = ()
    pytest_flags: tuple[str, ...] = ()
    pytest_valued: tuple[str, ...] = ()
    faulty: frozenset[str] = frozenset()
    """Keys in which a mistake was reported: what follows from them is not worth a diagnostic."""

    __test__ = False  # its name is a pytest pattern

    def path_of(self, text: str) -> str:
        """The path of a test entry from the repository's root: relative to the first root, or with `//` to the top."""
        path = text[2:] if text.startswith("//") else posixpath.join(self.roots[0].rstrip("/"), text)
        return path.removeprefix("./")

    def shard_words(self, lane: str) -> tuple[str, ...]:
        """The words that tell a job of this lane which shard it is; empty if there are none."""
        return self.shards.get(lane, self.shards_everywhere or ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Who can own an area, and how to reach them."""

    name: str
    github: str | None
    slack: str | None
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What a build or pull request says: variables with their values (None: any value), or a label."""

    environment: tuple[tuple[str, str | None], ...]
    label: str | None


class Effect(enum.Enum):
    """What a switch does, where it takes no argument."""

    RUN_ALL = "run_all"
    GATE_ALL = "gate_all"
    ONLY = "only"
    NO_TIMEOUTS = "no_timeouts"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSchedule:
    """A switch's effect: the build counts as one of this schedule."""

    schedule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPriority:
    """A switch's effect: jobs that set no priority get this one."""

    priority: int


Does: TypeAlias = Effect | SetSchedule | SetPriority


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """Something that a build or pull request can say, and what follows."""

    condition: Condition
    does: tuple[Does, ...]
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A kind of build, and how a build says that it is one."""

    name: str
    condition: Condition
    span: Span


class Edited(enum.Enum):
    """What happens to a job whose own manifest entry changed in meaning."""

    RUN = "run"
    GATE = "gate"


class Unselected(enum.Enum):
    """What becomes of jobs that are not selected."""

    BLOCK = "block"
    SKIP = "skip"
    OMIT = "omit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """How a change set selects jobs. Patterns are gitignore syntax, rooted; `cases` are files of selection cases."""

    base: str | None
    run_all: tuple[Located, ...]
    ignored: tuple[Located, ...]
    owned_tests: bool
    edited: Edited
    unselected: Unselected
    span: Span
    cases: tuple[Located, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """A vendor stack whose coverage is counted by itself. `group` replaces that of the files."""

    name: str
    layer: Layer
    group: Located | None
    required: bool
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Toggle:
    """An environment variable that the workspace declares, with its values and default."""

    name: str
    values: tuple[str, ...]
    default: str
    about: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How many jobs an upload and a build may have, and the timeout of jobs that set none (minutes)."""

    jobs_per_upload: int
    jobs_per_build: int
    timeout_in_minutes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """One pipeline's view of a workspace file, as decoded."""

    path: str
    pipeline: str | None
    areas: tuple[Located, ...]
    templates: str
    hardware_files: tuple[Located, ...]
    tests: TestSettings
    listing: Located | None
    owners: Mapping[str, Owner]
    environment: tuple[str, ...]
    variables: Mapping[str, Located]
    selection: Selection
    schedules: Mapping[str, Schedule]
    switches: tuple[Switch, ...]
    lanes: Mapping[str, Lane]
    toggles: Mapping[str, Toggle]
    limits: Limits
    external_keys: tuple[str, ...]
    waivers: tuple[Waiver, ...] = ()
    quarantine: tuple[Quarantined, ...] = ()
    notify: Notify | None = None
    upload: Uploading = field(default_factory=Uploading)
    templates_at: Span | None = None
    """Where the folder of templates is named; None where it is the usual one, which need not be there."""
    faulty: frozenset[str] = frozenset()
    """Where mistakes were found: `KEY`, or `KEY.NAME` for one inside an entry of a mapping."""

    def is_sure(self, key: str, name: str) -> bool:
        """Whether a name that a mapping of the file lacks is really not there, and not just written badly."""
        return key not in self.faulty and f"{key}.{name}" not in self.faulty


@dataclass(frozen=True, slots=True, kw_only=True)
class JobShell:
    """The shell that a job's commands reach: bash or a POSIX `sh`, and the options that it is started with.

    `joined`: the template puts `&&` between commands, not newlines.
    """

    name: str = "bash"
    errexit: bool = True
    pipefail: bool = False
    joined: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardware:
    """An entry of the catalogue: where jobs run and what they may ask for.

    `queues` maps a number of GPUs to a queue, or None to the one queue for all. `gpus` is what it offers (empty: it
    has none, or takes no number). `layer` holds the step attributes that its jobs inherit.
    """

    name: str
    title: str
    lane: str
    queues: Mapping[int | None, str]
    gpus: tuple[int, ...]
    nodes: tuple[int, ...]
    tags: tuple[str, ...]
    max_timeout_in_minutes: int | None
    group: Located | None
    facts: PlainMap
    layer: Layer
    span: Span
    shell: JobShell = field(default_factory=JobShell)


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaSource:
    """An area as written. With `steps` the area itself is defaults and ownership only."""

    name: str
    layer: Layer
    steps: Mapping[str, Layer]
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """One file under `areas/`: a Buildkite group with defaults, its areas and its plain steps."""

    path: str
    group: Located
    order: int
    layer: Layer
    areas: tuple[AreaSource, ...]
    steps: tuple[Layer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step and the layers that it inherits from: file, area and step, the most general first.

    `rest` says that it takes the tests of its area that the area's other steps do not.
    """

    area: str | None
    name: str | None
    manifest: Manifest
    layers: tuple[Layer, ...]
    rest: bool
    span: Span

    @property
    def label(self) -> str:
        """The key that its author wrote for it alone, or an empty text."""
        key = self.layers[-1].nodes.get("key")
        return key.text if isinstance(key, Scalar) else ""

    @property
    def references(self) -> tuple[str, ...]:
        """What a reference to any job of it is, begins or ends with."""
        keys = [layer.nodes["key"] for layer in self.layers if "key" in layer.nodes]
        names = [] if self.area is None else [self.area, self.area.replace("/", "-").replace("_", "-")]
        return (*names, *(key.text for key in keys if isinstance(key, Scalar)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """A workspace with everything that it refers to, resolved."""

    workspace: Workspace
    hardware: Mapping[str, Hardware]
    steps: tuple[Step, ...]
    uncertain: tuple[str, ...] | None
    """Keys and areas of steps whose manifests have mistakes, so that references to them cannot be judged; None where
    a whole manifest could not be read and nothing can."""
    test_files: Mapping[str, str | None] = field(default_factory=dict)
    """The text of files of which quarantine names tests, by path; None where it cannot be read, left out where there
    is no such file."""
