"""An area owns a test file on a lane, and no job on that lane collects it.

Owning says that somebody answers for a test, and that it runs. It does not run where `ignore` leaves it out, where
the `commands` of the job name other files, or where pytest does not collect it: a file that is no Python, or whose
name pytest's own `python_files` does not hold, one in a directory that pytest does not enter (`build`, `dist`,
`venv`, names that begin with a dot), or one that a `collect_ignore` in a `conftest.py` or an `--ignore` under `addopts`
leaves out. Nor does it where Buildkite's `skip` stands for good. Nothing else tells: the job is green, or is not there.

Take the file out of `ignore`, add it to the commands, or, where it cannot run on the lane, let a mirror say so and
why: `mirrors: {LANE: {none: REASON}}`.
"""

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from pipegen.commands import Tool, Why
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Code, Diagnostic, Related, Severity, Span, listing
from pipegen.model import Claim, TestPath
from pipegen.rules.facts import Facts, JobFacts
from pipegen.rules.frame import Rule
from pipegen.rules.missing import exists
from pipegen.rules.orphans import shown
from pipegen.rules.ownership import taken_in
from pipegen.rules.quarantined import files_in_quarantine

UNCOLLECTED_TEST: Final = Code(
    code="PG206",
    name="uncollected-test",
    summary="An area owns a test file on a lane, and no job there collects it.",
    severity=Severity.FINDING,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cause:
    """Why a file is not collected: the place to blame, what to type there, and a second place."""

    span: Span
    hint: str
    related: tuple[Related, ...] = ()


_Found: TypeAlias = dict[tuple[_Cause, str], dict[str, list[str]]]
"""By cause and area, the lanes on which each file does not run."""


def _check(facts: Facts) -> Iterator[Diagnostic]:
    found: _Found = {}
    running = _running(facts)
    makers = _makers(facts)
    apart = files_in_quarantine(facts)
    for claim in facts.ownership.claims:
        if not claim.runs:
            continue
        idle = [path for path in _owned(claim, facts) if path not in running.get(claim.lane, frozenset())]
        idle = [path for path in idle if path not in apart]  # where those run is said by their quarantine
        jobs = makers.get((claim.lane, claim.test.path), ())
        if not idle or not jobs or any(map(_is_unsure, jobs)):
            continue
        for path in idle:
            lanes = found.setdefault((_cause(path, claim, jobs, facts), claim.area), {}).setdefault(path, [])
            lanes += [] if claim.lane in lanes else [claim.lane]
    for (cause, area), files in found.items():
        yield from _told(cause, area, files, facts)
    yield from _idle_also(facts)


def _running(facts: Facts) -> Mapping[str, set[str]]:
    """By lane, what its jobs collect or call."""
    found: dict[str, set[str]] = {}
    for job in facts.jobs:
        found.setdefault(job.job.lane, set()).update(job.collected, job.called)
    return found


def _makers(facts: Facts) -> Mapping[tuple[str, str], list[JobFacts]]:
    """The jobs that name a path among their tests, by lane and path."""
    found: dict[tuple[str, str], list[JobFacts]] = {}
    for job in facts.jobs:
        for test in job.job.tests:
            found.setdefault((job.job.lane, test.path), []).append(job)
    return found


def _is_unsure(job: JobFacts) -> bool:
    """Whether its commands could not all be read, or name what is not there: that is told apart.

    A test file that is run as a program runs itself and no other, whether or not its content is there to be read.
    """
    if job.skip is not None:
        return False
    programs = {ran.run.place for ran in job.runs if ran.run.tool is Tool.PYTHON}
    unread = [one for one in job.unread if one.why is not Why.CONTENT or one.place not in programs]
    return bool(unread) or (not job.generated and any(ran.collection.missing for ran in job.runs))


def _owned(claim: Claim, facts: Facts) -> Iterator[str]:
    """The files that a claim owns: of its test files those that nothing more specific owns, or the file it names."""
    owners = facts.ownership.on(claim.lane)
    for path in facts.ownership.files[claim.test.path]:
        owner = owners[path]
        if (owner.area, owner.test.path) == (claim.area, claim.test.path):
            yield path
    if claim.test.file in facts.inventory.files.known and claim.test.file not in owners:
        yield claim.test.file


def _cause(path: str, claim: Claim, jobs: list[JobFacts], facts: Facts) -> _Cause:
    skips = [job.skip for job in jobs]
    if skips[0] is not None and None not in skips:
        hint = "take skip out, or waive this until a day: what a build skips never fails"
        return _Cause(span=skips[0].span, hint=hint, related=(Related(span=claim.test.span, note="owned here"),))
    for job in jobs:
        for entry in job.job.ignore:
            if path in taken_in(entry, [path], facts.inventory.files):
                return _Cause(
                    span=entry.span,
                    hint="take it out of ignore, or let an area own it whose jobs run it",
                    related=(Related(span=claim.test.span, note="owned here"),),
                )
    by = _left_out(path, jobs)
    if by is not None:
        hint = f'"{by}" leaves it out: take it out there, or run the file by its name in a step of its own'
        return _Cause(span=claim.test.span, hint=hint)
    authored = next((job for job in jobs if not job.generated), None)
    if authored is not None:
        commands = authored.job.nodes["commands"].span
        return _Cause(
            span=claim.test.span,
            hint="run it in the commands, or take it out of tests",
            related=(Related(span=commands, note="the commands"),),
        )
    if not path.endswith(".py"):
        return _Cause(span=claim.test.span, hint="pytest collects .py files: run it with commands:")
    hint = "pytest does not collect it by itself, for its name or its directory's: name it in tests, or rename it"
    return _Cause(span=claim.test.span, hint=hint)


def _left_out(path: str, jobs: list[JobFacts]) -> str | None:
    """The file of the repository that keeps a job from collecting a test file; None if it is something else."""
    found = (dict(ran.collection.left_out).get(path) for job in jobs for ran in job.runs)
    return next((by for by in found if by is not None), None)


def _told(cause: _Cause, area: str, files: Mapping[str, list[str]], facts: Facts) -> Iterator[Diagnostic]:
    by_lanes: dict[tuple[str, ...], list[str]] = {}
    for path, lanes in files.items():
        by_lanes.setdefault(tuple(sorted(lanes)), []).append(path)
    for lanes_there, paths in by_lanes.items():
        names = listing((shown(path, facts) for path in sorted(paths)), limit=4)
        lane = "lane " + lanes_there[0] if len(lanes_there) == 1 else "lanes " + ", ".join(lanes_there)
        it = "it" if len(paths) == 1 else "them"
        yield Diagnostic(
            code=UNCOLLECTED_TEST,
            span=cause.span,
            message=f'area "{area}" owns {names}, and no job on {lane} runs {it}',
            help=cause.hint,
            related=cause.related,
        )


def _idle_also(facts: Facts) -> Iterator[Diagnostic]:
    """What `also` names and no job of the step runs: its commands do not."""
    running: dict[Span, bool] = {}
    entries: dict[Span, TestPath] = {}
    for job in facts.jobs:
        for entry in job.job.also if not job.generated else ():
            entries[entry.span] = entry
            meant = taken_in(entry, facts.inventory.files.paths, facts.inventory.files)
            runs = _is_unsure(job) or not (job.collected | job.called).isdisjoint(meant)
            running[entry.span] = running.get(entry.span, False) or runs
    for span, entry in entries.items():
        if not running[span] and exists(entry, facts.inventory.files):
            yield Diagnostic(
                code=UNCOLLECTED_TEST,
                span=span,
                message=f'also: "{entry.written}" is run by none of the commands beside it',
                help="run it in the commands, or take it out of also",
            )


RULE: Final = Rule(codes=(UNCOLLECTED_TEST,), check=_check)
