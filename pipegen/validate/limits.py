"""How many jobs a pipeline creates, and how many an upload and a build may have."""

from collections.abc import Iterator, Mapping, Sequence

from pipegen.plain import Plain, PlainMap
from pipegen.validate.codes import JOBS_PER_BUILD, JOBS_PER_STEP, JOBS_PER_UPLOAD
from pipegen.validate.matrix import matrix_jobs
from pipegen.validate.problem import Problem
from pipegen.validate.shape import entries


def job_count(steps: Sequence[Plain]) -> int:
    """The jobs that Buildkite counts for these steps, never too few.

    Every step counts, gates and skipped ones included, after `parallelism` and `matrix` have multiplied it, and a
    group counts as one more than what is in it.
    """
    jobs = 0
    pending = list(steps)
    while pending:
        step = pending.pop()
        inner = _inner(step)
        if inner is None:
            jobs += _step_jobs(step)
        else:
            jobs += 1
            pending += inner
    return jobs


def _inner(step: Plain) -> Sequence[Plain] | None:
    return entries(step["steps"]) if isinstance(step, Mapping) and "group" in step and "steps" in step else None


def _step_jobs(step: Plain) -> int:
    if not isinstance(step, Mapping):
        return 1
    jobs = matrix_jobs(step["matrix"]) if "matrix" in step else 1
    return jobs * _parallelism(step)


def _parallelism(step: PlainMap) -> int:
    value = step.get("parallelism")
    return max(value, 1) if isinstance(value, int) and not isinstance(value, bool) else 1


def check_limits(steps: Sequence[Plain], *, jobs_per_upload: int, jobs_per_build: int) -> Iterator[Problem]:
    """Compare the jobs of a pipeline with what one upload and one build may have.

    Both limits are an organisation's. A build beyond its limit is an error, and then the upload is not worth a word.
    """
    jobs = job_count(steps)
    if jobs > jobs_per_build:
        message = f"the pipeline makes {jobs} jobs: expected at most {jobs_per_build} in one build"
        hint = "select less, or divide the work over several pipelines"
        yield Problem(code=JOBS_PER_BUILD, path=("steps",), message=message, help=hint)
    elif jobs > jobs_per_upload:
        message = f"the pipeline makes {jobs} jobs: expected at most {jobs_per_upload} in one upload"
        hint = 'let "pipegen upload" divide it, or raise "limits.jobs_per_upload" if the organisation has more'
        yield Problem(code=JOBS_PER_UPLOAD, path=("steps",), message=message, help=hint)


def check_step_limit(step: PlainMap, *, jobs_per_upload: int) -> Iterator[Problem]:
    """Compare the jobs of one step in a group with what one upload may have: a step cannot be divided."""
    jobs = _step_jobs(step)
    if jobs + 1 <= jobs_per_upload:
        return
    most = jobs_per_upload - 1
    name = next((name for name in ("matrix", "parallelism") if name in step), None)
    message = f"the step makes {jobs} job{'' if jobs == 1 else 's'}: expected at most {most}, the limit of an upload"
    hint = f'make several steps of it, or raise "limits.jobs_per_upload" ({jobs_per_upload}, its group counts as one)'
    yield Problem(code=JOBS_PER_STEP, path=() if name is None else (name,), message=message, help=hint)
