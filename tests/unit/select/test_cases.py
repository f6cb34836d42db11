"""Selection cases: files of them, what they may say, and what is reported where selection does otherwise."""

import pytest

from pipegen import codes as core
from pipegen.diagnostics import Diagnostic
from pipegen.manifest.cases import SelectionCase, decode_cases, load_cases
from pipegen.manifest.located import Report
from pipegen.manifest.yaml import parse_yaml
from pipegen.select.cases import check_cases
from pipegen.select.codes import SELECTION_CASE
from pipegen.source import MappingTree
from tests.support.selection import IMAGES, WORKSPACE, Fleet, fleet


def _decoded(text: str) -> tuple[tuple[SelectionCase, ...], list[Diagnostic]]:
    report = Report()
    root = parse_yaml(text.encode(), "ci/cases.yaml", report)
    assert root is not None, report.found
    return decode_cases(root, report), report.found


def _unmet(text: str, given: Fleet | None = None) -> list[str]:
    cases, found = _decoded(text)
    assert found == []
    small = given or fleet()
    unmet = check_cases(small.expansion, small.workspace, small.entries, cases)
    assert {one.code for one in unmet} <= {SELECTION_CASE}
    return [f"{one.span.line}: {one.message}" for one in unmet]


@pytest.mark.parametrize(
    "case",
    [
        "{name: a, changed: [src/rocm/a.py], exactly: [amd-engine]}",
        "{name: a, changed: src/rocm/a.py, exactly: [amd-engine, image-amd]}",
        "{name: a, changed: [src/engine/a.py], at_least: [engine], never: [engine-deep]}",
        "{name: a, changed: [docs/a.md], never: [image-amd]}",
        "{name: a, changed: [docs/a.md], exactly: []}",
        "{name: a, schedule: nightly, at_least: engine-deep}",
        "{name: a, environment: {NIGHTLY: 1}, at_least: engine-deep}",
        "{name: a, labels: [ready], at_least: [engine, engine-deep]}",
        "{name: a, changed: [areas/engine.yaml], exactly: [engine, amd-engine, engine-deep, image, base]}",
        "{name: a, changed: [templates/shared.j2], exactly: []}",
    ],
)
def test_cases_that_hold(case: str) -> None:
    assert _unmet(f"cases:\n  - {case}\n") == []


@pytest.mark.parametrize(
    ("case", "unmet"),
    [
        (
            "{name: a, changed: [src/rocm/a.py], exactly: [engine]}",
            [
                '2: case "a": "engine" does not run: no changed file is of its tests or sources',
                '2: case "a": "amd-engine" runs as well: "src/rocm/a.py" changed, which its source "src/rocm/" guards',
            ],
        ),
        (
            "{name: a, changed: [src/engine/a.py], never: [engine, base]}",
            [
                '2: case "a": "engine" runs: "src/engine/a.py" changed, which its source "src/engine/" guards',
                '2: case "a": "base" runs: "image" waits for it',
            ],
        ),
        ("{name: a, changed: [docs/a.md], at_least: [engin]}", ['2: case "a": unknown key "engin"']),
        (
            "{name: a, schedule: hourly, at_least: [engine]}",
            ['2: case "a": unknown schedule "hourly"'],
        ),
    ],
)
def test_cases_that_do_not_hold(case: str, unmet: list[str]) -> None:
    assert _unmet(f"cases:\n  - {case}\n") == unmet


def test_a_renamed_job_is_named() -> None:
    given = fleet({"areas/images.yaml": IMAGES.replace("{key: base,", "{key: base, was: [old-base],")})
    cases, _ = _decoded("cases: [{name: a, never: [old-base]}]")
    (found,) = check_cases(given.expansion, given.workspace, given.entries, cases)
    assert found.help == 'it is "base" now'


def test_the_place_and_what_decided() -> None:
    text = "cases:\n  - name: no engine\n    changed: [setup.py]\n    never:\n      - engine\n"
    cases, _ = _decoded(text)
    small = fleet()
    (found,) = check_cases(small.expansion, small.workspace, small.entries, cases)
    assert str(found.span) == "ci/cases.yaml:5:9"
    assert (found.related[0].span.path, found.related[0].note) == (".buildkite/pipegen.yaml", "this decides")


@pytest.mark.parametrize(
    ("case", "code", "message"),
    [
        ("{name: a, changed: [b]}", core.MISSING_KEY, "a selection case says nothing about any job"),
        ("{changed: [b], never: [c]}", core.MISSING_KEY, 'a selection case lacks "name"'),
        ("{name: a, exactly: [b], never: [c]}", core.CONTRADICTION, '"exactly" says all that "never" could'),
        ("{name: a, exactly: [b], at_least: [c]}", core.CONTRADICTION, '"exactly" says all that "at_least" could'),
        ("{name: a, changes: [b], never: [c]}", core.UNKNOWN_KEY, 'unknown key "changes" in a selection case'),
        ("{name: a, never: ['no key!']}", core.BAD_NAME, "never"),
    ],
)
def test_mistakes_in_cases(case: str, code: object, message: str) -> None:
    _, found = _decoded(f"cases:\n  - {case}\n")
    assert [one.code for one in found] == [code]
    assert found[0].message.startswith(message)


def test_cases_are_read_from_the_files_that_the_workspace_names() -> None:
    files = {
        ".buildkite/pipegen.yaml": WORKSPACE.replace("selection:\n", "selection:\n  cases: [ci/a.yaml, ci/b.yaml]\n"),
        "ci/a.yaml": "cases: [{name: a, never: [base]}]",
        "ci/b.yaml": "cases: [{name: b, never: [base]}]",
    }
    small = fleet(files)
    tree = MappingTree(files={path: text.encode() for path, text in files.items()})
    report = Report()
    assert [case.name.text for case in load_cases(tree, small.workspace, report)] == ["a", "b"]
    assert report.found == []


def test_a_file_of_cases_that_is_no_yaml_is_reported_in_its_place() -> None:
    files = {
        ".buildkite/pipegen.yaml": WORKSPACE.replace("selection:\n", "selection:\n  cases: ci/a.yaml\n"),
        "ci/a.yaml": "cases: [",
    }
    small = fleet(files)
    tree = MappingTree(files={path: text.encode() for path, text in files.items()})
    report = Report()
    assert load_cases(tree, small.workspace, report) == ()
    assert [(one.code, one.span.path) for one in report.found] == [(core.YAML_SYNTAX, "ci/a.yaml")]
