"""Every rule: what it says of a bad step, word by word, and its silence about the step put right."""

import pytest

from pipegen.plain import PlainMap
from pipegen.validate.block_step import BLOCK_STEP, check_block_step
from pipegen.validate.command_step import COMMAND_STEP, check_command_step
from pipegen.validate.pipeline import GROUP
from tests.unit.validate.tables import attributes, conditions, frame, matrix, records, shapes
from tests.unit.validate.tables.case import Case

ALL = (*attributes.CASES, *records.CASES, *matrix.CASES, *conditions.CASES, *frame.CASES, *shapes.CASES)

WHOLE_BLOCK: PlainMap = {
    "block": "Run build",
    "label": "Build",
    "key": "block-build",
    "depends_on": ["image"],
    "allow_dependency_failure": True,
    "allowed_teams": "release",
    "blocked_state": "failed",
    "branches": "main",
    "fields": [{"text": "Reason", "key": "reason"}],
    "prompt": "Sure?",
    "submit": "Go",
}


@pytest.mark.parametrize("case", ALL, ids=str)
def test_bad(case: Case) -> None:
    assert list(case.check(case.bad)) == [case.problem]


@pytest.mark.parametrize("case", ALL, ids=str)
def test_good(case: Case) -> None:
    assert list(case.check(case.good)) == []


def test_every_attribute_of_a_command_step_stands_in_a_good_one() -> None:
    steps = [case.good for case in ALL if case.check is check_command_step]
    renamed = (
        {"id": "build", "name": "Build", "commands": ["make", "make check"]},
        {"identifier": "build", "command": "make"},
    )
    for step in renamed:
        assert list(check_command_step(step)) == []
    used = {name for step in (*steps, *renamed) for name in step}
    assert set(COMMAND_STEP.checks) - used == {"signature"}


def test_every_attribute_of_a_block_step_stands_in_a_good_one() -> None:
    assert list(check_block_step(WHOLE_BLOCK)) == []
    assert list(check_block_step({"block": "b", "id": "x", "name": "y", "if": "true"})) == []
    assert list(check_block_step({"block": "b", "identifier": "x", "type": "block"})) == []
    assert set(BLOCK_STEP.checks) - set(WHOLE_BLOCK) == {"id", "identifier", "name", "if"}


def test_messages_are_one_line_and_lower_case() -> None:
    for case in ALL:
        for line in (case.message, case.help):
            assert "\n" not in line
            assert not line.endswith(".") or line.endswith("...")
        assert case.message[0] == case.message[0].lower() or case.message.split()[0] in case.path


def test_types_of_steps_share_no_table() -> None:
    assert "steps" not in COMMAND_STEP.checks
    assert {"block", "fields", "prompt"}.isdisjoint(COMMAND_STEP.checks)
    assert {"command", "env", "retry", "if_changed"}.isdisjoint(BLOCK_STEP.checks)
    assert {"concurrency", "env", "agents", "plugins", "retry", "matrix"}.isdisjoint(GROUP.checks)
