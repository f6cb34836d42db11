"""Where a workspace is."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pipegen.diagnostics import PipegenError
from pipegen.source import FolderTree

DEFAULT_WORKSPACE: Final = ".buildkite/pipegen.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A workspace on disk: the repository's root and the workspace file's path from there."""

    root: Path
    path: str

    @property
    def tree(self) -> FolderTree:
        """The files of the workspace."""
        return FolderTree(root=self.root)


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
