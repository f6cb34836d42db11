"""Which jobs a file concerns: those that run it as a test, and those whose sources guard it.

Both answers come from tables that are made once, so that thousands of changed files stay cheap.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from pipegen import shell
from pipegen.diagnostics import Span
from pipegen.model import Claim, Expansion, Job, Located, TestPath
from pipegen.patterns import PatternIndex, Patterns, lineage

_LaneAndArea = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """How a file concerns a job: through which word of its entry, as written, and where that stands."""

    job: int
    word: str
    pattern: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A test path that a job runs; `lane` and `area` say whom it gives way to, None for `also`, which does not."""

    job: int
    test: TestPath
    gives_way: _LaneAndArea | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tests:
    """Who runs a test file: the jobs whose `tests` or `also` hold it, but for what they leave out.

    A job leaves out what its `ignore` names, and what another area owns further inside on its lane.
    """

    jobs: tuple[Job, ...]
    _entries: Mapping[str, tuple[_Entry, ...]]
    _globs: tuple[_Entry, ...]
    _owners: Mapping[str, frozenset[_LaneAndArea]]

    __test__ = False  # its name is a pytest pattern

    @classmethod
    def of(cls, expansion: Expansion) -> Self:
        """Index an expansion."""
        entries: dict[str, list[_Entry]] = {}
        globs: list[_Entry] = []
        areas = {(claim.lane, claim.test.span): claim.area for claim in expansion.claims}
        for index, job in enumerate(expansion.jobs):
            for entry in _entries_of(index, job, areas):
                (globs if entry.test.is_glob else entries.setdefault(entry.test.file, [])).append(entry)
        return cls(
            jobs=expansion.jobs,
            _entries={path: tuple(found) for path, found in entries.items()},
            _globs=tuple(globs),
            _owners=_owners(expansion.claims),
        )

    def running(self, path: str) -> Iterator[Touch]:
        """Every job that runs a file, each once for every entry that says so."""
        inner: set[_LaneAndArea] = set()
        for name in lineage(path):
            for entry in self._entries.get(name, ()):
                if not _given_away(entry, inner) and not self._ignored(entry.job, path):
                    yield _touch(entry)
            inner |= self._owners.get(name, frozenset())
        for entry in self._globs:
            if shell.glob_reaches(entry.test.file, path) and not self._ignored(entry.job, path):
                yield _touch(entry)

    def first(self, paths: Iterable[str]) -> Mapping[int, tuple[str, Touch]]:
        """For each job that runs any of the files: the first one, and the entry that says so."""
        found: dict[int, tuple[str, Touch]] = {}
        for path in paths:
            for touch in self.running(path):
                found.setdefault(touch.job, (path, touch))
        return found

    def knows(self, path: str) -> bool:
        """Whether any job runs a file, or an area says why none does."""
        return any(name in self._owners for name in lineage(path)) or next(self.running(path), None) is not None

    def _ignored(self, job: int, path: str) -> bool:
        return any(_holds(test, path) for test in self.jobs[job].ignore)


def _entries_of(index: int, job: Job, areas: Mapping[tuple[str, Span], str]) -> Iterator[_Entry]:
    """The entries of a job. A step of a manifest itself owns by its key, which its claims know."""
    area = job.origin.area
    for test in job.tests:
        owner = area if area is not None else areas.get((job.lane, test.span), job.key)
        yield _Entry(job=index, test=test, gives_way=(job.lane, owner))
    for test in job.also:
        yield _Entry(job=index, test=test, gives_way=None)


def _owners(claims: Iterable[Claim]) -> Mapping[str, frozenset[_LaneAndArea]]:
    """Who owns whole files and folders; others are never told to leave out a glob or a node id exactly."""
    found: dict[str, set[_LaneAndArea]] = {}
    for claim in claims:
        if not claim.test.is_glob and "::" not in claim.test.path:
            found.setdefault(claim.test.file, set()).add((claim.lane, claim.area))
    return {path: frozenset(owners) for path, owners in found.items()}


def _given_away(entry: _Entry, inner: Iterable[_LaneAndArea]) -> bool:
    """Whether another area owns, on the entry's lane, something that lies further inside and holds the file."""
    if entry.gives_way is None:
        return False
    lane, area = entry.gives_way
    return any(of_lane == lane and owner != area for of_lane, owner in inner)


def _holds(test: TestPath, path: str) -> bool:
    """Whether a test path is a whole file or folder that the file is or lies in, or a glob that names one."""
    if "::" in test.path:
        return False
    if test.is_glob:
        return shell.glob_reaches(test.file, path)
    return path == test.file or path.startswith(test.file + "/")


def _touch(entry: _Entry) -> Touch:
    word = "tests" if entry.gives_way is not None else "also"
    return Touch(job=entry.job, word=word, pattern=entry.test.written, span=entry.test.span)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Who guards a file: the jobs whose `sources` take it. Lists with the same texts are asked once."""

    _index: PatternIndex
    _jobs: tuple[tuple[tuple[int, tuple[Located, ...]], ...], ...]

    @classmethod
    def of(cls, jobs: Sequence[Job]) -> Self:
        """Index the sources of all jobs.

        Raises:
            PatternError: one of them is no pattern, which the references of the workspace's steps were checked for.
        """
        lists: dict[tuple[str, ...], list[tuple[int, tuple[Located, ...]]]] = {}
        for index, job in enumerate(jobs):
            if job.sources:
                lists.setdefault(tuple(source.text for source in job.sources), []).append((index, job.sources))
        compiled = [Patterns.compile(texts) for texts in lists]
        return cls(_index=PatternIndex.of(compiled), _jobs=tuple(tuple(users) for users in lists.values()))

    def guarding(self, path: str) -> Iterator[Touch]:
        """Every job that guards a file."""
        for index, match in self._index.taking(path):
            for job, sources in self._jobs[index]:
                yield _guard(job, sources[match.index])

    def sparing(self, path: str) -> Iterator[Touch]:
        """Every job that has a pattern for a file and excludes it by another: the nearest misses."""
        for index, patterns in enumerate(self._index.lists):
            at = patterns.excluded_by(path)
            included = Patterns.compile([text for text in patterns.texts if not text.startswith("!")])
            if at is not None and included.match(path) is not None:
                for job, sources in self._jobs[index]:
                    yield _guard(job, sources[at])

    def first(self, paths: Iterable[str]) -> Mapping[int, tuple[str, Touch]]:
        """For each job that guards any of the files: the first one, and through which pattern."""
        found: dict[int, tuple[str, Touch]] = {}
        for index, (path, match) in self._index.first(paths).items():
            for job, sources in self._jobs[index]:
                found[job] = (path, _guard(job, sources[match.index]))
        return found

    def knows(self, path: str) -> bool:
        """Whether any job guards a file."""
        return self._index.takes(path)


def _guard(job: int, source: Located) -> Touch:
    return Touch(job=job, word="sources", pattern=source.text, span=source.span)
