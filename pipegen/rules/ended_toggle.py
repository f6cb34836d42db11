"""A toggle has left its default until a day that has passed, or until a change that has landed.

What it was set for is over, or was to be by now. Take the line out and see the job pass without it; if it does not,
find out why and give the setting another end. Where the history of the repository is not known (a shallow clone),
whether a change has landed cannot be told, and a warning says so.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Related, Severity, first_of
from pipegen.rules.ends import passed
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.settings import written

ENDED_TOGGLE: Final = Code(
    code="PG504",
    name="ended-toggle",
    summary="The end of a toggle's setting has passed.",
    severity=Severity.FINDING,
    end=True,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    for one in written(facts):
        how = None if one.until is None else passed(one.until.text, facts)
        if one.until is None or how is None or (one.at_default and not one.restores(facts)):
            continue  # of a setting that says what holds anyway, another rule says so
        followed = "" if one.tracking is None else f" ({one.tracking})"
        yield Diagnostic(
            code=ENDED_TOGGLE,
            span=one.until.span,
            message=f'{one.toggle.name}: "{one.values[0]}" {how}: {one.reason}{followed}',
            help=f"take it out and see {first_of(one.keys)} pass, or give it another end",
            related=(Related(span=one.entry.value.span, note="set here"),),
        )


RULE: Final = Rule(codes=(ENDED_TOGGLE,), check=_check)
