"""The default of a toggle changed, and a job sets the toggle to the old or to the new default.

What was an exception is the rule now, and what was written down to be sure is an exception: both were decided when the
default was another. Look at each: take out what holds anyway, and give what is left a reason and an end. It is seen
with `--base`, which tells what the default was.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Related, Severity, first_of
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.settings import Written, written

FLIPPED_DEFAULT: Final = Code(
    code="PG506",
    name="flipped-default",
    summary="The default of a toggle changed under a job that sets it.",
    severity=Severity.FINDING,
)


def flipped(one: Written, facts: Facts) -> bool:
    """Whether a setting changed its meaning: it is the default that was, or the one that is."""
    before = facts.defaults_before.get(one.toggle.name)
    return before is not None and before != one.toggle.default and bool({before, one.toggle.default} & {*one.values})


def _check(facts: Facts) -> Iterator[Diagnostic]:
    for one in written(facts):
        if (one.long and not one.at_default) or one.sweeps or not flipped(one, facts):
            continue  # a reason that was given for leaving the new default holds
        toggle, before = one.toggle, facts.defaults_before[one.toggle.name]
        is_rule = one.at_default
        yield Diagnostic(
            code=FLIPPED_DEFAULT,
            span=one.value_at,
            message=f'{toggle.name}: the default changed from "{before}" to "{toggle.default}", so that '
            f'"{one.values[0]}" for {first_of(one.keys)} is {"no exception any more" if is_rule else "one now"}',
            help="take it out"
            if is_rule
            else f'take it out, or write {toggle.name}: {{value: {one.values[0]}, because: WHY, until: DATE or "#N"}}',
            related=(Related(span=toggle.span, note="the toggle"),),
        )


RULE: Final = Rule(codes=(FLIPPED_DEFAULT,), check=_check)
