"""Which files of the repository patterns take, exactly as selection matches.

A set of files is an integer with a bit for each: lists are put together, and compared, with one operation each.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import field

from pipegen.commands import Files
from pipegen.commands.collecting.files import beginning, below
from pipegen.dataclass import dataclass
from pipegen.patterns import Patterns, fixed_folder, fixed_start


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """The files that patterns take. Each text is looked up once, however many lists it stands in.

    `paths` are the repository's files, sorted; bit 0 stands for the first.
    """

    paths: tuple[str, ...]
    _found: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, files: Files) -> "Taken":
        """Of a repository."""
        return cls(paths=files.paths)

    def by(self, text: str) -> int:
        """The files that a pattern is about; a `!` in front does not matter.

        Raises:
            PatternError: It is no pattern, which those of a workspace were checked for.
        """
        body = text.removeprefix("!")
        if body not in self._found:
            self._found[body] = self._look_up(body)
        return self._found[body]

    def by_list(self, texts: Iterable[str]) -> int:
        """The files that a list takes: those of its patterns but for those of its `!` patterns."""
        included = excluded = 0
        for text in texts:
            if text.startswith("!"):
                excluded |= self.by(text)
            else:
                included |= self.by(text)
        return included & ~excluded

    def names(self, files: int) -> Iterator[str]:
        """The paths of a set, sorted."""
        while files:
            lowest = files & -files
            yield self.paths[lowest.bit_length() - 1]
            files ^= lowest

    def at(self, path: str) -> int:
        """A file itself, or all that lies in a folder; whatever characters its name has."""
        start, end = below(self.paths, path)
        return (1 << end) - (1 << start) | self._itself(path)

    def _itself(self, path: str) -> int:
        index = bisect_left(self.paths, path)
        return 1 << index if index < len(self.paths) and self.paths[index] == path else 0

    def _look_up(self, body: str) -> int:
        folder = fixed_folder(body)
        if is_plain(body):
            return self.at(folder)
        patterns = Patterns.compile([body])
        start, end = beginning(self.paths, fixed_start(body))
        found = self._itself(folder) if patterns.match(folder) is not None else 0
        return found | sum(1 << index for index in patterns.taken(self.paths[start:end])) << start


def is_plain(body: str) -> bool:
    """Whether a pattern without its `!` is a path: it and all below."""
    return fixed_folder(body) == body.strip("/")
