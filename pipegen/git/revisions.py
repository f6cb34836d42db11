"""The files of a commit, as a tree like any other."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import PurePosixPath
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.git.command import Git, GitError, shown_name
from pipegen.git.objects import Blobs, Places, command, places_of
from pipegen.source import LostError, MissingError, UnreadableError

_LINK: Final = "120000"
_SUBMODULE: Final = "160000"
_MAX_LINKS: Final = 40  # as Linux
_MAX_LINK_BYTES: Final = 4096  # as Linux


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """What stands under a name in a revision: its mode as git writes it, and its object's id."""

    mode: str
    object_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionTree:
    r"""The files of one revision, from the same folder of the repository that the workspace has on disk.

    Nothing is checked out: contents are as committed, without the line endings or filters of a working tree. Symbolic
    links are followed while they stay inside of the tree; an absolute one never does. A submodule cannot be read, its
    files are in another repository. Names that are not UTF-8 are listed with `\xNN` for each such byte.
    """

    revision: str
    """The full id of the commit, or of a bare tree; empty for an index."""
    names: tuple[str, ...] = field(repr=False)
    entries: Mapping[str, _Entry] = field(repr=False)
    folders: frozenset[str] = field(repr=False)
    blobs: Blobs = field(repr=False)

    @classmethod
    def of(cls, git: Git, revision: str) -> "RevisionTree":
        """The tree of a commit, tag, branch or bare tree; empty if the folder did not exist in it.

        Raises:
            GitError: there is no such revision, no git or no repository, or git fails.
        """
        found = git.object_id(revision, "commit") or git.object_id(revision, "tree")
        if found is None:
            raise GitError(f'unknown revision "{revision}": expected a branch, tag or commit of this clone')
        places = places_of(git)
        return cls._of(git, places, found, _entries(git, found, places.prefix))

    @classmethod
    def of_index(cls, git: Git, *, index_file: str | None = None) -> "RevisionTree":
        """The tree that a commit of this index would have; of a file in conflict, one side.

        Raises:
            GitError: there is no git or no repository, or git fails.
        """
        entries = {}
        for line in shown_name(git.run("ls-files", "-z", "--stage", index_file=index_file)).split("\0"):
            if line:
                facts, _, name = line.partition("\t")
                mode, object_id, _ = facts.split(" ")
                entries[name] = _Entry(mode=mode, object_id=object_id)
        return cls._of(git, places_of(git), "", entries)

    @classmethod
    def _of(cls, git: Git, places: Places, revision: str, entries: Mapping[str, _Entry]) -> "RevisionTree":
        return cls(
            revision=revision,
            names=tuple(sorted(entries)),
            entries=entries,
            folders=_folders(entries),
            blobs=Blobs(command(git, places)),
        )

    def close(self) -> None:
        """End the process that reads the contents; what was read stays."""
        self.blobs.close()

    def under(self, folder: str) -> tuple[str, ...]:
        """See `Tree.under`. A link to a folder is not descended into, as on disk, but may be what is asked for."""
        try:
            place = self._place(folder)
        except MissingError:
            return ()
        if place in self.entries:
            if self.entries[place].mode == _SUBMODULE:
                raise UnreadableError("it is a submodule, whose files this revision does not hold")
            return (str(PurePosixPath(folder)),)
        prefix = f"{place}/" if place else ""
        asked = f"{PurePosixPath(folder)}/".removeprefix("./")
        # In the order of the names, which the same beginning for all of them does not change.
        return tuple(asked + name.removeprefix(prefix) for name in self._names_with(prefix) if self._is_file(name))

    def read(self, path: str, *, limit: int) -> bytes:
        """See `Tree.read`."""
        place = self._place(path)
        entry = self.entries.get(place)
        if entry is None:
            raise UnreadableError("not a regular file")
        if entry.mode == _SUBMODULE:
            raise UnreadableError("it is a submodule, whose files this revision does not hold")
        return self.blobs.read(entry.object_id, limit=limit)

    def _names_with(self, prefix: str) -> tuple[str, ...]:
        start = bisect_left(self.names, prefix)
        # "0" follows "/", so this is the first name after those in the folder.
        end = bisect_left(self.names, prefix[:-1] + "0") if prefix else len(self.names)
        return self.names[start:end]

    def _is_file(self, name: str) -> bool:
        """Whether a listing shows it: a file, or a link to anything but a folder."""
        mode = self.entries[name].mode
        if mode != _LINK:
            return mode != _SUBMODULE
        try:
            place = self._place(name)
        except LostError:
            raise
        except UnreadableError:
            return True
        return place in self.entries and self.entries[place].mode != _SUBMODULE

    def _place(self, path: str) -> str:
        """Where a path leads once links are followed: a name in `entries`, or a folder (the tree itself: empty text).

        Raises:
            MissingError: nowhere.
            UnreadableError: out of the tree, round in circles, or into a submodule.
        """
        place: list[str] = []
        pending = _steps(PurePosixPath(path).as_posix())
        links = 0
        while pending:
            step = pending.pop()
            if step in ("", "."):
                continue
            if step == "..":
                if not place:
                    raise UnreadableError(_OUTSIDE)
                place.pop()
                continue
            place.append(step)
            target = self._target("/".join(place), is_last=not pending)
            if target is not None:
                links += 1
                if links > _MAX_LINKS:
                    raise UnreadableError("too many symbolic links")
                place.pop()
                pending += _steps(target)
        return "/".join(place)

    def _target(self, name: str, *, is_last: bool) -> str | None:
        """Where the link of this name leads; None if it is a folder, or a file at the end of a path."""
        entry = self.entries.get(name)
        if entry is None:
            if name in self.folders:
                return None
            raise MissingError("no such file")
        if entry.mode == _LINK:
            return shown_name(self.blobs.read(entry.object_id, limit=_MAX_LINK_BYTES))
        if is_last:
            return None
        if entry.mode == _SUBMODULE:
            raise UnreadableError("it lies in a submodule, whose files this revision does not hold")
        raise MissingError("no such file")


_OUTSIDE: Final = "it lies outside the workspace"


def _steps(path: str) -> list[str]:
    """The steps of a path, the last one first. After a file, even an empty one leads nowhere, as on disk."""
    if path.startswith("/"):
        raise UnreadableError(_OUTSIDE)
    return path.split("/")[::-1]


def _entries(git: Git, tree: str, prefix: str) -> Mapping[str, _Entry]:
    if prefix:
        listed = git.run("ls-tree", "-z", "-d", "--full-tree", "--end-of-options", tree, prefix)
        if not listed:
            return {}
        mode, kind, tree = listed.partition(b"\t")[0].decode().split()
        if kind != "tree":
            raise GitError(f'"{prefix}" is not a folder in that revision: its mode is {mode}')
    result = {}
    for line in shown_name(git.run("ls-tree", "-r", "-z", "--full-tree", tree)).split("\0"):
        if line:
            facts, _, name = line.partition("\t")
            mode, _, object_id = facts.split(" ")
            result[name] = _Entry(mode=mode, object_id=object_id)
    return result


def _folders(names: Iterable[str]) -> frozenset[str]:
    """Every folder that holds one of the names, at any depth."""
    found: set[str] = set()
    for name in names:
        above = name.rpartition("/")[0]
        while above and above not in found:
            found.add(above)
            above = above.rpartition("/")[0]
    return frozenset(found)
