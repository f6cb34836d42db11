"""What JSON cannot carry, in data whose types are not what they say."""

import datetime

import pytest

from pipegen.plain import Plain
from pipegen.validate.codes import INVALID_CHARACTER, NOT_PLAIN
from pipegen.validate.command_step import check_command_step
from pipegen.validate.pipeline import check_pipeline
from pipegen.validate.structure import check_characters, check_structure


@pytest.mark.parametrize(
    ("value", "path", "message", "hint"),
    [
        ({5: "x"}, (), "the key 5 is no text", 'quote it: "5"'),
        ({"a": [{None: 1}]}, ("a", 0), "the key None is no text", 'quote it: "None"'),
        ({"a": datetime.date(2026, 1, 2)}, ("a",), "a date is no plain value: expected text", "put it in quotes"),
        ({"a": [b"x"]}, ("a", 0), "a bytes is no plain value: expected text", "put it in quotes"),
        (
            {"a": float("nan")},
            ("a",),
            "the number nan has no place in a pipeline: expected a finite number",
            "",
        ),
    ],
)
def test_structure(value: object, path: tuple[str | int, ...], message: str, hint: str) -> None:
    (problem,) = check_structure(value)
    assert (problem.code, problem.path, problem.message, problem.help) == (NOT_PLAIN, path, message, hint)


def test_all_of_it_is_found_in_order() -> None:
    paths = [problem.path for problem in check_structure({"a": [{1: 2}, object()], "b": {"c": object()}})]
    assert paths == [("a", 0), ("a", 1), ("b", "c")]


def test_a_step_that_is_not_plain_says_that_alone() -> None:
    step: dict[object, object] = {5: "x", "timeout_in_minuts": object()}
    problems = list(check_command_step(step))  # type: ignore[arg-type]  # what a careless caller passes
    assert [problem.code for problem in problems] == [NOT_PLAIN, NOT_PLAIN]


def test_a_key_that_is_no_text_is_enough() -> None:
    step: dict[object, object] = {5: "x", "command": "make"}
    assert [problem.code for problem in check_command_step(step)] == [NOT_PLAIN]  # type: ignore[arg-type]  # as above


def nested(depth: int) -> Plain:
    """Lists in lists."""
    value: list[Plain] = []
    for _ in range(depth - 1):
        value = [value]
    return value


@pytest.mark.parametrize(("depth", "codes"), [(98, []), (99, [NOT_PLAIN]), (5000, [NOT_PLAIN])])
def test_how_deep_a_step_may_be(depth: int, codes: list[object]) -> None:
    problems = list(check_command_step({"plugins": [{"docker#v5": nested(depth)}]}))
    assert [problem.code for problem in problems] == codes


def test_a_value_without_end_has_one() -> None:
    circle: dict[str, object] = {"command": "make"}
    circle["plugins"] = [circle]
    (problem,) = check_structure(circle)
    assert problem.message == "values are nested more than 100 deep"


def test_characters_are_looked_at_in_keys_and_values() -> None:
    value = {"a\0": ["fine", "\0x"], "b": {"c": "ok\udc80"}}
    assert [(problem.code, problem.path) for problem in check_characters(value)] == [
        (INVALID_CHARACTER, ("a\0",)),
        (INVALID_CHARACTER, ("a\0", 1)),
        (INVALID_CHARACTER, ("b", "c")),
    ]


def test_the_frame_of_a_pipeline_is_looked_at_too() -> None:
    (problem,) = check_pipeline({"steps": [{"command": "make"}], "image": "a\0"})
    assert (problem.code, problem.path) == (INVALID_CHARACTER, ("image",))
