"""Test paths of manifests that name nothing, and what they were probably meant to be."""

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import Final

from pipegen.commands import Files, Glob, Named, Spot
from pipegen.commands.collecting.files import names_in
from pipegen.commands.collecting.lookup import expand
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Edit, Span, closest
from pipegen.model import TestPath
from pipegen.rules.facts import Facts, JobFacts, Ran
from pipegen.rules.places import is_authored, typed

_SHORT: Final = 5
_RESEMBLING: Final = 0.75
"""difflib's ratio from which on two names are taken for one another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Successor:
    """What a path that is gone was probably meant to be: a path from the repository's root.

    `sure` says that git saw all of it go there.
    """

    path: str
    sure: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A test path of a manifest that names nothing, and in which list of which jobs it stands."""

    test: TestPath
    word: str
    jobs: tuple[JobFacts, ...]
    successors: tuple[Successor, ...]


def exists(test: TestPath, files: Files) -> bool:
    """Whether a test path names anything."""
    if files.exists(test.file):
        return True
    return test.is_glob and bool(expand(files, Glob(pattern=test.file.replace("[^", "[!"), written=test.written)))


def missing(facts: Facts) -> tuple[Missing, ...]:
    """The paths of `tests` and `also` that name nothing, each place once."""
    return facts.once(_missing_tests)


def missing_ignores(facts: Facts) -> tuple[Missing, ...]:
    """The same of `ignore`."""
    return _missing(facts, ("ignore",))


def _missing_tests(facts: Facts) -> tuple[Missing, ...]:
    return _missing(facts, ("tests", "also"))


def _missing(facts: Facts, words: Iterable[str]) -> tuple[Missing, ...]:
    found: dict[Span, tuple[TestPath, str, list[JobFacts]]] = {}
    files = facts.inventory.files
    known: dict[str, bool] = {}
    for test, word, job in _written(facts, words):
        if test.file not in known:
            known[test.file] = exists(test, files)
        if not known[test.file]:
            jobs = found.setdefault(test.span, (test, word, []))[2]
            jobs += [] if job is None else [job]
    return tuple(
        Missing(test=test, word=word, jobs=tuple(jobs), successors=successors(test.file, facts))
        for _, (test, word, jobs) in sorted(found.items(), key=lambda item: item[0])
    )


def _written(facts: Facts, words: Iterable[str]) -> Iterator[tuple[TestPath, str, JobFacts | None]]:
    for word in words:
        for job in facts.jobs:
            lists: Mapping[str, tuple[TestPath, ...]] = {
                "tests": job.job.tests,
                "also": job.job.also,
                "ignore": job.job.ignore,
            }
            yield from ((test, word, job) for test in lists[word])
        if word == "tests":  # those of a lane with a reasoned `none` are in no job
            yield from ((claim.test, word, None) for claim in facts.ownership.claims)


def successors(path: str, facts: Facts) -> tuple[Successor, ...]:
    """Where a path went, as git saw it, or else the one that it looks like; nothing where neither is known."""
    files = facts.inventory.files
    renames = facts.inventory.renames
    if path in renames:
        return (Successor(path=renames[path], sure=True),)
    moved = [(old[len(path) + 1 :], new) for old, new in renames.items() if old.startswith(path + "/")]
    if moved:
        return _moved(moved, files)
    near = _repaired(path, files) or _elsewhere(path, facts)
    return () if near is None else (Successor(path=near, sure=False),)


def _moved(moved: Iterable[tuple[str, str]], files: Files) -> tuple[Successor, ...]:
    """The folders that files of a folder went to, the one with most of them first."""
    places: Counter[str] = Counter()
    whole = True
    for rest, new in sorted(moved):
        kept = new.endswith("/" + rest)
        whole = whole and kept
        places[new[: -len(rest) - 1] if kept else posixpath.dirname(new)] += 1
    sure = whole and len(places) == 1
    return tuple(Successor(path=place, sure=sure) for place, _ in places.most_common() if place in files.folders)


