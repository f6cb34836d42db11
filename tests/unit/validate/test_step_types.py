"""What the agent takes a step for."""

import pytest

from pipegen.plain import PlainMap
from pipegen.validate.step import step_type


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        ({"command": "x"}, "command"),
        ({"commands": ["x"]}, "command"),
        ({"plugins": []}, "command"),
        ({"wait": None}, "wait"),
        ({"waiter": None}, "wait"),
        ({"block": "x"}, "block"),
        ({"input": "x"}, "input"),
        ({"manual": "x"}, "input"),
        ({"trigger": "x"}, "trigger"),
        ({"group": None}, "group"),
        ({"group": "x", "command": "y"}, "command"),  # the first that the agent looks for wins
        ({"block": "x", "wait": None}, "wait"),
        ({"type": "script"}, "command"),
        ({"type": "waiter", "command": "x"}, "wait"),
        ({"type": "commands", "command": "x"}, None),
        ({"label": "x"}, None),
        ({}, None),
    ],
)
def test_types(step: PlainMap, kind: str | None) -> None:
    assert step_type(step) == kind


def test_a_type_that_is_no_text_decides_nothing() -> None:
    assert step_type({"type": 5, "command": "x"}) == "command"
