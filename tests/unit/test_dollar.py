"""The `$` rule: what is sent so that the job's shell gets what the author wrote."""

import itertools
from typing import TYPE_CHECKING

import pytest

from pipegen.dollar import (
    UPLOAD_CLOSE,
    UPLOAD_OPEN,
    TextError,
    Uncarriable,
    Unresolved,
    escape,
    escape_tree,
    literal,
    literal_tree,
    references,
    upload_reference,
)
from tests.support.agent_model import FatalInterpolationError, interpolate
from tests.support.traps import TEXTS, UNCARRIABLE

if TYPE_CHECKING:
    from pipegen.plain import PlainMap

COMMIT = upload_reference("BUILDKITE_COMMIT")
TAG = upload_reference("TAG")


@pytest.mark.parametrize("name", ["A", "a", "BUILDKITE_COMMIT", "A1_", "é", "Ω2", "A²", "日本"])
def test_names_that_the_agent_replaces(name: str) -> None:
    assert references(upload_reference(name)) == (name,)
    assert interpolate(escape(upload_reference(name)), {name: "value"}) == "value"


@pytest.mark.parametrize("name", ["", "_A", "1", "1A", "A-B", "A.B", "A ", "${A}", "A\n", "²", "A\ufdd1"])
def test_names_that_it_does_not(name: str) -> None:
    with pytest.raises(ValueError, match="the agent replaces no variable named"):
        upload_reference(name)


def test_references_are_listed_in_order() -> None:
    assert references(f"a{TAG}b{COMMIT}{TAG}$X") == ("TAG", "BUILDKITE_COMMIT", "TAG")
    assert references("$TAG ${TAG}") == ()


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("", ""),
        ("no dollar", "no dollar"),
        ("echo $HOME ${A:-x} $(id) $1 $$", "echo $$HOME $${A:-x} $$(id) $$1 $$$$"),
        ("$", "$$"),
        (f"img:{COMMIT}", "img:${BUILDKITE_COMMIT}"),
        (f"{TAG}{TAG}", "${TAG}${TAG}"),
        (f"{TAG}x_", "${TAG}x_"),
        (f"${TAG}", "$$${TAG}"),
        (f"${{{TAG}}}", "$${${TAG}}"),
        (f"{TAG}$", "${TAG}$$"),
        ("a\\", "a\\"),
        ("a\\b", "a\\b"),
        ("\\\\$A", "\\\\$$A"),
        (f"\\\\\\\\{TAG}", "\\\\\\\\${TAG}"),
        ("$\\", "$$\\"),
        (f"{TAG}\\", "${TAG}\\"),
        ("\\a$", "\\a$$"),
    ],
)
def test_escape(text: str, escaped: str) -> None:
    assert escape(text) == escaped


@pytest.mark.parametrize("text", TEXTS)
def test_traps_are_carried(text: str) -> None:
    assert interpolate(escape(text), {"A": "1", "B": "2", "a": "3", "p": "4"}) == text
    assert literal(text) == text


@pytest.mark.parametrize("text", [*UNCARRIABLE, f"\\{TAG}", f"\\\\\\{TAG}", f"$\\{TAG}"])
def test_odd_backslashes_are_uncarriable(text: str) -> None:
    with pytest.raises(Uncarriable, match='use "pipegen upload"'):
        escape(text)
    assert literal(text, {"TAG": "v1"}) == text.replace(TAG, "v1")


def test_uncarriable_says_what_to_do() -> None:
    with pytest.raises(Uncarriable) as caught:
        escape("sed s/\\$x//")
    assert str(caught.value) == (
        'the agent takes the backslash in "\\$" for its own; double or drop it, or use "pipegen upload"'
    )
    with pytest.raises(Uncarriable, match=r'the backslash in "\\upload\.TAG"'):
        escape(f"\\{TAG}")


