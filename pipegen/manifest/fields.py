"""The step attributes: one table for decoder, inheritance, JSON Schema and documentation."""

import datetime
import enum
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Generic, TypeVar

from pipegen import codes
from pipegen.dataclass import dataclass
from pipegen.manifest import buildkite as bk
from pipegen.manifest.containers import ListOf, MapOf, one_of
from pipegen.manifest.located import Node, Report, describe
from pipegen.manifest.record import Field, Record
from pipegen.manifest.shape import Boolean, Integer, Shape, Text
from pipegen.plain import Plain

T_co = TypeVar("T_co", covariant=True)


class Merge(enum.Enum):
    """How a value meets the one it inherits from."""

    WHOLE = "whole"
    """It replaces it."""
    MAP = "map"
    """A mapping's entries are laid over the inherited ones, and `null` removes one; a list is as in LIST."""
    LIST = "list"
    """It replaces it, and `+` in it stands for the inherited items."""


class Level(enum.Enum):
    """Where a step's attributes may be written, from the most general to the most special."""

    LANE = "lane"
    HARDWARE = "hardware entry"
    FILE = "manifest"
    AREA = "area"
    STEP = "step"
    PART = "part"
    VARIANT = "variant"
    MIRROR = "mirror"


AUTHORED: Final = frozenset(Level) - {Level.LANE, Level.HARDWARE}
EVERYWHERE: Final = frozenset(Level)
ONE_JOB_OR_MORE: Final = frozenset({Level.AREA, Level.STEP, Level.PART, Level.VARIANT, Level.MIRROR})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepField(Field[T_co], Generic[T_co]):
    """A step attribute: how it is inherited, where it may stand, and whether Buildkite itself knows it."""

    merge: Merge = Merge.WHOLE
    levels: frozenset[Level] = EVERYWHERE
    buildkite: bool = False
    jinja: bool = True


class End(Text):
    """A day of the calendar, or a change whose landing ends it."""

    def read(self, node: Node, report: Report, at: str) -> str | None:
        """See `Shape.read`."""
        text = super().read(node, report, at)
        if text is None or text.startswith("#"):
            return text
        try:
            datetime.date.fromisoformat(text)
        except ValueError:
            found = f"{at}: expected {self.what}, found {describe(node)}"
            report.add(codes.BAD_NAME, node.span, found, hint="the calendar has no such day")
            return None
        return text


NAME_PATTERN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
AREA_PATTERN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*(?:/[A-Za-z0-9][A-Za-z0-9_.-]*)*")
KEY_PATTERN: Final = re.compile(r"[A-Za-z0-9_:.,-]{1,100}")
ENV_PATTERN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

NAME: Final = Text(what='a name of letters, digits, "-", "_" and "."', pattern=NAME_PATTERN, jinja=False)
AREA_NAME: Final = Text(
    what='words of letters, digits, "-", "_" and ".", with "/" between', pattern=AREA_PATTERN, jinja=False
)
KEY: Final = Text(what='a key of at most 100 letters, digits and any of "_-:.,"', pattern=KEY_PATTERN, jinja=False)
ENV_NAME: Final = Text(what='a name of letters, digits and "_", no digit first', pattern=ENV_PATTERN, jinja=False)
FIXED: Final = Text(jinja=False, may_be_blank=False, what="text")
SHOWN: Final = Text(may_be_blank=False, what="text")
LABEL: Final = bk.TEXT
REASON: Final = Text(
    what="a reason in words",
    pattern=re.compile(r"(?!\s*(?:[Tt]rue|[Ff]alse|[Yy]es|[Nn]o|[Oo]n|[Oo]ff|[0-9.]*)\s*$)[\s\S]+"),
    may_be_blank=False,
)
"""Why something is as it is: `none: true` would say that it is so, and not why."""

COMMAND_RUN: Final = Field(name="run", shape=SHOWN, about="shell text", required=True)
COMMAND_TITLE: Final = Field(name="title", shape=Text(), about="what logs call it; the first 80 characters otherwise")
COMMAND: Final = Record(what="a command", fields=(COMMAND_RUN, COMMAND_TITLE))
COMMANDS: Final[Shape[object]] = ListOf(item=one_of(SHOWN, COMMAND), one=True)

SETTING_VALUE: Final = Field(name="value", shape=Text(), about="the value", required=True)
SETTING_BECAUSE: Final = Field(name="because", shape=REASON, about="why the toggle leaves its default", required=True)
SETTING_TRACKING: Final = Field(name="tracking", shape=SHOWN, about="the issue that follows it", example="#56179")
SETTING_UNTIL: Final = Field(
    name="until",
    shape=End(
        what="a date as YYYY-MM-DD or a change as #N",
        pattern=re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}|#[1-9][0-9]*"),
        jinja=False,
    ),
    about="when it ends: a date, or the change whose landing ends it",
    example="2027-01-31",
    required=True,
)
SETTING: Final = Record(what="a setting", fields=(SETTING_VALUE, SETTING_BECAUSE, SETTING_TRACKING, SETTING_UNTIL))
ENV: Final = MapOf(value=one_of(Text(), SETTING), name=ENV_NAME)

