"""Where a repository is, and which files it has."""

import json
import sys
from pathlib import Path

import pytest

from pipegen.git import (
    Git,
    GitFailedError,
    GitMissingError,
    NotARepositoryError,
    changed_on_disk,
    repository_root,
    tracked_files,
)
from tests.support.repositories import Repository, script

PROJECT = Path(__file__).parents[3]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository.create(tmp_path / "repository")
    made.commit_files("README.md", "project/a.py", "project/tests/größe b.py")
    return made


class TestTrackedFiles:
    def test_of_a_repository(self, repository: Repository) -> None:
        assert tracked_files(repository.command) == ("README.md", "project/a.py", "project/tests/größe b.py")

    def test_of_a_folder_are_its_own(self, repository: Repository) -> None:
        assert tracked_files(repository.command_in("project")) == ("a.py", "tests/größe b.py")

    def test_of_a_folder_without_any(self, repository: Repository) -> None:
        (repository.path / "empty").mkdir()
        assert tracked_files(repository.command_in("empty")) == ()

    def test_of_a_fresh_repository(self, tmp_path: Path) -> None:
        assert tracked_files(Repository.create(tmp_path / "fresh").command) == ()

    def test_what_the_index_says_and_not_the_disk(self, repository: Repository) -> None:
        repository.remove("project/a.py")
        repository.write("staged.py")
        repository.git("add", "staged.py")
        repository.write("untracked.py")
        assert tracked_files(repository.command) == (
            "README.md",
            "project/a.py",
            "project/tests/größe b.py",
            "staged.py",
        )

    def test_untracked_ones_too(self, repository: Repository) -> None:
        repository.write(".gitignore", "*.log\n")
        for name in ("new.py", "noise.log", "project/new.py"):
            repository.write(name)
        Repository.create(repository.path / "nested").write("inner.py")
        assert set(tracked_files(repository.command, untracked=True)) - set(tracked_files(repository.command)) == {
            ".gitignore",
            "new.py",
            "project/new.py",
        }
        assert "new.py" in tracked_files(repository.command_in("project"), untracked=True)

    def test_a_conflict_counts_once(self, repository: Repository) -> None:
        repository.branch("topic")
        repository.commit_files("README.md", message="theirs")
        repository.switch("main")
        repository.commit_files("README.md", message="ours")
        with pytest.raises(AssertionError, match="merge"):
            repository.merge("topic")
        assert repository.git("ls-files", "README.md").split() == ["README.md"] * 3
        assert tracked_files(repository.command).count("README.md") == 1

    def test_a_submodule_is_one_path(self, repository: Repository) -> None:
        repository.submodule("third_party/lib", repository.head)
        assert "third_party/lib" in tracked_files(repository.command)

    def test_odd_names(self, tmp_path: Path) -> None:
        made = Repository.create(tmp_path / "odd")
        names = ('"quoted"', "-n", "a\nb", "tab\t", "日本")
        for name in names:
            made.write(name)
        made.write(b"caf\xe9")
        made.commit()
        assert tracked_files(made.command) == tuple(sorted((*names, "caf\\xe9")))

    def test_without_what_is_deleted_on_disk(self, repository: Repository) -> None:
        repository.remove("project/a.py")
        repository.write("project/new.py")
        assert tracked_files(repository.command_in("project"), untracked=True, on_disk=True) == (
            "new.py",
            "tests/größe b.py",
        )
        repository.git("add", "--all")
        assert "project/a.py" not in tracked_files(repository.command, on_disk=True)

    def test_on_disk_with_what_a_sparse_checkout_leaves_out(self, repository: Repository) -> None:
        repository.git("sparse-checkout", "set", "--no-cone", "/README.md")
        assert not (repository.path / "project").exists()
        assert "project/a.py" in tracked_files(repository.command, untracked=True, on_disk=True)

    def test_another_index(self, repository: Repository, tmp_path: Path) -> None:
        index = tmp_path / "index"
        repository.write("staged.py")
        repository.git("add", "staged.py", extra={"GIT_INDEX_FILE": str(index)})
        assert tracked_files(repository.command, index_file=str(index)) == ("staged.py",)
        assert "staged.py" not in tracked_files(repository.command)

    def test_without_a_repository(self, tmp_path: Path) -> None:
        git = Repository(path=tmp_path).command_in("", {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)})
        with pytest.raises(NotARepositoryError, match="not in the working tree of a git repository"):
            tracked_files(git)

    def test_with_a_damaged_index(self, repository: Repository) -> None:
        (repository.path / ".git/index").write_bytes(b"DIRC nonsense")
        with pytest.raises(GitFailedError, match="git ls-files failed: "):
            tracked_files(repository.command)


