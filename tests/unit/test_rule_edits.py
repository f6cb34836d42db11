"""Edits of manifests that keep all else as it was typed."""

import pytest
import yaml

from pipegen.diagnostics import Edit, Span
from pipegen.manifest.located import Items, Report, scalars
from pipegen.manifest.yaml import parse_yaml
from pipegen.rules.edits import OverlappingEditsError, applied, merged, removed, replaced


def span_of(text: str, word: str) -> Span:
    """Where a value stands."""
    report = Report()
    root = parse_yaml(text.encode(), "a.yaml", report)
    assert root is not None, report.found
    return next(scalar.span for scalar in scalars(root) if scalar.text == word)


def without(text: str, *words: str) -> str:
    return applied(text, [edit for word in words for edit in removed(text, span_of(text, word))])


@pytest.mark.parametrize(
    ("text", "word", "left"),
    [
        ("k: [a, b, c]\n", "a", "k: [b, c]\n"),
        ("k: [a, b, c]\n", "b", "k: [a, c]\n"),
        ("k: [a, b, c]\n", "c", "k: [a, b]\n"),
        ("k: [a, b, c,]\n", "c", "k: [a, b,]\n"),
        ("k: [ a ]  # why\n", "a", "k: []  # why\n"),
        ("k: ['a, b', b]\n", "a, b", "k: [b]\n"),
        ("k: [a,\n    b,  # of b\n    c]\n", "a", "k: [b,  # of b\n    c]\n"),
        ("k: [\n  a,  # of a\n  b,  # of b\n]\n", "b", "k: [\n  a,  # of a\n]\n"),
        ("k: [\n  a,  # of a\n  b]\n", "b", "k: [\n  a,  # of a\n]\n"),
        ("k: [\n  a,  # of a\n  # of b\n  b,\n]\n", "a", "k: [\n  # of b\n  b,\n]\n"),
        ("k: [ # of k\r\n  a,\r\n  # of b\r\n  b]\r\n", "a", "k: [ # of k\r\n  # of b\r\n  b]\r\n"),
        ("k: [a,  # of a\n  b]\n", "a", "k: [\n  b]\n"),
        ("k: [a, b,  # of both\n  c]\n", "b", "k: [a, # of both\n  c]\n"),
        ("k:\n  - a  # of a\n  # on its own\n  - b  # of b\nl: x\n", "a", "k:\n  # on its own\n  - b  # of b\nl: x\n"),
        ("k:\n  - a\n  - b  # of b\nl: x\n", "b", "k:\n  - a\nl: x\n"),
        ("k:\n- a\n- b", "b", "k:\n- a\n"),
        ("k:\n  - a\nl: x\n", "a", "k: []\nl: x\n"),
        ("k: a  # why\n", "a", "k: []  # why\n"),
        ("o:\n  i: {k: [a, b], l: m}\n", "b", "o:\n  i: {k: [a], l: m}\n"),
        ("k:\r\n  - a\r\n  - b\r\n", "a", "k:\r\n  - b\r\n"),
        ("k: [ä, \U0001f600, b]\n", "\U0001f600", "k: [ä, b]\n"),
    ],
)
def test_an_item_is_removed(text: str, word: str, left: str) -> None:
    assert without(text, word) == left
    before, after = yaml.safe_load(text), yaml.safe_load(left)
    assert before != after


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("k:\n  - - a\n    - b\n", "a"),
        ("k: [a  # of a\n  , b]\n", "a"),
        ("k: &x [a, b]\nl: [*x, c]\nm: [c, *x]\n", "nothing"),
    ],
)
def test_what_is_not_understood_is_left_alone(text: str, word: str) -> None:
    span = span_of(text, word) if word in text else Span(path="a.yaml", line=9, column=1, end_line=9, end_column=2)
    assert removed(text, span) == ()


def test_items_of_what_an_alias_stands_for() -> None:
    text = "k: &x a\nl: [b, *x, c]\n"
    assert removed(text, span_of(text, "b")) == ()


def test_several_items_of_a_list_in_lines() -> None:
    assert without("k:\n  - a\n  - b\n  - c\n", "a", "c") == "k:\n  - b\n"


@pytest.mark.parametrize(
    ("text", "words", "left"),
    [
        ("k: [a, b, c]\n", ["a", "b"], "k: [d/, c]\n"),
        ("k: [c, b, a]\n", ["a", "b"], "k: [c, d/]\n"),
        ("k: [a,\n  b]\n", ["a", "b"], "k: [d/]\n"),
        ("k: [a, c, b]\n", ["a", "b"], None),
        ("k: [a,  # of a\n  b]\n", ["a", "b"], None),
        ("k: [a]\nl: [b]\n", ["a", "b"], None),
        ("k:\n  - a  # of a\n  - c\n  - b\n", ["a", "b"], "k:\n  - d/  # of a\n  - c\n"),
        ("k: [a, b]\n", ["b"], "k: [a, d/]\n"),
        ("k: a\n", ["a"], None),
    ],
)
def test_items_become_one(text: str, words: list[str], left: str | None) -> None:
    edits = merged(text, [span_of(text, word) for word in words], "d/")
    assert (applied(text, edits) if edits else None) == left


@pytest.mark.parametrize(
    ("value", "typed"),
    [
        ("v1/a/", "v1/a/"),
        ("//setup/a.py", "//setup/a.py"),
        ("a.py::Test::test_a", "a.py::Test::test_a"),
        ("a.py::test_a[1]", '"a.py::test_a[1]"'),
        ("test_*.py", '"test_*.py"'),
        ("null", '"null"'),
        ("a b", '"a b"'),
        ("a: b", '"a: b"'),
        ("ä/", "ä/"),
    ],
)
def test_a_value_is_quoted_where_yaml_asks_for_it(value: str, typed: str) -> None:
    for text in ("k: x\n", "k: [x, y]\n", 'k: ["x"]\n'):
        after = applied(text, [replaced(span_of(text, "x"), value)])
        assert typed in after
        read = parse_yaml(after.encode(), "a.yaml", Report())
        assert read is not None
        assert next(scalars(read)).text == value
        assert not isinstance(read, Items)


def test_edits_that_overlap_are_refused() -> None:
    place = Span(path="a", line=1, column=1, end_line=1, end_column=4)
    with pytest.raises(OverlappingEditsError):
        applied("abcdef", [Edit(span=place, text="x"), Edit(span=place, text="y")])


def test_one_edit_twice_is_one() -> None:
    place = Span(path="a", line=1, column=1, end_line=1, end_column=4)
    assert applied("abcdef", [Edit(span=place, text="x"), Edit(span=place, text="x")]) == "xdef"
