"""What a lint of one branch is compared with."""

from pathlib import Path

import pytest

from pipegen.git import Comparison, Everything, Git, RevisionTree, base_commit
from pipegen.git.causes import GIT_MISSING, NO_COMMIT, UNKNOWN_BASE
from tests.support.repositories import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository.create(tmp_path / "repository")
    made.commit_files("a.py", message="first")
    made.commit_files("a.py", message="second")
    return made


def base(git: Git, revision: str = "main", *, uncommitted: bool = False) -> str | Everything | None:
    return base_commit(git, Comparison(base=revision), fetch=False, uncommitted=uncommitted)


def test_of_a_branch_is_where_it_begins(repository: Repository) -> None:
    start = repository.head
    repository.branch("topic")
    repository.commit_files("b.py")
    repository.switch("main")
    repository.commit_files("c.py")
    repository.switch("topic")
    assert base(repository.command) == start
    assert base(repository.command, uncommitted=True) == start


def test_of_the_base_itself_is_its_parent(repository: Repository) -> None:
    assert base(repository.command) == repository.id_of("HEAD^1")


def test_of_what_is_about_to_be_committed_on_the_base_is_the_base(repository: Repository) -> None:
    assert base(repository.command, uncommitted=True) == repository.head


def test_of_a_first_commit_there_is_none(tmp_path: Path) -> None:
    made = Repository.create(tmp_path / "first")
    made.commit_files("a.py")
    assert base(made.command) is None


def test_unknown(repository: Repository) -> None:
    found = base(repository.command, "origin/gone")
    assert isinstance(found, Everything)
    assert found.code == UNKNOWN_BASE


def test_no_commit(tmp_path: Path) -> None:
    found = base(Repository.create(tmp_path / "empty").command)
    assert isinstance(found, Everything)
    assert found.code == NO_COMMIT


def test_no_git(repository: Repository, tmp_path: Path) -> None:
    found = base(Git(folder=repository.path, environment={"PATH": str(tmp_path)}))
    assert isinstance(found, Everything)
    assert found.code == GIT_MISSING


class TestTreeOfAnIndex:
    def test_holds_what_is_staged(self, repository: Repository) -> None:
        repository.write("sub/new.py", "staged\n")
        repository.git("add", "sub/new.py")
        repository.write("sub/new.py", "edited since\n")
        repository.write("untracked.py")
        tree = RevisionTree.of_index(repository.command)
        assert tree.under(".") == ("a.py", "sub/new.py")
        assert tree.read("sub/new.py", limit=100) == b"staged\n"
        assert RevisionTree.of_index(repository.command_in("sub")).under(".") == ("new.py",)

    def test_of_another_index(self, repository: Repository, tmp_path: Path) -> None:
        index = {"GIT_INDEX_FILE": str(tmp_path / "index")}
        repository.write("new.py", "staged\n")
        repository.git("add", "new.py", extra=index)
        assert RevisionTree.of_index(repository.command, index_file=index["GIT_INDEX_FILE"]).under(".") == ("new.py",)
