"""A pattern takes no file: what it guarded was renamed or deleted, or it never was what its author meant.

A dead pattern in `sources` is a job that no longer runs when it should, and nothing else tells. In `run_all` it is a
change that no longer runs everything. Write the path as it is now; where git saw the file or the folder renamed, the
help line says where it went. If what it guarded is gone, take the pattern out.

Patterns are matched exactly as selection matches them, against every file of the repository. A pattern that several
jobs inherit is reported once, where it was written.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Severity
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.pattern_lists import is_exclusion, written_patterns
from pipegen.rules.whereabouts import Whereabouts, rewritten, what_to_write

DEAD_PATTERN: Final = Code(
    code="PG401",
    name="dead-pattern",
    summary="A pattern of sources, run_all or ignored matches no file.",
    severity=Severity.FINDING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    if not facts.inventory.files.paths:
        return
    dead = [
        one for one in written_patterns(facts) if not is_exclusion(one.pattern) and not facts.taken.by(one.pattern.text)
    ]
    whereabouts = facts.once(Whereabouts.of) if dead else None
    for one in dead:
        found = whereabouts.look(one.pattern.text) if whereabouts else ()
        yield Diagnostic(
            code=DEAD_PATTERN,
            span=one.pattern.span,
            message=f'"{one.pattern.text}" in {one.where} matches no file',
            help=what_to_write(found) or "take it out, or write the path as it is now",
            fix=rewritten(one.pattern, found),
        )


RULE: Final = Rule(codes=(DEAD_PATTERN,), check=_check)
