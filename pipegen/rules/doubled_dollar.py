"""A command says `$$NAME`, which the job's shell reads as its process id and a word.

Where a pipeline is uploaded as it is written, `$$` is how a `$` gets past the upload. pipegen does that itself: what an
author writes reaches the job's shell unchanged, with every `$` in it. So `$$HOME` is a number and `HOME` there. Write
`$HOME`; a value that only the agent knows at upload is `{{ upload.NAME }}`.

`$$` alone, the process id, is not reported.
"""

import re
from collections.abc import Iterator
from typing import Final

from pipegen.commands import Place
from pipegen.diagnostics import Code, Diagnostic, Edit, Severity, Span
from pipegen.manifest.located import Mapping, Scalar
from pipegen.model import Job
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.places import is_authored, span_of, word_in

DOUBLED_DOLLAR: Final = Code(
    code="PG606",
    name="doubled-dollar",
    summary="A command or a variable doubles a $, as for an upload that pipegen does itself.",
    severity=Severity.WARNING,
)
_DOUBLED: Final = re.compile(r"(?<![\\$])\$\$(?P<name>[A-Za-z_]\w*|\{[A-Za-z_]\w*|\()")


def _check(facts: Facts) -> Iterator[Diagnostic]:
    for job in facts.jobs:
        for index, command in enumerate(job.job.commands):
            for found in _DOUBLED.finditer(command.run):
                place = Place(command=index, offset=found.start(), line=1)
                if is_authored(job.job, place):
                    yield _report(found[0], span_of(job.job, place, found[0]), "the job's shell reads its process id")
        yield from _of_environment(job.job)


def _of_environment(job: Job) -> Iterator[Diagnostic]:
    env = job.nodes.get("env")
    for entry in env.entries if isinstance(env, Mapping) else ():
        value = entry.value.get("value") if isinstance(entry.value, Mapping) else entry.value
        if isinstance(value, Scalar):
            for found in _DOUBLED.finditer(value.text):
                span = word_in(value, value.text, found.start(), found[0]) or value.span
                yield _report(found[0], span, f"{entry.key.text} holds both as they stand")


def _report(written: str, span: Span, why: str) -> Diagnostic:
    shown = written + {"{": "}", "(": "…)"}.get(written[2], "")
    exact = span.line == span.end_line and span.end_column - span.column == len(written)
    return Diagnostic(
        code=DOUBLED_DOLLAR,
        span=span,
        message=f'"{shown}" doubles its $, which pipegen does where it is needed: {why}',
        help=f'write "{shown[1:]}"',
        fix=(Edit(span=span, text=written[1:]),) if exact else (),
    )


RULE: Final = Rule(codes=(DOUBLED_DOLLAR,), check=_check)
