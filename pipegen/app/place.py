"""Where a workspace is."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pipegen.diagnostics import PipegenError
from pipegen.source import FolderTree, Tree

DEFAULT_WORKSPACE: Final = ".buildkite/pipegen.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A workspace: the repository's root on disk, and the workspace file's path from there.

    `held` is the tree that stands for what is on disk, where the files are not read from there.
    """

    root: Path
    path: str
    held: Tree | None = None

    @property
    def tree(self) -> Tree:
        """The files of the workspace."""
        return FolderTree(root=self.root) if self.held is None else self.held


def find_workspace(start: Path, named: Path | None) -> Place:
    """The workspace that holds `start`, or the one of the file that the caller names.

    Raises:
        PipegenError: there is none.
    """
    if named is not None:
        return _named_workspace(named)
    for folder in (start, *start.parents):
        if (folder / DEFAULT_WORKSPACE).is_file():
            return Place(root=folder, path=DEFAULT_WORKSPACE)
    raise PipegenError(
        f"no {DEFAULT_WORKSPACE} is in {start} or in a folder above it: "
        "go to a workspace, or name one with -C or --workspace"
    )


def _named_workspace(named: Path) -> Place:
    if not named.is_file():
        raise PipegenError(f'cannot read workspace file "{named}": no such file')
    folder = named.parent
    root = next((above for above in (folder, *folder.parents) if (above / ".git").exists()), None)
    if root is None:
        root = folder.parent if folder.name == ".buildkite" else folder
    return Place(root=root, path=named.relative_to(root).as_posix())
