"""No change of a file can select a job, though it is there to be selected by changes.

`when: changed`, which holds where nothing else is said, runs a job when its tests or what its `sources` name change. A
job with neither runs when `run_all` does, when its own entry is edited, or never; with `when: sources` not even
`run_all` selects it. Give it `sources`, or say when it is meant to run: a schedule, `manual` or `always`.

A job that another one depends on is selected with that one, and is not reported.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Severity
from pipegen.model import Job
from pipegen.rules.facts import Facts, Pipeline
from pipegen.rules.frame import Rule

UNSELECTABLE_JOB: Final = Code(
    code="PG405",
    name="unselectable-job",
    summary="A job waits for changes, and has neither tests nor sources that could change.",
    severity=Severity.FINDING,
)
_BY_CHANGES: Final = frozenset({"changed", "sources"})


def _check(facts: Facts) -> Iterator[Diagnostic]:
    if not facts.inventory.files.paths:
        return
    for pipeline in facts.pipelines:
        awaited = _awaited(pipeline)
        for job in pipeline.expansion.jobs:
            by_changes = all(word.text in _BY_CHANGES for word in job.when)
            if by_changes and job.key not in awaited and not _can_change(job, pipeline, facts):
                yield _report(job, pipeline, facts)


def _awaited(pipeline: Pipeline) -> frozenset[str]:
    """The keys that jobs and gates depend on."""
    jobs = pipeline.expansion.jobs
    of_jobs = {dependency.key for job in jobs for dependency in job.depends_on or ()}
    return frozenset(of_jobs.union(*(job.gate.depends_on for job in jobs)))


def _can_change(job: Job, pipeline: Pipeline, facts: Facts) -> bool:
    """Whether a change can select it. Of tests and patterns that are gone other rules tell."""
    texts = [source.text for source in job.sources]
    if pipeline.workspace.selection.owned_tests and (job.tests or job.also):
        return True
    return bool(facts.taken.by_list(texts)) or any(not facts.taken.by(text) for text in texts)


def _report(job: Job, pipeline: Pipeline, facts: Facts) -> Diagnostic:
    selection = pipeline.workspace.selection
    changed = any(word.text == "changed" for word in job.when)
    run_all = changed and bool(facts.taken.by_list(pattern.text for pattern in selection.run_all))
    if job.sources:
        lacks = "all that its sources take is excluded again"
    elif job.tests or job.also:
        lacks = "it has no sources, and its tests do not select it (owned_tests: false)"
    else:
        lacks = "it has neither tests nor sources"
    only = "only run_all selects" if run_all else "no change selects"
    return Diagnostic(
        code=UNSELECTABLE_JOB,
        span=job.sources[0].span if job.sources else job.span,
        message=f'{only} "{job.key}": {lacks}',
        help="add sources: [PATH], or say when it runs: a schedule, manual or always",
    )


RULE: Final = Rule(codes=(UNSELECTABLE_JOB,), check=_check)
