"""An end names a change, and whether that has landed cannot be told.

A change `#N` has landed when a commit that HEAD contains has a subject that ends in `(#N)`. In a shallow clone, or
without git, a commit that is not seen may be there all the same; then nothing is said of the end. Fetch the history:
`git fetch --unshallow`.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Severity, listing
from pipegen.model import Located
from pipegen.rules.ended_none import absences
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.quarantined import quarantined
from pipegen.rules.settings import written

UNKNOWN_HISTORY: Final = Code(
    code="PG830",
    name="unknown-history",
    summary="Whether a change has landed that is the end of something is not known.",
    severity=Severity.WARNING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    ends = sorted(_ends(facts), key=lambda end: (end.span, end.text))
    if not ends or facts.landed().unknown is None:
        return
    open_ends = [end for end in ends if end.text not in facts.landed().changes]
    if open_ends:
        changes = listing(dict.fromkeys(end.text for end in open_ends))
        yield Diagnostic(
            code=UNKNOWN_HISTORY,
            span=open_ends[0].span,
            message=f"whether {changes} landed, which ends this, is not known: {facts.landed().unknown}",
            help="let lint see every commit that HEAD contains",
        )


def _ends(facts: Facts) -> Iterator[Located]:
    """Every end that names a change."""
    ends = [one.until for one in written(facts)]
    ends += [absence.until for absence in absences(facts)]
    ends += [entry.until for entry in quarantined(facts)]
    yield from (end for end in ends if end is not None and end.text.startswith("#"))


RULE: Final = Rule(codes=(UNKNOWN_HISTORY,), check=_check, reads_content=True)
