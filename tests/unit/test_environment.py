"""The guard in tests/conftest.py: what a build or a developer has set does not reach the tests."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
AMBIENT = {
    "BUILDKITE": "true",
    "BUILDKITE_BRANCH": "release",
    "FORCE_COLOR": "1",
    "GIT_CONFIG_GLOBAL": "/nowhere/gitconfig",
    "GIT_DIR": "/nowhere/repository",
    "HOME": "/nowhere",
    "NO_COLOR": "1",
    "PIPEGEN_ANYTHING": "1",
    "PIPEGEN_CORPUS": "/nowhere/fleet",
}


def test_nothing_ambient_is_left() -> None:
    left = {name: os.environ[name] for name in AMBIENT if name in os.environ}
    assert set(left) == {"HOME", "GIT_CONFIG_GLOBAL"}
    assert all(Path(place).is_relative_to(left["HOME"]) for place in left.values())
    assert not {name for name in os.environ if name.startswith(("BUILDKITE", "PIPEGEN_"))}


def test_git_can_commit_in_a_temporary_repository(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=tmp_path, check=True, capture_output=True, text=True)
        return done.stdout

    git("init")
    (tmp_path / "a").write_text("a\n", encoding="utf-8")
    git("add", "a")
    git("commit", "-m", "first")
    assert git("log", "--format=%an %D") == "Pipegen Tests HEAD -> main\n"


@pytest.mark.parametrize("test", ["test_nothing_ambient_is_left", "test_git_can_commit_in_a_temporary_repository"])
def test_the_guard_holds_in_a_build(test: str) -> None:
    """The two tests above once more, from an environment that is as bad as it gets."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"{__file__}::{test}"],
        cwd=REPOSITORY,
        env={**os.environ, **AMBIENT},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
