"""Which files a workspace's repository has: as it is on disk, as a commit will have it, or as a list says."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from pipegen.app.commit import Commit, committed
from pipegen.app.inventory import MAX_CONTENT_BYTES, inventory
from pipegen.app.place import DEFAULT_WORKSPACE, Place
from pipegen.git import GitFailedError, GitMissingError, RevisionTree
from pipegen.manifest.load import load_workspaces
from pipegen.rules.facts import Inventory
from pipegen.source import MappingTree, MissingError
from tests.support.repositories import Repository
from tests.support.workspaces import WORKSPACE, workspace


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository.create(tmp_path / "repository")
    for name in (".buildkite/pipegen.yaml", "tests/a/test_one.py", "tests/a/conftest.py", "src/test_not.py"):
        made.write(name, WORKSPACE if name.endswith(".yaml") else f"{name}\n")
    made.commit("first")
    return made


def looked(root: Path, extra: Mapping[str, str] | None = None, place: Place | None = None) -> Inventory:
    place = place or Place(root=root, path=DEFAULT_WORKSPACE)
    workspaces, found = load_workspaces(place.tree, place.path)
    assert found == ()
    return inventory(place, workspaces, {**os.environ, **(extra or {})})


class TestOnDisk:
    def test_tracked_files(self, repository: Repository) -> None:
        found = looked(repository.path)
        assert found.files.paths == (".buildkite/pipegen.yaml", "src/test_not.py", *found.files.paths[2:])
        assert found.tests == ("tests/a/test_one.py",)
        assert found.readable
        assert found.content("tests/a/test_one.py") == "tests/a/test_one.py\n"
        assert found.content("tests/gone.py") is None
        assert found.at.path == DEFAULT_WORKSPACE

    def test_untracked_ones_count_and_ignored_ones_do_not(self, repository: Repository) -> None:
        repository.write(".gitignore", "*_generated.py\n")
        repository.write("tests/b/test_two.py")
        repository.write("tests/b/test_generated.py")
        assert looked(repository.path).tests == ("tests/a/test_one.py", "tests/b/test_two.py")

    def test_deleted_ones_do_not(self, repository: Repository) -> None:
        repository.remove("tests/a/test_one.py")
        assert looked(repository.path).tests == ()

    def test_a_conflict_counts_once(self, repository: Repository) -> None:
        repository.branch("topic")
        repository.commit_files("tests/a/test_one.py", message="theirs")
        repository.switch("main")
        repository.commit_files("tests/a/test_one.py", message="ours")
        with pytest.raises(AssertionError, match="merge"):
            repository.merge("topic")
        assert looked(repository.path).tests == ("tests/a/test_one.py",)

    def test_of_a_folder_below_the_repositorys_root(self, tmp_path: Path) -> None:
        made = Repository.create(tmp_path / "mono")
        made.commit_files("tests/test_elsewhere.py")
        workspace(made.path / "project", {"tests/a/test_one.py": ""})
        made.commit()
        found = looked(made.path / "project")
        assert found.tests == ("tests/a/test_one.py",)
        assert "tests/test_elsewhere.py" not in found.files.known

    def test_without_a_repository(self, tmp_path: Path) -> None:
        workspace(tmp_path, {"tests/a/test_one.py": ""})
        outside = {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
        assert looked(tmp_path, outside).tests == ("tests/a/test_one.py",)
        assert dict(looked(tmp_path, outside).renames) == {}
        assert looked(tmp_path, {"PATH": ""}).tests == ("tests/a/test_one.py",)

    def test_with_a_repository_and_no_git(self, repository: Repository) -> None:
        with pytest.raises(GitMissingError):
            looked(repository.path, {"PATH": ""})

    def test_a_repository_of_somebody_else(self, repository: Repository) -> None:
        with pytest.raises(GitFailedError, match="dubious ownership"):
            looked(repository.path, {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"})

    def test_what_is_too_long_has_no_content(self, repository: Repository) -> None:
        repository.write("tests/a/test_long.py", "#" * (MAX_CONTENT_BYTES + 1))
        repository.write("tests/a/test_odd.py", b"caf\xe9\n")
        assert looked(repository.path).content("tests/a/test_long.py") is None
        assert looked(repository.path).content("tests/a/test_odd.py") == "caf\ufffd\n"


class TestRenames:
    def test_staged_committed_and_on_disk(self, repository: Repository) -> None:
        repository.write("tests/b/test_two.py", "two\n")
        repository.write("tests/c/test_three.py", "three\n")
        repository.commit("second")
        repository.rename("tests/a/test_one.py", "tests/a/test_committed.py")
        repository.commit("third")
        repository.rename("tests/b/test_two.py", "tests/b/test_staged.py")
        (repository.path / "tests/c").rename(repository.path / "tests/d")
        assert dict(looked(repository.path).renames) == {
            "tests/a/test_one.py": "tests/a/test_committed.py",
            "tests/b/test_two.py": "tests/b/test_staged.py",
            "tests/c/test_three.py": "tests/d/test_three.py",
        }

    def test_twice(self, repository: Repository) -> None:
        repository.rename("tests/a/test_one.py", "tests/a/test_two.py")
        repository.commit("second")
        repository.rename("tests/a/test_two.py", "tests/a/test_three.py")
        assert looked(repository.path).renames["tests/a/test_one.py"] == "tests/a/test_three.py"

    def test_since_the_branch_that_it_is_for(self, repository: Repository) -> None:
        repository.write(".buildkite/pipegen.yaml", WORKSPACE + "selection: {base: main}\n")
        repository.commit("second")
        repository.branch("topic")
        repository.rename("tests/a", "tests/b")
        repository.commit("third")
        repository.commit_files("src/more.py")
        repository.commit_files("src/more.py")
        assert looked(repository.path).renames["tests/a/test_one.py"] == "tests/b/test_one.py"


class TestInTheHookOfACommit:
    def test_only_what_the_commit_holds(self, repository: Repository, tmp_path: Path) -> None:
        repository.write("tests/a/test_staged.py")
        repository.git("add", "tests/a/test_staged.py")
        repository.write("tests/a/test_untracked.py")
        repository.remove("tests/a/test_one.py")
        found = looked(repository.path, {"GIT_INDEX_FILE": ".git/index"})
        assert found.tests == ("tests/a/test_one.py", "tests/a/test_staged.py")
        assert found.content("tests/a/test_one.py") == "tests/a/test_one.py\n", "of the index: it is gone on disk"
        assert found.content("tests/a/test_untracked.py") is None

    def test_the_index_of_a_part(self, repository: Repository, tmp_path: Path) -> None:
        part = {"GIT_INDEX_FILE": str(tmp_path / "index")}
        repository.git("read-tree", "HEAD", extra=part)
        repository.write("tests/a/test_in.py")
        repository.write("tests/a/test_out.py")
        repository.git("add", "tests/a/test_in.py", extra=part)
        repository.git("add", "tests/a")
        assert looked(repository.path, part).tests == ("tests/a/test_in.py", "tests/a/test_one.py")

    def test_renames_are_those_of_the_commit(self, repository: Repository, tmp_path: Path) -> None:
        part = {"GIT_INDEX_FILE": str(tmp_path / "index")}
        repository.rename("tests/a", "tests/b")
        repository.git("read-tree", "HEAD", extra=part)
        assert dict(looked(repository.path, part).renames) == {}
        assert dict(looked(repository.path, {"GIT_INDEX_FILE": ".git/index"}).renames) == {
            "tests/a/conftest.py": "tests/b/conftest.py",
            "tests/a/test_one.py": "tests/b/test_one.py",
        }

    def test_of_another_repository(self, repository: Repository, tmp_path: Path) -> None:
        """A hook there may look at this workspace; its index is no business of ours."""
        other = Repository.create(tmp_path / "other")
        other.commit_files("tests/test_theirs.py")
        found = looked(repository.path, {"GIT_INDEX_FILE": str(other.path / ".git/index")})
        assert found.tests == ("tests/a/test_one.py",)

    def test_of_a_linked_worktree(self, repository: Repository, tmp_path: Path) -> None:
        linked = repository.worktree(tmp_path / "linked", "topic")
        linked.write("tests/a/test_staged.py")
        linked.git("add", "--all")
        index = linked.git("rev-parse", "--absolute-git-dir") + "/index"
        assert looked(linked.path, {"GIT_INDEX_FILE": index}).tests == ("tests/a/test_one.py", "tests/a/test_staged.py")

    def test_files_of_the_workspace_are_the_commits_too(self, repository: Repository) -> None:
        repository.write("areas/a.yaml", "staged")
        repository.write("areas/b.yaml", "staged")
        repository.git("add", "areas")
        environment = {**os.environ, "GIT_INDEX_FILE": ".git/index"}
        repository.write("areas/untracked.yaml", "untracked")
        place = Place(root=repository.path, path=DEFAULT_WORKSPACE)
        same = committed(place, environment).tree
        assert same.under("areas/") == ("areas/a.yaml", "areas/b.yaml")
        with pytest.raises(MissingError):
            same.read("areas/untracked.yaml", limit=100)
        repository.write("areas/a.yaml", "edited")
        repository.remove("areas/b.yaml")
        differing = committed(place, environment).tree
        assert isinstance(differing, Commit)
        assert differing.under("areas/") == ("areas/a.yaml", "areas/b.yaml")
        assert [differing.read(path, limit=100) for path in differing.under("areas/")] == [b"staged", b"staged"]

    def test_without_a_repository(self, tmp_path: Path) -> None:
        workspace(tmp_path, {"tests/a/test_one.py": ""})
        outside = {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent), "GIT_INDEX_FILE": str(tmp_path / "index")}
        assert looked(tmp_path, outside).tests == ("tests/a/test_one.py",)


class TestElsewhere:
    def test_a_listing(self, tmp_path: Path) -> None:
        listed = {
            ".buildkite/pipegen.yaml": WORKSPACE + "listing: .buildkite/tree.txt\n",
            ".buildkite/tree.txt": "tests/a/test_one.py\nsrc/a.py\n",
            "tests/b/test_two.py": "",
        }
        found = looked(workspace(tmp_path, listed))
        assert (found.files.paths, found.tests) == (("src/a.py", "tests/a/test_one.py"), ("tests/a/test_one.py",))
        assert not found.readable
        assert found.content("tests/b/test_two.py") is None
        assert (found.at.path, found.at.line) == (".buildkite/pipegen.yaml", WORKSPACE.count("\n") + 1)

    def test_a_listing_as_git_prints_it(self, tmp_path: Path) -> None:
        printed = '"tests/\\303\\274/test_one.py"\r\ntests/a b/test_two.py\n\n"tests/q\\"/test_three.py"'
        settings = WORKSPACE + "listing: .buildkite/tree.txt\n"
        listed = {".buildkite/pipegen.yaml": settings, ".buildkite/tree.txt": printed}
        found = looked(workspace(tmp_path, listed))
        assert found.tests == ("tests/a b/test_two.py", 'tests/q"/test_three.py', "tests/ü/test_one.py")

    def test_a_revision(self, repository: Repository) -> None:
        tree = RevisionTree.of(repository.command, "HEAD")
        repository.rename("tests/a", "tests/b")
        found = looked(repository.path, place=Place(root=repository.path, path=DEFAULT_WORKSPACE, held=tree))
        assert found.tests == ("tests/a/test_one.py",)
        assert found.content("tests/a/test_one.py") == "tests/a/test_one.py\n"
        assert dict(found.renames) == {}

    def test_a_mapping(self) -> None:
        tree = MappingTree(files={DEFAULT_WORKSPACE: WORKSPACE.encode(), "tests/test_one.py": b""})
        place = Place(root=Path("/nowhere"), path=DEFAULT_WORKSPACE, held=tree)
        assert looked(place.root, place=place).tests == ("tests/test_one.py",)
