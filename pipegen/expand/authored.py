"""The layers of steps: what they say together, and what is left of one without some of its attributes."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field

from pipegen.dataclass import dataclass, replace
from pipegen.manifest.fields import Level
from pipegen.manifest.inheritance import lay
from pipegen.manifest.layers import Layer, Nodes, named_layers
from pipegen.manifest.located import Node, Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Authored:
    """What layers say together, each question answered once.

    The parts, variants and mirrors of a step are asked for again for each of its jobs, and reading them checks all
    that is written in there: that was a third of expanding. Layers and nodes are held, so that no other gets their id.
    """

    _laid: dict[tuple[int, ...], tuple[tuple[Layer, ...], Nodes]] = field(default_factory=dict)
    _named: dict[tuple[int, Level], tuple[Node, dict[str, Layer]]] = field(default_factory=dict)

    def laid(self, layers: Iterable[Layer]) -> Nodes:
        """The attributes after inheritance; mistakes are reported where a job is made of them."""
        given = tuple(layers)
        key = tuple(map(id, given))
        if key not in self._laid:
            self._laid[key] = (given, lay(given, Report()))
        return self._laid[key][1]

    def named(self, layers: Iterable[Layer], name: str, level: Level) -> Mapping[str, Layer]:
        """The parts, variants or mirrors that they have, by name."""
        given = tuple(layers)
        node = self.laid(given).get(name)
        if node is None:
            return {}
        for layer in given:  # that of a single one, which was read when it was checked
            if layer.nodes.get(name) is node and name in layer.read:
                return layer.read[name]
        key = (id(node), level)
        if key not in self._named:
            self._named[key] = (node, named_layers(node, level, Report()))
        return self._named[key][1]


def stripped(layer: Layer, names: frozenset[str]) -> Layer:
    """The layer without some of its attributes."""
    if names.isdisjoint(layer.nodes):
        return layer
    return replace(layer, nodes={name: node for name, node in layer.nodes.items() if name not in names})


def only(layer: Layer, names: Collection[str]) -> Layer:
    """The layer with nothing but some of its attributes."""
    return replace(layer, nodes={name: node for name, node in layer.nodes.items() if name in names})
