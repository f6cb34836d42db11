"""The reference fleet's selection cases hold, and would not if the fleet were another."""

from dataclasses import replace
from pathlib import Path

import pytest

from pipegen import app
from pipegen.model import Unselected

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def request_() -> app.Request:
    return app.Request(place=app.Place(root=REPOSITORY, path=app.DEFAULT_WORKSPACE))


@pytest.fixture(scope="module")
def plan(request_: app.Request) -> app.Plan:
    made = app.make_plan(request_)
    assert isinstance(made, app.Plan)
    return made


def test_every_case_holds(request_: app.Request, plan: app.Plan) -> None:
    assert plan.workspace.selection.cases
    assert app.check_selection_cases(request_, plan) == ()


def test_they_hold_whatever_becomes_of_unselected_jobs(request_: app.Request, plan: app.Plan) -> None:
    for unselected in Unselected:
        selection = replace(plan.workspace.selection, unselected=unselected)
        other = replace(plan, workspace=replace(plan.workspace, selection=selection))
        assert app.check_selection_cases(request_, other) == ()


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"owned_tests": False}, '"spec-decode-draft-model" does not run: no changed file is of its tests or sources'),
        ({"ignored": ()}, '"image-build" runs: it runs in every build (when: always)'),
        ({"run_all": ()}, '"correctness-basic" does not run: no changed file is of its tests or sources'),
    ],
)
def test_they_would_notice(request_: app.Request, plan: app.Plan, setting: dict[str, object], message: str) -> None:
    selection = replace(plan.workspace.selection, **setting)  # type: ignore[arg-type]  # fields by name
    other = replace(plan, workspace=replace(plan.workspace, selection=selection))
    found = [one.message for one in app.check_selection_cases(request_, other)]
    assert any(one.endswith(message) for one in found), found


def test_a_forgotten_mirror_is_noticed(request_: app.Request, plan: app.Plan) -> None:
    """The AMD job of a directory is lost: the case of the move names it."""
    jobs = tuple(job for job in plan.expansion.jobs if job.key != "amd-spec-decode-mtp")
    other = replace(plan, expansion=replace(plan.expansion, jobs=jobs))
    (found,) = app.check_selection_cases(request_, other)
    assert found.message == (
        'case "the tests of speculative decoding move into directories": unknown key "amd-spec-decode-mtp"'
    )
    assert found.span.path == ".buildkite/selection_cases.yaml"
