"""How a workspace's pipeline goes up, and who hears of its jobs."""

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span
from pipegen.model.places import Located


@dataclass(frozen=True, slots=True, kw_only=True)
class Notify:
    """In which builds the owners of failing jobs hear of them.

    Builds of `schedules`, and of `branches` (`*` is any text) outside of pull requests. `condition` is Buildkite's `if`
    of the entry in a step's `notify`, and `condition_span` where it stands, or would.
    """

    schedules: tuple[Located, ...]
    branches: tuple[str, ...]
    condition: str
    condition_span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Uploading:
    """How `pipegen upload` uploads: `interpolation` says whether the agent fills in variables."""

    interpolation: bool = False
