"""A command sets a toggle: `export X=0`, or `X=0` in front of a program, in quoted words of a wrapper as well.

There it has no reason and no end, nobody finds it, and the rest of the job may run without it. Write it under `env:`,
which reaches everything that the job runs. Where one of several commands alone is to have it, make a variant or a step
of that one. What scripts of the repository set themselves is theirs.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.commands import How
from pipegen.diagnostics import Code, Diagnostic, Edit, Related, Severity
from pipegen.manifest.located import Items, Scalar
from pipegen.rules.edits import removed
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.settings import Commanded, commanded

TOGGLE_IN_COMMANDS: Final = Code(
    code="PG507",
    name="toggle-in-commands",
    summary="A toggle is set inside of a command, where nothing says why or until when.",
    severity=Severity.FINDING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    for one in commanded(facts):
        toggle = one.toggle
        if one.value is not None and toggle.values and one.value not in toggle.values:
            continue  # no value at all
        at_default = one.value == toggle.default and one.job.job.env.get(toggle.name, toggle.default) == one.value
        yield Diagnostic(
            code=TOGGLE_IN_COMMANDS,
            span=one.span,
            message=_message(one),
            help="take it out: it is the default" if at_default else _what_to_write(one),
            related=(Related(span=toggle.span, note="the toggle"),),
            fix=_fix(one, facts) if at_default else (),
        )


def _message(one: Commanded) -> str:
    if one.how is How.UNSET:
        return f'a command takes "{one.toggle.name}" out of the environment, where nothing says why or until when'
    shown = one.toggle.name + ("" if one.value is None else f"={one.value}")
    return f'a command sets "{shown}", where nothing says why or until when'


def _what_to_write(one: Commanded) -> str:
    value = one.value or "VALUE"
    long = f'{one.toggle.name}: {{value: {value}, because: WHY, until: DATE or "#N"}}'
    if one.how is How.PREFIX and len(one.job.runs) > 1:
        return f"make a step or a variant of that command, with env: {{{long}}}"
    return f"write env: {{{long}}}"


def _fix(one: Commanded, facts: Facts) -> tuple[Edit, ...]:
    """Take out a command that does nothing but that, if others are left."""
    job = one.job.job
    authored = job.nodes.get("commands")
    at = one.command - len(job.setup)
    text = facts.source(one.span.path)
    if not isinstance(authored, Items) or not 0 <= at < len(authored.items) or len(authored.items) < 2 or text is None:
        return ()
    item = authored.items[at]
    alone = isinstance(item, Scalar) and item.text.strip() == f"export {one.toggle.name}={one.value}"
    return removed(text, item.span) if alone else ()


RULE: Final = Rule(codes=(TOGGLE_IN_COMMANDS,), check=_check)
