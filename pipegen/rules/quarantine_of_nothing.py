"""A test is in quarantine that is not there, that no job would run, or that runs nowhere any more.

Quarantine means that a test runs in few places, not in none. Take out what is gone; of a test that was renamed write
the new name; and name under `runs` a lane or a schedule that has a job with the test.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from pipegen.definitions import definitions_of
from pipegen.diagnostics import Code, Diagnostic, Severity, closest, listing
from pipegen.model import Quarantined
from pipegen.rules.facts import Facts, JobFacts
from pipegen.rules.frame import Rule
from pipegen.rules.quarantined import jobs_of, quarantined, repository_path

QUARANTINE_OF_NOTHING: Final = Code(
    code="PG824",
    name="quarantine-of-nothing",
    summary="A test is in quarantine that is not there, or that runs nowhere.",
    severity=Severity.FINDING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    for entry in quarantined(facts):
        fault = _fault(entry, facts)
        if fault is not None:
            message, hint = fault
            yield Diagnostic(
                code=QUARANTINE_OF_NOTHING,
                span=entry.test.span,
                message=f'"{entry.test.text}" is in quarantine, and {message}',
                help=hint,
            )


def _fault(entry: Quarantined, facts: Facts) -> tuple[str, str] | None:
    """What is wrong, and what to type."""
    path = repository_path(entry, facts)
    file, _, node = path.partition("::")
    if file not in facts.inventory.files.known:
        moved = facts.inventory.renames.get(file) or closest(file, facts.inventory.tests)
        return "there is no such file", "take it out" if moved is None else f'did you mean "{moved}"?'
    content = facts.inventory.content(file)
    if node and content is not None and definitions_of(content).has(node) is False:
        return f'"{file}" has no such test', "take it out, or write the test's new name"
    jobs = sorted(jobs_of(entry, facts), key=lambda one: one.job.key)
    if not jobs:
        return "no job would run it", "take it out, or add it to tests: of an area"
    if any(_still_runs(entry, one) for one in jobs):
        return None
    places = listing([*entry.lanes, *entry.schedules])
    return f"none of its jobs runs in {places}", f"name the lane of one of them under runs: {_offers(jobs)}"


def _offers(jobs: Sequence[JobFacts]) -> str:
    return listing(sorted({one.job.lane for one in jobs}))


def _still_runs(entry: Quarantined, one: JobFacts) -> bool:
    """Whether builds have the job with the test in it; a job that changes select is in some of a schedule's."""
    when = {word.text for word in one.job.when}
    return one.job.lane in entry.lanes or bool(entry.schedules and when & {*entry.schedules, *_IN_ANY_BUILD})


_IN_ANY_BUILD: Final = frozenset({"always", "changed", "sources"})

RULE: Final = Rule(codes=(QUARANTINE_OF_NOTHING,), check=_check)
