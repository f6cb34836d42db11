"""The keys of the workspace file, `.buildkite/pipegen.yaml`: what each is for and what holds without it."""

import re
from typing import Final

from pipegen.dataclass import replace
from pipegen.manifest.containers import ListOf, MapOf, one_of
from pipegen.manifest.fields import ENV_NAME, FIXED, KEY, NAME, PATH, SETTING_UNTIL, SHOWN, End
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.located import Node, Report
from pipegen.manifest.record import Field, PlainRecord, Record
from pipegen.manifest.shape import Boolean, Integer, Shape, Text, Word
from pipegen.manifest.uploading import NOTIFY, UPLOAD
from pipegen.plain import PlainMap

WORD_LIST: Final = ListOf(item=FIXED, one=True)


class Raw(Shape[Node]):
    """A value that is read later, by something that knows more of it (a lane's attributes, an override)."""

    @property
    def words(self) -> str:
        """See `Shape.words`."""
        return "a mapping"

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return isinstance(node, MappingNode)

    def read(self, node: Node, report: Report, at: str) -> Node | None:  # noqa: ARG002 - the interface
        """See `Shape.read`."""
        return node

    def schema(self) -> PlainMap:
        """See `Shape.schema`."""
        return {"type": "object"}


ROOTS: Final = Field(
    name="roots",
    shape=WORD_LIST,
    about="folders that hold tests; test paths are relative to the first",
    default=["tests/"],
)
FILES: Final = Field(name="files", shape=WORD_LIST, about="file names of tests", default=["test_*.py", "*_test.py"])
IGNORE: Final = Field(name="ignore", shape=WORD_LIST, about="patterns of files that only look like tests", default=[])
CHECKOUT: Final = Field(
    name="checkout", shape=FIXED, about="where the repository lies on the machine that runs the job", default="."
)
WORKING_DIR: Final = Field(name="working_dir", shape=FIXED, about="where commands run; the checkout otherwise")
PYTEST: Final = Field(name="pytest", shape=WORD_LIST, about="the pytest call, shell text", default=["pytest"])
SHARDS: Final = Field(
    name="shards",
    shape=one_of(WORD_LIST, MapOf(value=WORD_LIST, name=NAME)),
    about="words that tell a job its shard, by lane or for all",
)
WRAPPER_RUN: Final = Field(
    name="run",
    shape=FIXED,
    about="the program's words, or the script's path from the repository's root",
    required=True,
    example="ci/in-container.sh",
)
WRAPPER_CARRIES: Final = Field(
    name="carries",
    shape=Word(choices=("command", "text", "texts", "joined")),
    about="what it is given: a command word by word, one shell text, several, or words that it joins to one",
    default="command",
)
WRAPPER_FLAGS: Final = Field(name="flags", shape=WORD_LIST, about="its options that stand alone", default=[])
WRAPPER_VALUED: Final = Field(name="valued", shape=WORD_LIST, about="its options that take the next word", default=[])
WRAPPER_SKIP: Final = Field(
    name="skip", shape=Integer(minimum=0), about="how many arguments of its own stand in front", default=0
)
WRAPPER_VARIABLE: Final = Field(
    name="variable", shape=ENV_NAME, about="a variable whose text it runs instead, where that is set"
)
WRAPPER_FOLDER: Final = Field(
    name="folder", shape=FIXED, about="the folder on the machine where it runs what it is given"
)
WRAPPER_FOLDER_ARGUMENT: Final = Field(
    name="folder_argument", shape=Integer(minimum=1), about="which of its arguments, from 1, is that folder"
)
WRAPPER: Final = Record(
    what="a wrapper",
    fields=(
        WRAPPER_RUN,
        WRAPPER_CARRIES,
        WRAPPER_FLAGS,
        WRAPPER_VALUED,
        WRAPPER_SKIP,
        WRAPPER_VARIABLE,
        WRAPPER_FOLDER,
        WRAPPER_FOLDER_ARGUMENT,
    ),
)
WRAPPERS: Final = Field(
    name="wrappers",
    shape=ListOf(item=WRAPPER),
    about="programs and scripts of the repository that run the commands they are given, for the lint to look into",
    default=[],
    example=[{"run": "ci/in-container.sh", "carries": "text", "skip": 1}],
)
PYTEST_FLAGS: Final = Field(
    name="flags", shape=WORD_LIST, about="those that stand alone", default=[], example=["--all"]
)
PYTEST_VALUED: Final = Field(
    name="valued", shape=WORD_LIST, about="those that take the next word", default=[], example=["--model"]
)
PYTEST_OPTIONS: Final = Field(
    name="pytest_options",
    shape=Record(what="pytest_options", fields=(PYTEST_FLAGS, PYTEST_VALUED)),
    about="options of pytest that the project's own plugins and conftest files define",
    example={"valued": ["--model"]},
)
TESTS: Final = Record(
    what="tests",
    fields=(ROOTS, FILES, IGNORE, CHECKOUT, WORKING_DIR, PYTEST, SHARDS, WRAPPERS, PYTEST_OPTIONS),
)

