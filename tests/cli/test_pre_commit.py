"""The hook, run by the real pre-commit and by git alone, in scratch repositories.

pre-commit would install pipegen from a repository; here the hook that `.pre-commit-hooks.yaml` offers is used as it
stands, but for its language: `pipegen` is already on PATH.
"""

import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.support.repositories import Repository, script
from tests.support.workspaces import ENGINE, REPOSITORY, TEMPLATE, Content, workspace, write

pytestmark = pytest.mark.slow  # git starts pre-commit, and that starts pipegen

MANIFEST: Final = REPOSITORY / ".pre-commit-hooks.yaml"
SMALL: Final[dict[str, Content]] = {
    "templates/plain.yaml.j2": TEMPLATE,
    "tests/engine/test_core.py": "",
    "tests/old/test_old.py": "def test_old():\n    assert True\n",
    "src/engine/core.py": "",
    "areas/engine.yaml": ENGINE.replace("[engine/]\n    hardware", "[engine/, old/]\n    hardware"),
}
ALONE: Final = "tests/alone/test_alone.py"
OWNED: Final = "tests/engine/test_more.py"
NEW_AREA: Final = """\
group: Alone
owner: core
sources: [src/engine/]

areas:
  alone:
    tests: [alone/]
    hardware: l4
    timeout_in_minutes: 30
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """How a `git commit` ended, and what its hook printed."""

    status: int
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scratch:
    """A repository with a workspace, and the hook in it."""

    repository: Repository
    environment: dict[str, str]

    @property
    def path(self) -> Path:
        return self.repository.path

    def run(self, *words: str) -> Committed:
        done = subprocess.run(words, cwd=self.path, env=self.environment, capture_output=True, check=False, timeout=60)
        return Committed(status=done.returncode, output=(done.stdout + done.stderr).decode())

    def git(self, *words: str) -> None:
        done = self.run("git", *words)
        assert done.status == 0, done.output

    def commit(self, *words: str) -> Committed:
        return self.run("git", "commit", "-m", "change", *words)

    def lint(self, *words: str) -> Committed:
        return self.run("pipegen", "lint", *words)


def hook() -> dict[str, Any]:
    """What `.pre-commit-hooks.yaml` offers."""
    (found,) = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """pipegen on PATH, and git as it is without settings: pre-commit installs nothing where `core.hooksPath` is set."""
    python = shlex.quote(sys.executable)
    script(tmp_path / "bin/pipegen", f'PYTHONPATH={shlex.quote(str(REPOSITORY))} exec {python} -m pipegen "$@"')
    settings = tmp_path / "gitconfig"
    settings.write_text("[user]\n\tname = Pipegen Tests\n\temail = tests@pipegen.invalid\n", encoding="utf-8")
    return {
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "PRE_COMMIT_HOME": str(tmp_path / "cache"),
        "GIT_CONFIG_GLOBAL": str(settings),
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def installed(root: Path, environment: dict[str, str], **changes: str) -> Scratch:
    """A first commit of everything below a folder, and pre-commit's hook for all that follow."""
    made = Repository.create(root)
    wanted = {**hook(), "language": "system", **changes}
    config = {"repos": [{"repo": "local", "hooks": [wanted]}]}
    made.write(".pre-commit-config.yaml", yaml.safe_dump(config))
    made.commit("first")
    scratch = Scratch(repository=made, environment=environment)
    done = scratch.run(sys.executable, "-m", "pre_commit", "install")
    assert done.status == 0, done.output
    return scratch


@pytest.fixture
def scratch(tmp_path: Path, environment: dict[str, str]) -> Scratch:
    return installed(workspace(tmp_path / "scratch", SMALL), environment)


def refused(done: Committed) -> str:
    """What the hook said against a commit."""
    assert done.status == 1
    assert "pipegen lint" in done.output
    assert "Failed" in done.output
    return done.output


def passed(done: Committed) -> bool:
    assert done.status == 0, done.output
    return "Passed" in done.output


class TestTheHook:
    def test_is_one(self) -> None:
        own = REPOSITORY / ".pre-commit-config.yaml"
        for command, file in (("validate-manifest", MANIFEST), ("validate-config", own)):
            done = subprocess.run([sys.executable, "-m", "pre_commit", command, file], capture_output=True, check=False)
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")

    def test_looks_at_the_whole_repository_at_every_commit(self) -> None:
        found = hook()
        assert found["id"] == "pipegen-lint"
        assert (found["always_run"], found["pass_filenames"], found["language"]) == (True, False, "python")
        assert found["stages"] == ["pre-commit"]
        assert found["entry"] == "pipegen lint"


class TestTests:
    def test_added_to_an_owned_directory(self, scratch: Scratch) -> None:
        write(scratch.path, {OWNED: ""})
        scratch.git("add", "--all")
        assert passed(scratch.commit())

    def test_in_a_new_directory(self, scratch: Scratch) -> None:
        write(scratch.path, {ALONE: ""})
        scratch.git("add", "--all")
        said = refused(scratch.commit())
        assert f"{ALONE}:1:1 PG201" in said
        assert 'tests: ["alone/"]' in said, "the line to add"
        write(scratch.path, {"areas/alone.yaml": NEW_AREA})
        scratch.git("add", "--all")
        assert passed(scratch.commit())

    def test_in_a_directory_that_is_deleted(self, scratch: Scratch) -> None:
        scratch.git("rm", "-r", "--quiet", "tests/old")
        said = refused(scratch.commit())
        assert 'areas/engine.yaml:7:22 PG207 finding: tests: "old/" is no file or directory' in said
        assert "= help: take it out of tests" in said

    def test_in_a_directory_that_is_renamed(self, scratch: Scratch) -> None:
        scratch.repository.rename("tests/old", "tests/sub/new")
        said = refused(scratch.commit())
        assert 'tests: "old/" is no file or directory: it is "sub/new/" now' in said
        assert '= help: write "sub/new/"' in said
        assert scratch.lint("--fix").status == 0
        scratch.git("add", "--all")
        assert passed(scratch.commit())


