"""Taking one entry out of a mapping: the rest of the text, and of what it means, stays as it was."""

import random
from collections.abc import Iterator

import pytest
import yaml

from pipegen.diagnostics import Span
from pipegen.rules.edits import applied
from pipegen.rules.entries import removed_entry
from tests.support.bases import fleet_files

SOME = 20


def key_at(text: str, line: int, column: int) -> Span:
    return Span(path="a.yaml", line=line, column=column, end_line=line, end_column=column + 1)


@pytest.mark.parametrize(
    ("before", "at", "after"),
    [
        ("a: 1\nb: 2\nc: 3\n", (2, 1), "a: 1\nc: 3\n"),
        ("a: 1\nb: 2  # of b\n# of c\nc: 3\n", (2, 1), "a: 1\n# of c\nc: 3\n"),
        ("a: 1\n# of b\nb: 2", (3, 1), "a: 1\n# of b\n"),
        ("a: {b: 1, c: 2, d: 3}\n", (1, 5), "a: {c: 2, d: 3}\n"),
        ("a: {b: 1, c: 2, d: 3}\n", (1, 17), "a: {b: 1, c: 2}\n"),
        ("a: {\n  b: 1,\n  c: 2,\n}\n", (3, 3), "a: {\n  b: 1,\n}\n"),
        ("a:\n  b:\n    c: 1\n  d:\n  - 2\n  - 3\ne: 4\n", (4, 3), "a:\n  b:\n    c: 1\ne: 4\n"),
        ("a: |\n  text\n\n  more\nb: 2\n", (1, 1), "b: 2\n"),
        ("a: 1\r\nb: 2\r\n", (1, 1), "b: 2\r\n"),
        ("a: 1\nb:\n  c: {d: 1}\n", (2, 1), "a: 1\n"),
    ],
)
def test_removed(before: str, at: tuple[int, int], after: str) -> None:
    assert applied(before, removed_entry(before, key_at(before, *at))) == after


@pytest.mark.parametrize(
    ("before", "at"),
    [
        ("a: 1\n", (1, 1)),
        ("a: 1\nb: {c: 1}\n", (2, 5)),
        ("- a: 1\n  b: 2\n", (1, 3)),
        ("a: &x {b: 1}\nc: *x\n", (2, 1)),
        ("a: 1\nb: 2\n", (2, 2)),
        ("a: 1\n", (9, 1)),
        ("a: [\n", (1, 1)),
        ("a: {b: 1, # of b\n  c: 2}\n", (1, 5)),
        ("a: 1\nb:\n  # of c\n  c: 1\n", (2, 1)),
    ],
)
def test_not_by_removing_text_alone(before: str, at: tuple[int, int]) -> None:
    assert removed_entry(before, key_at(before, *at)) == ()


def test_what_holds_nothing_else_may_go_with_it() -> None:
    text = "a: 1\nb:\n  c: 1  # alone\nd: 2\n"
    assert applied(text, removed_entry(text, key_at(text, 3, 3), further=1)) == "a: 1\nd: 2\n"


def test_found_by_the_value() -> None:
    text = "a: 1\nb:\n  c: 1\n  d: [2]\n"
    assert applied(text, removed_entry(text, key_at(text, 4, 6), by_value=True)) == "a: 1\nb:\n  c: 1\n"
    assert applied(text, removed_entry(text, key_at(text, 3, 3), by_value=True)) == "a: 1\n"


def _entries(node: yaml.Node, path: tuple[object, ...] = ()) -> Iterator[tuple[yaml.Node, tuple[object, ...], int]]:
    """Every entry of every mapping: its key, the way to its mapping, and how many there are in that."""
    match node:
        case yaml.MappingNode():
            for key, value in node.value:
                yield key, (*path, key.value), len(node.value)
                yield from _entries(value, (*path, key.value))
        case yaml.SequenceNode():
            for at, item in enumerate(node.value):
                yield from _entries(item, (*path, at))
        case _:
            pass


@pytest.mark.parametrize("seed", range(2))
def test_in_the_fleet_the_rest_stays(seed: int) -> None:
    """In whatever place of whatever manifest: the data without the entry, and no comment but its own gone."""
    chance = random.Random(seed)
    done = 0
    manifests = sorted(path for path in fleet_files() if path.startswith("areas/"))
    for path in chance.choices(manifests, k=SOME):
        text = fleet_files()[path].decode()
        root = yaml.compose(text, Loader=yaml.CSafeLoader)
        assert root is not None
        found = list(_entries(root))
        key, way, _ = chance.choice(found)
        edits = removed_entry(text, key_at(text, key.start_mark.line + 1, key.start_mark.column + 1))
        if edits:
            done += 1
            after = applied(text, edits)
            expected = yaml.safe_load(text)
            inner = expected
            for step in way[:-1]:
                inner = inner[step]
            del inner[yaml.safe_load(str(way[-1]))]
            assert yaml.safe_load(after) == expected, (path, way)
            (edit,) = edits
            assert set(after.splitlines()) - set(text.splitlines()) == set() or edit.span.line == edit.span.end_line
    assert done > SOME // 3
