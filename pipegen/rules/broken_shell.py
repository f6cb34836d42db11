"""A command is no shell text: a quote or a bracket stays open, or something closes what nothing opened.

The job's shell refuses the whole script, mostly before it runs any of it; or, worse, an inner quote ends the outer one
and the command runs with other words than it seems to. The message says what the shell would miss. Where the quotes
are YAML's, write the command as a block (`- |`) or between the other kind of quotes.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.commands import Why
from pipegen.diagnostics import Code, Diagnostic, Severity
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.places import is_authored, span_of

BROKEN_SHELL: Final = Code(
    code="PG603",
    name="broken-shell",
    summary="A command is no text that a shell would read.",
    severity=Severity.FINDING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    for job in facts.jobs:
        for one in job.reading.unread:
            if one.why is Why.SYNTAX and one.place.script is None and is_authored(job.job, one.place):
                line = f" in line {one.place.line}" if "\n" in job.job.commands[one.place.command].run else ""
                yield Diagnostic(
                    code=BROKEN_SHELL,
                    span=span_of(job.job, one.place, " "),
                    message=f"no shell reads this command: {one.reason}{line}",
                    help="close what is open, or quote what is meant as text",
                )


RULE: Final = Rule(codes=(BROKEN_SHELL,), check=_check)