def test_no_spelling_leaves_one_backslash_before_a_dollar() -> None:
    """Every text of up to six of the characters that mean anything, whether the variable is set or not."""
    reached = set()
    for length in range(7):
        for letters in itertools.product("\\${}A", repeat=length):
            for env in ({}, {"A": ""}, {"A": "x"}):
                try:
                    reached.add(interpolate("".join(letters), env))
                except FatalInterpolationError:
                    continue
    assert {"$", "\\", "\\\\$", "$\\"} <= reached
    assert not reached & {"\\$", "\\\\\\$", "x\\$", "\\$x"}


def test_a_default_would_carry_it_only_while_its_variable_is_empty() -> None:
    """Why `${NAME:-\\}$$` is no way out: nobody knows what the agent's environment holds."""
    assert interpolate("${A:-\\}$$", {}) == "\\$"
    assert interpolate("${A:-\\}$$", {"A": "set"}) == "set$"


def test_literal_keeps_dollars_and_resolves_references() -> None:
    assert literal("$A $$ \\$ ${B}") == "$A $$ \\$ ${B}"
    assert literal(f"img:{TAG}-{COMMIT}$", {"TAG": "$1", "BUILDKITE_COMMIT": ""}) == "img:$1-$"


@pytest.mark.parametrize("values", [None, {}, {"OTHER": "x"}])
def test_literal_names_what_is_unresolved(values: dict[str, str] | None) -> None:
    with pytest.raises(Unresolved) as caught:
        literal(f"img:{TAG}", values)
    assert str(caught.value) == (
        'without interpolation nothing puts a value into "upload.TAG"; '
        "set TAG in the environment of pipegen, or upload with interpolation"
    )


@pytest.mark.parametrize(
    "text", [UPLOAD_OPEN, UPLOAD_CLOSE, f"{TAG}{UPLOAD_OPEN}", f"$A{UPLOAD_CLOSE}", UPLOAD_OPEN + TAG]
)
def test_half_a_reference_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="half an upload reference"):
        escape(text)
    with pytest.raises(ValueError, match="half an upload reference"):
        literal(text, {"TAG": "x"})


def test_trees_keep_their_shape() -> None:
    tree: PlainMap = {"a": ["$A", ("\\\\$", TAG)], "b": {"c": None, "d": 1.5, "e": True, "f": 3, "g": []}}
    assert escape_tree(tree) == {
        "a": ["$$A", ["\\\\$$", "${TAG}"]],
        "b": {"c": None, "d": 1.5, "e": True, "f": 3, "g": []},
    }
    assert literal_tree(tree, {"TAG": "v"}) == {
        "a": ["$A", ["\\\\$", "v"]],
        "b": {"c": None, "d": 1.5, "e": True, "f": 3, "g": []},
    }
    assert list(tree) == ["a", "b"]


def test_trees_say_where() -> None:
    with pytest.raises(Uncarriable) as uncarriable:
        escape_tree({"steps": [{"command": "ok"}, {"env": {"A": "\\$"}}]})
    assert uncarriable.value.path == ("steps", 1, "env", "A")
    with pytest.raises(Unresolved) as unresolved:
        literal_tree({"a": ["x", TAG]})
    assert unresolved.value.path == ("a", 1)


@pytest.mark.parametrize(("key", "shown"), [("$A", '"$A"'), ("a$", '"a$"'), (f"x{TAG}", '"x${TAG}"')])
def test_keys_with_a_dollar_are_uncarriable(key: str, shown: str) -> None:
    with pytest.raises(Uncarriable) as caught:
        escape_tree({"env": {key: "x"}})
    assert shown in str(caught.value)
    assert caught.value.path == ("env", key)
    assert literal_tree({"env": {key: "x"}}, {"TAG": "v"}) == {"env": {key.replace(TAG, "v"): "x"}}


def test_keys_that_become_the_same_are_refused() -> None:
    with pytest.raises(TextError, match=r'two keys become "v"; give each its own') as caught:
        literal_tree({"m": {TAG: 1, "v": 2}}, {"TAG": "v"})
    assert caught.value.path == ("m", "v")
