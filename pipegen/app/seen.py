"""What a run has read."""

from pipegen.source import Tree


class SeenTree:
    """A tree that remembers what was read of it, and reads it once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._read: dict[str, tuple[bytes, int]] = {}

    def under(self, folder: str) -> tuple[str, ...]:
        """See `Tree.under`."""
        return self._tree.under(folder)

    def read(self, path: str, *, limit: int) -> bytes:
        """See `Tree.read`."""
        content, earlier = self._read.get(path, (b"", -1))
        if len(content) > earlier and limit > earlier:
            content = self._tree.read(path, limit=limit)
            self._read[path] = content, limit
        return content[: limit + 1]

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that were read, sorted."""
        return tuple(sorted(self._read))

    def text(self, path: str) -> str | None:
        """The text of a file that was read; None for others."""
        return self._read[path][0].decode("utf-8-sig", "replace") if path in self._read else None
