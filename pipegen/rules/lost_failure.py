r"""A test run can fail, and the job succeeds all the same.

The status of the tests gets lost on the way to the end of the script: behind `|| true`, in front of a pipe, in the
background, in a condition, or because the shell goes on to the next command. The job is green for ever, and whoever
breaks its tests is not told. The message says what drops the status, the help line how to keep it.

The commands are run as the job's shell runs them, with one of its test runs taken to fail and everything else to
succeed. What the shell is started with stands in the hardware entry (`shell`): bash with `-e` where nothing is said.
Where a script asks for the status later (`rc=$?`, `exit $rc`), or tries again (`pytest … || pytest --lf …`), nothing
is said; nor of commands that run no tests. Scripts of the repository that the commands start are looked into.
"""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from pipegen.commands import Place, TestRun
from pipegen.commands.ending import Lost, Options
from pipegen.commands.ending.nested import with_options
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Code, Diagnostic, Severity
from pipegen.rules.facts import Facts, JobFacts
from pipegen.rules.frame import Rule
from pipegen.rules.job_script import JobScript, Scripts, without_references
from pipegen.rules.places import is_authored, span_of

LOST_FAILURE: Final = Code(
    code="PG602",
    name="lost-failure",
    summary="A test run can fail, and the job succeeds.",
    severity=Severity.FINDING,
)

_KEEP: Final[Mapping[Lost, str]] = MappingProxyType(
    {
        Lost.OR: 'take out what stands behind "||", or end it with exit 1',
        Lost.PIPE: "write set -o pipefail in front (bash has it), or run the tests without a pipe",
        Lost.NEXT: "write set -e in front, or && between them",
        Lost.AND: "make them commands of their own, or add || exit 1",
        Lost.TESTED: "run the tests on their own, or add || exit 1 to them",
        Lost.BACKGROUND: "ask how it ended: wait $!",
        Lost.CONDITION: "run the tests on their own, or add else exit 1",
        Lost.NEGATED: 'take the "!" out',
        Lost.SUBSTITUTED: "assign the output to a variable first: that fails as the command does",
        Lost.FIND: "write -exec … {} +, or give the names to xargs",
    }
)
_SHEBANG: Final = re.compile(r"#!\s*\S+[ \t]+(-\S+)")
_SHELL: Final = re.compile(r"(?:\S*/)?(?:ba|da|k|z|a)?sh\Z")
_SHOWN: Final = 100


def _check(facts: Facts) -> Iterator[Diagnostic]:
    scripts = facts.scripts
    for job in facts.jobs:
        runs = [ran.run for ran in job.runs if ran.run.executes and is_authored(job.job, ran.run.place)]
        for run in runs:
            found = _lost(run, runs, job, facts, scripts)
            if found is not None:
                yield _report(run, found, job)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What drops a status, and in which script, if it is one."""

    lost: Lost
    script: Place | None = None


def _lost(run: TestRun, runs: list[TestRun], job: JobFacts, facts: Facts, scripts: Scripts) -> _Found | None:
    """What drops the status of a run: in the scripts around it, the innermost first, and in the job's commands."""
    place = run.place
    others = [other.place for other in runs if other is not run]
    while place.script is not None and place.via is not None:
        content = facts.inventory.content(place.script)
        beside = [other.offset for other in others if (other.script, other.via) == (place.script, place.via)]
        options = Options() if content is None else _started(content, place.via, job, facts, scripts)
        lost = None if content is None else scripts.ending(content, place.offset, options, beside)
        if lost is not None:
            return _Found(lost=lost, script=place)
        place = place.via
    options = options_of(job)
    if scripts.fails_at_once(job.job, place, options):
        return None
    script = JobScript.of(job.job)
    beside = [script.offset(_outermost(other)) for other in others]
    at = script.offset(place)
    lost = scripts.ending(script.text, at, options, [other for other in beside if other != at])
    if lost is Lost.NEXT and job.job.hardware.shell.joined:
        return None  # the chain is broken, which another rule tells
    return None if lost is None else _Found(lost=lost)


def _outermost(place: Place) -> Place:
    while place.via is not None:
        place = place.via
    return place


def _started(content: str, call: Place, job: JobFacts, facts: Facts, scripts: Scripts) -> Options:
    """The options that a script runs with: those of the shell that is called with it, else those of its first line."""
    if call.script is None:
        around: str | None = without_references(job.job.commands[call.command].run)
    else:
        around = facts.inventory.content(call.script)
    whole = None if around is None else scripts.parse(around)
    command = None if whole is None else whole.at(call.offset)
    words = [] if command is None else [word.bare or "" for word in command.words]
    if words[:1] in (["."], ["source"]):
        return options_of(job)
    shells = [at for at, word in enumerate(words) if _SHELL.match(word)]
    if shells:
        return with_options(Options(), words[shells[-1] + 1 :])
    found = _SHEBANG.match(content)
    return with_options(Options(), [found[1]]) if found else Options()


def options_of(job: JobFacts) -> Options:
    """What a job's shell is started with."""
    shell = job.job.hardware.shell
    return Options(errexit=shell.errexit, pipefail=shell.pipefail)


def _report(run: TestRun, found: _Found, job: JobFacts) -> Diagnostic:
    text = run.text if len(run.text) <= _SHOWN else f"{run.text[: _SHOWN - 3]}..."
    where = "" if found.script is None else f' (line {found.script.line} of "{found.script.script}")'
    return Diagnostic(
        code=LOST_FAILURE,
        span=span_of(job.job, run.place),
        message=f'"{text}" can fail and the job succeed{where}: {found.lost.value}',
        help=_KEEP[found.lost],
    )


RULE: Final = Rule(codes=(LOST_FAILURE,), check=_check)
