"""What a repository's own settings tell pytest about collecting."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pipegen.commands import PytestSettings, pytest_settings
from tests.support.workspaces import write

DEFAULT = PytestSettings()


def read(files: dict[str, str], *folders: str) -> PytestSettings | None:
    return pytest_settings(files.get, folders or ("tests", ""))


@pytest.mark.parametrize(
    ("files", "names"),
    [
        ({}, ("test_*.py", "*_test.py")),
        ({"pytest.ini": "[pytest]\npython_files = check_*.py test_*.py\n"}, ("check_*.py", "test_*.py")),
        ({"pytest.ini": "[pytest]\npython_files =\n    check_*.py\n    'a b.py'\n"}, ("check_*.py", "a b.py")),
        ({"pyproject.toml": '[tool.pytest.ini_options]\npython_files = ["check_*.py"]\n'}, ("check_*.py",)),
        ({"pyproject.toml": '[tool.pytest.ini_options]\npython_files = "check_*.py"\n'}, ("check_*.py",)),
        ({"setup.cfg": "[tool:pytest]\npython_files = check_*.py\n"}, ("check_*.py",)),
        ({"tox.ini": "[pytest]\npython_files = check_*.py\n"}, ("check_*.py",)),
        ({"pytest.ini": "", "tox.ini": "[pytest]\npython_files = check_*.py\n"}, ("test_*.py", "*_test.py")),
        ({"pyproject.toml": "[tool.other]\n", "tox.ini": "[pytest]\npython_files = c_*.py\n"}, ("c_*.py",)),
    ],
)
def test_names_of_test_files(files: dict[str, str], names: tuple[str, ...], tmp_path: Path) -> None:
    """And the real pytest, asked which files it collects, agrees."""
    found = read(files)
    assert found is not None
    assert found.python_files == names
    candidates = ("check_a.py", "test_a.py", "a_test.py", "c_a.py", "a b.py")
    write(tmp_path, {**files, **dict.fromkeys(candidates, "def test_it(): pass\n")})
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "--import-mode=importlib"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    real = {line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line}
    assert real == {name for name in candidates if any(Path(name).match(pattern) for pattern in names)}


def test_other_settings() -> None:
    found = read(
        {"pytest.ini": "[pytest]\nnorecursedirs = old .*\ntestpaths = tests more\naddopts = -q\n  -m 'not slow'\n"}
    )
    assert found == PytestSettings(
        norecursedirs=("old", ".*"), testpaths=("tests", "more"), addopts=("-q", "-m", "not slow"), path="pytest.ini"
    )


def test_the_nearest_folder_counts() -> None:
    files = {"tests/pytest.ini": "[pytest]\npython_files = a.py\n", "pytest.ini": "[pytest]\npython_files = b.py\n"}
    found = read(files)
    assert found is not None
    assert found.python_files == ("a.py",)


@pytest.mark.parametrize(
    "files",
    [
        {"pytest.ini": "python_files = a.py\n"},
        {"pyproject.toml": "[tool.pytest\n"},
        {"pytest.ini": "[pytest]\npython_files = 'a\n"},
    ],
)
def test_what_cannot_be_read_is_not_known(files: dict[str, str]) -> None:
    assert read(files) is None


def test_odd_values_say_nothing() -> None:
    assert read({"pyproject.toml": "tool = 1\n"}) == DEFAULT
    assert read({"pyproject.toml": "[tool]\npytest = 1\n"}) == replace(DEFAULT, path="pyproject.toml")
    assert read({"pyproject.toml": "[tool.pytest.ini_options]\npython_files = 7\n"}) == replace(
        DEFAULT, path="pyproject.toml"
    )
