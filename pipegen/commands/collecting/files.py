"""The files of a repository, sorted, so that what lies in a folder is one slice."""

import fnmatch
import posixpath
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.model import TestSettings
from pipegen.patterns import Patterns

# What pytest does not enter by itself (its `norecursedirs`), and what marks a virtual environment.
NOT_ENTERED: Final = ("*.egg", ".*", "_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}")
_ENVIRONMENT: Final = ("pyvenv.cfg", "conda-meta/history")


def below(paths: Sequence[str], folder: str) -> tuple[int, int]:
    """The slice of sorted paths that lie in a folder ("" is the root)."""
    if not folder:
        return 0, len(paths)
    # "0" is the character behind "/".
    return bisect_left(paths, folder + "/"), bisect_left(paths, folder + "0")


def beginning(paths: Sequence[str], text: str) -> tuple[int, int]:
    """The slice of sorted paths that begin with a text."""
    return bisect_left(paths, text), bisect_right(paths, text, key=lambda path: path[: len(text)])


def names_in(paths: Sequence[str], folder: str) -> Iterator[str]:
    """The names of what lies right in a folder, by sorted paths; all that lies in a folder in there is stepped over."""
    at, end = below(paths, folder)
    prefix = f"{folder}/" if folder else ""
    seen: set[str] = set()
    while at < end:
        name, slash, _ = paths[at][len(prefix) :].partition("/")
        if name not in seen:  # a listing may name a file and what lies in a folder of its name
            seen.add(name)
            yield name
        at = bisect_left(paths, f"{prefix}{name}0", at, end) if slash else at + 1


def named_like(names: Iterable[str]) -> re.Pattern[str]:
    """An expression for base names that any of these patterns takes, as pytest's `python_files` does."""
    return re.compile("|".join(fnmatch.translate(name) for name in names) or r"(?!)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """Sorted paths from the repository's root, and every folder that they lie in."""

    paths: tuple[str, ...]
    known: frozenset[str]
    folders: frozenset[str]

    @classmethod
    def of(cls, paths: Iterable[str]) -> "Files":
        """Index paths, in any order."""
        ordered = tuple(sorted(set(paths)))
        folders: set[str] = {""}
        for path in ordered:
            folder = path.rpartition("/")[0]
            while folder not in folders:
                folders.add(folder)
                folder = folder.rpartition("/")[0]
        return cls(paths=ordered, known=frozenset(ordered), folders=frozenset(folders))

    def exists(self, path: str) -> bool:
        """Whether there is a file or a folder of that name."""
        return path in self.known or path in self.folders

    def not_entered(self, patterns: Sequence[str]) -> frozenset[str]:
        """Folders that pytest skips on its way down, by their names or because they are virtual environments."""
        like = named_like(patterns)
        skipped = {folder for folder in self.folders if folder and like.match(folder.rpartition("/")[2])}
        for mark in _ENVIRONMENT:
            skipped |= {folder for folder in self.folders if (f"{folder}/{mark}" if folder else mark) in self.known}
        return frozenset(skipped)


def test_files(files: Files, settings: TestSettings) -> tuple[str, ...]:
    """The test files of a workspace: under its roots, named like one, and not ignored.

    Raises:
        PatternError: an ignore pattern means nothing.
    """
    ignored = Patterns.compile(settings.ignore)
    like = named_like(settings.files)
    found: set[str] = set()
    for root in settings.roots:
        start, end = below(files.paths, posixpath.normpath(root).strip("/").removeprefix("."))
        found |= {path for path in files.paths[start:end] if like.match(path.rpartition("/")[2])}
    return tuple(sorted(path for path in found if ignored.match(path) is None))


test_files.__test__ = False  # type: ignore[attr-defined]  # its name is a pytest pattern
