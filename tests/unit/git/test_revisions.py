"""The files of a revision, as a tree like that of a folder."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from pipegen.git import Git, GitError, GitMissingError, NotARepositoryError, RevisionTree
from pipegen.source import FolderTree, MissingError, Tree, UnreadableError
from tests.support.repositories import Repository

LIMIT = 1 << 20


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository.create(tmp_path / "repository")
    made.write("README.md", "top\n")
    made.write("project/areas/a.yaml", "a\n")
    made.write("project/areas/deep/b.yaml", "b\n")
    made.write("project/areas.yaml", "beside\n")
    made.write("project/größe b\n.txt", "odd\n")
    made.write("shared/c.yaml", "c\n")
    made.commit()
    return made


def tree(repository: Repository, revision: str = "HEAD", folder: str = "") -> Tree:
    return RevisionTree.of(repository.command_in(folder), revision)


class TestListing:
    @pytest.mark.parametrize(
        ("folder", "expected"),
        [
            ("project/areas", ("project/areas/a.yaml", "project/areas/deep/b.yaml")),
            ("project/areas/", ("project/areas/a.yaml", "project/areas/deep/b.yaml")),
            ("./project//areas", ("project/areas/a.yaml", "project/areas/deep/b.yaml")),
            ("project/areas/deep", ("project/areas/deep/b.yaml",)),
            ("project/areas/a.yaml", ("project/areas/a.yaml",)),
            ("project/area", ()),
            ("nowhere", ()),
            ("README.md/below", ()),
        ],
    )
    def test_under_a_folder(self, repository: Repository, folder: str, expected: tuple[str, ...]) -> None:
        assert tree(repository).under(folder) == expected

    @pytest.mark.parametrize("everything", ["", ".", "./", "project/.."])
    def test_of_everything(self, repository: Repository, everything: str) -> None:
        found = tree(repository).under(everything)
        assert found == FolderTree(root=repository.path).under(everything)
        assert tuple(name.removeprefix("project/../") for name in found) == (
            "README.md",
            "project/areas.yaml",
            "project/areas/a.yaml",
            "project/areas/deep/b.yaml",
            "project/größe b\n.txt",
            "shared/c.yaml",
        )

    @pytest.mark.parametrize("folder", ["..", "project/../..", "/", "/project"])
    def test_outside(self, repository: Repository, folder: str) -> None:
        with pytest.raises(UnreadableError, match="outside"):
            tree(repository).under(folder)

    def test_of_an_empty_commit(self, tmp_path: Path) -> None:
        made = Repository.create(tmp_path / "empty")
        made.commit()
        assert tree(made).under("") == ()


class TestReading:
    def test_a_file(self, repository: Repository) -> None:
        assert tree(repository).read("project/areas/a.yaml", limit=LIMIT) == b"a\n"
        assert tree(repository).read("./project/areas/../größe b\n.txt", limit=LIMIT) == b"odd\n"

    def test_as_committed_and_not_as_on_disk(self, repository: Repository) -> None:
        repository.write("README.md", "on disk\n")
        repository.git("add", "README.md")
        assert tree(repository).read("README.md", limit=LIMIT) == b"top\n"

    def test_of_an_older_revision(self, repository: Repository) -> None:
        repository.write("README.md", "newer\n")
        repository.rename("project/areas", "project/regions")
        repository.commit()
        old, new = tree(repository, "HEAD~1"), tree(repository)
        assert (old.read("README.md", limit=LIMIT), new.read("README.md", limit=LIMIT)) == (b"top\n", b"newer\n")
        assert old.under("project/regions") == new.under("project/areas") == ()

    def test_at_most_one_byte_more_than_the_limit(self, repository: Repository) -> None:
        repository.write("large", b"x" * 3_000_000)
        repository.commit()
        found = tree(repository)
        assert found.read("large", limit=10) == b"x" * 11
        assert found.read("README.md", limit=LIMIT) == b"top\n", "the rest of the large file is not in the way"
        assert found.read("large", limit=0) == b"x"
        assert found.read("README.md", limit=3) == b"top\n"
        assert len(found.read("large", limit=3_000_000)) == 3_000_000

    @pytest.mark.parametrize("content", [b"", b"\n", b"\0\r\n\xff", b"no newline"])
    def test_any_bytes(self, repository: Repository, content: bytes) -> None:
        repository.write("any", content)
        repository.commit()
        assert tree(repository).read("any", limit=LIMIT) == content

    def test_line_endings_are_those_of_the_commit(self, repository: Repository) -> None:
        repository.git("config", "core.autocrlf", "true")
        assert tree(repository).read("README.md", limit=LIMIT) == b"top\n"

    @pytest.mark.parametrize(
        "path", ["nowhere", "project/nowhere", "nowhere/../README.md", "README.md/below", "Readme.md"]
    )
    def test_what_is_not_there(self, repository: Repository, path: str) -> None:
        with pytest.raises(MissingError, match="no such file"):
            tree(repository).read(path, limit=LIMIT)

    @pytest.mark.parametrize(
        ("path", "reason"),
        [
            ("project", "not a regular file"),
            ("", "not a regular file"),
            ("../README.md", "it lies outside the workspace"),
            ("/README.md", "it lies outside the workspace"),
            ("project/../../x", "it lies outside the workspace"),
        ],
    )
    def test_what_cannot_be_read(self, repository: Repository, path: str, reason: str) -> None:
        with pytest.raises(UnreadableError, match=reason):
            tree(repository).read(path, limit=LIMIT)

    def test_a_name_that_is_not_utf8(self, repository: Repository) -> None:
        repository.write(b"project/caf\xe9.yaml", "e\n")
        repository.commit()
        found = tree(repository, folder="project")
        assert r"caf\xe9.yaml" in found.under("")
        assert found.read(r"caf\xe9.yaml", limit=LIMIT) == b"e\n"

    def test_what_this_clone_lacks(self, repository: Repository) -> None:
        blob = repository.id_of("HEAD:README.md")
        found = tree(repository)
        (repository.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
        with pytest.raises(UnreadableError, match="this clone does not have its content"):
            found.read("README.md", limit=LIMIT)
        assert found.read("shared/c.yaml", limit=LIMIT) == b"c\n"


class TestFolderOfTheRepository:
    def test_is_the_root(self, repository: Repository) -> None:
        found = tree(repository, folder="project")
        assert found.under("areas") == ("areas/a.yaml", "areas/deep/b.yaml")
        assert found.read("areas/a.yaml", limit=LIMIT) == b"a\n"

    @pytest.mark.parametrize("path", ["../README.md", "areas/../../shared/c.yaml"])
    def test_is_not_left(self, repository: Repository, path: str) -> None:
        with pytest.raises(UnreadableError, match="it lies outside the workspace"):
            tree(repository, folder="project").read(path, limit=LIMIT)

    def test_that_did_not_exist(self, repository: Repository) -> None:
        repository.commit_files("new/areas/n.yaml")
        found = tree(repository, "HEAD~1", folder="new")
        assert found.under("") == ()
        with pytest.raises(MissingError):
            found.read("areas/n.yaml", limit=LIMIT)

    @pytest.mark.parametrize("name", [":(top)shared", "*", "-x", "größe\tb"])
    def test_with_an_odd_name(self, repository: Repository, name: str) -> None:
        repository.write(f"{name}/a.yaml", "odd\n")
        repository.commit()
        assert tree(repository, folder=name).under("") == ("a.yaml",)

    def test_that_was_a_submodule(self, repository: Repository) -> None:
        repository.submodule("lib", repository.head)
        repository.git("rm", "--quiet", "--cached", "lib")
        repository.commit_files("lib/a.yaml")
        with pytest.raises(GitError, match='"lib" is not a folder in that revision'):
            tree(repository, "HEAD~1", folder="lib")


LINKS: Mapping[str, str] = {
    "project/to-file": "areas/a.yaml",
    "project/to-folder": "areas",
    "project/areas/deep/up": "../../areas.yaml",
    "project/to-link": "to-file",
    "project/through-folder": "to-folder/deep/b.yaml",
    "project/roundabout": "to-folder/../areas.yaml",
    "project/dangling": "nowhere",
    "project/self": "self",
    "project/ping": "pong",
    "project/pong": "ping",
    "project/out": "../shared/c.yaml",
    "project/far-out": "../../../etc/passwd",
    "project/absolute": "/etc/passwd",
}


class TestSymbolicLinks:
    @pytest.fixture
    def linked(self, repository: Repository) -> Repository:
        for name, target in LINKS.items():
            repository.link(name, target)
        repository.commit()
        return repository

    @pytest.mark.parametrize(
        ("path", "content"),
        [
            ("to-file", b"a\n"),
            ("to-folder/a.yaml", b"a\n"),
            ("to-folder/deep/up", b"beside\n"),
            ("to-link", b"a\n"),
            ("through-folder", b"b\n"),
            ("roundabout", b"beside\n"),
        ],
    )
    def test_inside_are_followed(self, linked: Repository, path: str, content: bytes) -> None:
        assert tree(linked, folder="project").read(path, limit=LIMIT) == content

    def test_out_of_the_folder_are_followed_where_the_repository_is_the_tree(self, linked: Repository) -> None:
        assert tree(linked).read("project/out", limit=LIMIT) == b"c\n"

    @pytest.mark.parametrize(
        ("path", "reason"),
        [
            ("out", "it lies outside the workspace"),
            ("far-out", "it lies outside the workspace"),
            ("absolute", "it lies outside the workspace"),
            ("self", "too many symbolic links"),
            ("ping", "too many symbolic links"),
            ("self/below", "too many symbolic links"),
            ("to-folder", "not a regular file"),
            ("dangling", "no such file"),
        ],
    )
    def test_elsewhere_are_not(self, linked: Repository, path: str, reason: str) -> None:
        with pytest.raises(UnreadableError, match=reason):
            tree(linked, folder="project").read(path, limit=LIMIT)

    def test_listing_shows_links_to_files_and_does_not_go_through_those_to_folders(self, linked: Repository) -> None:
        on_disk = FolderTree(root=linked.path / "project")
        found = tree(linked, folder="project")
        assert found.under("") == on_disk.under("")
        assert "to-folder" not in found.under("")
        assert "dangling" in found.under("")

    def test_listing_a_link_to_a_folder_lists_the_folder(self, linked: Repository) -> None:
        assert tree(linked, folder="project").under("to-folder") == (
            "to-folder/a.yaml",
            "to-folder/deep/b.yaml",
            "to-folder/deep/up",
        )


class TestSubmodules:
    @pytest.fixture
    def found(self, repository: Repository) -> Tree:
        repository.submodule("third_party/lib", repository.head)
        return tree(repository)

    def test_are_not_listed(self, found: Tree) -> None:
        assert found.under("third_party") == ()

    @pytest.mark.parametrize("path", ["third_party/lib", "third_party/lib/a.yaml"])
    def test_cannot_be_read(self, found: Tree, path: str) -> None:
        with pytest.raises(UnreadableError, match="submodule"):
            found.read(path, limit=LIMIT)
        with pytest.raises(UnreadableError, match="submodule"):
            found.under(path)


class TestRevision:
    def test_a_branch_a_tag_an_id_and_a_bare_tree(self, repository: Repository) -> None:
        repository.git("tag", "--annotate", "-m", "release", "v1")
        head = repository.head
        for revision in ("main", "v1", head, head[:10], "HEAD"):
            assert RevisionTree.of(repository.command, revision).revision == head
        bare = repository.id_of("HEAD:project")
        assert RevisionTree.of(repository.command, bare).under("areas") == ("areas/a.yaml", "areas/deep/b.yaml")

    @pytest.mark.parametrize("revision", ["mian", "--all", "", "HEAD:README.md", "a\nb", "0" * 40])
    def test_that_is_none(self, repository: Repository, revision: str) -> None:
        with pytest.raises(GitError, match=re.escape(f'"{revision}"')):
            RevisionTree.of(repository.command, revision)

    def test_without_a_repository(self, tmp_path: Path) -> None:
        git = Repository(path=tmp_path).command_in("", {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)})
        with pytest.raises(NotARepositoryError):
            RevisionTree.of(git, "HEAD")

    def test_without_git(self, repository: Repository, tmp_path: Path) -> None:
        with pytest.raises(GitMissingError):
            RevisionTree.of(Git(folder=repository.path, environment={"PATH": str(tmp_path)}), "HEAD")

    def test_in_a_linked_worktree(self, repository: Repository, tmp_path: Path) -> None:
        linked = repository.worktree(tmp_path / "linked", "topic")
        linked.write("README.md", "linked\n")
        linked.commit()
        assert tree(linked).read("README.md", limit=LIMIT) == b"linked\n"
        assert tree(linked, "main").read("README.md", limit=LIMIT) == b"top\n"

    def test_in_a_sha256_repository(self, tmp_path: Path) -> None:
        made = Repository.create(tmp_path / "sha256", "--object-format=sha256")
        made.write("dir/a.yaml", "a\n")
        made.commit()
        assert tree(made).read("dir/a.yaml", limit=LIMIT) == b"a\n"

    def test_another_repository_in_the_environment_is_not_read(
        self, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """GitPython itself starts from the process's environment, in which a hook names its repository."""
        other = Repository.create(tmp_path / "other")
        monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
        monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
        monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.path / ".git/objects"))
        monkeypatch.setenv("GIT_COMMON_DIR", str(other.path / ".git"))
        assert tree(repository).read("README.md", limit=LIMIT) == b"top\n"

    def test_objects_of_an_alternate(self, repository: Repository, tmp_path: Path) -> None:
        """Agents keep mirrors, and clones that borrow from them."""
        clone = repository.clone(tmp_path / "clone", f"--reference={repository.path}")
        assert (clone.path / ".git/objects/info/alternates").exists()
        assert tree(clone).read("README.md", limit=LIMIT) == b"top\n"
