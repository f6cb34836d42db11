"""How much a workspace may expand to: what is more is refused where it is written, before the work is done.

The limits are far above any real fleet: 300 jobs with a hundred values each are a large one today.
"""

from dataclasses import field
from typing import Final

from pipegen import codes
from pipegen.dataclass import dataclass
from pipegen.manifest.layers import Nodes
from pipegen.manifest.located import Items, Node, Report, Scalar
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.model import Step

MAX_JOBS: Final = 20_000
"""Jobs of one pipeline, whatever is selected: parts by variants by the step itself and its mirrors."""
MAX_VALUES: Final = 1_000_000
"""Values of all jobs together, after inheritance; 16 characters of a text count as one more."""
MAX_DEPENDENCIES: Final = 500_000
"""Keys that all jobs together wait for, areas counted by their jobs."""

_CHARACTERS: Final = 16
_MAKE_JOBS: Final = ("parts", "variants", "mirrors")


@dataclass(slots=True, kw_only=True)
class Budget:
    """What was spent so far."""

    report: Report
    jobs: int = 0
    values: int = 0
    spent: bool = False
    _weights: dict[int, tuple[Node, int]] = field(default_factory=dict)

    def takes(self, jobs: int, step: Step) -> bool:
        """Count the jobs that a step will become; false with a diagnostic if that is too many."""
        self.jobs += jobs
        if self.jobs > MAX_JOBS and not self.spent:
            self._refuse(step, f"the pipeline has more than {MAX_JOBS:,} jobs with this step, which makes {jobs:,}")
        return not self.spent

    def holds(self, nodes: Nodes, step: Step) -> bool:
        """Count the values of one job; false with a diagnostic if they are too many."""
        self.values += sum(self._weight(node) for name, node in nodes.items() if name not in _MAKE_JOBS)
        if self.values > MAX_VALUES and not self.spent:
            self._refuse(step, f"the jobs up to this step's have more than {MAX_VALUES:,} values together")
        return not self.spent

    def _refuse(self, step: Step, message: str) -> None:
        self.spent = True
        hint = "use fewer parts, variants and mirrors, or make several pipelines"
        self.report.add(codes.TOO_LARGE, step.span, message, hint=hint)

    def _weight(self, node: Node) -> int:
        """Values in there; what jobs share is looked at once."""
        if isinstance(node, Scalar):
            return 1 + len(node.text) // _CHARACTERS
        known = self._weights.get(id(node))
        if known is None:
            parts = node.items if isinstance(node, Items) else tuple(entry.value for entry in node.entries)
            known = self._weights[id(node)] = (node, 1 + sum(map(self._weight, parts)))
        return known[1]


def size(attributes: Nodes) -> int:
    """At most how many jobs a step with these attributes becomes, told from names alone."""
    parts, variants, mirrors = (_entries(attributes.get(name)) for name in _MAKE_JOBS)
    own = max(1, len(parts)) * max(1, len(variants))
    total = own
    for mirror in mirrors.values():
        inner = [
            _entries(mirror.get(name)) if isinstance(mirror, MappingNode) else {} for name in ("parts", "variants")
        ]
        total += max(1, len(parts | inner[0])) * max(1, len(variants | inner[1]))
    elsewhere = {
        name
        for layer in (*parts.values(), *variants.values())
        if isinstance(layer, MappingNode)
        for name in _entries(layer.get("mirrors"))
    }
    return total + own * len(elsewhere - mirrors.keys())


def _entries(node: Node | None) -> dict[str, Node]:
    return {entry.key.text: entry.value for entry in node.entries} if isinstance(node, MappingNode) else {}
