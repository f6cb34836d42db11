"""The tests in quarantine, over all pipelines, and the jobs that would run them."""

from collections.abc import Iterator

from pipegen.model import Job, Quarantined
from pipegen.rules.facts import Facts, JobFacts


def quarantined(facts: Facts) -> tuple[Quarantined, ...]:
    """Every test in quarantine, by its place; pipelines may share what the workspace says."""
    every = {entry.span: entry for pipeline in facts.pipelines for entry in pipeline.workspace.quarantine}
    return tuple(entry for _, entry in sorted(every.items()))


def files_in_quarantine(facts: Facts) -> frozenset[str]:
    """The files that are in quarantine as a whole, from the repository's root."""
    paths = (repository_path(entry, facts) for entry in quarantined(facts))
    return frozenset(path for path in paths if "::" not in path)


def repository_path(entry: Quarantined, facts: Facts) -> str:
    """The test's path from the repository's root."""
    pipelines = (one for one in facts.pipelines if entry in one.workspace.quarantine)
    return min(one.workspace.tests.path_of(entry.test.text) for one in pipelines)


def jobs_of(entry: Quarantined, facts: Facts) -> Iterator[JobFacts]:
    """The jobs that run the test, or would if it were not in quarantine."""
    for one in facts.jobs:
        workspace = one.pipeline.workspace
        if entry in workspace.quarantine:
            path = workspace.tests.path_of(entry.test.text)
            if path.partition("::")[0] in one.collected or any(test.path == path for test in one.job.quarantined):
                yield one


def still_runs(entry: Quarantined, job: Job) -> bool:
    """Whether a job runs the test in every build that it is in: its lane does, or it is in such builds alone."""
    when = {word.text for word in job.when}
    return job.lane in entry.lanes or when <= {*entry.schedules}
