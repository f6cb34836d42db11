"""What a decision about one job means for others: nobody waits for what does not run, or is not there."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from pipegen.diagnostics import Span
from pipegen.model import Job, Reason


def with_prerequisites(jobs: Sequence[Job], selected: Mapping[str, Reason]) -> Mapping[str, Reason]:
    """The selected jobs by key with all that they wait for, directly or not. Keys that are no job's are left alone."""
    by_key = {job.key: job for job in jobs}
    result = dict(selected)
    waiting = deque(job for job in jobs if job.key in selected)
    while waiting:
        job = waiting.popleft()
        for key, span in _awaited(job):
            if key in by_key and key not in result:
                result[key] = Reason(text=f'"{job.key}" waits for it', span=span)
                waiting.append(by_key[key])
    return result


def needed_behind_gates(
    jobs: Sequence[Job], gated: Iterable[str], selected: Mapping[str, Reason]
) -> Mapping[str, Reason]:
    """What gated jobs and their gates wait for and would miss once somebody opens a gate: jobs that get one as well.

    Buildkite: a dependency on a skipped step counts as satisfied, and one on a missing step never does.
    """
    by_key = {job.key: job for job in jobs}
    known = set(gated)
    found: dict[str, Reason] = {}
    waiting = deque(job for job in jobs if job.key in known)
    while waiting:
        job = waiting.popleft()
        for key, span in [*_awaited(job), *((key, job.gate.span) for key in job.gate.depends_on)]:
            if key in by_key and key not in known and key not in selected:
                known.add(key)
                found[key] = Reason(text=f'"{job.key}" waits for it, behind a gate', span=span)
                waiting.append(by_key[key])
    return found


def pulled_in(jobs: Sequence[Job], key: str) -> tuple[str, ...]:
    """The keys that a job cannot run without, in the order of the pipeline."""
    by_key = {job.key: job for job in jobs}
    if key not in by_key:
        return ()
    needed = with_prerequisites(jobs, {key: Reason(text="", span=by_key[key].span)})
    return tuple(job.key for job in jobs if job.key in needed and job.key != key)


def _awaited(job: Job) -> list[tuple[str, Span]]:
    return [(dependency.key, dependency.span) for dependency in job.depends_on or ()]
