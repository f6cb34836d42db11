"""Near misses: the patterns and test paths that come closest to a file that none of them takes."""

from collections.abc import Iterator

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span
from pipegen.model import Expansion, Workspace
from pipegen.patterns import fixed_folder

MOST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A word of the workspace about files nearby: which word it is, its text, its place, and the keys it is for."""

    word: str
    pattern: str
    span: Span
    keys: tuple[str, ...]


def neighbours(expansion: Expansion, workspace: Workspace, path: str) -> tuple[Neighbour, ...]:
    """Those that share the most folders with a file; a handful, and none where many share just its first folder."""
    parts = path.split("/")
    found: dict[tuple[str, str, Span], tuple[int, list[str]]] = {}
    for folder, neighbour in _all(expansion, workspace):
        shared = _shared(parts, folder.split("/"))
        if shared:
            place = (neighbour.word, neighbour.pattern, neighbour.span)
            found.setdefault(place, (shared, []))[1].extend(neighbour.keys)
    most = max((shared for shared, _ in found.values()), default=0)
    nearest = [(place, keys) for place, (shared, keys) in found.items() if shared == most]
    if most == 1 and len(nearest) > MOST:
        return ()
    nearest.sort(key=lambda one: (len(one[0][1]), one[0]))
    return tuple(
        Neighbour(word=word, pattern=pattern, span=span, keys=tuple(keys))
        for (word, pattern, span), keys in nearest[:MOST]
    )


def _all(expansion: Expansion, workspace: Workspace) -> Iterator[tuple[str, Neighbour]]:
    """Every word about files, with the folder (or file) that all it can take lies in."""
    for job in expansion.jobs:
        for test in (*job.tests, *job.also):
            word = "tests" if test in job.tests else "also"
            yield test.file, Neighbour(word=word, pattern=test.written, span=test.span, keys=(job.key,))
        for source in job.sources:
            if not source.text.startswith("!"):
                near = Neighbour(word="sources", pattern=source.text, span=source.span, keys=(job.key,))
                yield fixed_folder(source.text), near
    for word, patterns in (("run_all", workspace.selection.run_all), ("ignored", workspace.selection.ignored)):
        for pattern in patterns:
            if not pattern.text.startswith("!"):
                yield fixed_folder(pattern.text), Neighbour(word=word, pattern=pattern.text, span=pattern.span, keys=())


def _shared(one: list[str], other: list[str]) -> int:
    """How many leading names two paths share."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
