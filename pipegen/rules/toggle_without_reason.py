"""A toggle leaves its default without a reason and an end.

Such a line stays for years: nobody dares to take it out, because nobody knows what it was for. Write the long form,
`{value: 0, because: WHY, until: DATE}`, with `tracking` for the issue that follows it; `until` may be a change as `#N`,
whose landing ends it. A variant needs none where the variants of its step try the default as well.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Related, Severity
from pipegen.rules.facts import Facts
from pipegen.rules.flipped_default import flipped
from pipegen.rules.frame import Rule
from pipegen.rules.settings import written

TOGGLE_WITHOUT_REASON: Final = Code(
    code="PG502",
    name="toggle-without-reason",
    summary="A toggle leaves its default without a reason and an end.",
    severity=Severity.FINDING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    for one in written(facts):
        name, default = one.toggle.name, one.toggle.default
        if one.long or one.sweeps or one.at_default or flipped(one, facts):
            continue
        value = next((value for value in one.values if value != default), None)
        if value is None:
            continue  # an expression gives the default in this build
        if one.toggle.values and value not in one.toggle.values:
            continue  # no value at all
        yield Diagnostic(
            code=TOGGLE_WITHOUT_REASON,
            span=one.value_at,
            message=f'{name} is "{value}" and not its default "{default}", and nothing says why or until when',
            help=f'write {name}: {{value: {value}, because: WHY, until: DATE or "#N"}}',
            related=(Related(span=one.toggle.span, note="the toggle"),),
        )


RULE: Final = Rule(codes=(TOGGLE_WITHOUT_REASON,), check=_check)
