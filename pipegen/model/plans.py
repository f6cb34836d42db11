"""What becomes of the jobs in one build, and the pipeline that is made of them."""

import enum

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span
from pipegen.model.jobs import Job
from pipegen.plain import PlainMap


class Outcome(enum.Enum):
    """What becomes of a job in this build."""

    RUN = "run"
    GATED = "gated"
    SKIPPED = "skipped"
    OMITTED = "omitted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why: one sentence, with the file and the pattern that decided where there are any, and the place of the rule."""

    text: str
    span: Span
    file: str | None = None
    pattern: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A job with the decision about it.

    `timeout_in_minutes` and `priority` are what the build's switches leave of the job's own; `skip` is the text that
    Buildkite shows for a skipped step (at most 70 characters).
    """

    job: Job
    outcome: Outcome
    reason: Reason
    timeout_in_minutes: int | None
    priority: int | None = None
    skip: str | None = None

    @property
    def gated(self) -> bool:
        """Whether a block step stands in front of it."""
        return self.outcome is Outcome.GATED


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedStep:
    """One step of the pipeline, and the job that it (or its gate) belongs to.

    `template_at` is what to show of its template: its file, or where a packaged one is named.
    """

    step: PlainMap
    job: Job
    is_gate: bool
    template_at: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedGroup:
    """A Buildkite group."""

    name: str
    steps: tuple[RenderedStep, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """The pipeline as plain data, still with the jobs that its steps come from."""

    groups: tuple[RenderedGroup, ...]

    @property
    def pipeline(self) -> PlainMap:
        """The document: text may still hold upload references and dollars that are not escaped."""
        return {"steps": [{"group": group.name, "steps": [step.step for step in group.steps]} for group in self.groups]}
