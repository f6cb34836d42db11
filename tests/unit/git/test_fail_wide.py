"""Never fewer jobs because something went wrong: each cause has a code of its own, and says what to do."""

from pathlib import Path

import pytest

from pipegen.diagnostics import Code, Severity
from pipegen.git import Comparison, Everything, Git, causes, change_set
from tests.support.repositories import Repository, script

MAIN = Comparison(configured_base="main")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository.create(tmp_path / "repository")
    made.commit_files("a.py")
    made.branch("topic")
    made.commit_files("b.py")
    return made


def everything(git: Git, comparison: Comparison = MAIN, *, fetch: bool = True) -> Everything:
    found = change_set(git, comparison, fetch=fetch)
    assert isinstance(found, Everything), found
    assert found.why
    assert "\n" not in found.why + found.help
    assert found.help
    return found


def check(found: Everything, code: Code, *words: str) -> None:
    assert found.code is code
    for word in words:
        assert word in found.why


def test_causes_are_warnings_with_codes_and_names_of_their_own() -> None:
    assert len({cause.code for cause in causes.CAUSES}) == len({cause.name for cause in causes.CAUSES}) == 10
    assert all(cause.severity is Severity.WARNING and cause.code.startswith("PG4") for cause in causes.CAUSES)


def test_no_git(repository: Repository, tmp_path: Path) -> None:
    git = Git(folder=repository.path, environment={"PATH": str(tmp_path / "nowhere")})
    check(everything(git), causes.GIT_MISSING, "git cannot be run", "no such file")


def test_git_that_cannot_be_run(repository: Repository, tmp_path: Path) -> None:
    script(tmp_path / "bin/git", "").chmod(0o644)
    git = Git(folder=repository.path, environment={"PATH": str(tmp_path / "bin")})
    check(everything(git), causes.GIT_MISSING, "permission denied")


def test_git_that_fails(repository: Repository, tmp_path: Path) -> None:
    script(tmp_path / "bin/git", "echo 'warning: so it begins' >&2; echo 'fatal: out of luck' >&2; exit 128")
    git = Git(folder=repository.path, environment={"PATH": str(tmp_path / "bin")})
    check(everything(git), causes.GIT_FAILED, "git rev-parse failed: out of luck")


def test_git_that_dies_without_a_word(repository: Repository, tmp_path: Path) -> None:
    script(tmp_path / "bin/git", "kill -9 $$")
    git = Git(folder=repository.path, environment={"PATH": str(tmp_path / "bin")})
    check(everything(git), causes.GIT_FAILED, "exit status -9")


def test_a_repository_of_somebody_else(repository: Repository) -> None:
    """git refuses it; the help says how to allow it. The variable is git's own way of testing that."""
    git = repository.command_in("", {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"})
    found = everything(git)
    check(found, causes.GIT_FAILED, "dubious ownership")
    assert found.help == f"trust the folder: git config --global --add safe.directory {repository.path}"


def test_a_repository_of_somebody_else_that_the_caller_trusts(repository: Repository) -> None:
    """How container images say it: in the environment, or for the whole system. Neither is scrubbed."""
    trusting = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    git = repository.command_in("", {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1", **trusting})
    assert not isinstance(change_set(git, MAIN, fetch=False), Everything)


def test_a_damaged_repository(repository: Repository) -> None:
    for place in (repository.path / ".git/objects").glob("??/*"):
        place.chmod(0o644)
        place.write_bytes(b"")
    assert everything(repository.command).code is causes.GIT_FAILED


def test_no_repository(tmp_path: Path) -> None:
    git = Repository(path=tmp_path).command_in("", {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)})
    check(everything(git), causes.NOT_A_REPOSITORY)


def test_no_such_folder(tmp_path: Path) -> None:
    git = Repository(path=tmp_path / "nowhere").command
    check(everything(git), causes.GIT_FAILED, "nowhere")


def test_no_commit(tmp_path: Path) -> None:
    check(everything(Repository.create(tmp_path / "fresh").command), causes.NO_COMMIT)


def test_no_base(repository: Repository) -> None:
    found = everything(repository.command, Comparison())
    check(found, causes.NO_BASE, "selection.base")


@pytest.mark.parametrize(
    "comparison",
    [
        Comparison(base="--output=owned"),
        Comparison(merge_queue_base="-n"),
        Comparison(pull_request_base="-x"),
        Comparison(configured_base="--upload-pack=touch owned"),
        Comparison(base="main\n--all"),
        Comparison(base="main\0"),
    ],
)
def test_a_base_that_could_be_an_option(repository: Repository, comparison: Comparison) -> None:
    repository.git("remote", "add", "origin", repository.url)
    check(everything(repository.command, comparison), causes.BAD_BASE)
    assert not (repository.path / "owned").exists()


@pytest.mark.parametrize(
    "name",
    ["mian", "origin/main", "HEAD:a.py", "HEAD^{tree}", "main..topic", "0" * 40, "a b", "@{u}", "é", "main^{/x", "@"],
)
def test_a_base_that_is_no_commit_here(repository: Repository, name: str) -> None:
    """`@` stands for HEAD elsewhere; as a branch it is none."""
    comparison = Comparison(pull_request_base=name) if name == "@" else Comparison(base=name)
    found = everything(repository.command, comparison)
    check(found, causes.UNKNOWN_BASE, f'"{name}"', "no remote")


def test_unrelated_histories(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--orphan", "island")
    repository.commit_files("c.py")
    check(everything(repository.command), causes.NO_MERGE_BASE, '"main"')


class TestEmptyDiff:
    def test_a_commit_without_changes(self, repository: Repository) -> None:
        repository.switch("main")
        repository.branch("empty")
        repository.commit("build again")
        check(everything(repository.command), causes.EMPTY_DIFF, "merge base", "of main and HEAD")

    def test_changes_that_were_taken_back(self, repository: Repository) -> None:
        repository.remove("b.py")
        repository.commit("take it back")
        check(everything(repository.command), causes.EMPTY_DIFF)