def _repaired(path: str, files: Files) -> str | None:
    """The path with each name in it that is not there replaced by the nearest one that is."""
    at = ""
    for name in path.split("/"):
        here = posixpath.join(at, name)
        if not files.exists(here):
            near = _near(name, names_in(files.paths, at))
            if near is None:
                return None
            here = posixpath.join(at, near)
        at = here
    return at


def _near(name: str, names: Iterable[str]) -> str | None:
    """The name that another one may be a misspelling of, but for what all names of tests have in common."""
    stems = {_stem(other): other for other in names}
    stem = _stem(name)
    near = closest(stem, stems)
    if near is None:
        return None
    alike = max(len(stem), len(near)) <= _SHORT or SequenceMatcher(None, stem, near).ratio() >= _RESEMBLING
    return stems[near] if alike else None


def _stem(name: str) -> str:
    return name.removesuffix(".py").removeprefix("test_").removesuffix("_test") or name


def _elsewhere(path: str, facts: Facts) -> str | None:
    """The only test file, or folder of test files, of the same name, wherever it lies."""
    name = posixpath.basename(path)
    files, folders = facts.once(_tests_by_name)
    found = (files if name.endswith(".py") else folders).get(name, ())
    return found[0] if len(found) == 1 else None


def _tests_by_name(facts: Facts) -> tuple[Mapping[str, list[str]], Mapping[str, list[str]]]:
    """The test files by their names, and the folders that they lie in."""
    files: dict[str, list[str]] = {}
    folders: dict[str, list[str]] = {}
    for test in facts.inventory.tests:
        files.setdefault(posixpath.basename(test), []).append(test)
    for folder in dict.fromkeys(folder for test in facts.inventory.tests for folder in folders_of(test)):
        folders.setdefault(posixpath.basename(folder), []).append(folder)
    return files, folders


def said_of(job: JobFacts, gone: str) -> Iterator[tuple[Ran, Spot]]:
    """What a job's commands name and ignore of a path that is gone: itself, or what lay in it."""
    for ran in job.runs:
        targets = [target for target in ran.collection.missing if isinstance(target, Named)]
        for spot in (*targets, *(one for one in ran.collection.absent if one in ran.run.ignores)):
            if is_authored(job.job, spot.place) and (spot.path == gone or spot.path.startswith(gone + "/")):
                yield ran, spot


def ignored_of(one: Missing) -> tuple[TestPath, ...]:
    """The entries of `ignore` of its jobs that lay in a path that is gone, or were it."""
    found = {
        entry.span: entry
        for job in one.jobs
        for entry in job.job.ignore
        if entry.file == one.test.file or entry.file.startswith(one.test.file + "/")
    }
    return tuple(entry for _, entry in sorted(found.items()))


def followed(job: JobFacts, ran: Ran, target: Spot, facts: Facts) -> Edit | None:
    """The edit that lets a command follow a rename that git saw, if the path stands in it as it was written."""
    new = successors(target.path, facts)
    span = typed(job.job, target.place, target.written)
    if span is None or ran.run.folder is None or not new or not new[0].sure:
        return None
    bare, colons, node = target.written.partition("::")
    path = posixpath.relpath(new[0].path, ran.run.folder or ".")
    return Edit(span=span, text=path + ("/" if bare.endswith("/") else "") + colons + node)


def folders_of(path: str) -> Iterator[str]:
    """The folders that a file lies in, the nearest first."""
    while (path := path.rpartition("/")[0]) != "":
        yield path


def written_like(test: TestPath, path: str, *, folder: bool) -> str:
    """A path from the repository's root as the author of a test entry would have written it, its node id kept."""
    bare = test.written.partition("::")[0]
    prefix = test.path.partition("::")[0].removesuffix(bare.removeprefix("//").removeprefix("./"))
    node = test.path[len(test.path.partition("::")[0]) :]
    tail = "/" if folder and bare.endswith("/") else ""
    if test.written.startswith("//") or not path.startswith(prefix):
        return f"//{path}{tail}{node}"
    return path[len(prefix) :] + tail + node
