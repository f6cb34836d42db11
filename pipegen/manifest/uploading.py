"""`upload` and `notify` of the workspace file: their keys, and what they say."""

from collections.abc import Mapping
from typing import Final

from pipegen import codes
from pipegen.manifest.containers import ListOf
from pipegen.manifest.fields import FIXED, NAME
from pipegen.manifest.located import Report
from pipegen.manifest.record import Field, Record, Values
from pipegen.manifest.shape import Boolean, Word
from pipegen.manifest.values import either, located
from pipegen.model import Notify, Schedule, Uploading

FAILED: Final = 'step.outcome == "hard_failed" || step.outcome == "errored"'
"""Buildkite: a job failed and was not allowed to, or could not run at all."""

INTERPOLATION: Final = Field(
    name="interpolation",
    shape=Boolean(),
    about="whether the agent fills in variables at upload; otherwise pipegen does, and $ is nobody's but the job's",
    default=False,
)
UPLOAD: Final = Field(
    name="upload",
    shape=Record(what="upload", fields=(INTERPOLATION,)),
    about="how `pipegen upload` uploads",
    example={"interpolation": False},
)

SLACK: Final = Field(
    name="slack",
    shape=Word(choices=("owners",)),
    about="the Slack channel of each job's owner, from `owners`",
    example="owners",
    required=True,
)
NOTIFY_SCHEDULES: Final = Field(
    name="schedules", shape=ListOf(item=NAME, one=True, at_least=1), about="in builds of these schedules"
)
BRANCHES: Final = Field(
    name="branches",
    shape=ListOf(item=FIXED, one=True, at_least=1),
    about='in builds of these branches that are of no pull request; "*" is any text',
)
CONDITION: Final = Field(
    name="if", shape=FIXED, about="Buildkite's condition on the step that ended; failures otherwise", default=FAILED
)
NOTIFY: Final = Field(
    name="notify",
    shape=Record(what="notify", fields=(SLACK, NOTIFY_SCHEDULES, BRANCHES, CONDITION)),
    about="who hears of a job that fails, and in which builds",
    example={"slack": "owners", "schedules": ["nightly"], "branches": ["main"]},
)


def uploading_of(values: Values) -> Uploading:
    """How a workspace uploads."""
    upload = values.get(UPLOAD)
    return Uploading() if upload is None else Uploading(interpolation=either(upload, INTERPOLATION, default=False))


def notify_of(values: Values, schedules: Mapping[str, Schedule], report: Report) -> Notify | None:
    """Who hears of a job that fails; None where nobody is to."""
    notify = values.get(NOTIFY)
    if notify is None:
        return None
    if not {"schedules", "branches"} & {*notify.values, *notify.faulty}:
        hint = f"say in which builds, for example {'schedules: [nightly]' if schedules else 'branches: [main]'}"
        report.add(codes.MISSING_KEY, notify.node.span, 'notify lacks "schedules" or "branches"', hint=hint)
    named = located(notify.at("schedules")) if "schedules" in notify.values else ()
    for name in named:
        if name.text not in schedules and "schedules" not in values.faulty:
            hint = report.did_you_mean(name.text, schedules)
            report.add(codes.UNKNOWN_REFERENCE, name.span, f'unknown schedule "{name.text}"', hint=hint)
    return Notify(
        schedules=named,
        branches=either(notify, BRANCHES, ()),
        condition=either(notify, CONDITION, FAILED),
        condition_span=notify.at("if").span,
    )
