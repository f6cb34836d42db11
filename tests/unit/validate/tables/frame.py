"""Block steps, groups and the pipeline itself."""

from collections.abc import Iterator

from pipegen.plain import Plain, PlainMap
from pipegen.validate.codes import (
    FIELD,
    FIELD_KEY,
    FIELD_TWICE,
    GROUP_EMPTY,
    GROUP_NESTED,
    JOBS_PER_BUILD,
    JOBS_PER_STEP,
    JOBS_PER_UPLOAD,
    MISSING_ATTRIBUTE,
    OUT_OF_RANGE,
    PIPELINE_ATTRIBUTE,
    PIPELINE_EMPTY,
    PIPELINE_ENV,
    STEP_TYPE,
    UNKNOWN_ATTRIBUTE,
    UNKNOWN_WORD,
    WRONG_TYPE,
)
from pipegen.validate.limits import check_limits, check_step_limit
from pipegen.validate.problem import Problem
from pipegen.validate.shape import entries
from tests.unit.validate.tables.case import Case, block, field_case, pipeline

JOB: Plain = {"command": "make"}
GOOD: PlainMap = {"steps": [JOB]}
ONE_TYPE = 'expected one with "command", "block" or "group"'


def small_limits(document: PlainMap) -> Iterator[Problem]:
    """The limits of a small organisation: 3 jobs in an upload, 4 in a build."""
    yield from check_limits(entries(document["steps"]) or (), jobs_per_upload=3, jobs_per_build=4)


def small_step(step: PlainMap) -> Iterator[Problem]:
    """One step in that organisation."""
    yield from check_step_limit(step, jobs_per_upload=3)


BLOCK: tuple[Case, ...] = (
    block(
        {"retry": {"automatic": True}},
        {},
        UNKNOWN_ATTRIBUTE,
        ("retry",),
        ('"retry" is not an attribute of a block step', "it belongs to a command step"),
    ),
    block(
        {"if_changed": "src/**"},
        {"if": "build.tag == null"},
        UNKNOWN_ATTRIBUTE,
        ("if_changed",),
        (
            '"if_changed" is not an attribute of a block step',
            "it belongs to a command step, a trigger step or a group",
        ),
    ),
    block(
        {"command": "make"},
        {"prompt": "Sure?", "submit": "Go"},
        STEP_TYPE,
        ("command",),
        ('a block step cannot have "command", which makes a command step', "make a step of each"),
    ),
    block(
        {"blocked_state": "pass"},
        {"blocked_state": "running"},
        UNKNOWN_WORD,
        ("blocked_state",),
        ('blocked_state is "pass": expected one of "passed", "failed" and "running"', 'did you mean "passed"?'),
    ),
    block(
        {"allowed_teams": [f"team-{number}" for number in range(101)]},
        {"allowed_teams": [f"team-{number}" for number in range(100)]},
        OUT_OF_RANGE,
        ("allowed_teams",),
        ("allowed_teams has 101 entries: expected at most 100", "make a team of them"),
    ),
    field_case(
        {"key": "release"},
        {"key": "release", "text": "Release", "hint": "x", "required": False, "default": "", "format": "[a-z]+"},
        FIELD,
        (),
        (
            'field 1 has neither "text" nor "select": expected one of them, the question that it asks',
            'add "text"',
        ),
    ),
    field_case(
        {"key": "release name", "text": "Release"},
        {"key": "release/name", "text": "Release"},
        FIELD_KEY,
        ("key",),
        (
            'field 1 key "release name" is no key of a field: expected letters, digits, "-", "_" and "/"',
            'write "release-name"',
        ),
    ),
    field_case(
        {"select": "Stream", "key": "stream", "options": [{"label": "A", "value": "x"}, {"label": "B", "value": "x"}]},
        {"select": "Stream", "key": "stream", "options": [{"label": "A", "value": "x"}, {"label": "B", "value": "y"}]},
        FIELD_TWICE,
        ("options", 1, "value"),
        ('option 2 has the value "x" of option 1', "give each option its own"),
    ),
    field_case(
        {"select": "Stream", "key": "stream"},
        {
            "select": "Stream",
            "key": "stream",
            "multiple": True,
            "default": ["a"],
            "options": [{"label": "A", "value": "a", "hint": "h", "required": "true"}],
        },
        MISSING_ATTRIBUTE,
        (),
        ('a select field needs "options"', 'add "options"'),
    ),
)

