"""A command runs tests of a path that is not there, or of one that holds none.

pytest collects nothing at all when one of its paths is missing, and exits with 4; with 5 where there is no test in
them. Some wrappers take a 5 for a success, and then the job is green for ever. Write the path as it is now.

What `tests` names and the commands as well is told once, at `tests`.
"""

from collections.abc import Iterator, Sequence
from posixpath import relpath
from typing import Final

from pipegen.commands import Globbed, Named, Target, Tool
from pipegen.diagnostics import Code, Diagnostic, Edit, Severity
from pipegen.rules.facts import Facts, JobFacts, Ran
from pipegen.rules.frame import Rule
from pipegen.rules.missing import Successor, followed, missing, said_of, successors
from pipegen.rules.places import is_authored, span_of
from pipegen.rules.uncollected_test import UNCOLLECTED_TEST

MISSING_COMMAND_PATH: Final = Code(
    code="PG212",
    name="missing-command-path",
    summary="A command runs tests of a path that is not there, or holds none.",
    severity=Severity.FINDING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    told = {
        (id(job), spot.path) for one in missing(facts) for job in one.jobs for _, spot in said_of(job, one.test.file)
    }
    for job in facts.jobs:
        for ran in job.runs:
            if is_authored(job.job, ran.run.place):
                gone = (one for one in ran.collection.missing if (id(job), getattr(one, "path", None)) not in told)
                yield from (_gone(job, ran, target, facts) for target in gone)
            if _is_empty(ran) and not (job.job.tests and _leaves_out(ran)):
                yield _nothing(job, ran)


def _gone(job: JobFacts, ran: Ran, target: Target, facts: Facts) -> Diagnostic:
    edit: Edit | None = None
    match target:
        case Named():
            edit = followed(job, ran, target, facts)
            word, what = target.written, "is no file or directory"
            if facts.inventory.files.exists(target.path):
                what = "is nothing that pytest collects"
            new = successors(target.path, facts)
        case Globbed():
            word, what, new = target.glob.written, "matches nothing", ()
        case _:
            word, what, new = target.search.written, "finds nothing", ()
    return Diagnostic(
        code=MISSING_COMMAND_PATH,
        span=span_of(job.job, target.place, word),
        message=f'the commands run "{word}", which {what}',
        help=_help(new, ran),
        fix=() if edit is None else (edit,),
    )


def _help(new: Sequence[Successor], ran: Ran) -> str:
    if not new:
        return "take it out, or write the path that it has now"
    path = relpath(new[0].path, ran.run.folder or ".")
    return f'write "{path}"' if new[0].sure else f'did you mean "{path}"?'


def _is_empty(ran: Ran) -> bool:
    run, collection = ran.run, ran.collection
    sure = run.executes and run.complete and run.tool is Tool.PYTEST and run.folder is not None
    return sure and not collection.files and not collection.missing


def _leaves_out(ran: Ran) -> bool:
    """Whether it leaves something out: that an owned test does not run for that is told of the test."""
    return bool(ran.run.ignores or ran.run.ignore_globs or ran.run.deselects)


def _nothing(job: JobFacts, ran: Ran) -> Diagnostic:
    return Diagnostic(
        code=MISSING_COMMAND_PATH,
        span=span_of(job.job, ran.run.place),
        message=f'"{ran.run.text}" collects no test file',
        help="pytest would exit with 5: name a path that holds tests",
        implied_by=tuple((UNCOLLECTED_TEST, test.span) for test in job.job.tests if job.generated),
    )


RULE: Final = Rule(codes=(MISSING_COMMAND_PATH,), check=_check)
