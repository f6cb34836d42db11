"""The files of a commit that is being made, as a hook of git sees them."""

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from pipegen.app.place import Place
from pipegen.app.request import INDEX_FILE
from pipegen.dataclass import replace
from pipegen.git import Git, NotARepositoryError, RevisionTree, changed_on_disk, tracked_files
from pipegen.source import FolderTree, MissingError


class Commit:
    """What a commit will hold: the files of its index, read from disk where that is the same, else from the index.

    `git commit PATH` makes an index of its own, in which the rest of what is staged is not. A program like pre-commit
    takes changes that are not staged off the disk first; a plain hook does not. What is not tracked is no part of it.
    """

    def __init__(self, *, git: Git, index_file: str) -> None:
        self.index_file = index_file
        self.paths = tracked_files(git, index_file=index_file)
        self._git = git
        self._known = frozenset(self.paths)
        self._folder = FolderTree(root=git.folder)
        self._differing = changed_on_disk(git, index_file=index_file)

    def under(self, folder: str) -> tuple[str, ...]:
        """See `Tree.under`."""
        if not self._differing:
            return tuple(path for path in self._folder.under(folder) if self._real(path) in self._known)
        return self._index.under(folder)

    def read(self, path: str, *, limit: int) -> bytes:
        """See `Tree.read`."""
        real = self._real(path)
        if real in self._known and real not in self._differing:
            return self._folder.read(path, limit=limit)
        if self._differing:
            return self._index.read(path, limit=limit)
        raise MissingError("no such file")

    def _real(self, path: str) -> str:
        """Where the links of a path lead, from the folder."""
        return os.path.relpath(os.path.realpath(self._git.folder / path), os.path.realpath(self._git.folder))

    @cached_property
    def _index(self) -> RevisionTree:
        return RevisionTree.of_index(self._git, index_file=self.index_file)


def committed(place: Place, environment: Mapping[str, str]) -> Place:
    """The place with the files of the commit that is being made, in a hook of its repository; else the place itself.

    Raises:
        GitError: git is missing or fails.
    """
    index_file = environment.get(INDEX_FILE)
    if place.held is not None or not index_file:
        return place
    git = place.git(environment)
    try:
        if not _is_ours(git, Path(index_file)):
            return place
        return replace(place, held=Commit(git=git, index_file=index_file))
    except NotARepositoryError:
        return place


def _is_ours(git: Git, index_file: Path) -> bool:
    """Whether an index belongs to this repository: a hook of another one may look at this workspace.

    A relative path is from the top of the working tree, whichever that is.
    """
    if not index_file.is_absolute():
        return True
    folder = Path(os.path.realpath(index_file.parent))
    is_git_folder = (folder / "HEAD").is_file() and ((folder / "objects").is_dir() or (folder / "commondir").is_file())
    return not is_git_folder or folder == git.git_folder()
