"""Tests in quarantine of which the file itself shows that they are not there."""

import pytest

from pipegen.rules.quarantine_of_nothing import RULE
from tests.support.rules import BASE, WORKSPACE, Case, facts_of

CONTENT = b"class TestA:\n    def test_b(self): ...\n\n\ndef test_c(): ...\n"


def found(node: str, content: bytes = CONTENT) -> list[str]:
    entry = f'{{test: "engine/test_core.py::{node}", reason: a, owner: core, until: 2027-01-31, runs: {{lanes: cuda}}}}'
    settings = BASE[WORKSPACE] + f"quarantine: [{entry}]\n".encode()
    case = Case(files={**BASE, WORKSPACE: settings, "tests/engine/test_core.py": content})
    return [one.message for one in RULE.check(facts_of(case))]


@pytest.mark.parametrize("node", ["TestA", "TestA::test_b", "TestA::test_b[1]", "test_c"])
def test_there(node: str) -> None:
    assert found(node) == []


@pytest.mark.parametrize("node", ["TestB", "TestA::test_c", "TestA::test_c[1]", "test_b[1]", "TestB::test_b"])
def test_gone(node: str) -> None:
    name = f"engine/test_core.py::{node}"
    assert found(node) == [f'"{name}" is in quarantine, and "tests/engine/test_core.py" has no such test']


def test_what_comes_from_elsewhere_may_be_there() -> None:
    assert found("TestB[1]", b"from tests.common import *\n") == []
