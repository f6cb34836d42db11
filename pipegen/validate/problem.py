"""What a check of plain Buildkite data yields."""

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Code
from pipegen.plain import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that Buildkite would not accept, or would take for something else.

    `path` stands inside the step (or pipeline) that was checked, `()` for the step itself. `message` and `help` are
    those of a `Diagnostic`; whoever knows where the step was written turns the path into a place.
    """

    code: Code
    path: Path
    message: str
    help: str = ""
