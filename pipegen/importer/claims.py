"""Who owns which tests on which lane: the first step that runs them."""

from collections.abc import Iterable, Iterator, Mapping

from pipegen.dataclass import dataclass
from pipegen.importer.drafts import Draft, Unit

Place = tuple[str, str]
"""A lane and a path without the slash that marks folders."""


def bare(path: str) -> str:
    """A path without the slash that marks folders."""
    return path.rstrip("/")


def name_of(draft: Draft) -> str:
    """What tells a step from all others of the import."""
    return f"{draft.path}#{draft.key}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """The owner of each path on each lane, and the paths of each lane in order."""

    owners: Mapping[Place, str]

    @classmethod
    def of(cls, drafts: Iterable[Draft]) -> "Claims":
        """The claims of all steps, in order.

        A node id belongs to nobody where another step runs its file or folder on the lane: that one owns it all. A
        mirror that runs what its step runs owns what that owns.
        """
        found = list(drafts)
        runs: dict[Place, set[str]] = {}
        for draft in found:
            for place in (place for unit in draft.units for place in _places(unit, unit.collected.tests)):
                runs.setdefault(place, set()).add(name_of(draft))
        owners: dict[Place, str] = {}
        for draft in found:
            _claim(draft, runs, owners)
        return cls(owners=owners)

    def owned(self, draft: Draft, unit: Unit) -> tuple[str, ...]:
        """What a step owns of what one of its units runs."""
        return tuple(path for path in unit.collected.tests if self._is_owner(draft, unit, path))

    def shared(self, draft: Draft, unit: Unit) -> tuple[str, ...]:
        """What it runs and others own, or nobody."""
        return tuple(path for path in unit.collected.tests if not self._is_owner(draft, unit, path))

    def _is_owner(self, draft: Draft, unit: Unit, path: str) -> bool:
        return self.owners.get((unit.placement.lane, bare(path))) == name_of(draft)

    def others_inside(self, draft: Draft, unit: Unit) -> bool:
        """Whether others own something inside of what a unit owns, which a generated call would leave out."""
        name = name_of(draft)
        owned = tuple(bare(path) for path in self.owned(draft, unit))
        inside = tuple(mark for path in owned for mark in (f"{path}/", f"{path}::"))
        return any(
            owner != name and lane == unit.placement.lane and path.startswith(inside)
            for (lane, path), owner in self.owners.items()
        )


def _places(unit: Unit, paths: Iterable[str]) -> Iterator[Place]:
    for path in paths:
        yield unit.placement.lane, bare(path)


def _claim(draft: Draft, runs: Mapping[Place, set[str]], owners: dict[Place, str]) -> None:
    """Give a step what it runs and nobody owns yet."""
    name = name_of(draft)
    own = draft.unit.collected.tests
    free = [path for path, place in zip(own, _places(draft.unit, own), strict=True) if not _lost(place, name, runs)]
    mine = [path for path in free if owners.setdefault((draft.unit.placement.lane, bare(path)), name) == name]
    for unit in (mirror.unit for mirror in draft.mirrors):
        if unit.collected.tests == own:
            places = list(_places(unit, mine))
        else:
            places = [place for place in _places(unit, unit.collected.tests) if not _lost(place, name, runs)]
        for place in places:
            owners.setdefault(place, name)


def _lost(place: Place, name: str, runs: Mapping[Place, set[str]]) -> bool:
    """Whether it is a node id of what another step runs as a whole."""
    lane, path = place
    return "::" in path and any(runs.get((lane, outer), set()) - {name} for outer in _above(path))


def _above(path: str) -> Iterator[str]:
    """The file of a node id, and the folders above."""
    outer = path.partition("::")[0]
    while outer:
        yield outer
        outer = outer.rpartition("/")[0]
