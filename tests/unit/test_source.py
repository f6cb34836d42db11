"""Trees of files: what is listed, what is read, and what strangers' links and names cannot reach."""

import os
from pathlib import Path

import pytest

from pipegen.source import FolderTree, MappingTree, MissingError, Tree, UnreadableError
from tests.support.permissions import permissions_count

FILES = {
    "areas/a.yaml": b"a",
    "areas/deep/b.yaml": b"b",
    "areas-more/c.yaml": b"c",
    "top.yaml": b"0123456789",
    "ünï cöde/🚀.yaml": b"u",
}


@pytest.fixture
def folder(tmp_path: Path) -> FolderTree:
    root = tmp_path / "root"
    for path, content in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return FolderTree(root=root)


@pytest.fixture(params=["folder", "mapping"])
def tree(request: pytest.FixtureRequest, folder: FolderTree) -> Tree:
    """The same files on disk and in memory: whatever reads them cannot tell."""
    return folder if request.param == "folder" else MappingTree(files=dict(reversed(FILES.items())))


class TestBoth:
    @pytest.mark.parametrize("everything", ["", ".", "./"])
    def test_everything(self, tree: Tree, everything: str) -> None:
        assert tree.under(everything) == tuple(sorted(FILES))

    @pytest.mark.parametrize("name", ["areas", "areas/"])
    def test_below_a_folder(self, tree: Tree, name: str) -> None:
        """A folder whose name only begins alike is another one."""
        assert tree.under(name) == ("areas/a.yaml", "areas/deep/b.yaml")

    def test_a_file_is_below_itself(self, tree: Tree) -> None:
        assert tree.under("areas/a.yaml") == ("areas/a.yaml",)

    @pytest.mark.parametrize("name", ["nowhere", "areas/nowhere/", "top.yaml/x"])
    def test_nothing(self, tree: Tree, name: str) -> None:
        assert tree.under(name) == ()

    def test_reading(self, tree: Tree) -> None:
        assert tree.read("areas/deep/b.yaml", limit=100) == b"b"
        assert tree.read("ünï cöde/🚀.yaml", limit=100) == b"u"

    def test_the_limit_is_seen_by_one_byte_more(self, tree: Tree) -> None:
        assert tree.read("top.yaml", limit=10) == b"0123456789"
        assert tree.read("top.yaml", limit=9) == b"0123456789"
        assert tree.read("top.yaml", limit=3) == b"0123"

    def test_missing(self, tree: Tree) -> None:
        with pytest.raises(MissingError, match=r"^no such file$"):
            tree.read("nowhere.yaml", limit=1)


class TestFolder:
    def test_a_folder_is_no_file(self, folder: FolderTree) -> None:
        with pytest.raises(UnreadableError, match=r"^not a regular file$"):
            folder.read("areas", limit=1)

    def test_a_pipe_is_no_file(self, folder: FolderTree) -> None:
        os.mkfifo(folder.root / "pipe.yaml")
        with pytest.raises(UnreadableError, match=r"^not a regular file$"):
            folder.read("pipe.yaml", limit=1)

    def test_git_is_not_looked_into(self, folder: FolderTree) -> None:
        (folder.root / ".git" / "hooks").mkdir(parents=True)
        (folder.root / ".git" / "hooks" / "x.yaml").touch()
        (folder.root / "areas" / ".git").mkdir()
        (folder.root / "areas" / ".git" / "y.yaml").touch()
        assert folder.under("") == tuple(sorted(FILES))

    def test_hidden_files_are_files(self, folder: FolderTree) -> None:
        (folder.root / "areas" / ".hidden.yaml").touch()
        assert "areas/.hidden.yaml" in folder.under("areas/")

    @pytest.mark.parametrize("path", ["../outside.yaml", "areas/../../outside.yaml", "/etc/passwd", ".."])
    def test_outside(self, folder: FolderTree, path: str) -> None:
        (folder.root.parent / "outside.yaml").write_bytes(b"secret")
        for look in (lambda: folder.read(path, limit=10), lambda: folder.under(path)):
            with pytest.raises(UnreadableError, match=r"^it lies outside the workspace$"):
                look()

    def test_out_and_in_again(self, folder: FolderTree) -> None:
        assert folder.read("areas/../top.yaml", limit=3) == b"0123"

    def test_a_name_with_a_nul(self, folder: FolderTree) -> None:
        with pytest.raises(UnreadableError, match="NUL"):
            folder.read("areas/\0.yaml", limit=1)

    def test_a_name_that_is_too_long(self, folder: FolderTree) -> None:
        with pytest.raises(UnreadableError, match="name too long"):
            folder.read("x" * 300 + ".yaml", limit=1)

    def test_names_of_odd_bytes_are_listed_and_read(self, folder: FolderTree) -> None:
        odd = os.fsdecode(b"areas/\xff\xfe.yaml")
        (folder.root / odd).write_bytes(b"odd")
        (found,) = (path for path in folder.under("areas/") if path not in FILES)
        assert folder.read(found, limit=10) == b"odd"


