"""A command breaks the chain that its machine makes of a job's commands.

Some templates deliver the commands as one text, `A && B && C`, in which the first failure is to end the job (the
hardware entry says `shell: {join: "&&"}`). What was written as a command of its own may not be a member of such a
chain: a comment swallows what follows; behind a `;` or a newline inside of it everything runs whatever came before; a
`||` catches the failures of all commands in front; and a newline or `&` at its end is no syntax in front of `&&`.

Write lines as commands of their own, and what belongs together in braces: `{ a || b; }`.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.commands import Place
from pipegen.diagnostics import Code, Diagnostic, Severity
from pipegen.rules.facts import Facts, JobFacts
from pipegen.rules.frame import Rule
from pipegen.rules.job_script import AND, Scripts, without_references
from pipegen.rules.places import is_authored, span_of

BROKEN_CHAIN: Final = Code(
    code="PG604",
    name="broken-chain",
    summary="A command is no member of the && chain that the job's template makes of its commands.",
    severity=Severity.FINDING,
)
_LAST: Final = ":"


def _check(facts: Facts) -> Iterator[Diagnostic]:
    scripts = facts.scripts
    for job in facts.jobs:
        if not job.job.hardware.shell.joined:
            continue
        for index in range(len(job.job.commands)):
            place = Place(command=index, offset=0, line=1)
            wrong = _wrong(index, job, scripts) if is_authored(job.job, place) else None
            if wrong is not None:
                yield Diagnostic(
                    code=BROKEN_CHAIN,
                    span=span_of(job.job, place, job.job.commands[index].run),
                    message=f'"&&" joins the commands on hardware "{job.job.hardware.name}", and {wrong[0]}',
                    help=wrong[1],
                )


def _wrong(index: int, job: JobFacts, scripts: Scripts) -> tuple[str, str] | None:
    """What keeps a command from being a member of the chain, and what to do; None for nothing."""
    text = without_references(job.job.commands[index].run)
    whole = scripts.parse(text)
    if whole is None:
        return None  # told as such
    if index + 1 < len(job.job.commands):
        joined = scripts.parse(f"{text}{AND}{_LAST}")
        if joined is None:
            return "nothing can be joined to the end of this one", "take the newline, ; or & off its end"
        last = joined.at(len(text) + len(AND))
        if last is None or last.words[0].bare != _LAST or last.at != len(text) + len(AND):
            return "the comment at the end of this one swallows all that follow", "take the comment out"
    if len(whole.script.lists) > 1:
        return "this one is several: the second runs whatever came before", "write commands of their own, or a && b"
    alternatives = any(operator == "||" for one in whole.script.lists for operator, _ in one.rest)
    if index and alternatives:
        return 'the "||" of this one catches the failures of all in front of it', "put it in braces: { a || b; }"
    return None


RULE: Final = Rule(codes=(BROKEN_CHAIN,), check=_check)
