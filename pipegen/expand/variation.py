"""One combination of a step: with a part, a variant and a mirror of it, or without."""

from collections.abc import Mapping

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span
from pipegen.manifest.fields import Level
from pipegen.manifest.layers import Layer, Nodes
from pipegen.manifest.located import Node
from pipegen.model import Hardware, Origin, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """One combination: its names, the hardware it runs on, and its attributes after inheritance.

    `nodes` is what the manifests say (file … mirror) over what lane and hardware supply; `supplied` is what those
    two say that it waits for, which stands in front of what is authored. The narrowing of its part is kept apart, in
    `part`, because it narrows further what the step's own `k` or `m` leave. `chain` are its layers as they were
    written, the most general first, with all that a mirror does not inherit.
    """

    step: Step
    origin: Origin
    layers: tuple[Layer, ...]
    chain: tuple[Layer, ...]
    part: Layer | None
    part_names: tuple[str, ...]
    parts: Mapping[str, Layer]
    hardware: Hardware
    supplied: Node | None
    nodes: Nodes
    rerun: bool
    doubtful: frozenset[str] = frozenset()
    """Attributes about which lane, hardware or limits hold a mistake: that they are missing may follow from it."""

    @property
    def lane(self) -> str:
        """The lane that it counts for."""
        return self.hardware.lane

    @property
    def mirror(self) -> Layer | None:
        """The mirror that it is, if it is one."""
        return next((layer for layer in self.chain if layer.level is Level.MIRROR), None)

    @property
    def place(self) -> Span:
        """What to point at for something that it lacks: its mirror's name, or its step's."""
        return self.step.span if self.mirror is None else self.mirror.place

    @property
    def called(self) -> str:
        """What a message calls it: `area "engine/core"`, `step "docs"`, `mirror "amd"`."""
        step = self.step
        if self.mirror is not None:
            return f'mirror "{self.mirror.name}"'
        if step.area is None or step.name is not None:
            return f'step "{step.name or step.label}"'
        return f'area "{step.area}"'