OWNER: Final = Record(
    what="an owner",
    fields=(
        Field(name="github", shape=FIXED, about="the GitHub user or team", example="@org/spec-decode"),
        Field(name="slack", shape=FIXED, about="the Slack channel", example="#sig-spec-decode"),
    ),
)

ENVIRONMENT: Final = Field(
    name="environment",
    shape=one_of(ENV_NAME, MapOf(value=Text(jinja=False), name=ENV_NAME, at_least=1)),
    about="variables of the build with the values that say so, or the name of one whose any value does",
)
LABEL: Final = Field(name="label", shape=FIXED, about="a label of the pull request")
SCHEDULE: Final = Record(what="a schedule", fields=(ENVIRONMENT,))
EFFECTS: Final = ("run_all", "gate_all", "only", "no_timeouts")
EFFECT: Final = one_of(
    Word(choices=EFFECTS),
    PlainRecord(
        record=Record(
            what="an effect",
            fields=(
                Field(name="schedule", shape=NAME, about="the build counts as one of this schedule"),
                Field(name="priority", shape=Integer(), about="the priority of jobs that set none"),
            ),
        )
    ),
)
DOES: Final = Field(name="does", shape=ListOf(item=EFFECT, one=True, at_least=1), about="what follows", required=True)
SWITCH: Final = Record(what="a switch", fields=(ENVIRONMENT, LABEL, DOES))

BASE: Final = Field(name="base", shape=FIXED, about="the branch that changes are compared with", example="origin/main")
RUN_ALL: Final = Field(
    name="run_all", shape=WORD_LIST, about="patterns of files whose change runs everything", default=[]
)
IGNORED: Final = Field(
    name="ignored", shape=WORD_LIST, about="patterns of files whose change alone runs nothing", default=[]
)
OWNED_TESTS: Final = Field(
    name="owned_tests", shape=Boolean(), about="whether a changed test selects the jobs that run it", default=True
)
EDITED: Final = Field(
    name="edited",
    shape=Word(choices=("run", "gate")),
    about="what becomes of a job whose own entry changed",
    default="run",
)
UNSELECTED: Final = Field(
    name="unselected",
    shape=Word(choices=("block", "skip", "omit")),
    about="what becomes of jobs that are not selected",
    default="block",
)
CASES: Final = Field(
    name="cases",
    shape=WORD_LIST,
    about="files of selection cases: which jobs given changes must select; outside of the folders of manifests",
    default=[],
)
SELECTION_FIELDS: Final[tuple[Field[object], ...]] = (BASE, RUN_ALL, IGNORED, OWNED_TESTS, EDITED, UNSELECTED, CASES)
SELECTION: Final = Record(what="selection", fields=SELECTION_FIELDS)

TOGGLE: Final = Record(
    what="a toggle",
    fields=(
        Field(
            name="values",
            shape=ListOf(item=Text(jinja=False), at_least=1),
            about="the values that it may have",
            required=True,
        ),
        Field(name="default", shape=Text(jinja=False), about="the value where nobody sets it", required=True),
        Field(name="about", shape=SHOWN, about="what it does"),
    ),
)
JOBS_PER_UPLOAD: Final = Field(
    name="jobs_per_upload", shape=Integer(minimum=1), about="jobs that one upload may create", default=500
)
JOBS_PER_BUILD: Final = Field(
    name="jobs_per_build", shape=Integer(minimum=1), about="jobs that one build may have", default=4000
)
DEFAULT_TIMEOUT: Final = Field(
    name="timeout_in_minutes", shape=Integer(minimum=1), about="the timeout of jobs that set none"
)
LIMITS: Final = Record(what="limits", fields=(JOBS_PER_UPLOAD, JOBS_PER_BUILD, DEFAULT_TIMEOUT))

VERSION: Final = Field(
    name="version", shape=FIXED, about="the version of the language; 1 today", required=True, example=1
)
TEMPLATES: Final = Field(name="templates", shape=FIXED, about="the folder of Jinja templates", default="templates/")
HARDWARE: Final = Field(
    name="hardware", shape=WORD_LIST, about="the catalogue's files", default=[".buildkite/hardware.yaml"]
)
LISTING: Final = Field(name="listing", shape=FIXED, about="a file of paths that stands for another repository")

