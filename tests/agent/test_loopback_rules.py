"""What the loopback Buildkite rejects, and how it counts."""

import pytest

from pipegen.plain import Plain
from tests.support.buildkite.rules import job_count, keys, rejection

pytestmark = pytest.mark.agent

INVALID = "One of the steps you provided was invalid: "
UUID_KEY = "0197C2D4-5e6f-4a8b-9c0d-1e2f3a4b5c6d"


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        (
            [{"command": "a", "key": "k"}, {"wait": None, "key": "k"}],
            'The key "k" has already been used by another step',
        ),
        ([{"group": "g", "key": "k", "steps": [{"command": "a", "id": "k"}]}], 'The key "k" has already been used'),
        (
            [{"command": "a", "identifier": "used"}],
            'The key "used" has already been used by another step in this build',
        ),
        ([{"command": "a", "key": "k" * 101}], INVALID + "Step keys can have a maximum of 100 characters"),
        ([{"command": "a", "key": UUID_KEY}], INVALID + "Step keys can't have the same pattern as a UUID ("),
        (
            [{"command": "a", "skip": "x" * 71}],
            INVALID + "The reason provided to `skip` is too long. The maximum length is 70 characters",
        ),
        ([{"group": None, "steps": []}], "There must be at least 1 step in a group"),
        ([{"group": "g"}], "There must be at least 1 step in a group"),
        ([{"group": "g", "steps": [{"group": "h", "steps": ["wait"]}]}], "A group can't be inside another group"),
        ([{"name": "foo"}], 'Step is missing a type `{"name":"foo"}`'),
        ([{"label": "g", "steps": ["wait"]}], "Step is missing a type `{"),
        (["stop"], 'Step is missing a type `"stop"`'),
        (
            [{"command": "a", "parallelism": 500}, "wait"],
            "The number of jobs in this upload exceeds your organization limit of 500. Please break the upload",
        ),
    ],
)
def test_rejections(steps: list[Plain], message: str) -> None:
    rejected = rejection(steps, used_keys=("used",), jobs_per_upload=500)
    assert rejected is not None
    assert rejected.startswith(message)


@pytest.mark.parametrize(
    "steps",
    [
        [],
        ["wait", {"wait": None}, {"block": "b", "key": "k" * 100}, {"input": "i"}, {"trigger": "t"}],
        [{"command": "a", "skip": "x" * 70}, {"command": "a", "skip": True}, {"type": "wait"}],
        [{"group": None, "key": "g", "steps": [{"plugins": ["a#v1"], "key": "a"}]}],
        [{"command": "a", "parallelism": 499}, "wait"],
    ],
)
def test_accepted(steps: list[Plain]) -> None:
    assert rejection(steps, used_keys=("used",), jobs_per_upload=500) is None


@pytest.mark.parametrize(
    ("step", "jobs"),
    [
        ("wait", 1),
        ({"command": "a"}, 1),
        ({"command": "a", "parallelism": 4}, 4),
        ({"command": "a", "parallelism": "4"}, 4),
        ({"command": "a", "parallelism": 0}, 1),
        ({"command": "a", "matrix": ["x", "y", 3]}, 3),
        ({"command": "a", "matrix": {"setup": ["x", "y"], "adjustments": [{"with": "z"}]}}, 3),
        ({"command": "a", "matrix": {"setup": {"p": ["x", "y"], "q": [1, 2]}}}, 4),
        (
            {
                "command": "a",
                "matrix": {
                    "setup": {"p": ["x", "y"], "q": [1, 2]},
                    "adjustments": [
                        {"with": {"p": "x", "q": 1}, "skip": True},
                        {"with": {"p": "z", "q": 9}},
                    ],
                },
            },
            5,
        ),
        ({"group": "g", "steps": [{"command": "a", "parallelism": 3}, "wait"]}, 5),
        ({"trigger": "t", "parallelism": 2}, 2),
    ],
)
def test_job_count(step: Plain, jobs: int) -> None:
    assert job_count([step]) == jobs
    assert job_count([step, "wait", step]) == 2 * jobs + 1


def test_keys_in_order() -> None:
    steps: list[Plain] = [
        {"command": "a", "key": "a"},
        {"group": "g", "id": "g", "steps": [{"command": "b", "identifier": "b"}, "wait"]},
        {"command": "c"},
    ]
    assert keys(steps) == ("a", "g", "b")
