"""The lists of patterns of a workspace: the `sources` of its jobs, and `run_all` and `ignored` of its pipelines."""

from collections.abc import Iterable, Iterator
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Edit, first_of
from pipegen.model import Located
from pipegen.rules.edits import removed
from pipegen.rules.facts import Facts, Pipeline

SOURCES: Final = "sources"
RUN_ALL: Final = "run_all"
IGNORED: Final = "ignored"


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternList:
    """One list as it holds: after inheritance, so that what was authored once may stand in many.

    `keys` are those of the jobs whose `sources` it is.
    """

    word: str
    patterns: tuple[Located, ...]
    pipeline: Pipeline
    keys: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """The patterns without their places."""
        return tuple(pattern.text for pattern in self.patterns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A pattern at the place where it was written, in a list of this name, and all the lists that it is in."""

    word: str
    pattern: Located
    lists: tuple[PatternList, ...]

    @property
    def where(self) -> str:
        """The list for people: `sources of "a" and 2 more jobs`."""
        keys = sorted({key for one in self.lists for key in one.keys})
        return f"{self.word} of {first_of(keys)}" if keys else self.word


def pattern_lists(facts: Facts) -> tuple[PatternList, ...]:
    """All lists, in an order of their own; jobs with the same one share it."""
    return facts.once(_pattern_lists)


def written_patterns(facts: Facts) -> tuple[Written, ...]:
    """Every pattern of all lists, once for each place where one was written."""
    return facts.once(_written_patterns)


def _written_patterns(facts: Facts) -> tuple[Written, ...]:
    return tuple(written(pattern_lists(facts)))


def _pattern_lists(facts: Facts) -> tuple[PatternList, ...]:
    found: list[PatternList] = []
    for pipeline in facts.pipelines:
        selection = pipeline.workspace.selection
        users: dict[tuple[Located, ...], list[str]] = {}
        for job in pipeline.expansion.jobs:
            if job.sources:
                users.setdefault(job.sources, []).append(job.key)
        found += (
            PatternList(word=SOURCES, patterns=patterns, pipeline=pipeline, keys=tuple(sorted(keys)))
            for patterns, keys in users.items()
        )
        found += (
            PatternList(word=word, patterns=patterns, pipeline=pipeline)
            for word, patterns in ((RUN_ALL, selection.run_all), (IGNORED, selection.ignored))
            if patterns
        )
    return tuple(sorted(found, key=_order))


def _order(one: PatternList) -> tuple[str, str, tuple[str, ...], str]:
    workspace = one.pipeline.workspace
    return one.word, workspace.path, one.keys, workspace.pipeline or ""


def written(lists: Iterable[PatternList]) -> Iterator[Written]:
    """Every pattern of some lists, once for each place where one was written."""
    places: dict[tuple[str, Located], list[PatternList]] = {}
    for one in lists:
        for pattern in one.patterns:
            holding = places.setdefault((one.word, pattern), [])
            if not holding or holding[-1] is not one:  # else it stands in the list twice
                holding.append(one)
    for (word, pattern), lists_with_it in places.items():
        yield Written(word=word, pattern=pattern, lists=tuple(lists_with_it))


def is_exclusion(pattern: Located) -> bool:
    """Whether a pattern takes files out."""
    return pattern.text.startswith("!")


def taken_out(pattern: Located, facts: Facts) -> tuple[Edit, ...]:
    """The edit that takes a pattern out of its list; none where nothing would be left, which may mean something."""
    text = facts.source(pattern.span.path)
    edits = removed(text, pattern.span) if text is not None else ()
    return () if any(edit.text for edit in edits) else edits
