"""A command is bash, and the shell that it reaches is sh.

The `/bin/sh` of most images is dash: `[[`, arrays and `<(…)` are syntax errors there, `source` is no command, and
`[ a == b ]` or `echo -e` do something else without a word. The hardware entry says which shell the commands reach
(`shell: sh`); what stands in the text of `bash -c '…'` is bash's.

Write it as POSIX has it, or run it with bash: `bash -c '…'`, or a script that begins with `#!/bin/bash`.
"""

import re
from collections.abc import Iterator
from typing import Final

from pipegen.commands.bashisms import Bashism, bashisms
from pipegen.diagnostics import Code, Diagnostic, Severity, Span
from pipegen.rules.facts import Facts, JobFacts
from pipegen.rules.frame import Rule
from pipegen.rules.job_script import JobScript, Scripts
from pipegen.rules.places import is_authored, span_of

BASHISM: Final = Code(
    code="PG605",
    name="bashism",
    summary="A command is written for bash, and the job's shell is sh.",
    severity=Severity.FINDING,
)

_SIGNS: Final = re.compile(
    r"""\[\[|\(\(|[<>=]\(|\+=|&>|>&|<<<|==|\|&|;&|\$'|[{]|\]="""
    r"""|\b(?:function|select|source|declare|typeset|let|shopt|pushd|popd|mapfile|readarray|pipefail|echo|export|wait)\b"""
    r"""|\$(?:RANDOM|SECONDS|BASH|FUNCNAME|PIPESTATUS)"""
)
"""What every piece of bash has one of: most commands have none, and need not be read for it."""


def _check(facts: Facts) -> Iterator[Diagnostic]:
    scripts = facts.scripts
    found: dict[tuple[Span, str], tuple[Bashism, set[str]]] = {}
    for job in facts.jobs:
        if job.job.hardware.shell.name != "sh":
            continue
        for span, one in _of_job(job, scripts):
            found.setdefault((span, one.what), (one, set()))[1].add(job.job.hardware.name)
    for (span, what), (one, machines) in found.items():
        names = sorted(machines)
        others = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield Diagnostic(
            code=BASHISM,
            span=span,
            message=f'"{what}" is bash, and the shell of hardware "{names[0]}"{others} is sh',
            help=one.instead,
        )


def _of_job(job: JobFacts, scripts: Scripts) -> Iterator[tuple[Span, Bashism]]:
    if not any(_SIGNS.search(command.run) for command in job.job.commands):
        return
    script = JobScript.of(job.job)
    syntax = scripts.script(script.text)
    for one in () if syntax is None else bashisms(syntax, script.text):
        place = script.place(one.at)
        if is_authored(job.job, place):
            yield span_of(job.job, place, one.what), one


RULE: Final = Rule(codes=(BASHISM,), check=_check)
