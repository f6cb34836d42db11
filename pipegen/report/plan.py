"""The plan of a build as data: every job with the decision about it, and what was decided about all of them."""

from collections.abc import Iterable

from pipegen.model import Planned, Reason, Workspace
from pipegen.plain import Plain, PlainMap
from pipegen.report.json import span_data
from pipegen.select import BuildPlan, ChangedFiles, Circumstances, Everything


def plan_data(workspace: Workspace, plan: BuildPlan, changes: PlainMap) -> PlainMap:
    """A plan and what it rests on."""
    return {
        "workspace": workspace.path,
        "pipeline": workspace.pipeline,
        "changes": changes,
        "run_all": None if plan.run_all is None else reason_data(plan.run_all),
        "schedules": {name: reason_data(reason) for name, reason in plan.schedules.items()},
        "nothing": plan.nothing,
        "counts": counts(plan.planned),
        "jobs": [planned_data(planned) for planned in plan.planned],
    }


def changes_data(circumstances: Circumstances, compared: str, unclassified: Iterable[str]) -> PlainMap:
    """The change set: its files, or why there is none. `compared` says where it is from."""
    changes = circumstances.changes
    return {
        "compared": compared,
        "files": list[Plain](changes.ordered) if isinstance(changes, ChangedFiles) else None,
        "unknown": changes.cause if isinstance(changes, Everything) else None,
        "unclassified": list[Plain](unclassified),
    }


def counts(planned: Iterable[Planned]) -> PlainMap:
    """How many jobs have which outcome."""
    found: dict[str, int] = {}
    for one in planned:
        found[one.outcome.value] = found.get(one.outcome.value, 0) + 1
    return found


def reason_data(reason: Reason) -> PlainMap:
    """A reason with the place of what decided."""
    return {"text": reason.text, "file": reason.file, "pattern": reason.pattern, "place": span_data(reason.span)}


def planned_data(planned: Planned) -> PlainMap:
    """One job and the decision about it."""
    job = planned.job
    return {
        "key": job.key,
        "label": job.label,
        "group": job.group.text,
        "area": job.origin.area,
        "lane": job.lane,
        "hardware": job.hardware.name,
        "when": [word.text for word in job.when],
        "outcome": planned.outcome.value,
        "reason": reason_data(planned.reason),
        "gate": job.gate.key if planned.gated else None,
        "skip": planned.skip,
        "timeout_in_minutes": planned.timeout_in_minutes,
        "priority": planned.priority,
        "depends_on": None if job.depends_on is None else [dependency.key for dependency in job.depends_on],
        "place": span_data(job.span),
    }
