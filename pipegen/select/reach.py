"""Which jobs a file concerns: those that run it as a test, and those whose sources guard it.

Both answers come from tables that are made once, so that thousands of changed files stay cheap.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Self

from pipegen import shell
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span
from pipegen.model import Claim, Expansion, Job, Located, TestPath
from pipegen.patterns import PatternIndex, Patterns, fixed_folder, lineage


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """How a file concerns a job: through which word of its entry, as written, and where that stands."""

    job: int
    word: str
    pattern: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A test path that a job runs. What `area` does not own further inside is not run; None for `also`, which is."""

    job: int
    test: TestPath
    lane: str
    area: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tests:
    """Who runs a test file: the jobs whose `tests` or `also` hold it, but for what they leave out.

    A job leaves out what its `ignore` names, and what another area owns further inside on its lane. Both tables are by
    the folder (or file) that all a path can hold lies in.
    """

    jobs: tuple[Job, ...]
    _entries: Mapping[str, tuple[_Entry, ...]]
    _claims: Mapping[str, tuple[Claim, ...]]

    __test__ = False  # its name is a pytest pattern

    @classmethod
    def of(cls, expansion: Expansion) -> Self:
        """Index an expansion."""
        entries: dict[str, list[_Entry]] = {}
        claims: dict[str, list[Claim]] = {}
        areas = {(claim.lane, claim.test.span): claim.area for claim in expansion.claims}
        for index, job in enumerate(expansion.jobs):
            for entry in _entries_of(index, job, areas):
                entries.setdefault(_folder(entry.test), []).append(entry)
        for claim in expansion.claims:
            if "::" not in claim.test.path:
                claims.setdefault(_folder(claim.test), []).append(claim)
        return cls(
            jobs=expansion.jobs,
            _entries={folder: tuple(found) for folder, found in entries.items()},
            _claims={folder: tuple(found) for folder, found in claims.items()},
        )

    def running(self, path: str) -> Iterator[Touch]:
        """Every job that runs a file, each once for every entry that says so."""
        folders = (*lineage(path), "")
        found = [e for name in folders if name in self._entries for e in self._entries[name] if _reaches(e.test, path)]
        if not found:
            return
        owners = self._owning(path, folders)
        for entry in found:
            if not _given_away(entry, owners) and not any(holds(test, path) for test in self.jobs[entry.job].ignore):
                word = "also" if entry.area is None else "tests"
                yield Touch(job=entry.job, word=word, pattern=entry.test.written, span=entry.test.span)

    def first(self, paths: Iterable[str]) -> Mapping[int, tuple[str, Touch]]:
        """For each job that runs any of the files: the first one, and the entry that says so."""
        found: dict[int, tuple[str, Touch]] = {}
        for path in paths:
            for touch in self.running(path):
                found.setdefault(touch.job, (path, touch))
        return found

    def knows(self, path: str) -> bool:
        """Whether any job runs a file, or an area owns it and says why no job does."""
        return bool(self._owning(path, (*lineage(path), ""))) or next(self.running(path), None) is not None

    def _owning(self, path: str, folders: Iterable[str]) -> tuple[Claim, ...]:
        """The claims on whole files and folders that hold a file."""
        return tuple(
            claim
            for name in folders
            if name in self._claims
            for claim in self._claims[name]
            if _reaches(claim.test, path)
        )


def _entries_of(index: int, job: Job, areas: Mapping[tuple[str, Span], str]) -> Iterator[_Entry]:
    """The entries of a job. A step of a manifest itself owns by its key, which its claims know."""
    area = job.origin.area
    for test in job.tests:
        owner = area if area is not None else areas.get((job.lane, test.span), job.key)
        yield _Entry(job=index, test=test, lane=job.lane, area=owner)
    for test in job.also:
        yield _Entry(job=index, test=test, lane=job.lane, area=None)


def _folder(test: TestPath) -> str:
    """Where to look a test path up: itself, or the last folder of a glob that is certain."""
    return test.file if not test.is_glob else fixed_folder(test.file)


def _reaches(test: TestPath, path: str) -> bool:
    """Whether a test path that was found by its folder holds a file; of a node id its file counts."""
    return not test.is_glob or shell.glob_reaches(test.file, path)


def _given_away(entry: _Entry, owners: Iterable[Claim]) -> bool:
    """Whether another area owns, on the entry's lane, something further inside that holds the file."""
    if entry.area is None:
        return False
    depth = entry.test.file.count("/")
    return any(
        claim.lane == entry.lane and claim.area != entry.area and claim.test.file.count("/") > depth for claim in owners
    )


def holds(test: TestPath, path: str) -> bool:
    """Whether a test path is a whole file or folder that the file is or lies in, or a glob that names one."""
    if "::" in test.path:
        return False
    if test.is_glob:
        return shell.glob_reaches(test.file, path)
    return path == test.file or path.startswith(f"{test.file}/")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Both tables of a workspace's jobs, to be made once and asked often."""

    tests: Tests
    sources: Sources

    @classmethod
    def of(cls, expansion: Expansion) -> Self:
        """Index an expansion."""
        return cls(tests=Tests.of(expansion), sources=Sources.of(expansion.jobs))
