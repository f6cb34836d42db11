"""A pattern names files whose changes are ignored, so that it selects nothing.

A change of nothing but files that `selection: ignored:` takes selects no job, whatever `sources` and `run_all` say. A
pattern all of whose files are ignored therefore does nothing by itself. One of the two is a mistake: narrow `ignored`
(a `!` pattern takes files out of it), or take the other one out.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Related, Severity
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.pattern_lists import IGNORED, PatternList, Written, is_exclusion, pattern_lists, written_patterns

IGNORED_PATTERN: Final = Code(
    code="PG404",
    name="ignored-pattern",
    summary="All files that a pattern of sources or run_all takes are ignored.",
    severity=Severity.FINDING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    lists = pattern_lists(facts)
    ignoring = {id(one.pipeline): one for one in lists if one.word == IGNORED}
    taken = {id(one): facts.taken.by_list(one.texts) for one in ignoring.values()}
    for one in written_patterns(facts):
        own = 0 if one.word == IGNORED or is_exclusion(one.pattern) else facts.taken.by(one.pattern.text)
        if not own:
            continue
        by = [ignoring.get(id(where.pipeline)) for where in one.lists]
        if by[0] is not None and all(ignored is not None and not own & ~taken[id(ignored)] for ignored in by):
            yield _report(one, by[0], facts)


def _report(one: Written, ignored: PatternList, facts: Facts) -> Diagnostic:
    taken = facts.taken.by(one.pattern.text)
    first = next((other for other in ignored.patterns if taken & facts.taken.by(other.text)), ignored.patterns[0])
    return Diagnostic(
        code=IGNORED_PATTERN,
        span=one.pattern.span,
        message=f'"{one.pattern.text}" in {one.where} selects nothing: every file that it takes is ignored',
        help=f'take it out, or add "!{one.pattern.text}" to ignored',
        related=(Related(span=first.span, note="ignored here"),),
    )


RULE: Final = Rule(codes=(IGNORED_PATTERN,), check=_check)
