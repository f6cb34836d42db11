"""Where a workspace is."""

import posixpath
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import PipegenError
from pipegen.git import Git, GitMissingError, NotARepositoryError, RevisionTree
from pipegen.source import FolderTree, Tree

if TYPE_CHECKING:
    from pipegen.app.witness import Witness

DEFAULT_WORKSPACE: Final = ".buildkite/pipegen.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A workspace: the repository's root on disk, and the workspace file's path from there.

    `held` is the tree that stands for what is on disk, where the files are not read from there. `witness` is who hears
    everything that disk and git are asked.
    """

    root: Path
    path: str
    held: Tree | None = None
    witness: "Witness | None" = None

    @property
    def tree(self) -> Tree:
        """The files of the workspace."""
        if self.held is not None:
            return self.held
        return FolderTree(root=self.root) if self.witness is None else self.witness.tree

    def git(self, environment: Mapping[str, str]) -> Git:
        """What runs git in the repository of the workspace. A witness runs it in the environment that it began with."""
        return Git(folder=self.root, environment=environment) if self.witness is None else self.witness.git

    def of_revision(self, tree: RevisionTree) -> "Place":
        """The same place as a revision has it."""
        return replace(self, held=tree if self.witness is None else self.witness.settled(tree))


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


def from_root(path: str, root: Path, start: Path) -> str:
    """A path as the workspace names it: relative to the caller's folder where that is part of the workspace."""
    given = Path(path)
    if start.is_relative_to(root) or given.is_absolute():
        place = Path(posixpath.normpath((start / given).as_posix()))
        if place.is_relative_to(root):
            return place.relative_to(root).as_posix()
    return posixpath.normpath(path)


def path_from_top(place: Place, environment: Mapping[str, str]) -> Callable[[str], str]:
    """From a path of the workspace to the same from the top of its repository, where the workspace lies below that.

    Raises:
        GitError: git refuses the repository.
    """
    try:
        prefix = place.git(environment).prefix()
    except (NotARepositoryError, GitMissingError):
        prefix = ""
    return lambda path: prefix + path