class TestChangedOnDisk:
    def test_nothing(self, repository: Repository) -> None:
        repository.write("untracked.py")
        assert changed_on_disk(repository.command) == frozenset()

    def test_what_differs_from_the_index(self, repository: Repository) -> None:
        repository.write("README.md", "staged\n")
        repository.git("add", "README.md")
        repository.write("project/a.py", "edited\n")
        repository.remove("project/tests/größe b.py")
        assert changed_on_disk(repository.command) == {"project/a.py", "project/tests/größe b.py"}
        assert changed_on_disk(repository.command_in("project")) == {"a.py", "tests/größe b.py"}


class TestInAHook:
    """A hook is told which index the commit is made from; it is not always the repository's."""

    @pytest.fixture(params=["repository", "worktree"])
    def place(self, repository: Repository, tmp_path: Path, request: pytest.FixtureRequest) -> Repository:
        """The main working tree or a linked one, whose hook writes down what it sees from a folder below."""
        seen = tmp_path / "seen.json"
        listing = (
            "import json, os, pathlib; from pipegen.git import *; "
            "git = Git(folder=pathlib.Path('project').absolute(), environment=dict(os.environ)); "
            "files = tracked_files(git, index_file=os.environ.get('GIT_INDEX_FILE')); "
            f"pathlib.Path('{seen}').write_text(json.dumps([str(repository_root(git)), *files]))"
        )
        script(repository.path / ".git/own/pre-commit", f'PYTHONPATH="{PROJECT}" "{sys.executable}" -c "{listing}"')
        repository.git("config", "core.hooksPath", str(repository.path / ".git/own"))
        return repository if request.param == "repository" else repository.worktree(tmp_path / "linked", "topic")

    def seen(self, place: Repository) -> list[str]:
        seen: list[str] = json.loads((place.path.parent / "seen.json").read_text(encoding="utf-8"))
        return seen

    def test_of_all_that_is_staged(self, place: Repository) -> None:
        place.write("project/new.py")
        place.git("add", "project/new.py")
        place.git("commit", "--quiet", "-m", "new")
        assert self.seen(place) == [str(place.path), "a.py", "new.py", "tests/größe b.py"]

    def test_of_named_files_only(self, place: Repository) -> None:
        """`git commit FILE` commits from an index of its own, in which the rest of what is staged is not."""
        place.write("project/new.py")
        place.write("project/other.py")
        place.git("add", "project/new.py", "project/other.py")
        place.git("commit", "--quiet", "-m", "new", "--only", "project/new.py")
        assert self.seen(place) == [str(place.path), "a.py", "new.py", "tests/größe b.py"]

    def test_of_all_that_changed(self, place: Repository) -> None:
        place.remove("project/a.py")
        place.git("commit", "--quiet", "--all", "-m", "without")
        assert self.seen(place) == [str(place.path), "tests/größe b.py"]


class TestRepositoryRoot:
    @pytest.mark.parametrize(
        ("folder", "prefix"), [("", ""), ("project", "project/"), ("project/tests", "project/tests/")]
    )
    def test_prefix_is_the_way_back_down(self, repository: Repository, folder: str, prefix: str) -> None:
        assert repository.command_in(folder).prefix() == prefix

    def test_from_a_folder_below(self, repository: Repository) -> None:
        assert repository_root(repository.command_in("project/tests")) == repository.path

    def test_of_a_linked_worktree(self, repository: Repository, tmp_path: Path) -> None:
        linked = repository.worktree(tmp_path / "linked", "topic")
        assert repository_root(linked.command_in("project")) == linked.path

    def test_with_an_odd_name(self, tmp_path: Path) -> None:
        made = Repository.create(tmp_path / "größe\n ")
        assert repository_root(made.command) == made.path

    def test_there_is_none(self, tmp_path: Path) -> None:
        git = Repository(path=tmp_path).command_in("", {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)})
        assert repository_root(git) is None

    def test_a_bare_repository_has_none(self, tmp_path: Path) -> None:
        assert repository_root(Repository.create(tmp_path / "bare", "--bare").command) is None

    def test_inside_the_repositorys_own_folder(self, repository: Repository) -> None:
        assert repository_root(repository.command_in(".git")) is None

    def test_a_repository_of_somebody_else_is_not_none(self, repository: Repository) -> None:
        with pytest.raises(GitFailedError, match="dubious ownership"):
            repository_root(repository.command_in("", {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}))

    def test_no_git(self, repository: Repository, tmp_path: Path) -> None:
        with pytest.raises(GitMissingError):
            repository_root(Git(folder=repository.path, environment={"PATH": str(tmp_path)}))
