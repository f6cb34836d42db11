"""How many jobs a pipeline makes."""

import pytest

from pipegen.plain import Plain
from pipegen.validate.codes import JOBS_PER_BUILD, JOBS_PER_STEP, JOBS_PER_UPLOAD
from pipegen.validate.limits import check_limits, check_step_limit, job_count

JOB: Plain = {"command": "make"}
SETUP: Plain = {"os": ["linux", "mac"], "arch": ["arm", "x86", "riscv"]}


@pytest.mark.parametrize(
    ("step", "jobs"),
    [
        (JOB, 1),
        ("wait", 1),
        (None, 1),
        ({"block": "Stop"}, 1),
        ({"trigger": "x"}, 1),
        ({"command": "make", "skip": True}, 1),
        ({"command": "make", "parallelism": 4}, 4),
        ({"command": "make", "parallelism": 0}, 1),
        ({"command": "make", "parallelism": "4"}, 1),
        ({"command": "make", "parallelism": True}, 1),
        ({"command": "make", "matrix": ["a", "b", "c"]}, 3),
        ({"command": "make", "matrix": []}, 1),
        ({"command": "make", "matrix": "x"}, 1),
        ({"command": "make", "matrix": {"setup": ["a", "b"]}}, 2),
        ({"command": "make", "matrix": {"setup": SETUP}}, 6),
        ({"command": "make", "matrix": ["a", "b"], "parallelism": 3}, 6),
        ({"group": "G", "steps": [JOB, JOB]}, 3),
        ({"group": "G", "steps": [JOB, {"group": "H", "steps": [JOB]}]}, 4),
        ({"group": "G"}, 1),
    ],
)
def test_jobs_of_a_step(step: Plain, jobs: int) -> None:
    assert job_count([step]) == jobs
    assert job_count([step, step, JOB]) == 2 * jobs + 1


def test_where_an_upload_holds_no_job_at_all() -> None:
    (problem,) = check_step_limit({"command": "make"}, jobs_per_upload=1)
    assert (problem.path, problem.code) == ((), JOBS_PER_STEP)
    assert problem.message == "the step makes 1 job: expected at most 0, the limit of an upload"


@pytest.mark.parametrize(
    ("adjustment", "jobs"),
    [
        ({"with": {"os": "mac", "arch": "arm"}, "skip": True}, 6),  # never too few
        ({"with": {"os": "mac", "arch": "arm"}, "soft_fail": True}, 6),
        ({"with": {"os": "bsd", "arch": "arm"}}, 7),
        ({"with": {"os": "bsd", "arch": "arm"}, "skip": True}, 7),
        ({"with": {"os": "bsd"}}, 6),
        ("nonsense", 6),
    ],
)
def test_adjustments_add_combinations(adjustment: Plain, jobs: int) -> None:
    once: Plain = {"matrix": {"setup": SETUP, "adjustments": [adjustment]}}
    twice: Plain = {"matrix": {"setup": SETUP, "adjustments": [adjustment, adjustment]}}
    assert job_count([once]) == job_count([twice]) == jobs


def test_dimensions_can_be_empty_where_adjustments_fill_them() -> None:
    adjustments: Plain = [{"with": {"os": "mac", "arch": "arm"}}, {"with": {"os": "linux", "arch": "x86"}}]
    assert job_count([{"matrix": {"setup": {"os": [], "arch": []}, "adjustments": adjustments}}]) == 2


def test_elements_are_compared_as_the_agent_spells_them() -> None:
    adjustments: Plain = [{"with": "1"}, {"with": "true"}, {"with": True}, {"with": 2}]
    assert job_count([{"matrix": {"setup": [1, True], "adjustments": adjustments}}]) == 3


def test_groups_in_groups_without_end_are_no_depth() -> None:
    step: Plain = JOB
    for _ in range(5000):
        step = {"group": "G", "steps": [step]}
    assert job_count([step]) == 5001


@pytest.mark.parametrize(
    ("jobs", "codes"), [(4, []), (5, []), (6, [JOBS_PER_UPLOAD]), (9, [JOBS_PER_UPLOAD]), (10, [JOBS_PER_BUILD])]
)
def test_limits_are_included(jobs: int, codes: list[object]) -> None:
    assert [problem.code for problem in check_limits([JOB] * jobs, jobs_per_upload=5, jobs_per_build=9)] == codes
