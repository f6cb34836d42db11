"""Answers to "why": why a job runs or does not, and what a file means to the workspace."""

from collections.abc import Iterable, Sequence

from pipegen.dataclass import dataclass
from pipegen.expression import And, Call, Expression, ExpressionError, Kind, Name, Not, Or, parse
from pipegen.model import Absence, Claim, Expansion, Job, Planned, Workspace
from pipegen.select.circumstances import ChangedFiles, Circumstances
from pipegen.select.closure import pulled_in
from pipegen.select.edits import Entries, listed
from pipegen.select.neighbours import Neighbour, neighbours
from pipegen.select.plan import BuildPlan, select
from pipegen.select.reach import Reach, Tests, Touch, holds
from pipegen.select.unclassified import Classifier, is_own, own_files


@dataclass(frozen=True, slots=True, kw_only=True)
class JobExplained:
    """A job with the decision about it, what it cannot run without, and what waits for it."""

    planned: Planned
    pulls_in: tuple[str, ...]
    needed_by: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneOwner:
    """Who owns a file on a lane; `absence` is the reasoned `none` of an area that owns it and has no job there."""

    lane: str
    claim: Claim
    absence: Absence | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """A job that runs a file. `takes` is None where only pytest knows whether its -k and -m take the test."""

    job: Job
    touch: Touch
    takes: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """A job that guards a file, or has an exclusion for it."""

    job: Job
    touch: Touch


@dataclass(frozen=True, slots=True, kw_only=True)
class PathExplained:
    """What a file means: who owns it on which lane, which jobs run it, and what a change of it alone would do.

    `unowned` are the lanes on which nobody owns it. `spared` are the jobs that exclude it by a `!` pattern, and
    `near` are the patterns that come closest; both matter where nothing is selected.
    """

    path: str
    test: str | None
    owners: tuple[LaneOwner, ...]
    unowned: tuple[str, ...]
    runners: tuple[Runner, ...]
    plan: BuildPlan
    own: bool
    spared: tuple[Selector, ...]
    near: tuple[Neighbour, ...]


def explain_job(expansion: Expansion, plan: BuildPlan, key: str) -> JobExplained | None:
    """Why a job runs or does not; None where there is no such job."""
    planned = next((one for one in plan.planned if one.job.key == key), None)
    if planned is None:
        return None
    needed_by = (job.key for job in expansion.jobs if key in {one.key for one in job.depends_on or ()})
    return JobExplained(planned=planned, pulls_in=pulled_in(expansion.jobs, key), needed_by=tuple(needed_by))


def explain_path(
    expansion: Expansion, workspace: Workspace, entries: Entries, path: str, test: str | None = None
) -> PathExplained:
    """What a file means, or one test in it (`Class::test_name`), if it alone changed in a build that says nothing."""
    changes = ChangedFiles(paths=(path,))
    circumstances = Circumstances(changes=changes, edits=listed(entries, workspace, changes.paths))
    owners = _owners(expansion, path, test)
    reach = Reach.of(expansion)
    known = Classifier.of(workspace, reach).classifies(path)
    return PathExplained(
        path=path,
        test=test,
        owners=owners,
        unowned=tuple(lane for lane in workspace.lanes if lane not in {owner.lane for owner in owners}),
        runners=_runners(reach.tests, path, test),
        plan=select(expansion, workspace, circumstances, reach),
        own=is_own(path, own_files(workspace)),
        spared=tuple(Selector(job=expansion.jobs[touch.job], touch=touch) for touch in reach.sources.sparing(path)),
        near=() if known else neighbours(expansion, workspace, path),
    )


def _owners(expansion: Expansion, path: str, test: str | None) -> tuple[LaneOwner, ...]:
    """On each lane the most specific claim on the file or the test."""
    best: dict[str, Claim] = {}
    for claim in expansion.claims:
        if _claims(claim, path, test):
            earlier = best.get(claim.lane)
            if earlier is None or len(claim.test.path.rstrip("/")) > len(earlier.test.path.rstrip("/")):
                best[claim.lane] = claim
    return tuple(
        LaneOwner(lane=lane, claim=claim, absence=None if claim.runs else _absence(expansion.absences, claim))
        for lane, claim in sorted(best.items())
    )


def _claims(claim: Claim, path: str, test: str | None) -> bool:
    file, _, node = claim.test.path.partition("::")
    if node:
        return file == path and test is not None and (test == node or test.startswith((f"{node}::", f"{node}[")))
    return holds(claim.test, path)


def _absence(absences: Iterable[Absence], claim: Claim) -> Absence | None:
    return next((one for one in absences if one.area == claim.area and one.lane == claim.lane), None)


def _runners(tests: Tests, path: str, test: str | None) -> tuple[Runner, ...]:
    """The jobs that run a file, the first entry that says so of each; of a test those whose entries can hold it."""
    found: dict[int, Runner] = {}
    for touch in tests.running(path):
        job = tests.jobs[touch.job]
        node = touch.pattern.partition("::")[2]
        if test is not None and node and not (test == node or test.startswith((f"{node}::", f"{node}["))):
            continue
        found.setdefault(touch.job, Runner(job=job, touch=touch, takes=_takes(job, path, test)))
    return tuple(found[index] for index in sorted(found))


def _takes(job: Job, path: str, test: str | None) -> bool | None:
    """Whether a job's -k and -m take a test, as far as names alone can tell; always true without either."""
    names = [name.lower() for name in (*path.split("/"), *(test or "").split("::")) if name]
    answers = [
        True if text is None else _decide(text, kind, names if kind is Kind.KEYWORD and test is not None else [])
        for text, kind in ((job.k, Kind.KEYWORD), (job.m, Kind.MARK))
    ]
    if False in answers:
        return False
    return None if None in answers else True


def _decide(text: str, kind: Kind, names: Sequence[str]) -> bool | None:
    try:
        return _evaluate(parse(text, kind), names)
    except ExpressionError:
        return None


def _evaluate(expression: Expression, names: Sequence[str]) -> bool | None:
    """Three values: a name that is in none of the known ones may still be in a mark or a parameter."""
    match expression:
        case Name(text=text):
            return True if any(text.lower() in name for name in names) else None
        case Call():
            return None
        case Not(operand=operand):
            answer = _evaluate(operand, names)
            return None if answer is None else not answer
        case And(operands=operands):
            answers = [_evaluate(operand, names) for operand in operands]
            return False if False in answers else None if None in answers else True
        case Or(operands=operands):
            answers = [_evaluate(operand, names) for operand in operands]
            return True if True in answers else None if None in answers else False