GATE_KEY: Final = Field(name="key", shape=SHOWN, about="the gate's key; block-KEY otherwise")
GATE_LABEL: Final = Field(name="label", shape=SHOWN, about="the gate's label; `Run LABEL` otherwise")
GATE_DEPENDS_ON: Final = Field(
    name="depends_on", shape=ListOf(item=SHOWN, one=True), about="the keys that the gate waits for; none otherwise"
)
GATE: Final = Record(what="a gate", fields=(GATE_KEY, GATE_LABEL, GATE_DEPENDS_ON))

HARDWARE_CHOICE: Final = one_of(NAME, MapOf(value=MapOf(value=Text(), at_least=1), name=NAME, at_least=1))
MAX_PATH: Final = 1_000
"""Characters of a test path or of a pattern in `sources`."""
MAX_NAMES: Final = 64
"""Names in such a path, with "/" between."""
PATH: Final = Text(
    jinja=False,
    may_be_blank=False,
    what="text",
    rule=f"a path of at most {MAX_NAMES} names and {MAX_PATH:,} characters",
    pattern=re.compile(rf"(?=\s*\S)(?![\s\S]{{{MAX_PATH + 1}}})(?:[^/]*/){{0,{MAX_NAMES}}}[^/]*"),
)
PATHS: Final = ListOf(item=PATH, one=True)
ANY_MAP: Final = MapOf(value=bk.FREE, name=NAME)


def _words(  # noqa: PLR0913 - a row of the table below
    name: str,
    about: str,
    shape: Shape[object],
    merge: Merge = Merge.WHOLE,
    levels: frozenset[Level] = EVERYWHERE,
    *,
    jinja: bool = True,
    example: Plain = None,
) -> StepField[object]:
    return StepField(name=name, about=about, shape=shape, merge=merge, levels=levels, jinja=jinja, example=example)


def _buildkite(
    name: str, about: str, shape: Shape[object], merge: Merge = Merge.WHOLE, *, example: Plain = None
) -> StepField[object]:
    return StepField(name=name, about=about, shape=shape, merge=merge, buildkite=True, example=example)


