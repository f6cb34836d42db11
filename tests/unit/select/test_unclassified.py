"""Changed files that nothing in the workspace is about, and those that something is."""

import pytest

from pipegen.diagnostics import Severity
from pipegen.select import ChangedFiles, Everything
from pipegen.select.reach import Reach
from pipegen.select.unclassified import SHOWN, report_unclassified, unclassified
from tests.support.selection import WORKSPACE, Fleet, fleet


@pytest.fixture(scope="module")
def small() -> Fleet:
    cases = WORKSPACE.replace("selection:\n", "selection:\n  cases: [ci/cases.yaml]\n")
    return fleet(
        {
            ".buildkite/pipegen.yaml": cases + "listing: .buildkite/tree.txt\n",
            ".buildkite/tree.txt": "src/engine/a.py\n",
            "ci/cases.yaml": "cases: [{name: a, never: [base]}]\n",
        }
    )


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("tests/engine/test_a.py", True),
        ("tests/engine/deep/data.json", True),
        ("src/engine/a.py", True),
        ("src/engine/cpu/a.py", False),
        ("setup.py", True),
        ("csrc/a.cu", True),
        ("csrc/cpu/a.cpp", False),
        ("docs/a.rst", True),
        ("nobody/README.md", True),
        (".buildkite/pipegen.yaml", True),
        (".buildkite/hardware.yaml", True),
        (".buildkite/tree.txt", True),
        ("areas/engine.yaml", True),
        ("areas/deleted.yaml", True),
        ("templates/plain.yaml.j2", True),
        ("ci/cases.yaml", True),
        ("areas.yaml", False),
        ("src/other.py", False),
        ("tests/conftest.py", False),
        (".buildkite/other.yaml", False),
        ("../outside.py", False),
    ],
)
def test_what_something_is_about(small: Fleet, path: str, known: bool) -> None:
    found = unclassified(small.workspace, ChangedFiles(paths=(path,)), Reach.of(small.expansion))
    assert found == (() if known else (path,))


def test_without_changed_files_nothing_is_said(small: Fleet) -> None:
    for changes in (None, Everything(cause="git is gone"), ChangedFiles(paths=())):
        assert unclassified(small.workspace, changes, Reach.of(small.expansion)) == ()


def test_a_warning_for_each_and_one_for_the_rest(small: Fleet) -> None:
    paths = tuple(f"src/{number:03}.py" for number in range(SHOWN + 5))
    found = report_unclassified(paths, small.workspace)
    assert {one.severity for one in found} == {Severity.WARNING}
    assert [one.span.path for one in found[:-1]] == list(paths[:SHOWN])
    assert found[0].message == '"src/000.py" changed, and nothing in the workspace is about it'
    assert found[-1].message == "5 more files changed that nothing in the workspace is about"
    assert report_unclassified((), small.workspace) == ()
