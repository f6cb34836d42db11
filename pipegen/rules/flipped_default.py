"""The default of a toggle changed, and a job sets the toggle to the old or to the new default.

What was an exception is the rule now, and what was written down to be sure is an exception: both were decided when the
default was another. Look at each: take out what holds anyway, and give what is left a reason and an end. It is seen
with `--base`, which tells what the default was.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Related, Severity, Span, first_of
from pipegen.model import Toggle
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.in_commands import InCommands, in_commands
from pipegen.rules.settings import Written, written
from pipegen.rules.toggle_help import what_to_write

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


def is_flipped(site: InCommands, facts: Facts) -> bool:
    """Whether a setting in commands changed its meaning: it is the default that was, or the one that holds anyway."""
    before = facts.defaults_before.get(site.toggle.name)
    if before in {None, site.toggle.default} or len(site.values) != 1 or site.unsets or site.sweep:
        return False
    return site.values[0] == before or site.changes_nothing


def _check(facts: Facts) -> Iterator[Diagnostic]:
    for one in written(facts):
        if (one.long and not one.at_default) or one.sweeps or not flipped(one, facts):
            continue  # a reason that was given for leaving the new default holds
        if one.at_default and one.restores(facts):
            continue  # it is judged where that stands which it changes
        toggle, value = one.toggle, one.values[0]
        write = f'write {toggle.name}: {{value: {value}, because: WHY, until: DATE or "#N"}}'
        yield _diagnostic(toggle, value, one.value_at, keys=one.keys, write=write, facts=facts)
    for site in in_commands(facts):
        if is_flipped(site, facts):
            keys = tuple(dict.fromkeys(job.job.key for job in site.jobs))
            write = what_to_write(site, facts)
            yield _diagnostic(site.toggle, site.values[0], site.span, keys=keys, write=write, facts=facts)


def _diagnostic(  # noqa: PLR0913 - all that it shows
    toggle: Toggle, value: str, span: Span, *, keys: tuple[str, ...], write: str, facts: Facts
) -> Diagnostic:
    is_rule = value == toggle.default
    return Diagnostic(
        code=FLIPPED_DEFAULT,
        span=span,
        message=f'{toggle.name}: the default changed from "{facts.defaults_before[toggle.name]}" to '
        f'"{toggle.default}", so that "{value}" for {first_of(keys)} is '
        f"{'no exception any more' if is_rule else 'one now'}",
        help="take it out" if is_rule else f"take it out, or {write}",
        related=(Related(span=toggle.span, note="the toggle"),),
    )


RULE: Final = Rule(codes=(FLIPPED_DEFAULT,), check=_check)
