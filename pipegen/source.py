"""A tree of files under one interface: a folder on disk, a git revision (see `pipegen.git`), or a mapping in memory."""

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Protocol

from pipegen.dataclass import dataclass


class UnreadableError(Exception):
    """A file is not there or cannot be read; the text says why, in words for the user."""


class MissingError(UnreadableError):
    """A file is not there."""


class LostError(UnreadableError):
    """A file is there, and its content is not: it is in a part of the repository that this clone lacks."""


class Tree(Protocol):
    """Files by their path from the tree's root, with `/` between names."""

    def under(self, folder: str) -> tuple[str, ...]:
        """All files below `folder` (or `folder` itself if it is a file), sorted. Empty if there is none.

        Raises:
            UnreadableError: the folder is there and cannot be listed.
        """

    def read(self, path: str, *, limit: int) -> bytes:
        """The bytes of one file, at most `limit + 1` of them: a longer file is recognised by its length.

        Raises:
            MissingError: there is no such file.
            UnreadableError: it is no regular file, may not be read, or lies outside the tree.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingTree:
    """Files held in memory, for tests and for what pipegen makes up itself."""

    files: Mapping[str, bytes]

    def under(self, folder: str) -> tuple[str, ...]:
        """See `Tree.under`."""
        prefix = folder.rstrip("/")
        if prefix in ("", "."):
            return tuple(sorted(self.files))
        return tuple(sorted(p for p in self.files if p == prefix or p.startswith(prefix + "/")))

    def read(self, path: str, *, limit: int) -> bytes:
        """See `Tree.read`."""
        if path not in self.files:
            raise MissingError("no such file")
        return self.files[path][: limit + 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlaidTree:
    """A tree in which some files that are there hold something else."""

    tree: Tree
    files: Mapping[str, bytes]

    def under(self, folder: str) -> tuple[str, ...]:
        """See `Tree.under`."""
        return self.tree.under(folder)

    def read(self, path: str, *, limit: int) -> bytes:
        """See `Tree.read`."""
        return self.files[path][: limit + 1] if path in self.files else self.tree.read(path, limit=limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderTree:
    """Files of a folder on disk.

    Symbolic links to files are followed while they stay inside of it. Folders behind links are not looked into: git
    has no files below a link either.
    """

    root: Path

    def under(self, folder: str) -> tuple[str, ...]:
        """See `Tree.under`."""
        start = self._inside(folder)
        found: list[str] = []
        try:
            if start.is_file():
                return (str(PurePosixPath(folder)),)
            if not start.is_dir():
                return ()
            for top, folders, files in os.walk(start, onerror=_raise):
                folders[:] = sorted(name for name in folders if name != ".git")
                found += [(Path(top) / name).relative_to(self.root).as_posix() for name in files]
        except OSError as error:
            raise UnreadableError(_reason(error)) from error
        return tuple(sorted(found))

    def read(self, path: str, *, limit: int) -> bytes:
        """See `Tree.read`."""
        place = self._inside(path)
        try:
            if place.exists() and not place.is_file():
                raise UnreadableError("not a regular file")
            with place.open("rb") as stream:
                return stream.read(limit + 1)
        except FileNotFoundError as error:
            if place.is_symlink():
                raise UnreadableError("a link to a file that is not there") from error
            raise MissingError("no such file") from error
        except OSError as error:
            raise UnreadableError(_reason(error)) from error

    def _inside(self, path: str) -> Path:
        """The place on disk, unless it (or what it links to) is outside the folder: manifests come from strangers."""
        if "\0" in path:
            raise UnreadableError("no path holds a NUL")
        root, place = (os.path.realpath(start) for start in (self.root, self.root / path))
        if os.path.commonpath((root, place)) != root:
            raise UnreadableError("it lies outside the workspace")
        return self.root / path


def _raise(error: OSError) -> None:
    raise error


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
