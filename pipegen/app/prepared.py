"""What a build uploads, before anybody is asked to: its pipeline cut into parts, and what its page says of it."""

from pipegen.app.changes import Asked
from pipegen.app.generating import Made, Output, make, written
from pipegen.app.request import Request
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Diagnostic, PipegenError
from pipegen.model import Rendered
from pipegen.plain import PlainMap
from pipegen.report.annotation import Told, style_of, summary
from pipegen.upload.batches import Batch, UndividableError, divide
from pipegen.upload.record import Part, Sealed, marked
from pipegen.validate.codes import JOBS_PER_UPLOAD


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What there is to upload, cut into parts; none where no job runs. `interpolation` is the agent's."""

    made: Made
    sealed: Sealed
    interpolation: bool

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was found, without the warning that a pipeline must be cut: it is."""
        return tuple(one for one in self.made.diagnostics if one.code is not JOBS_PER_UPLOAD)

    @property
    def nothing(self) -> str:
        """Why there is nothing to upload, where there is nothing."""
        return self.made.chosen.plan.nothing or "no job has a step"

    @property
    def preview(self) -> str:
        """The parts as documents of one stream, each under a comment; a comment alone where there are none."""
        parts = self.sealed.parts
        if not parts:
            return f"# pipegen: nothing to upload: {self.nothing}\n"
        heads = [f"# part {number} of {len(parts)}: {part.jobs} jobs\n" for number, part in enumerate(parts, start=1)]
        return "---\n".join(head + part.document for head, part in zip(heads, parts, strict=True))


def prepare(request: Request, asked: Asked) -> Prepared | tuple[Diagnostic, ...]:
    """Make the pipeline of this build and cut it; the diagnostics alone where errors are among them.

    Raises:
        PipegenError: see `make`; or it cannot be cut, which validation finds first.
    """
    made = make(request, Output(interpolation=None, timeouts=asked.timeouts), asked)
    if isinstance(made, tuple):
        return made
    workspace = made.plan.workspace
    output = Output(format="json", interpolation=workspace.upload.interpolation)
    batches = _batches(made)
    parts = tuple(
        Part(marker=marker, jobs=batch.jobs, document=written(pipeline, output, request.environment))
        for batch, (marker, pipeline) in zip(batches, marked(batches), strict=True)
    )
    told = Told(
        pipeline=workspace.pipeline,
        plan=made.chosen.plan,
        circumstances=made.chosen.known.circumstances,
        compared=made.chosen.known.compared,
        unclassified=made.chosen.unclassified,
    )
    sealed = Sealed(plan=made.data, style=style_of(told), summary=summary(told), parts=parts)
    return Prepared(made=made, sealed=sealed, interpolation=workspace.upload.interpolation)


def _batches(made: Made) -> tuple[Batch, ...]:
    try:
        return divide(_groups(made.rendered), made.plan.workspace.limits.jobs_per_upload)
    except UndividableError as error:
        raise PipegenError(f"the pipeline cannot be uploaded: {error}") from error


def _groups(rendered: Rendered) -> tuple[PlainMap, ...]:
    return tuple({"group": group.name, "steps": [step.step for step in group.steps]} for group in rendered.groups)
