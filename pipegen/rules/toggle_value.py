"""A toggle is set to a value that it does not have.

The program reads it all the same, as whatever it takes for a default, and the job tests something else than it says.
Write one of the values that the workspace file declares for the toggle, or declare another one there.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Related, Severity, did_you_mean, listing
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.settings import commanded, written

TOGGLE_VALUE: Final = Code(
    code="PG503",
    name="toggle-value",
    summary="A toggle is set to a value that it does not have.",
    severity=Severity.FINDING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    places = [(one.toggle, one.value_at, value) for one in written(facts) for value in one.values]
    places += [(one.toggle, one.span, one.value) for one in commanded(facts) if one.value is not None]
    for toggle, span, value in places:
        if toggle.values and value not in toggle.values:
            yield Diagnostic(
                code=TOGGLE_VALUE,
                span=span,
                message=f'{toggle.name} has no value "{value}": expected {listing(toggle.values)}',
                help=did_you_mean(value, toggle.values),
                related=(Related(span=toggle.span, note="the toggle"),),
            )


RULE: Final = Rule(codes=(TOGGLE_VALUE,), check=_check)
