"""A command of a job with tests could not be read, so that nobody can say which of them it runs.

pipegen reads shell text as a shell would, and never guesses: an option of which it does not know whether it takes a
word, a path that only the machine knows, a program that runs tests by rules of its own. What the job owns is then
taken to run.

Write the path out; name options of the project's own under `tests: pytest_options:` in the workspace file, and
programs that run the commands they are given under `tests: wrappers:`.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.commands import Unread, Why
from pipegen.diagnostics import Code, Diagnostic, Severity, Span
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.places import is_authored, span_of

UNREAD_COMMAND: Final = Code(
    code="PG213",
    name="unread-command",
    summary="A command of a job with tests could not be read.",
    severity=Severity.WARNING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    for job in facts.jobs:
        for one in job.unread if job.job.tests else ():
            if one.why is Why.CONTENT and not facts.inventory.readable:
                continue  # of a listing no file can be read
            if one.why is Why.SYNTAX and one.place.script is None and is_authored(job.job, one.place):
                continue  # told as broken shell text
            yield Diagnostic(
                code=UNREAD_COMMAND,
                span=span_of(job.job, one.place, one.text) if one.configured is None else Span(path=one.configured),
                message=f'cannot tell which tests run: "{one.text}": {one.reason}',
                help=_help(one),
            )


def _help(one: Unread) -> str:
    match one.why:
        case Why.OPTION:
            return "write OPTION=VALUE, or name the option under tests: pytest_options: in the workspace file"
        case Why.FOREIGN:
            return "if it runs the commands it is given, name it under tests: wrappers: in the workspace file"
        case Why.SYNTAX:
            return "write it in simpler words, or in a script of the repository"
        case _:
            return "write it out, or take what it runs apart"


RULE: Final = Rule(codes=(UNREAD_COMMAND,), check=_check)
