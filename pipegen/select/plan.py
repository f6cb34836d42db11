"""The plan of a build: every job with the decision about it and the reason.

The order of precedence: what the caller asks for (every job), `gate_all`, `only`, switches that run all, "all files are
ignored", `always`, schedules, `run_all` patterns, changed files.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Final, TypeAlias

from pipegen.dataclass import dataclass
from pipegen.diagnostics import WrongUsageError, did_you_mean
from pipegen.model import Expansion, Job, Outcome, Planned, Reason, Unselected, Workspace
from pipegen.select.circumstances import ChangedFiles, Circumstances
from pipegen.select.closure import needed_behind_gates, with_prerequisites
from pipegen.select.decide import Decider, all_ignored
from pipegen.select.reach import Reach
from pipegen.select.switches import Only, Said, listen
from pipegen.select.words import shortened


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildPlan:
    """What becomes of every job, in the order of the pipeline, and what was decided about all of them at once.

    `run_all` says why everything runs, `schedules` what makes this a build of which schedule, and `nothing` why there
    is no step to emit.
    """

    planned: tuple[Planned, ...]
    run_all: Reason | None = None
    schedules: Mapping[str, Reason] = field(default_factory=dict)
    nothing: str | None = None

    @property
    def emitted(self) -> tuple[Planned, ...]:
        """The jobs that are in the pipeline."""
        return tuple(planned for planned in self.planned if planned.outcome is not Outcome.OMITTED)


def select(
    expansion: Expansion, workspace: Workspace, circumstances: Circumstances, reach: Reach | None = None
) -> BuildPlan:
    """Decide about every job. `reach` is the index of the expansion, for those who have it already.

    Raises:
        WrongUsageError: a key or schedule is asked for that is not there, or a switch's value cannot be read.
    """
    said = listen(workspace, circumstances)
    chooser = _Chooser(expansion=expansion, workspace=workspace, circumstances=circumstances, said=said, reach=reach)
    if circumstances.every:
        if circumstances.only:
            raise WrongUsageError("--all and --only exclude each other: leave out one of them")
        return chooser.every()
    if said.gate_all is not None:
        return chooser.gate_all(said.gate_all)
    if said.only is not None:
        return chooser.only(said.only)
    ignored = all_ignored(workspace, circumstances)
    if said.run_all is None and ignored is not None:
        return chooser.nothing(ignored)
    return chooser.by_when()


def select_all(jobs: Iterable[Job], why: str, *, timeouts: bool = True) -> tuple[Planned, ...]:
    """Every job of every `when` runs."""
    return tuple(
        Planned(
            job=job,
            outcome=Outcome.RUN,
            reason=Reason(text=why, span=job.span),
            timeout_in_minutes=job.timeout_in_minutes if timeouts else None,
            priority=_priority(job, None),
        )
        for job in jobs
    )


_Fate: TypeAlias = tuple[Outcome, Reason]

_WITHOUT_GATE: Final[Mapping[Unselected, Outcome]] = MappingProxyType(
    {Unselected.BLOCK: Outcome.GATED, Unselected.SKIP: Outcome.SKIPPED, Unselected.OMIT: Outcome.OMITTED}
)


def _fates(outcome: Outcome, reasons: Mapping[str, Reason]) -> dict[str, _Fate]:
    return {key: (outcome, reason) for key, reason in reasons.items()}


def _nothing(circumstances: Circumstances) -> str:
    match circumstances.changes:
        case ChangedFiles(paths=()):
            return "no file changed"
        case ChangedFiles():
            return "no changed file concerns a job"
        case _:
            return "no job runs in every build"


def _priority(job: Job, switched: int | None) -> int | None:
    """A job's own priority; what a switch says is for jobs that set none."""
    own = job.attributes.get("priority")
    return own if isinstance(own, int) else switched


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chooser:
    """The ways to choose."""

    expansion: Expansion
    workspace: Workspace
    circumstances: Circumstances
    said: Said
    reach: Reach | None

    def every(self) -> BuildPlan:
        why = {job.key: Reason(text="--all runs every job", span=job.span) for job in self.expansion.jobs}
        return self._plan(_fates(Outcome.RUN, why))

    def gate_all(self, why: Reason) -> BuildPlan:
        return self._plan(_fates(Outcome.GATED, self._each(why)))

    def nothing(self, why: Reason) -> BuildPlan:
        return self._plan(_fates(Outcome.OMITTED, self._each(why)), why_nothing=why.text)

    def only(self, only: Only) -> BuildPlan:
        jobs = self.expansion.jobs
        by_key = {job.key: job for job in jobs}
        for key in only.keys:
            if key not in by_key:
                raise WrongUsageError(f'unknown key "{key}" in {only.by}: {_meant(key, jobs)}')
        named = {key: Reason(text=f"{only.by} names it", span=by_key[key].when[0].span) for key in only.keys}
        selected = with_prerequisites(jobs, named)
        others = self._each(Reason(text=f"{only.by} names other jobs", span=only.span))
        return self._plan(_fates(Outcome.OMITTED, others) | _fates(Outcome.RUN, selected))

    def by_when(self) -> BuildPlan:
        jobs = self.expansion.jobs
        reach = self.reach or Reach.of(self.expansion)
        decider = Decider.of(self.workspace, self.circumstances, self.said, reach)
        verdicts = {job.key: decider.decide(index, job) for index, job in enumerate(jobs)}
        selected = with_prerequisites(jobs, {key: v.reason for key, v in verdicts.items() if v.selected})
        unselected = self.workspace.selection.unselected
        gated = {
            key: verdict.reason
            for key, verdict in verdicts.items()
            if key not in selected and (verdict.gate or unselected is Unselected.BLOCK)
        }
        gated |= needed_behind_gates(jobs, gated, selected)
        others = {key: verdict.reason for key, verdict in verdicts.items()}
        return self._plan(
            _fates(_WITHOUT_GATE[unselected], others) | _fates(Outcome.GATED, gated) | _fates(Outcome.RUN, selected),
            run_all=self.said.run_all or decider.run_all,
            why_nothing=_nothing(self.circumstances),
        )

    def _each(self, reason: Reason) -> Mapping[str, Reason]:
        return {job.key: reason for job in self.expansion.jobs}

    def _plan(
        self, fates: Mapping[str, _Fate], *, run_all: Reason | None = None, why_nothing: str = "no job is left"
    ) -> BuildPlan:
        planned = tuple(self._planned(job, *fates[job.key]) for job in self.expansion.jobs)
        emits = any(one.outcome is not Outcome.OMITTED for one in planned)
        nothing = None if emits else why_nothing if planned else "the workspace has no jobs"
        return BuildPlan(planned=planned, run_all=run_all, schedules=self.said.schedules, nothing=nothing)

    def _planned(self, job: Job, outcome: Outcome, reason: Reason) -> Planned:
        return Planned(
            job=job,
            outcome=outcome,
            reason=reason,
            timeout_in_minutes=job.timeout_in_minutes if self.said.timeouts else None,
            priority=_priority(job, self.said.priority),
            skip=shortened(reason.text) if outcome is Outcome.SKIPPED else None,
        )


def _meant(key: str, jobs: Iterable[Job]) -> str:
    """What to type instead of a key that is not there."""
    given = list(jobs)
    renamed = next((job.key for job in given if key in job.was), None)
    if renamed is not None:
        return f'it is "{renamed}" now'
    return did_you_mean(key, [job.key for job in given]) or "the pipeline has no jobs"
