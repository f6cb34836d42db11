"""A folder selects far more jobs than the folders and files beside it.

It is how small changes start large builds: many jobs name a whole folder where each needs a part of it. The figures
say how many jobs run when anything in the folder changes, and how many do for what lies beside it. Where that is as it
should be, a waiver says so; else name in each job what it needs of the folder, or take the rest out with `!` patterns.

Reported are folders of at least 5 files, named as such in `sources`, that select at least 20 jobs, a tenth of those
that changes can select, and more than 5 times the median of at least 5 neighbours that select any. What `run_all` or
`ignored` take does not count. A single file is never reported: there is nothing to name instead.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import field
from typing import Final, TypeAlias

from pipegen.commands.collecting.files import names_in
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Code, Diagnostic, Related, Severity
from pipegen.model import Located
from pipegen.patterns import fixed_folder, lineage
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

_Places: TypeAlias = list[tuple[Located, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Selection:
    """What changes select in a pipeline: the files that each list leaves out, with the number of jobs that have it.

    `at` and `inside` say which lists have a pattern that begins with a path, and which have one that begins below it.
    """

    lists: tuple[tuple[int, int], ...]
    at: Mapping[str, Set[int]]
    inside: Mapping[str, Set[int]]
    beside: int
    taken: Taken
    jobs: int
    _counts: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, lists: Sequence[tuple[tuple[str, ...], int]], *, beside: int, taken: Taken, jobs: int) -> "_Selection":
        """Of lists of patterns, each with the number of jobs that have it."""
        every = (1 << len(taken.paths)) - 1  # what a list leaves out is positive: those are the faster integers
        at: dict[str, set[int]] = {}
        for index, (texts, _) in enumerate(lists):
            for text in texts:
                if not text.startswith("!"):
                    at.setdefault(fixed_folder(text), set()).add(index)
        inside: dict[str, set[int]] = {}
        for folder, indices in at.items():
            for around in lineage(folder):
                inside.setdefault(around, set()).update(indices)
        return cls(
            lists=tuple((every ^ taken.by_list(texts), count) for texts, count in lists),
            at=at,
            inside=inside,
            beside=beside,
            taken=taken,
            jobs=jobs,
        )

    def by(self, path: str) -> int:
        """How many jobs run whatever changes at or below a path."""
        if path not in self._counts:
            files = self.taken.at(path) & ~self.beside
            near = (self.lists[index] for index in self._near(path)) if files else ()
            self._counts[path] = sum(count for spared, count in near if not files & spared)
        return self._counts[path]

    def _near(self, path: str) -> frozenset[int]:
        """The lists that may take anything at or below a path, which are few."""
        above = (self.at[folder] for folder in (*lineage(path), "") if folder in self.at)
        return frozenset(self.inside.get(path, ())).union(*above)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    lists = pattern_lists(facts)
    for pipeline in facts.pipelines:
        own = [one for one in lists if one.word == SOURCES and one.pipeline is pipeline]
        selection = _selection(pipeline, own, facts)
        beside: dict[str, Mapping[str, int]] = {}
        for folder, places in sorted(_folders(own).items()):
            if facts.taken.at(folder).bit_count() < FILES:
                continue
            count = selection.by(folder)
            if count < max(JOBS, selection.jobs / SHARE):
                continue
            around = folder.rpartition("/")[0]
            if around not in beside:
                beside[around] = {path: selection.by(path) for path in _inside(around, facts.taken.paths)}
            others = [found for path, found in beside[around].items() if found and path != folder]
            if len(others) >= NEIGHBOURS and count > TIMES * _median(others):
                yield _report(folder, places, others, count, selection)


def _selection(pipeline: Pipeline, lists: list[PatternList], facts: Facts) -> _Selection:
    by_changes = {
        job.key for job in pipeline.expansion.jobs if any(word.text in {"changed", "sources"} for word in job.when)
    }
    written = pipeline.workspace.selection
    aside = [facts.taken.by_list(one.text for one in words) for words in (written.run_all, written.ignored)]
    counted = [(one.texts, len(by_changes.intersection(one.keys))) for one in lists]
    used = [(texts, count) for texts, count in counted if count]
    return _Selection.of(used, beside=aside[0] | aside[1], taken=facts.taken, jobs=len(by_changes))


def _folders(lists: list[PatternList]) -> Mapping[str, _Places]:
    """The folders that patterns name, with the places where they do, each with a number of jobs."""
    found: dict[str, _Places] = {}
    for one in lists:
        for pattern in one.patterns:
            if not is_exclusion(pattern) and is_plain(pattern.text):
                found.setdefault(pattern.text.strip("/"), []).append((pattern, len(one.keys)))
    return found


def _by_jobs(places: _Places) -> list[Located]:
    """Places, each once, those of the most jobs first."""
    jobs: dict[Located, int] = {}
    for place, count in places:
        jobs[place] = jobs.get(place, 0) + count
    return sorted(jobs, key=lambda place: (-jobs[place], place.span.order))


def _inside(folder: str, paths: tuple[str, ...]) -> Iterator[str]:
    """What lies right in a folder."""
    return (f"{folder}/{name}" if folder else name for name in names_in(paths, folder))


def _median(numbers: list[int]) -> float:
    """The middle one, or the mean of the two in the middle: to import `statistics` takes longer than the whole rule."""
    ordered, middle = sorted(numbers), len(numbers) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _report(folder: str, named: _Places, others: list[int], count: int, selection: _Selection) -> Diagnostic:
    places = _by_jobs(named)
    around = folder.rpartition("/")[0]
    beside = f'beside it in "{around}/"' if around else "beside it"
    return Diagnostic(
        code=OVER_TRIGGER,
        span=places[0].span,
        message=(
            f'"{folder}/" selects {count} of the {selection.jobs} jobs that changes can select; what lies {beside} '
            f"selects {_median(others):g} (the median of {len(others)})"
        ),
        help="name in each job what it needs of the folder, or take the rest out with ! patterns",
        related=tuple(Related(span=place.span, note="and here") for place in places[1 : SHOWN + 1]),
    )


RULE: Final = Rule(codes=(OVER_TRIGGER,), check=_check)
