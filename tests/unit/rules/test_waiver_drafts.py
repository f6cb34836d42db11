"""Waivers that are written by themselves: what they are about, and where they come to stand."""

import re

import pytest
import yaml

from pipegen.diagnostics import Diagnostic, Span
from pipegen.rules.edits import applied
from pipegen.rules.unknown_history import UNKNOWN_HISTORY
from pipegen.rules.unowned_test_directory import UNOWNED_TEST_DIRECTORY
from pipegen.rules.waiver_drafts import drafts, written
from tests.unit.rules.test_waivers import at, names

ENTRY = {"rule": "PG306", "at": "engine/core", "reason": 'it "has": to', "owner": "core", "until": "2027-01-31"}


def drafted(*found: Diagnostic) -> list[tuple[str, str, str | None, int]]:
    made = drafts(found, names(), [".buildkite/pipegen.yaml"])
    return [(draft.code.code, draft.at, draft.owner, draft.count) for draft in made]


def orphan(path: str, message: str) -> Diagnostic:
    return Diagnostic(code=UNOWNED_TEST_DIRECTORY, span=Span(path=path), message=message)


class TestPlaces:
    def test_one_for_each_rule_and_area(self) -> None:
        assert drafted(at(4, 3), at(5, 5, "another"), at(10, 7)) == [
            ("PG306", "engine/core", "core", 2),
            ("PG306", "engine/more", "core", 1),
        ]

    def test_a_step_by_its_key(self) -> None:
        assert drafted(at(13, 5)) == [("PG306", "docs", "core", 1)]

    def test_a_file_where_there_is_no_area(self) -> None:
        assert drafted(at(1, 1)) == [("PG306", "areas/engine.yaml", None, 1)]

    def test_a_directory_by_its_name(self) -> None:
        found = orphan("tests/old/test_a.py", 'no area owns "old/"')
        assert drafted(found) == [("PG201", "tests/old/", None, 1)]

    def test_what_the_message_quotes_of_the_workspace_file(self) -> None:
        found = orphan(".buildkite/pipegen.yaml", 'nothing is like "csrc/old" any more')
        assert drafted(found) == [("PG201", "csrc/old", None, 1)]

    def test_signs_of_patterns_are_escaped(self) -> None:
        assert drafted(orphan("tests/[x]*.py", "no owner")) == [("PG201", r"tests/\[x\]\*.py", None, 1)]

    def test_warnings_need_none(self) -> None:
        assert drafted(Diagnostic(code=UNKNOWN_HISTORY, span=Span(path="a.yaml", line=1), message="who knows")) == []


@pytest.mark.parametrize(
    "before",
    [
        "version: 1\n",
        "version: 1",
        "version: 1\nwaivers: []\nlimits: {}\n",
        "version: 1\nwaivers: []   # none yet\nlimits: {}\n",
        "version: 1\nwaivers: []",
        "version: 1\nwaivers:\n  []\n",
        "version: 1\nwaivers:\n  - {rule: PG1, at: a}   # one\n  # and so on\nlimits: {}\n",
        "version: 1\nwaivers:\n- rule: PG1\n  at: a\n\n# limits\nlimits: {}\n",
        "version: 1\nwaivers:\n- rule: PG1\n  at: a",
        "version: 1\nwaivers: [{rule: PG1, at: a}]\n",
        "version: 1\nwaivers: [\n  {rule: PG1, at: a}, # one\n]\nlimits: {}\n",
        "version: 1\nwaivers:\n  - rule: PG1\n    at: >\n      a\n\nlimits: {}\n",
    ],
)
def test_it_stands_behind_those_that_are_there(before: str) -> None:
    edit = written(before, "w.yaml", [ENTRY, {**ENTRY, "at": "no"}])
    assert edit is not None
    after = applied(before, [edit])
    was, now = yaml.safe_load(before), yaml.safe_load(after)
    entries = [{key: str(value) for key, value in one.items()} for one in now["waivers"][-2:]]
    assert entries == [ENTRY, {**ENTRY, "at": "no"}]
    assert now["waivers"][:-2] == was.get("waivers", [])
    assert {**now, "waivers": None} == {**was, "waivers": None}
    kept = re.sub(r"\s", "", before.replace("[]", ""))
    assert _is_in(kept, re.sub(r"\s", "", after)), "nothing else changes"
    assert before.count("#") == after.count("#")


@pytest.mark.parametrize(
    "before", ["{version: 1}\n", "- 1\n", "version: [\n", "waivers: [\n# none\n]\n", "waivers: {}\n"]
)
def test_where_it_cannot_stand(before: str) -> None:
    assert written(before, "w.yaml", [ENTRY]) is None


def _is_in(part: str, whole: str) -> bool:
    """Whether the characters of one text stand in another, in order."""
    left = iter(whole)
    return all(character in left for character in part)
