"""No build can say that it is of a schedule: the schedule names no variable, and no switch does it.

Jobs with `when: SCHEDULE` then run in no build but those whose call of pipegen says `--schedule SCHEDULE`. Name the
variable that the scheduled builds set, or a label: `switches: [{label: NAME, does: {schedule: SCHEDULE}}]`.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Severity, first_of
from pipegen.model import SetSchedule
from pipegen.rules.facts import Facts, Pipeline
from pipegen.rules.frame import Rule

UNSAID_SCHEDULE: Final = Code(
    code="PG407",
    name="unsaid-schedule",
    summary="A schedule names no variable by which a build says that it is of it, and no switch does.",
    severity=Severity.WARNING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    for pipeline in facts.pipelines:
        workspace = pipeline.workspace
        effects = [effect for switch in workspace.switches for effect in switch.does]
        switched = {effect.schedule for effect in effects if isinstance(effect, SetSchedule)}
        for name, schedule in workspace.schedules.items():
            said = schedule.condition.environment or schedule.condition.label or name in switched
            keys = _waiting(name, pipeline)
            if not said and keys:
                yield Diagnostic(
                    code=UNSAID_SCHEDULE,
                    span=schedule.span,
                    message=f'no build can say that it is "{name}", and {first_of(keys)} wait{_s(keys)} for one',
                    help=f"add environment: {{NAME: VALUE}}, or a switch that does {{schedule: {name}}}",
                )


def _waiting(name: str, pipeline: Pipeline) -> list[str]:
    """The jobs that run in builds of a schedule and in no others."""
    jobs = pipeline.expansion.jobs
    return sorted(job.key for job in jobs if [word.text for word in job.when] == [name])


def _s(keys: list[str]) -> str:
    return "s" if len(keys) == 1 else ""


RULE: Final = Rule(codes=(UNSAID_SCHEDULE,), check=_check)
