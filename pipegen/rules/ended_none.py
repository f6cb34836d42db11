"""A `none` says until when a lane goes without a job, and that end has passed.

A test that a lane goes without is a hole in its coverage that somebody agreed to for a time. Nobody thinks of it again
unless something does: run the tests there (a mirror with `hardware`), or say for how long they still cannot.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Related, Severity
from pipegen.model import Absence
from pipegen.rules.ends import passed
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule

ENDED_NONE: Final = Code(
    code="PG308",
    name="ended-none",
    summary="The end of a reasoned `none` has passed: the lane goes on without a job.",
    severity=Severity.FINDING,
    end=True,
)


def absences(facts: Facts) -> tuple[Absence, ...]:
    """Every reasoned `none` by its place. What a file says for all of its steps counts once."""
    every = (absence for pipeline in facts.pipelines for absence in pipeline.expansion.absences)
    by_place = {(absence.span, absence.area or "", absence.step or ""): absence for absence in every}
    return tuple({absence.span: absence for _, absence in sorted(by_place.items(), reverse=True)}.values())


def _check(facts: Facts) -> Iterator[Diagnostic]:
    for absence in absences(facts):
        how = None if absence.until is None else passed(absence.until.text, facts)
        if how is not None and absence.until is not None:
            followed = "" if absence.tracking is None else f" ({absence.tracking})"
            yield Diagnostic(
                code=ENDED_NONE,
                span=absence.until.span,
                message=f'"none" on lane {absence.lane} {how}: {absence.reason}{followed}',
                help="run it there: hardware: instead of none:, or give it another end",
                related=(Related(span=absence.span, note="the lane goes without a job here"),),
            )


RULE: Final = Rule(codes=(ENDED_NONE,), check=_check)
