"""`tests` names every test file of a directory, one by one.

The directory is the contract: what is dropped into one that is owned runs, without anybody editing a manifest. A list
of all its files says the same today, and tomorrow's file is in no job. Name the directory.

Steps with `commands`, and those with `separate`, which run a process for each entry, may have their reasons and are
not asked.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Edit, Severity, Span
from pipegen.manifest.located import Scalar
from pipegen.model import Job, TestPath
from pipegen.rules.edits import merged
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.missing import folders_of, written_like
from pipegen.rules.orphans import roots
from pipegen.rules.ownership import at_or_below, taken_in

FILES_NAMED_ONE_BY_ONE: Final = Code(
    code="PG209",
    name="files-named-one-by-one",
    summary="A list of tests names every test file of a directory one by one.",
    severity=Severity.FINDING,
)
_FEW: Final = 2


def _check(facts: Facts) -> Iterator[Diagnostic]:
    told: set[tuple[Span, ...]] = set()
    for job in sorted(facts.jobs, key=lambda job: (job.job.span.order, job.job.key)):
        if job.generated and not _is_separate(job.job):
            for folder, entries in _whole(job.job.tests, facts):
                places = tuple(entry.span for entry in entries)
                if places not in told:
                    told.add(places)
                    yield _told(folder, entries, facts, fixable=not _are_left_out(entries, facts))


def _is_separate(job: Job) -> bool:
    node = job.nodes.get("separate")
    return isinstance(node, Scalar) and node.text != "false"


def _whole(tests: Sequence[TestPath], facts: Facts) -> Iterator[tuple[str, Sequence[TestPath]]]:
    """The topmost directories of which a list names every test file, with the entries that do."""
    files = {test.file: test for test in tests if test.file == test.path and test.file.endswith(".py")}
    if len(files) < _FEW:
        return
    tops = set(roots(facts))
    whole: dict[str, tuple[str, ...]] = {}
    for path in sorted(files):
        for folder in folders_of(path):
            inside = at_or_below(folder, facts.inventory.tests, facts.inventory.files)
            if folder in tops or not all(one in files for one in inside):
                break
            whole[folder] = inside
    for folder, inside in whole.items():
        if len(inside) >= _FEW and whole.keys().isdisjoint(folders_of(folder)):
            yield folder, [files[path] for path in inside]


def _are_left_out(entries: Sequence[TestPath], facts: Facts) -> bool:
    """Whether an `ignore` beside them names any: pytest runs a file that it is given, but not one of a directory."""
    lists = {entry.span for entry in entries}
    ignores = {one.span: one for job in facts.jobs if lists & {t.span for t in job.job.tests} for one in job.job.ignore}
    files = sorted(entry.file for entry in entries)
    return any(taken_in(one, files, facts.inventory.files) for one in ignores.values())


def _told(folder: str, entries: Sequence[TestPath], facts: Facts, *, fixable: bool) -> Diagnostic:
    first = min(entries, key=lambda entry: entry.span)
    name = written_like(first, folder, folder=True).removesuffix("/") + "/"
    return Diagnostic(
        code=FILES_NAMED_ONE_BY_ONE,
        span=first.span,
        message=f'tests names all {len(entries)} test files of "{name}" one by one',
        help=f'write "{name}": then what is put there next runs as well',
        fix=_fix(entries, name, facts) if fixable else (),
    )


def _fix(entries: Sequence[TestPath], name: str, facts: Facts) -> tuple[Edit, ...]:
    text = facts.source(entries[0].span.path)
    return () if text is None else merged(text, [entry.span for entry in entries], name)


RULE: Final = Rule(codes=(FILES_NAMED_ONE_BY_ONE,), check=_check)
