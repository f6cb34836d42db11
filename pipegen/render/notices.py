"""Who hears of a job that fails: the owner of its area, in the builds that the workspace says."""

import re
from collections.abc import Collection, Iterable, Mapping

from pipegen.dataclass import replace
from pipegen.model import Outcome, Planned, Rendered, RenderedGroup, RenderedStep, Workspace
from pipegen.plain import Plain, PlainMap


def notices_of(workspace: Workspace) -> Mapping[str, PlainMap]:
    """The `notify` entry of each owner whom Slack reaches, by the owner's name."""
    notify = workspace.notify
    if notify is None:
        return {}
    return {
        name: {"slack": owner.slack, "if": notify.condition}
        for name, owner in workspace.owners.items()
        if owner.slack is not None
    }


def notifies(workspace: Workspace, facts: Mapping[str, str], schedules: Collection[str]) -> bool:
    """Whether owners hear of a build. `schedules` are those that it counts as.

    A pull request never counts as a build of a branch: a fork may call its branch anything.
    """
    notify = workspace.notify
    if notify is None:
        return False
    if any(schedule.text in schedules for schedule in notify.schedules):
        return True
    branch = facts["branch"]
    return bool(branch) and not facts["pull_request"] and any(_matches(branch, one) for one in notify.branches)


def _matches(branch: str, pattern: str) -> bool:
    """A `*` is any text, as in Buildkite's own `branches`."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), branch, re.DOTALL) is not None


def with_notices(rendered: Rendered, notices: Mapping[str, PlainMap], running: Collection[str]) -> Rendered:
    """The pipeline with each owner's entry in `notify` of the jobs, behind what is there; `running` are their keys."""
    groups = tuple(
        RenderedGroup(name=group.name, steps=tuple(_noticed(step, notices, running) for step in group.steps))
        for group in rendered.groups
    )
    return Rendered(groups=groups)


def _noticed(step: RenderedStep, notices: Mapping[str, PlainMap], running: Collection[str]) -> RenderedStep:
    notice = notices.get(step.job.owner or "")
    if notice is None or step.is_gate or step.job.key not in running:
        return step
    there = step.step.get("notify")
    before: list[Plain] = list(there) if isinstance(there, (list, tuple)) else []
    return replace(step, step={**step.step, "notify": [*before, notice]})


def running_keys(planned: Iterable[Planned]) -> frozenset[str]:
    """The keys of jobs that run, at once or behind their gate."""
    return frozenset(one.job.key for one in planned if one.outcome in (Outcome.RUN, Outcome.GATED))