PIPELINE: tuple[Case, ...] = (
    pipeline(
        {"steps": []},
        GOOD,
        PIPELINE_EMPTY,
        ("steps",),
        ("the pipeline has no steps: an empty pipeline must not be uploaded", "upload nothing instead"),
    ),
    pipeline(
        {"steps": {"command": "make"}},
        GOOD,
        WRONG_TYPE,
        ("steps",),
        ("steps is a mapping: expected a list of steps", ""),
    ),
    pipeline(
        {"steps": [JOB], "env": {"A": "1"}},
        {"steps": [JOB], "agents": {"queue": "q"}, "notify": [{"email": "a@example.com"}], "priority": 1},
        PIPELINE_ENV,
        ("env",),
        (
            "the env of an uploaded pipeline also changes every step of the build that has not started",
            'write it into the "env" of the steps',
        ),
    ),
    pipeline(
        {"steps": [JOB], "agent": {"queue": "q"}},
        {"steps": [JOB], "image": "ubuntu", "checkout": {"skip": True}, "secrets": ["KEY"]},
        PIPELINE_ATTRIBUTE,
        ("agent",),
        ('"agent" is not an attribute of a pipeline, and Buildkite ignores it', 'did you mean "agents"?'),
    ),
    pipeline(
        {"steps": [{"group": "G", "steps": []}]},
        {"steps": [{"group": None, "label": "G", "steps": [JOB]}]},
        GROUP_EMPTY,
        ("steps", 0),
        ('the group "G" has no steps: expected at least one', "leave the group out"),
    ),
    pipeline(
        {"steps": [{"group": "G", "steps": [JOB, {"group": "H", "steps": [JOB]}]}]},
        {"steps": [{"group": "G", "steps": [JOB]}, {"group": "H", "steps": [JOB]}]},
        GROUP_NESTED,
        ("steps", 0, "steps", 1),
        ('a group stands inside the group "G"', "put its steps into the outer group"),
    ),
    pipeline(
        {"steps": [{"group": "G", "steps": [JOB], "concurrency": 1}]},
        {"steps": [{"group": "G", "steps": [JOB], "if": "true", "skip": False, "notify": [{"slack": "#ci"}]}]},
        UNKNOWN_ATTRIBUTE,
        ("steps", 0, "concurrency"),
        ('"concurrency" is not an attribute of a group', "it belongs to a command step"),
    ),
    pipeline(
        {"steps": [{"group": "G", "type": "group", "steps": [JOB]}]},
        {"steps": [{"group": "G", "key": "g", "depends_on": ["x"], "if_changed": "src/**", "steps": [JOB]}]},
        STEP_TYPE,
        ("steps", 0, "type"),
        ('the type of a group is "group": its "group" is enough', "leave the type out"),
    ),
    pipeline(
        {"steps": ["wait"]},
        GOOD,
        STEP_TYPE,
        ("steps", 0),
        (f'the step "wait" is none that pipegen checks: {ONE_TYPE}', ""),
    ),
    pipeline(
        {"steps": [{"label": "x"}]},
        GOOD,
        STEP_TYPE,
        ("steps", 0),
        (f'"label" makes no step of any type: {ONE_TYPE}', ""),
    ),
    pipeline(
        {"steps": [{"trigger": "deploy"}]},
        {"steps": [{"block": "deploy"}]},
        STEP_TYPE,
        ("steps", 0),
        (f"this is a trigger step, which pipegen does not check: {ONE_TYPE}", ""),
    ),
    pipeline({"steps": [None]}, GOOD, WRONG_TYPE, ("steps", 0), ("a step is null: expected a mapping", "")),
)

LIMITS: tuple[Case, ...] = (
    Case(
        check=small_limits,
        bad={"steps": [{"group": "G", "steps": [JOB, JOB, JOB]}]},
        good={"steps": [{"group": "G", "steps": [JOB, JOB]}]},
        code=JOBS_PER_UPLOAD,
        path=("steps",),
        message="the pipeline makes 4 jobs: expected at most 3 in one upload",
        help='let "pipegen upload" divide it, or raise "limits.jobs_per_upload" if the organisation has more',
    ),
    Case(
        check=small_limits,
        bad={"steps": [{"command": "make", "parallelism": 5}]},
        good={"steps": [{"command": "make", "parallelism": 3}]},
        code=JOBS_PER_BUILD,
        path=("steps",),
        message="the pipeline makes 5 jobs: expected at most 4 in one build",
        help="select less, or divide the work over several pipelines",
    ),
    *(
        Case(
            check=small_step,
            bad={"command": "make", **too_many},
            good={"command": "make", **enough},
            code=JOBS_PER_STEP,
            path=path,
            message=f"the step makes {jobs}: expected at most 2, the limit of an upload",
            help='make several steps of it, or raise "limits.jobs_per_upload" (3, its group counts as one)',
        )
        for too_many, enough, path, jobs in (
            ({"parallelism": 3}, {"parallelism": 2}, ("parallelism",), "3 jobs"),
            ({"matrix": ["a", "b", "c", "d"]}, {"matrix": ["a", "b"]}, ("matrix",), "4 jobs"),
        )
    ),
)

CASES = (*BLOCK, *PIPELINE, *LIMITS)
