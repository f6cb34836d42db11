"""A `!` pattern takes nothing out: no file that it is about is taken by another pattern of the list.

It reads as if something were excluded that in truth never was in, or no longer is: the file moved, or the pattern that
took it in was made narrower. Take the `!` pattern out, or write the path as it is now.

`!` excludes wherever it stands in the list. A pattern that several jobs inherit is reported where it was written, and
only if it excludes nothing for any of them.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Severity
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.pattern_lists import PatternList, Written, is_exclusion, taken_out, written_patterns
from pipegen.rules.whereabouts import Whereabouts, rewritten, what_to_write

IDLE_EXCLUSION: Final = Code(
    code="PG402",
    name="idle-exclusion",
    summary="A ! pattern excludes no file that the list takes.",
    severity=Severity.FINDING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    if not facts.inventory.files.paths:
        return
    for one in written_patterns(facts):
        if is_exclusion(one.pattern) and not any(_excludes(one, where, facts) for where in one.lists):
            yield _report(one, facts)


def _excludes(one: Written, where: PatternList, facts: Facts) -> bool:
    taken = facts.taken.by_list(text for text in where.texts if not text.startswith("!"))
    return bool(taken & facts.taken.by(one.pattern.text))


def _report(one: Written, facts: Facts) -> Diagnostic:
    text = one.pattern.text
    body = text.removeprefix("!")
    if facts.taken.by(text):
        why, hint = f'no other pattern takes anything of "{body}"', "take it out"
        fix = taken_out(one.pattern, facts)
    else:
        found = facts.once(Whereabouts.of).look(body)
        why = f'no file matches "{body}"'
        hint = what_to_write(found, "!") or "take it out, or write the path as it is now"
        fix = rewritten(one.pattern, found, "!")
    return Diagnostic(
        code=IDLE_EXCLUSION,
        span=one.pattern.span,
        message=f'"{text}" in {one.where} excludes nothing: {why}',
        help=hint,
        fix=fix,
    )


RULE: Final = Rule(codes=(IDLE_EXCLUSION,), check=_check)
