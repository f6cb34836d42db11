"""A folder selects far more jobs than the folders and files beside it.

It is how small changes start large builds: many jobs name a whole folder where each needs a part of it. The figures
say how many jobs run when anything in the folder changes, and how many do for what lies beside it. Where that is as it
should be, a waiver says so; else name in each job what it needs of the folder, or take the rest out with `!` patterns.

Reported are folders of at least 5 files, named as such in `sources`, that select at least 20 jobs, a tenth of those
that changes can select, and more than 5 times the median of at least 5 neighbours that select any. What `run_all` or
`ignored` take does not count. A single file is never reported: there is nothing to name instead.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field
from statistics import median
from typing import Final

from pipegen.commands.collecting.files import below
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Code, Diagnostic, Related, Severity
from pipegen.model import Located
from pipegen.rules.facts import Facts, Pipeline
from pipegen.rules.frame import Rule
from pipegen.rules.pattern_lists import SOURCES, PatternList, is_exclusion, pattern_lists
from pipegen.rules.taken import Taken, is_plain

OVER_TRIGGER: Final = Code(
    code="PG406",
    name="over-trigger",
    summary="A folder selects far more jobs than what lies beside it.",
    severity=Severity.WARNING,
)
FILES: Final = 5
"""A folder with fewer is as narrow as patterns get."""
JOBS: Final = 20
SHARE: Final = 10
"""One in so many of the jobs that changes can select."""
TIMES: Final = 5
NEIGHBOURS: Final = 5
SHOWN: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Selection:
    """What changes select in a pipeline: the files that each list leaves out, with the number of jobs that have it."""

    lists: tuple[tuple[int, int], ...]
    beside: int
    taken: Taken
    jobs: int
    _counts: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)

    def by(self, path: str) -> int:
        """How many jobs run whatever changes at or below a path."""
        if path not in self._counts:
            files = self.taken.at(path) & ~self.beside
            self._counts[path] = sum(count for spared, count in self.lists if not files & spared) if files else 0
        return self._counts[path]


def _check(facts: Facts) -> Iterator[Diagnostic]:
    lists = pattern_lists(facts)
    for pipeline in facts.pipelines:
        own = [one for one in lists if one.word == SOURCES and one.pipeline is pipeline]
        selection = _selection(pipeline, own, facts)
        beside: dict[str, tuple[str, ...]] = {}
        for folder, places in sorted(_folders(own).items()):
            if facts.taken.at(folder).bit_count() < FILES:
                continue
            count = selection.by(folder)
            if count < max(JOBS, selection.jobs / SHARE):
                continue
            around = folder.rpartition("/")[0]
            if around not in beside:
                beside[around] = tuple(_inside(around, facts.taken.paths))
            others = [found for path in beside[around] if path != folder and (found := selection.by(path))]
            if len(others) >= NEIGHBOURS and count > TIMES * median(others):
                yield _report(folder, places, others, count, selection)


def _selection(pipeline: Pipeline, lists: list[PatternList], facts: Facts) -> _Selection:
    by_changes = {
        job.key for job in pipeline.expansion.jobs if any(word.text in {"changed", "sources"} for word in job.when)
    }
    written = pipeline.workspace.selection
    aside = [facts.taken.by_list(one.text for one in words) for words in (written.run_all, written.ignored)]
    every = (1 << len(facts.taken.paths)) - 1  # what a list leaves out is positive: those are the faster integers
    counted = [(every ^ facts.taken.by_list(one.texts), len(by_changes.intersection(one.keys))) for one in lists]
    return _Selection(
        lists=tuple((spared, count) for spared, count in counted if count),
        beside=aside[0] | aside[1],
        taken=facts.taken,
        jobs=len(by_changes),
    )


def _folders(lists: list[PatternList]) -> Mapping[str, tuple[Located, ...]]:
    """The folders that patterns name, with the places where they do, those of the most jobs first."""
    found: dict[str, dict[Located, int]] = {}
    for one in lists:
        for pattern in one.patterns:
            if not is_exclusion(pattern) and is_plain(pattern.text):
                places = found.setdefault(pattern.text.strip("/"), {})
                places[pattern] = places.get(pattern, 0) + len(one.keys)
    return {
        folder: tuple(sorted(places, key=lambda place: (-places[place], place.span)))
        for folder, places in found.items()
    }


def _inside(folder: str, paths: tuple[str, ...]) -> Iterator[str]:
    """What lies right in a folder."""
    start, end = below(paths, folder)
    skip = len(folder) + 1 if folder else 0
    for name in dict.fromkeys(path[skip:].partition("/")[0] for path in paths[start:end]):
        yield f"{folder}/{name}" if folder else name


def _report(
    folder: str, places: tuple[Located, ...], others: list[int], count: int, selection: _Selection
) -> Diagnostic:
    around = folder.rpartition("/")[0]
    beside = f'beside it in "{around}/"' if around else "beside it"
    return Diagnostic(
        code=OVER_TRIGGER,
        span=places[0].span,
        message=(
            f'"{folder}/" selects {count} of the {selection.jobs} jobs that changes can select; what lies {beside} '
            f"selects {median(others):g} (the median of {len(others)})"
        ),
        help="name in each job what it needs of the folder, or take the rest out with ! patterns",
        related=tuple(Related(span=place.span, note="and here") for place in places[1 : SHOWN + 1]),
    )


RULE: Final = Rule(codes=(OVER_TRIGGER,), check=_check)
