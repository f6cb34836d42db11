"""The end of a test's quarantine has passed.

A test in quarantine protects nothing where it does not run. Take it out of the list: if it is stable now, that is all;
if it is not, somebody has to decide again, with another end, or remove the test.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Related, Severity
from pipegen.rules.ends import passed
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.quarantined import quarantined
from pipegen.rules.waivers import described

ENDED_QUARANTINE: Final = Code(
    code="PG822",
    name="ended-quarantine",
    summary="The end of a test's quarantine has passed.",
    severity=Severity.FINDING,
    end=True,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    for entry in quarantined(facts):
        how = passed(entry.until.text, facts)
        if how is not None:
            yield Diagnostic(
                code=ENDED_QUARANTINE,
                span=entry.until.span,
                message=f'the quarantine of "{entry.test.text}" {how}: '
                f"{described(entry.reason, entry.owner, entry.tracking)}",
                help=f"take it out of the list, or have {entry.owner} give it another end",
                related=(Related(span=entry.span, note="in quarantine here"),),
            )


RULE: Final = Rule(codes=(ENDED_QUARANTINE,), check=_check)
