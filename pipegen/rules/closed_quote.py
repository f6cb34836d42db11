"""An inner quote closes the outer one, so that a text meant as one word falls into several.

In `bash -c "pytest -k "a or b""` the shell passes on `pytest -k a`, `or` and `b`: the tests that run are others, or
none, and mostly nobody is told. Write the inner quotes as the other kind, or with a backslash in front.

Reported is a quoted text that ends in a blank and goes on, without one, in bare characters, with another quote behind
a later word: nobody writes that on purpose.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.commands.ending.locate import simple_commands
from pipegen.commands.shell.syntax import Literal, Simple, Word
from pipegen.diagnostics import Code, Diagnostic, Severity, listing
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.job_script import JobScript
from pipegen.rules.places import is_authored, span_of

CLOSED_QUOTE: Final = Code(
    code="PG608",
    name="closed-quote",
    summary="A quote inside of a quoted text closes it.",
    severity=Severity.FINDING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    scripts = facts.scripts
    for job in facts.jobs:
        if not any(_may_hold(command.run) for command in job.job.commands):
            continue
        script = JobScript.of(job.job)
        syntax = scripts.script(script.text)
        for command in () if syntax is None else simple_commands(syntax):
            at = _closed(command, script.text)
            if at is not None and is_authored(job.job, script.place(at)):
                sign, reads = script.text[at], _read(command, at)
                inside = "'…' or \\\"…\\\"" if sign == '"' else '"…"'
                yield Diagnostic(
                    code=CLOSED_QUOTE,
                    span=span_of(job.job, script.place(at), sign),
                    message=f"a {sign} closes the quote that it seems to stand in: the shell reads {reads}",
                    help=f"write the quotes inside as {inside}",
                )


def _may_hold(text: str) -> bool:
    """Whether a quote stands behind a blank and in front of a letter, and there are four: few commands have that."""
    return any(text.count(sign) > 3 and f" {sign}" in text for sign in "'\"")


def _closed(command: Simple, text: str) -> int | None:
    """Where a quote closes another one by mistake; None where none does."""
    for index, word in enumerate(command.words):
        at = _ends_early(word, text)
        if at is not None and any(_begins_late(other, text[at], text) for other in command.words[index + 1 :]):
            return at
    return None


def _ends_early(word: Word, text: str) -> int | None:
    """Where quoted text that ends in a blank goes on in bare characters."""
    for one, other in zip(word.parts, word.parts[1:], strict=False):
        if isinstance(one, Literal) and one.quoted and one.exact and one.text[-1:].isspace() and _is_bare(other):
            at = one.at + len(one.text)
            if text[at : at + 1] in {"'", '"'}:
                return at
    return None


def _begins_late(word: Word, sign: str, text: str) -> bool:
    """Whether the same quote opens behind bare characters."""
    return any(
        _is_bare(one) and isinstance(other, Literal) and other.quoted and text[other.at - 1 : other.at] == sign
        for one, other in zip(word.parts, word.parts[1:], strict=False)
    )


def _is_bare(part: object) -> bool:
    return isinstance(part, Literal) and not part.quoted and bool(part.text)


def _read(command: Simple, at: int) -> str:
    """The words that the shell reads from the quoted one on."""
    first = max(index for index, word in enumerate(command.words) if word.at <= at)
    return listing((_value(word) for word in command.words[first:]), limit=3)


def _value(word: Word) -> str:
    return "".join(part.text if isinstance(part, Literal) else part.written for part in word.parts)


RULE: Final = Rule(codes=(CLOSED_QUOTE,), check=_check)