class TestWhere:
    def test_a_project_in_a_folder(self, tmp_path: Path, environment: dict[str, str]) -> None:
        workspace(tmp_path / "mono/project", SMALL)
        write(tmp_path / "mono", {"tests/test_elsewhere.py": ""})
        scratch = installed(tmp_path / "mono", environment, entry="pipegen -C project lint")
        write(scratch.path, {f"project/{OWNED}": "", "other/tests/test_more.py": ""})
        scratch.git("add", "--all")
        assert passed(scratch.commit())
        write(scratch.path, {f"project/{ALONE}": ""})
        scratch.git("add", "--all")
        assert f"project/{ALONE}:1:1 PG201" in refused(scratch.commit())

    def test_a_linked_worktree(self, scratch: Scratch, tmp_path: Path) -> None:
        linked = Scratch(
            repository=scratch.repository.worktree(tmp_path / "linked", "topic"), environment=scratch.environment
        )
        write(linked.path, {ALONE: ""})
        linked.git("add", "--all")
        assert f"{ALONE}:1:1 PG201" in refused(linked.commit())
        linked.git("rm", "-r", "--quiet", "--force", "tests/alone")
        write(linked.path, {OWNED: ""})
        linked.git("add", "--all")
        assert passed(linked.commit())


class TestWhatIsCommitted:
    """A commit is judged by what it holds, not by what lies about beside it."""

    def test_part_of_what_is_staged(self, scratch: Scratch) -> None:
        write(scratch.path, {OWNED: "", ALONE: ""})
        scratch.git("add", "--all")
        assert passed(scratch.commit(OWNED))
        assert f"{ALONE}:1:1 PG201" in refused(scratch.commit(ALONE))

    def test_without_the_manifest_that_is_staged_beside_it(self, scratch: Scratch) -> None:
        write(scratch.path, {ALONE: "", "areas/alone.yaml": NEW_AREA})
        scratch.git("add", "--all")
        assert f"{ALONE}:1:1 PG201" in refused(scratch.commit(ALONE))
        assert passed(scratch.commit())

    def test_without_the_edit_that_is_not_staged(self, scratch: Scratch) -> None:
        write(scratch.path, {ALONE: ""})
        scratch.git("add", "--all")
        write(scratch.path, {"areas/engine.yaml": str(SMALL["areas/engine.yaml"]).replace("old/]", "old/, alone/]")})
        assert f"{ALONE}:1:1 PG201" in refused(scratch.commit())
        assert passed(scratch.commit("--all"))

    def test_untracked_tests(self, scratch: Scratch) -> None:
        """They are reported to whoever lints, and keep nobody from committing something else."""
        write(scratch.path, {OWNED: "", ALONE: ""})
        scratch.git("add", OWNED)
        assert passed(scratch.commit())
        assert f"{ALONE}:1:1 PG201" in scratch.lint().output


class TestAllFiles:
    def test_in_a_clone(self, scratch: Scratch, tmp_path: Path) -> None:
        write(scratch.path, {ALONE: ""})
        scratch.git("add", "--all")
        scratch.git("commit", "--quiet", "--no-verify", "-m", "past the hook")
        clone = Scratch(repository=scratch.repository.clone(tmp_path / "clone"), environment=scratch.environment)
        assert f"{ALONE}:1:1 PG201" in refused(clone.run(sys.executable, "-m", "pre_commit", "run", "--all-files"))


class TestAHookOfGitAlone:
    """Nobody takes what is not staged off the disk there."""

    @pytest.fixture
    def scratch(self, tmp_path: Path, environment: dict[str, str]) -> Scratch:
        made = Repository.create(workspace(tmp_path / "scratch", SMALL))
        made.commit("first")
        script(made.path / ".git/hooks/pre-commit", "exec pipegen lint")
        return Scratch(repository=made, environment=environment)

    def test_without_the_edit_that_is_not_staged(self, scratch: Scratch) -> None:
        write(scratch.path, {ALONE: ""})
        scratch.git("add", "--all")
        write(scratch.path, {"areas/engine.yaml": str(SMALL["areas/engine.yaml"]).replace("old/]", "old/, alone/]")})
        done = scratch.commit()
        assert (done.status, f"{ALONE}:1:1 PG201" in done.output) == (1, True)
        assert "no findings" in scratch.lint().output
        assert scratch.commit("--all").status == 0

    def test_part_of_what_is_staged(self, scratch: Scratch) -> None:
        write(scratch.path, {OWNED: "", ALONE: "", "areas/alone.yaml": NEW_AREA})
        scratch.git("add", "--all")
        assert scratch.commit(ALONE).status == 1
        assert scratch.commit(OWNED).status == 0
