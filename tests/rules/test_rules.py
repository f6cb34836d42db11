"""Each rule on workspaces of its own: in the bad ones it alone speaks, in the good one nobody does.

A rule has a folder of its name, with a folder for each case: `good…`, `bad…` with the exact output, and, of a bad one
whose fix is made by itself, `fixed…`, the files that it changes. See `tests.support.rules`.
"""

import inspect
import random
import sys

import pytest

from pipegen.diagnostics import Diagnostic
from pipegen.rules import RULES
from pipegen.rules.frame import Rule
from tests.support.golden import Golden
from tests.support.rules import (
    APART,
    BASE,
    CASES,
    EXPECTED,
    Case,
    authored,
    facts_of,
    fixed,
    found_in,
    printed,
    read_case,
)

BY_NAME = {rule.name: rule for rule in RULES}
SHUFFLES = 3


def cases(kind: str) -> list[str]:
    """The cases of all rules: `RULE/CASE`."""
    return sorted(f"{path.parent.name}/{path.name}" for path in CASES.glob(f"*/{kind}*") if path.is_dir())


def rule_of(case: str) -> Rule:
    return BY_NAME[case.split("/", maxsplit=1)[0]]


def found(case: Case) -> tuple[Diagnostic, ...]:
    return found_in(facts_of(case))


def test_nothing_is_found_in_the_base() -> None:
    assert printed(Case(files=BASE), found(Case(files=BASE))) == ""


@pytest.mark.parametrize("name", BY_NAME)
def test_a_rule_has_a_page_and_cases(name: str) -> None:
    rule = BY_NAME[name]
    page = inspect.getdoc(sys.modules[rule.check.__module__]) or ""
    assert page.split("\n")[0].endswith("."), "the first line says what it finds"
    assert len(page.split("\n\n")) > 1, "then comes why, and what to do about it"
    assert sys.modules[rule.check.__module__].__name__.endswith(f".{name.replace('-', '_')}"), "one file per rule"
    kinds = {path.name.split("-")[0] for path in (CASES / name).iterdir() if path.is_dir()}
    assert {"good", "bad"} <= kinds <= {"good", "bad", "fixed"}


def test_every_folder_is_a_rules() -> None:
    assert {path.name for path in CASES.iterdir() if path.is_dir() and path.name != "__pycache__"} == set(BY_NAME)


def test_rules_stand_by_their_codes_and_share_none() -> None:
    every = [code.code for rule in RULES for code in rule.codes]
    assert every == sorted(set(every))


@pytest.mark.parametrize("name", BY_NAME)
def test_every_code_of_a_rule_has_a_bad_case(name: str) -> None:
    shown = {one.code for case in cases("bad") if rule_of(case).name == name for one in found(read_case(CASES / case))}
    assert shown == set(BY_NAME[name].codes)


@pytest.mark.parametrize("case", cases("good"))
def test_good(case: str) -> None:
    good = read_case(CASES / case)
    assert printed(good, found(good)) == ""


@pytest.mark.parametrize("case", cases("bad"))
def test_bad(case: str, golden: Golden) -> None:
    """The rule speaks, and no other one does: one cause, one diagnostic."""
    bad = read_case(CASES / case)
    diagnostics = found(bad)
    golden.check(CASES / case / EXPECTED, printed(bad, diagnostics))
    assert diagnostics
    assert {one.code for one in diagnostics} <= set(rule_of(case).codes)


@pytest.mark.parametrize("case", cases("bad"))
def test_fixed(case: str, golden: Golden) -> None:
    """What has a fix is fixed by it, and what the fix leaves is what it says; the rest of each file stays as it was."""
    bad = read_case(CASES / case)
    diagnostics = found(bad)
    rule, name = case.split("/")
    folder = CASES / rule / name.replace("bad", "fixed", 1)
    if not any(one.fix for one in diagnostics):
        assert not folder.exists(), "nothing is fixed in this case"
        return
    after = fixed(bad, diagnostics)
    changed = {path for path, content in after.files.items() if bad.files[path] != content}
    for path in sorted(changed):
        if golden.update:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
        golden.check(folder / path, after.files[path].decode())
    assert set(authored(folder)) == changed
    left = [one for one in diagnostics if not one.fix]
    assert [(one.code, one.message) for one in found(after)] == [(one.code, one.message) for one in left]


@pytest.mark.parametrize("case", [*cases("bad"), *cases("good")])
def test_no_order_counts(case: str) -> None:
    """Whatever order files, jobs, claims and pipelines come in."""
    given = read_case(CASES / case)
    expected = found(given)
    for seed in range(SHUFFLES):
        assert found_in(facts_of(given, chance=random.Random(seed))) == expected


def test_cases_hold_no_tests_of_their_own() -> None:
    """pytest would collect them: the empty files of a case stand in its files.txt."""
    held = [path for path in CASES.glob("*/*/**/*") if path.is_file() and path.name not in APART]
    assert [path for path in held if path.name.startswith("test_") or path.name.endswith("_test.py")] == []
