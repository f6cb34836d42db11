"""Something is left out that is not there: an entry of `ignore`, or an `--ignore` or `--deselect` in commands.

Mostly the file was renamed, and what was to be left out runs again; or it is gone, and whoever reads the manifest
looks for it in vain. An entry of `ignore` is dead, too, if it lies outside of everything that its jobs run. Write the
new name, or take it out.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.commands import Spot
from pipegen.diagnostics import Code, Diagnostic, Edit, Severity, Span
from pipegen.model import Job, TestPath
from pipegen.rules.edits import removed, replaced
from pipegen.rules.facts import Facts, JobFacts, Ran
from pipegen.rules.frame import Rule
from pipegen.rules.missing import (
    exists,
    followed,
    ignored_of,
    missing,
    missing_ignores,
    said_of,
    successors,
    written_like,
)
from pipegen.rules.places import is_authored, span_of

DEAD_IGNORE: Final = Code(
    code="PG210",
    name="dead-ignore",
    summary="What is ignored or deselected does not exist, or is not among what runs.",
    severity=Severity.FINDING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    yield from _gone(facts)
    yield from _outside(facts)
    told = {
        (id(job), spot.path) for one in missing(facts) for job in one.jobs for _, spot in said_of(job, one.test.file)
    }
    for job in facts.jobs:
        for ran in job.runs:
            for spot in ran.collection.absent:
                if is_authored(job.job, spot.place) and (id(job), spot.path) not in told:
                    yield _absent(job, ran, spot, facts)


def _gone(facts: Facts) -> Iterator[Diagnostic]:
    told = {entry.span for one in missing(facts) for entry in ignored_of(one)}
    for one in missing_ignores(facts):
        if one.test.span in told:
            continue
        new = one.successors[0] if one.successors else None
        folders = facts.inventory.files.folders
        name = "" if new is None else written_like(one.test, new.path, folder=new.path in folders)
        fix: tuple[Edit, ...] = ()
        if new is None:
            hint, fix = "take it out", _taken_out(one.test.span, facts)
        elif new.sure:
            hint, fix = f'write "{name}"', (replaced(one.test.span, name),)
        else:
            hint = f'did you mean "{name}"? else take it out'
        yield Diagnostic(
            code=DEAD_IGNORE,
            span=one.test.span,
            message=f'ignore: "{one.test.written}" '
            + ("matches nothing" if one.test.is_glob else "is no file or directory")
            + (f': it is "{name}" now' if new is not None and new.sure else ""),
            help=hint,
            fix=fix,
        )


def _taken_out(span: Span, facts: Facts) -> tuple[Edit, ...]:
    text = facts.source(span.path)
    return () if text is None else removed(text, span)


def _outside(facts: Facts) -> Iterator[Diagnostic]:
    """Entries that lie outside of what every job that has them runs."""
    gone = {one.test.file for one in missing(facts)}
    at_work: dict[Span, bool] = {}
    entries: dict[Span, TestPath] = {}
    for job in facts.jobs:
        for entry in job.job.ignore:
            entries[entry.span] = entry
            unsure = any(test.file in gone for test in (*job.job.tests, *job.job.also))
            at_work[entry.span] = at_work.get(entry.span, False) or unsure or _concerns(job.job, entry)
    for span, entry in entries.items():
        if not at_work[span] and exists(entry, facts.inventory.files):
            yield Diagnostic(
                code=DEAD_IGNORE,
                span=span,
                message=f'ignore: "{entry.written}" lies outside of all that is run with it',
                help="take it out",
                fix=_taken_out(span, facts),
            )


def _concerns(job: Job, entry: TestPath) -> bool:
    """Whether an entry may leave out some of what a job runs."""
    return any(
        entry.is_glob
        or test.is_glob
        or entry.file == test.file
        or entry.file.startswith(test.file + "/")
        or test.file.startswith(entry.file + "/")
        for test in (*job.tests, *job.also)
    )


def _absent(job: JobFacts, ran: Ran, spot: Spot, facts: Facts) -> Diagnostic:
    new = successors(spot.path.partition("::")[0].rstrip("/"), facts)
    edit = followed(job, ran, spot, facts) if spot in ran.run.ignores else None
    near = f'take it out, or leave out "{new[0].path}"' if new else "take it out"
    return Diagnostic(
        code=DEAD_IGNORE,
        span=span_of(job.job, spot.place, spot.written),
        message=f'the commands leave out "{spot.written}", which is no file or directory',
        help=near if edit is None else f'write "{edit.text}"',
        fix=() if edit is None else (edit,),
    )


RULE: Final = Rule(codes=(DEAD_IGNORE,), check=_check)
