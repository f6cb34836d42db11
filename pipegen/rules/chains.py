"""The layers that a job's attributes come from, in the order in which they are laid over one another."""

from collections.abc import Iterator, Mapping
from dataclasses import field

from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import Span
from pipegen.manifest.fields import MIRROR_TAKES_ITS_OWN, Level
from pipegen.manifest.inheritance import lay
from pipegen.manifest.layers import FIELDS, Layer, Nodes
from pipegen.manifest.located import Entry, Node, Report
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.model import Catalogue, Job, Origin, Step

_NESTED = frozenset({"parts", "variants"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """The layers of one job: lane and hardware, then what was authored, the most general first.

    What a mirror does not inherit is not in the layers in front of it. `mirror` is the job's own, which is one of them.
    """

    layers: tuple[Layer, ...]
    mirror: Layer | None

    def entries(self, attribute: str, name: str) -> tuple[tuple[Layer, Entry], ...]:
        """Where a mapping's entry of that name is written, the last one counts."""
        nodes = ((layer, layer.nodes.get(attribute)) for layer in self.layers)
        return tuple(
            (layer, entry)
            for layer, node in nodes
            if isinstance(node, MappingNode)
            for entry in node.entries
            if entry.key.text == name
        )

    def without_mirror(self) -> Nodes:
        """The attributes that the job would have if its mirror said nothing but where it runs."""
        return lay((layer for layer in self.layers if layer is not self.mirror), Report())


@dataclass(frozen=True, slots=True, kw_only=True)
class Chains:
    """The chains of a pipeline's jobs, each made when somebody asks for it, and once."""

    catalogue: Catalogue
    steps: Mapping[tuple[Span, str | None], Step]
    _maps: dict[tuple[int, str | None], tuple[Mapping[str, Layer], ...]] = field(default_factory=dict, init=False)
    _made: dict[tuple[int, Origin, str], Chain] = field(default_factory=dict, init=False)

    @classmethod
    def of(cls, catalogue: Catalogue) -> "Chains":
        """Those of one pipeline."""
        return cls(catalogue=catalogue, steps={(step.span, step.area): step for step in catalogue.steps})

    def chain(self, job: Job) -> Chain:
        """The layers of a job, as expansion lays them."""
        step = self.steps[job.span, job.origin.area]
        key = (id(step), job.origin, job.hardware.name)
        if key not in self._made:
            self._made[key] = self._chain(step, job)
        return self._made[key]

    def _chain(self, step: Step, job: Job) -> Chain:
        origin = job.origin
        mirrors = self._named(step, None)[2]
        parts, variants, _ = self._named(step, origin.mirror)
        chosen = _some(parts.get(origin.part or ""), variants.get(origin.variant or ""))
        below = self._below(job)
        if origin.mirror is None:
            return Chain(layers=(*below, *step.layers, *chosen), mirror=None)
        written = mirrors.get(origin.mirror)
        own = {name for word in _NESTED for name in _names(written, word)}
        outer = [layer for layer in chosen if layer.name not in own]
        inner = [layer for layer in chosen if layer.name in own]
        if any("mirrors" in layer.nodes for layer in chosen):
            laid = lay((*step.layers, *chosen), Report()).get("mirrors")
            mirrors = _layers(laid, Level.MIRROR)
        mirror = mirrors.get(origin.mirror)
        inherited = [_stripped(layer) for layer in (*step.layers, *outer)]
        return Chain(layers=(*below, *inherited, *_some(mirror), *inner), mirror=mirror)

    def _below(self, job: Job) -> tuple[Layer, ...]:
        lane = self.catalogue.workspace.lanes.get(job.lane)
        return _some(None if lane is None else lane.layer, job.hardware.layer)

    def _named(self, step: Step, mirror: str | None) -> tuple[Mapping[str, Layer], ...]:
        """The parts, variants and mirrors of a step, those of one of its mirrors included."""
        if mirror is not None and not _nests(self._named(step, None)[2].get(mirror)):
            mirror = None
        key = (id(step), mirror)
        if key not in self._maps:
            layers = list(step.layers)
            if mirror is not None:
                layers.append(_only_nested(self._named(step, None)[2][mirror]))
            nodes = lay((_only_maps(layer) for layer in layers), Report())
            levels = {"parts": Level.PART, "variants": Level.VARIANT, "mirrors": Level.MIRROR}
            self._maps[key] = tuple(_layers(nodes.get(word), level) for word, level in levels.items())
        return self._maps[key]


def _layers(node: Node | None, level: Level) -> Mapping[str, Layer]:
    """The layers of a map of parts, variants or mirrors, which were read and found right before."""
    result = {}
    for entry in node.entries if isinstance(node, MappingNode) else ():
        if isinstance(entry.value, MappingNode):
            written = {inner.key.text: inner.value for inner in entry.value.entries}
            result[entry.key.text] = Layer(
                level=level,
                name=entry.key.text,
                span=entry.value.span,
                nodes={name: value for name, value in written.items() if name in FIELDS},
                extra={name: value for name, value in written.items() if name not in FIELDS},
                named_at=entry.key.span,
            )
    return result


def _nests(layer: Layer | None) -> bool:
    return layer is not None and bool(layer.nodes.keys() & _NESTED)


def _only_maps(layer: Layer) -> Layer:
    names = (*_NESTED, "mirrors")
    return replace(layer, nodes={name: layer.nodes[name] for name in names if name in layer.nodes})


def _some(*layers: Layer | None) -> tuple[Layer, ...]:
    return tuple(layer for layer in layers if layer is not None)


def _stripped(layer: Layer) -> Layer:
    return replace(layer, nodes={name: node for name, node in layer.nodes.items() if name not in MIRROR_TAKES_ITS_OWN})


def _only_nested(layer: Layer) -> Layer:
    return replace(layer, nodes={name: node for name, node in layer.nodes.items() if name in _NESTED})


def _names(layer: Layer | None, word: str) -> Iterator[str]:
    node = None if layer is None else layer.nodes.get(word)
    yield from (entry.key.text for entry in node.entries) if isinstance(node, MappingNode) else ()
