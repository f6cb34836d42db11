"""Things that wait for each other, in an order in which nothing waits for what comes later."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from pipegen.dataclass import dataclass


def components(needs: Mapping[int, Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """The strongly connected components of a graph (Tarjan's), each after all that it needs.

    Apart from that they come in the order of the keys, and what a node needs in the order given. Recursion would end at
    chains of a thousand, so the stack is our own.
    """
    walk = _Walk(needs=needs)
    for node in needs:
        if node not in walk.seen:
            yield from walk.visit(node)


@dataclass(slots=True, kw_only=True)
class _Walk:
    """`seen` numbers the nodes as they were met, `lowest` the earliest that each of them leads back to."""

    needs: Mapping[int, Sequence[int]]
    seen: dict[int, int] = field(default_factory=dict)
    lowest: dict[int, int] = field(default_factory=dict)
    open: list[int] = field(default_factory=list)
    is_open: set[int] = field(default_factory=set)

    def visit(self, start: int) -> Iterator[tuple[int, ...]]:
        path = [(start, iter(self.needs[start]))]
        self._enter(start)
        while path:
            node, rest = path[-1]
            for other in rest:
                if other not in self.seen:
                    self._enter(other)
                    path.append((other, iter(self.needs[other])))
                    break
                if other in self.is_open:
                    self.lowest[node] = min(self.lowest[node], self.seen[other])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    self.lowest[above] = min(self.lowest[above], self.lowest[node])
                if self.lowest[node] == self.seen[node]:
                    yield self._leave(node)

    def _enter(self, node: int) -> None:
        self.seen[node] = self.lowest[node] = len(self.seen)
        self.open.append(node)
        self.is_open.add(node)

    def _leave(self, node: int) -> tuple[int, ...]:
        at = self.open.index(node)
        found = tuple(self.open[at:])
        del self.open[at:]
        self.is_open.difference_update(found)
        return found
