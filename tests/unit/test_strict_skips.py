"""The plugin that keeps a skip from passing for a success, run on real test files in a pytest of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.strict_skips import strict_markers

REPOSITORY = Path(__file__).parents[2]

MARKED = """\
import pytest

pytestmark = pytest.mark.{marker}

@pytest.fixture
def unavailable():
    pytest.skip("no such thing in a fixture")

@pytest.mark.skip(reason="by its mark")
def test_by_mark():
    raise AssertionError

def test_by_fixture(unavailable):
    raise AssertionError

def test_by_call():
    pytest.skip("in the test")

@pytest.mark.xfail(reason="not a skip", strict=True)
def test_expected_failure():
    raise AssertionError

def test_runs():
    assert True
"""
UNMARKED = """\
import pytest

def test_by_call():
    pytest.skip("in the test")

def test_runs():
    assert True
"""
MODULE = """\
import pytest

pytest.skip("the whole module", allow_module_level=True)
"""


def run_pytest(folder: Path, source: str, environment: dict[str, str]) -> tuple[int, dict[str, int], str]:
    """Run one test file with nothing but the plugin; returns the exit code, the counts and the output."""
    (folder / "test_sample.py").write_text(source, encoding="utf-8")
    ini = "[pytest]\nmarkers =\n  agent: a\n  corpus: c\n"
    (folder / "pytest.ini").write_text(ini, encoding="utf-8")
    ours = ("CI", "PIPEGEN_CORPUS", "PYTEST_ADDOPTS")
    bare = {name: value for name, value in os.environ.items() if name not in ours}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.support.strict_skips", "-p", "no:cacheprovider"],
        cwd=folder,
        env={**bare, "PYTHONPATH": str(REPOSITORY), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    summary = done.stdout.rstrip().splitlines()[-1]
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", summary.split(" in ")[0])}
    return done.returncode, counts, done.stdout


STRICT = {"failed": 1, "errors": 2, "passed": 1, "xfailed": 1}  # a skip before the test's call is an error
LAX = {"skipped": 3, "passed": 1, "xfailed": 1}


@pytest.mark.parametrize(
    ("marker", "environment", "code", "counts"),
    [
        ("corpus", {"PIPEGEN_CORPUS": "somewhere"}, 1, STRICT),
        ("corpus", {"PIPEGEN_CORPUS": ""}, 0, LAX),
        ("corpus", {"CI": "true"}, 0, LAX),
        ("agent", {"CI": "true"}, 1, STRICT),
        ("agent", {"CI": "false"}, 0, LAX),
        ("agent", {"PIPEGEN_CORPUS": "somewhere"}, 0, LAX),
    ],
)
def test_marked_tests(
    tmp_path: Path, marker: str, environment: dict[str, str], code: int, counts: dict[str, int]
) -> None:
    returncode, counted, output = run_pytest(tmp_path, MARKED.format(marker=marker), environment)
    assert (returncode, counted) == (code, counts), output


def test_the_failure_says_why(tmp_path: Path) -> None:
    _, _, output = run_pytest(tmp_path, MARKED.format(marker="agent"), {"CI": "true"})
    for reason in ("by its mark", "no such thing in a fixture", "in the test"):
        assert f"a test marked agent may not be skipped here: Skipped: {reason}" in output


def test_unmarked_tests_may_skip(tmp_path: Path) -> None:
    environment = {"CI": "true", "PIPEGEN_CORPUS": "somewhere"}
    returncode, counted, output = run_pytest(tmp_path, UNMARKED, environment)
    assert (returncode, counted) == (0, {"passed": 1, "skipped": 1}), output


@pytest.mark.parametrize(("environment", "code"), [({"CI": "true"}, 2), ({}, 5)])
def test_a_module_may_not_skip_itself(tmp_path: Path, environment: dict[str, str], code: int) -> None:
    returncode, _, output = run_pytest(tmp_path, MODULE, environment)
    assert returncode == code, output
    assert ("a module may not skip itself here" in output) == (code == 2)


def test_which_markers_are_strict() -> None:
    assert strict_markers({}) == ()
    assert strict_markers({"CI": "1"}) == ()
    assert strict_markers({"CI": "true", "PIPEGEN_CORPUS": "x"}) == ("agent", "corpus")
