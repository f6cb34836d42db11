"""What pytest finds in folders by itself: files by their names, in the folders that it enters."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from pipegen.commands.collecting.files import Files, named_like
from pipegen.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Files that pytest takes for tests by their names, and the folders that it does not enter."""

    paths: tuple[str, ...]
    skipped: frozenset[str]
    inside: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, files: Files, names: Sequence[str], skips: Sequence[str]) -> "Sweep":
        """By the patterns of names of test files, and of folders that are not entered."""
        like = named_like(names)
        paths = tuple(path for path in files.paths if path.endswith(".py") and like.match(path.rpartition("/")[2]))
        skipped = files.not_entered(skips)
        above = {path: path.rpartition("/")[0] for path in paths}
        entered = {
            here: found
            for here in set(above.values())
            if (found := tuple(folder for folder in (here, *folders_of(here)) if folder in skipped))
        }
        inside = {path: entered[here] for path, here in above.items() if here in entered}
        return cls(paths=paths, skipped=skipped, inside=inside)

    def skips(self, path: str, folder: str, entered: frozenset[str]) -> bool:
        """Whether a folder that is not entered lies between a file and the folder that is collected."""
        found = self.inside.get(path)
        return found is not None and any(len(one) > len(folder) and one not in entered for one in found)


def folders_of(path: str) -> Iterator[str]:
    """The folders that a file lies in."""
    folder = posixpath.dirname(path)
    while folder:
        yield folder
        folder = posixpath.dirname(folder)


def up_to(path: str, folder: str) -> Iterator[str]:
    """A file, and the folders that it lies in below another one."""
    while path != folder:
        yield path
        path = posixpath.dirname(path)