class TestLinks:
    def test_to_a_file_inside(self, folder: FolderTree) -> None:
        (folder.root / "link.yaml").symlink_to("areas/a.yaml")
        assert "link.yaml" in folder.under("")
        assert folder.read("link.yaml", limit=10) == b"a"

    def test_absolute_to_a_file_inside(self, folder: FolderTree) -> None:
        (folder.root / "link.yaml").symlink_to(folder.root / "areas" / "a.yaml")
        assert folder.read("link.yaml", limit=10) == b"a"

    def test_to_a_file_outside(self, folder: FolderTree) -> None:
        (folder.root.parent / "outside.yaml").write_bytes(b"secret")
        (folder.root / "link.yaml").symlink_to("../outside.yaml")
        with pytest.raises(UnreadableError, match=r"^it lies outside the workspace$"):
            folder.read("link.yaml", limit=10)

    def test_through_a_link_to_a_folder_outside(self, folder: FolderTree) -> None:
        (folder.root.parent / "outside").mkdir()
        (folder.root.parent / "outside" / "x.yaml").write_bytes(b"secret")
        (folder.root / "link").symlink_to("../outside")
        for look in (lambda: folder.read("link/x.yaml", limit=10), lambda: folder.under("link/")):
            with pytest.raises(UnreadableError, match=r"^it lies outside the workspace$"):
                look()

    def test_to_nothing(self, folder: FolderTree) -> None:
        (folder.root / "link.yaml").symlink_to("nowhere.yaml")
        with pytest.raises(UnreadableError, match=r"^a link to a file that is not there$") as caught:
            folder.read("link.yaml", limit=10)
        assert not isinstance(caught.value, MissingError), (
            "somebody wrote it, so the file that names it is not to blame"
        )

    def test_in_a_circle(self, folder: FolderTree) -> None:
        (folder.root / "one.yaml").symlink_to("other.yaml")
        (folder.root / "other.yaml").symlink_to("one.yaml")
        with pytest.raises(UnreadableError, match=r"^too many levels of symbolic links$"):
            folder.read("one.yaml", limit=10)

    def test_to_a_folder_is_not_looked_into(self, folder: FolderTree) -> None:
        """git has no files below a link either, and a link to a folder above would never end."""
        (folder.root / "areas" / "up").symlink_to("..")
        assert folder.under("") == tuple(sorted(FILES))

    def test_the_root_itself_may_be_a_link(self, folder: FolderTree, tmp_path: Path) -> None:
        (tmp_path / "alias").symlink_to(folder.root)
        alias = FolderTree(root=tmp_path / "alias")
        assert alias.under("") == tuple(sorted(FILES))
        assert alias.read("areas/a.yaml", limit=10) == b"a"


class TestPermissions:
    def test_a_file(self, folder: FolderTree) -> None:
        (folder.root / "top.yaml").chmod(0)
        with permissions_count(), pytest.raises(UnreadableError, match=r"^permission denied$"):
            folder.read("top.yaml", limit=1)

    def test_a_folder(self, folder: FolderTree) -> None:
        (folder.root / "areas").chmod(0)
        try:
            with permissions_count():
                for name in ("areas", "", "areas/deep"):
                    with pytest.raises(UnreadableError, match=r"^permission denied$"):
                        folder.under(name)
                with pytest.raises(UnreadableError, match=r"^permission denied$"):
                    folder.read("areas/a.yaml", limit=1)
        finally:
            (folder.root / "areas").chmod(0o755)
