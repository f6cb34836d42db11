"""What a command does not need it does not import, and git is asked no more often than it has to be.

Nothing here looks at a clock: `python -m bench.speed` does.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.repositories import Repository, script
from tests.support.workspaces import FILES, process_environment, workspace

IMPORTED = """\
import contextlib, json, sys
from pipegen.cli import main
with contextlib.suppress(SystemExit):
    main(json.loads(sys.argv[1]))
print("\\n" + json.dumps(sorted(sys.modules)))
"""
SLOW = ("git", "pathspec", "importlib.resources", "asyncio", "jsonschema", "multiprocessing")
"""Packages of others that take as long to import as a small workspace takes to generate."""
APART = ("pipegen.importer", "pipegen.rules", "pipegen.commands", "pipegen.upload", "pipegen.app.explain")
"""What other commands are made of."""


def imported(arguments: list[str], cwd: Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, json.dumps(arguments)],
        cwd=cwd,
        env=process_environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    modules: list[str] = json.loads(done.stdout.splitlines()[-1])
    return set(modules)


@pytest.mark.parametrize(
    "arguments", [["generate", "--all"], ["list", "jobs"], ["generate", "--changed-files", "/dev/null", "-o", "out"]]
)
def test_what_commands_import(tmp_path: Path, arguments: list[str]) -> None:
    modules = imported(arguments, workspace(tmp_path))
    assert "pipegen.expand.jobs" in modules
    assert modules & set(SLOW) == set()
    if arguments[0] == "generate":
        assert modules & set(APART) == set()


def test_a_pattern_of_more_than_one_star_needs_pathspec(tmp_path: Path) -> None:
    engine = FILES["areas/engine.yaml"]
    assert isinstance(engine, str)
    files = {"areas/engine.yaml": engine.replace("src/engine/", "src/*/engine/*.py")}
    assert "pathspec" in imported(["generate", "--all"], workspace(tmp_path, files))


@pytest.mark.parametrize("arguments", [["--version"], ["--no-such-option"], ["generate", "--help"], ["--help"]])
def test_words_about_pipegen_wait_for_no_git_and_no_import(tmp_path: Path, arguments: list[str]) -> None:
    modules = imported(arguments, tmp_path)
    assert modules & {"git", "pathspec", "jsonschema", "pipegen.importer.vllm"} == set()


def test_the_version_waits_for_nothing(tmp_path: Path) -> None:
    modules = imported(["--version"], tmp_path)
    assert modules & {"yaml", "jinja2", "pipegen.app", "pipegen.model"} == set()


def test_how_often_git_is_asked(tmp_path: Path) -> None:
    """HEAD, the base, what they share, whether the clone is shallow, what differs, and the folder's own path."""
    repository = Repository.create(tmp_path / "repository")
    root = workspace(repository.path)
    repository.commit("all")
    repository.git("branch", "base")
    repository.write("src/engine/core.py", b"changed\n")
    repository.commit("change")
    called = tmp_path / "called"
    git = script(tmp_path / "bin" / "git", f'echo "$@" >> "{called}"\nexec "{shutil.which("git")}" "$@"')
    environment = process_environment({"PATH": f"{git.parent}{os.pathsep}{os.environ['PATH']}"})
    done = subprocess.run(
        [sys.executable, "-m", "pipegen", "generate", "--base", "base"],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "engine-core" in done.stdout
    assert len(called.read_text(encoding="utf-8").splitlines()) <= 6