AREAS: Final = Field(name="areas", shape=WORD_LIST, about="folders of manifests, read recursively", default=["areas/"])
VARIABLES: Final = Field(
    name="variables",
    shape=MapOf(value=Text(), name=ENV_NAME),
    about="values that expressions read as vars.NAME",
    default={},
)
BUILD_ENVIRONMENT: Final = Field(
    name="environment",
    shape=ListOf(item=ENV_NAME, one=True),
    about="variables of the build that expressions read as env.NAME",
    default=[],
)
SELECTION_FIELD: Final = Field(name="selection", shape=SELECTION, about="how changes select jobs")
SCHEDULES: Final = Field(name="schedules", shape=MapOf(value=SCHEDULE, name=NAME), about="kinds of builds", default={})
SWITCHES: Final = Field(
    name="switches", shape=ListOf(item=SWITCH), about="what a build or pull request can say", default=[]
)
LANES: Final = Field(
    name="lanes", shape=MapOf(value=Raw(), name=NAME, at_least=1), about="the vendor stacks", required=True
)
LIMITS_FIELD: Final = Field(name="limits", shape=LIMITS, about="limits of the organisation")
EXTERNAL_KEYS: Final = Field(
    name="external_keys",
    shape=ListOf(item=KEY, one=True),
    about="keys of steps that something else uploads",
    default=[],
)
PIPELINES: Final = Field(
    name="pipelines",
    shape=MapOf(value=Raw(), name=NAME, at_least=1),
    about="several outputs, each with its own of the above",
)
TESTS_FIELD: Final = Field(name="tests", shape=TESTS, about="where tests lie and how they run")
OWNERS: Final = Field(name="owners", shape=MapOf(value=OWNER, name=NAME), about="who can own an area", default={})
TOGGLES: Final = Field(
    name="toggles", shape=MapOf(value=TOGGLE, name=ENV_NAME), about="declared environment variables", default={}
)
REASON: Final = Field(name="reason", shape=FIXED, about="why it is put up with", required=True)
ANSWERABLE: Final = Field(name="owner", shape=NAME, about="who ends it: a name under `owners`", required=True)
TRACKING: Final = Field(name="tracking", shape=FIXED, about="the issue that follows it", example="#56179")
LAST_DAY: Final = Field(
    name="until",
    shape=End(what="a date as YYYY-MM-DD", pattern=re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"), jinja=False),
    about="the last day that it holds",
    example="2027-01-31",
    required=True,
)
WAIVER: Final = Record(
    what="a waiver",
    fields=(
        Field(name="rule", shape=NAME, about="the code or the name of a rule", example="PG306", required=True),
        Field(
            name="at",
            shape=FIXED,
            about="what it is about: a pattern for a file, an area, the key of a job, or what the message quotes",
            example="tests/legacy/",
            required=True,
        ),
        REASON,
        ANSWERABLE,
        TRACKING,
        LAST_DAY,
    ),
)


class OneOrMore(Record):
    """A mapping with known keys, none of them required, but not all of them left out; the reader says so."""

    def schema(self) -> PlainMap:
        """See `Shape.schema`."""
        return {**Record.schema(self), "minProperties": 1}


STILL_RUNS: Final = OneOrMore(
    what="where it still runs",
    fields=(
        Field(name="lanes", shape=ListOf(item=NAME, one=True, at_least=1), about="in the jobs of these lanes"),
        Field(name="schedules", shape=ListOf(item=NAME, one=True, at_least=1), about="in builds of these schedules"),
    ),
)
RUNS: Final = Field(
    name="runs", shape=STILL_RUNS, about="where it still runs", example={"schedules": ["nightly"]}, required=True
)
QUARANTINED: Final = Record(
    what="a test in quarantine",
    fields=(
        Field(
            name="test",
            shape=PATH,
            about="a file or a node id, written as in `tests`",
            example="engine/test_core.py::TestStart",
            required=True,
        ),
        REASON,
        ANSWERABLE,
        TRACKING,
        replace(SETTING_UNTIL, about="its last day, or the change whose landing ends it"),
        RUNS,
    ),
)
WAIVERS: Final = Field(name="waivers", shape=ListOf(item=WAIVER), about="dated, owned exceptions to rules", default=[])
QUARANTINE: Final = Field(
    name="quarantine", shape=ListOf(item=QUARANTINED), about="flaky tests that run in few places only", default=[]
)

OF_ALL: Final[tuple[Field[object], ...]] = (
    AREAS,
    TEMPLATES,
    HARDWARE,
    TESTS_FIELD,
    LISTING,
    OWNERS,
    BUILD_ENVIRONMENT,
    VARIABLES,
    SELECTION_FIELD,
    SCHEDULES,
    SWITCHES,
    LANES,
    TOGGLES,
    LIMITS_FIELD,
    UPLOAD,
    NOTIFY,
    EXTERNAL_KEYS,
    WAIVERS,
    QUARANTINE,
)
OF_A_PIPELINE: Final = tuple(replace(field, required=False) for field in OF_ALL)
"""What each of several pipelines may have its own of."""

WORKSPACE: Final = Record(what="the workspace", fields=(VERSION, *OF_ALL, PIPELINES))
PIPELINE: Final = Record(what="a pipeline", fields=OF_A_PIPELINE)
