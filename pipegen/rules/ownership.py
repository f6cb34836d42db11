"""Which area owns which test file on which lane, and what a test path takes in."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pipegen.commands import Files, Glob
from pipegen.commands.collecting.files import below
from pipegen.commands.collecting.lookup import expand
from pipegen.dataclass import dataclass
from pipegen.model import Claim, TestPath

_FOLDER: Final = 0
_GLOB: Final = 1
_FILE: Final = 2
_NODE: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Ownership:
    """The owner of each test file, lane by lane: of all claims that take a file in, the most specific one's.

    `files` holds what each claimed path takes in of the test files, by the path's text.
    """

    owners: Mapping[str, Mapping[str, Claim]]
    claims: tuple[Claim, ...]
    files: Mapping[str, tuple[str, ...]]
    owned: frozenset[str]
    """Files that any lane owns."""

    @classmethod
    def of(cls, claims: Iterable[Claim], tests: Sequence[str], files: Files) -> "Ownership":
        """Sort out who owns what. `tests` are the test files, sorted."""
        every = tuple(claims)
        taken = {claim.test.path: claim.test for claim in every}
        found = {path: taken_in(test, tests, files) for path, test in taken.items()}
        owners: dict[str, dict[str, Claim]] = {}
        for claim in sorted(every, key=_specific):
            owners.setdefault(claim.lane, {}).update(dict.fromkeys(found[claim.test.path], claim))
        owned = frozenset[str]().union(*(by_file.keys() for by_file in owners.values()))
        return cls(owners=owners, claims=every, files=found, owned=owned)

    def on(self, lane: str) -> Mapping[str, Claim]:
        """Files with their owners on a lane."""
        return self.owners.get(lane, {})


def _specific(claim: Claim) -> tuple[int, int, str, bool]:
    """The order in which claims give way to one another, the most specific last.

    A glob may name folders and files; what it takes in lies deeper than the folders it is written below.
    """
    test = claim.test
    plain = _FILE if test.file.endswith(".py") else _FOLDER
    kind = _NODE if "::" in test.path else _GLOB if test.is_glob else plain
    return test.file.count("/"), kind, test.path, claim.runs


def taken_in(test: TestPath, paths: Sequence[str], files: Files) -> tuple[str, ...]:
    """Those of some sorted paths that a test path takes in: the file itself, or what lies below the folder."""
    if not test.is_glob or files.exists(test.file):
        return at_or_below(test.file, paths, files)
    found = expand(files, Glob(pattern=test.file.replace("[^", "[!"), written=test.written))
    return tuple(sorted({path for place in found for path in at_or_below(place, paths, files)}))


def at_or_below(place: str, paths: Sequence[str], files: Files) -> tuple[str, ...]:
    """Those of some sorted paths that are a file, or lie below a folder."""
    if place in files.folders:
        start, end = below(paths, place)
        return tuple(paths[start:end])
    at = bisect_left(paths, place)
    return (place,) if at < len(paths) and paths[at] == place else ()
