"""A toggle is set to its default, where nothing that the job inherits sets it otherwise.

It changes nothing today, and it will when the default changes: the job would stay behind, without a word about why.
Take it out; `--fix` does, where no command, no value of `env` and no script of the job names the variable: what reads
it there would find it unset. A variant may say the default where its siblings try other values. Where a job is to keep
a value whatever the default becomes, say so: `# pipegen: ignore[PG505] WHY`. Where the facts of the machine, the
template, a hook of the agent (`.buildkite/hooks/`) or a build's own environment have to do with the variable, nothing
is said: they may set it.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Related, Severity
from pipegen.rules.elsewhere import guarded_read, is_named
from pipegen.rules.entries import removed_entry
from pipegen.rules.facts import Facts
from pipegen.rules.flipped_default import flipped
from pipegen.rules.frame import Rule
from pipegen.rules.settings import written

TOGGLE_AT_DEFAULT: Final = Code(
    code="PG505",
    name="toggle-at-default",
    summary="A toggle is set to its default.",
    severity=Severity.FINDING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    for one in written(facts):
        if not one.at_default or one.sweeps or one.restores(facts) or flipped(one, facts):
            continue
        text = facts.source(one.entry.key.span.path)
        instead = guarded_read(one.jobs, one.toggle.name, one.toggle.default, facts)
        is_read = any(is_named(job, one.toggle.name, facts) for job in one.jobs)
        yield Diagnostic(
            code=TOGGLE_AT_DEFAULT,
            span=one.value_at,
            message=f'{one.toggle.name}: "{one.toggle.default}" is its default anyway',
            help="take it out" if instead is None else f"take it out, and write {instead} where it is read",
            related=(Related(span=one.toggle.span, note="the toggle"),),
            fix=() if text is None or is_read else removed_entry(text, one.entry.key.span, further=1),
        )


RULE: Final = Rule(codes=(TOGGLE_AT_DEFAULT,), check=_check)