STEP_FIELDS: Final[tuple[StepField[object], ...]] = (
    _words("title", "what the label is made of", LABEL, example="Spec Decode Eagle"),
    _words("label", "the label, exactly", LABEL, example=":rocket: Engine"),
    _words(
        "key",
        "the key, or what the keys of several jobs begin with",
        KEY,
        levels=ONE_JOB_OR_MORE,
        jinja=False,
        example="engine-core",
    ),
    _words("owner", "who answers for it: a name under `owners`", NAME, jinja=False, example="spec-decode"),
    _words(
        "sources",
        "patterns of the files it guards",
        PATHS,
        Merge.LIST,
        jinja=False,
        example=["src/engine/", "!src/engine/docs/"],
    ),
    _words(
        "tests",
        "test paths that it owns and runs",
        PATHS,
        Merge.LIST,
        AUTHORED,
        jinja=False,
        example=["engine/", "test_api.py"],
    ),
    _words(
        "also",
        "test paths that it runs without owning them",
        PATHS,
        Merge.LIST,
        jinja=False,
        example=["basic_correctness/"],
    ),
    _words("k", "a pytest -k expression", SHOWN, example="eagle and not slow"),
    _words("m", "a pytest -m expression", SHOWN, example="distributed(num_gpus=2)"),
    _words("ignore", "test paths that it leaves out", PATHS, Merge.LIST, jinja=False, example=["engine/test_slow.py"]),
    _words("separate", "one pytest call for each test path", Boolean(), example=True),
    _words(
        "setup",
        "shell commands before everything else",
        COMMANDS,
        Merge.LIST,
        example=["pip install -r requirements/extra.txt"],
    ),
    _words(
        "commands",
        "shell commands, instead of the generated pytest call",
        COMMANDS,
        Merge.LIST,
        example=["make image", {"run": "make check", "title": "Check"}],
    ),
    _words(
        "args",
        "further words for the pytest call",
        ListOf(item=bk.TEXT, one=True),
        Merge.LIST,
        example=["--durations=20"],
    ),
    _words(
        "hardware",
        "the catalogue entry it runs on",
        HARDWARE_CHOICE,
        levels=AUTHORED,
        jinja=False,
        example={"intel_gpu": {"gpu": "1+", "mem": "16+"}},
    ),
    _words("gpus", "how many GPUs", Integer(minimum=1), example=2),
    _words("nodes", "how many machines", Integer(minimum=1), example=2),
    _words("template", "the template that makes the Buildkite step", NAME, jinja=False, example="docker"),
    _words("working_dir", "where the commands run", SHOWN, example="/workspace/tests"),
    _words(
        "env",
        "environment variables",
        ENV,
        Merge.MAP,
        example={
            "MODE": "fast",
            "USE_V2": {"value": 0, "because": "it hangs", "tracking": "#56179", "until": "2027-01-31"},
        },
    ),
    _words(
        "when",
        "when it runs: changed, sources, always, manual or schedules",
        ListOf(item=NAME, one=True, at_least=1),
        Merge.LIST,
        jinja=False,
        example=["sources", "nightly"],
    ),
    _words(
        "gate",
        "the block step in front of it when it was not selected",
        GATE,
        Merge.MAP,
        example={"label": "Run it all the same"},
    ),
    _words(
        "was",
        "keys that it had before",
        ListOf(item=KEY, one=True),
        Merge.LIST,
        levels=ONE_JOB_OR_MORE,
        jinja=False,
        example=["engine-v1"],
    ),
    _words(
        "depends_on",
        "keys, or areas, that it waits for",
        ListOf(item=bk.DEPENDENCY, one=True),
        Merge.LIST,
        example=["image-build", {"step": "docs", "allow_failure": True}],
    ),
    _words("timeout_in_minutes", "after how many minutes it fails", Integer(minimum=1), example=45),
    _words("parallelism", "into how many shards it is split", Integer(minimum=1), example=4),
    _buildkite("agents", "further agent tags", MapOf(value=Text()), Merge.MAP, example={"region": "eu"}),
    _buildkite("allow_dependency_failure", "whether it runs when what it waits for failed", Boolean(), example=True),
    _buildkite("artifact_paths", "files to keep", bk.TEXT_OR_LIST, Merge.LIST, example=["logs/*.txt"]),
    _buildkite("branches", "branches that it runs on", bk.TEXT_OR_LIST, Merge.LIST, example=["main", "release/*"]),
    _buildkite(
        "cache",
        "what a hosted agent keeps between jobs",
        bk.CACHE,
        Merge.MAP,
        example={"paths": [".venv"], "size": "20g"},
    ),
    _buildkite("cancel_on_build_failing", "whether a failing build cancels it", Boolean(), example=True),
    _buildkite("checkout", "how the agent checks out", bk.CHECKOUT, Merge.MAP, example={"depth": 1}),
    _buildkite("concurrency", "how many of its group run at once", Integer(minimum=1), example=1),
    _buildkite("concurrency_group", "the group whose jobs are counted", SHOWN, example="deploy/staging"),
    _buildkite("concurrency_method", "ordered or eager", SHOWN, example="ordered"),
    _buildkite("if", "a Buildkite condition", SHOWN, example='build.branch == "main"'),
    _buildkite(
        "if_changed",
        "the agent's own selection by changed files",
        bk.IF_CHANGED,
        Merge.MAP,
        example={"include": "src/**", "exclude": "**/*.md"},
    ),
    _buildkite(
        "image", "the container image on Kubernetes or hosted agents", SHOWN, example="registry.example/ci:latest"
    ),
    _buildkite(
        "matrix", "Buildkite's own expansion", bk.MATRIX, Merge.MAP, example={"setup": {"python": ["3.11", "3.13"]}}
    ),
    _buildkite("notify", "who hears of it", bk.FREE_LIST, Merge.LIST, example=[{"slack": "#ci"}]),
    _buildkite(
        "plugins", "Buildkite plugins", bk.FREE_LIST, Merge.LIST, example=[{"docker#v5.13.0": {"image": "python:3.13"}}]
    ),
    _buildkite("priority", "higher runs first", Integer(), example=10),
    _buildkite("retry", "when it is tried again", bk.RETRY, example={"automatic": [{"exit_status": -1, "limit": 2}]}),
    _buildkite("secrets", "secrets that become variables", bk.SECRETS, Merge.MAP, example=["HF_TOKEN"]),
    _buildkite("skip", "whether (or why) it is skipped", one_of(Boolean(), Text()), example="waits for a fix"),
    _buildkite(
        "soft_fail", "whether its failure fails the build", bk.SOFT_FAIL, Merge.LIST, example=[{"exit_status": 42}]
    ),
)

RENAMED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "name": "label",
        "id": "key",
        "identifier": "key",
        "command": "commands",
        "timeout": "timeout_in_minutes",
        "artifacts": "artifact_paths",
        "agent_query_rules": "agents",
        "device": "hardware",
        "num_gpus": "gpus",
        "num_nodes": "nodes",
        "source_file_dependencies": "sources",
        "environment": "env",
        "keyword": "k",
        "keywords": "k",
        "mark": "m",
        "marker": "m",
        "markers": "m",
    }
)
"""Other names of the same thing: Buildkite's aliases, and words of tools that people come from."""

REST: Final = Field(name="rest", shape=Boolean(), about="take all tests that its siblings do not")
NONE: Final = Field(
    name="none", shape=REASON, about="why there is no job on this lane", example="the kernels are not ported"
)
NONE_TRACKING: Final = Field(name="tracking", shape=SHOWN, about="the issue that follows it")
NONE_UNTIL: Final = Field(
    name="until", shape=SETTING_UNTIL.shape, about="when there will be one: a date or a change #N"
)

MIRROR_TAKES_ITS_OWN: Final = frozenset(
    {"hardware", "gpus", "nodes", "template", "label", "key", "timeout_in_minutes", "depends_on", "was"}
)
"""What a mirror has from its own hardware or itself alone, never from the step that it mirrors."""
