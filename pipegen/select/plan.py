"""The plan of a build: every job with the decision about it and the reason."""

from collections.abc import Iterable

from pipegen.model import Job, Outcome, Planned, Reason


def select_all(jobs: Iterable[Job], why: str, *, timeouts: bool = True) -> tuple[Planned, ...]:
    """Every job of every `when` runs."""
    return tuple(
        Planned(
            job=job,
            outcome=Outcome.RUN,
            reason=Reason(text=why, span=job.span),
            timeout_in_minutes=job.timeout_in_minutes if timeouts else None,
        )
        for job in jobs
    )
