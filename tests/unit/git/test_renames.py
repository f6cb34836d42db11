"""Where files went that are no longer where they were."""

from pathlib import Path

import pytest

from pipegen.git import moved_on_disk, renamed_files
from pipegen.source import FolderTree
from tests.support.repositories import Repository

LONG = "".join(f"line {number} of a file that is long enough to be known again\n" for number in range(20))


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository.create(tmp_path / "repository")
    for name in ("tests/a/test_one.py", "tests/a/test_two.py", "sub/tests/test_three.py"):
        made.write(name, f"{name}\n{LONG}")
    made.commit("first")
    return made


class TestRenamedFiles:
    def test_nothing(self, repository: Repository) -> None:
        assert renamed_files(repository.command, "HEAD") == {}

    def test_staged(self, repository: Repository) -> None:
        repository.rename("tests/a", "tests/größe b")
        repository.write("tests/größe b/test_two.py", f"edited\n{LONG}")
        repository.git("add", "--all")
        assert renamed_files(repository.command, "HEAD") == {
            "tests/a/test_one.py": "tests/größe b/test_one.py",
            "tests/a/test_two.py": "tests/größe b/test_two.py",
        }

    def test_in_a_folder(self, repository: Repository) -> None:
        repository.rename("tests/a", "tests/b")
        repository.rename("sub/tests/test_three.py", "sub/tests/test_four.py")
        assert renamed_files(repository.command_in("sub"), "HEAD") == {"tests/test_three.py": "tests/test_four.py"}

    def test_in_the_index_of_a_commit(self, repository: Repository, tmp_path: Path) -> None:
        index = {"GIT_INDEX_FILE": str(tmp_path / "index")}
        repository.git("read-tree", "HEAD", extra=index)
        (repository.path / "tests/a/test_one.py").rename(repository.path / "tests/a/test_moved.py")
        repository.git("add", "--all", extra=index)
        assert renamed_files(repository.command, "HEAD") == {}
        found = renamed_files(repository.command, "HEAD", index_file=index["GIT_INDEX_FILE"])
        assert found == {"tests/a/test_one.py": "tests/a/test_moved.py"}

    def test_since_the_merge_base(self, repository: Repository) -> None:
        repository.branch("topic")
        repository.rename("tests/a/test_one.py", "tests/a/test_moved.py")
        repository.commit("topic")
        repository.switch("main")
        repository.rename("tests/a/test_two.py", "tests/a/test_other.py")
        repository.commit("main goes on")
        repository.switch("topic")
        assert renamed_files(repository.command, "main") == {"tests/a/test_one.py": "tests/a/test_moved.py"}
        assert renamed_files(repository.command, "HEAD^1") == {"tests/a/test_one.py": "tests/a/test_moved.py"}

    def test_a_revision_that_is_not_there(self, repository: Repository) -> None:
        assert renamed_files(repository.command, "origin/main") == {}


class TestMovedOnDisk:
    def test_nothing(self, repository: Repository) -> None:
        repository.write("untracked.py", "new")
        assert moved_on_disk(repository.command, FolderTree(root=repository.path)) == {}

    @pytest.mark.parametrize("kind", ["sha1", "sha256"])
    def test_moved_without_telling_git(self, tmp_path: Path, kind: str) -> None:
        made = Repository.create(tmp_path / kind, f"--object-format={kind}")
        for name in ("tests/a/test_one.py", "tests/a/test_two.py"):
            made.write(name, name)
        made.commit()
        (made.path / "tests/a").rename(made.path / "tests/b")
        made.write("tests/b/test_two.py", "edited meanwhile")
        assert moved_on_disk(made.command, FolderTree(root=made.path)) == {"tests/a/test_one.py": "tests/b/test_one.py"}
        assert moved_on_disk(made.command_in("tests"), FolderTree(root=made.path / "tests")) == {
            "a/test_one.py": "b/test_one.py"
        }

    def test_of_two_that_are_the_same_nobody_knows(self, repository: Repository) -> None:
        content = (repository.path / "tests/a/test_one.py").read_text(encoding="utf-8")
        repository.remove("tests/a/test_one.py")
        repository.write("tests/x.py", content)
        repository.write("tests/y.py", content)
        assert moved_on_disk(repository.command, FolderTree(root=repository.path)) == {}
