"""The product: which part, variant and mirror a step is expanded to, and the layers that each of them inherits from."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from pipegen import codes
from pipegen.manifest.fields import MIRROR_TAKES_ITS_OWN, Level
from pipegen.manifest.layers import Layer, Nodes, lay, named_layers
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.located import Node, Report, Scalar
from pipegen.model import Absence, Catalogue, Hardware, Origin, Step

NARROWING = frozenset({"k", "m"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """One combination: its names, the hardware it runs on, and its attributes after inheritance.

    `authored` is what the manifests say (file … mirror), `nodes` that over what lane and hardware supply. The
    narrowing of its part is kept apart, in `part`, because it narrows further what the step's own `k` or `m` leave.
    """

    step: Step
    origin: Origin
    layers: tuple[Layer, ...]
    part: Layer | None
    part_names: tuple[str, ...]
    parts: Mapping[str, Layer]
    hardware: Hardware
    authored: Nodes
    nodes: Nodes
    rerun: bool

    @property
    def lane(self) -> str:
        """The lane that it counts for."""
        return self.hardware.lane


def variations(catalogue: Catalogue, report: Report) -> tuple[tuple[Variation, ...], tuple[Absence, ...]]:
    """Every combination of every step, and the lanes that steps do without."""
    found: list[Variation] = []
    absences: list[Absence] = []
    for step in catalogue.steps:
        product = _Product(catalogue=catalogue, step=step, report=report)
        found += product.own()
        for name in product.mirror_names():
            jobs, absent = product.mirror(name)
            found += jobs
            absences += absent
    return tuple(found), tuple(absences)


def _stripped(layer: Layer, names: frozenset[str]) -> Layer:
    return replace(layer, nodes={name: node for name, node in layer.nodes.items() if name not in names})


def _present(items: Mapping[str, Layer]) -> list[Layer | None]:
    return list(items.values()) or [None]


def _some(*layers: Layer | None) -> tuple[Layer, ...]:
    return tuple(layer for layer in layers if layer is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Product:
    catalogue: Catalogue
    step: Step
    report: Report

    def _maps(self, layers: Iterable[Layer]) -> tuple[dict[str, Layer], dict[str, Layer]]:
        nodes = lay(layers, Report())
        return (
            named_layers(nodes.get("parts"), Level.PART, Report()),
            named_layers(nodes.get("variants"), Level.VARIANT, Report()),
        )

    def own(self) -> Iterator[Variation]:
        """The step itself, on its own hardware."""
        parts, variants = self._maps(self.step.layers)
        for part in _present(parts):
            for variant in _present(variants):
                layers = (*self.step.layers, *_some(self._unnarrowed(part), variant))
                found = self._variation(layers, part, variant, None, parts, tuple(parts), rerun=False)
                if found is not None:
                    yield found

    def mirror_names(self) -> tuple[str, ...]:
        """The names of all mirrors that any combination has, in the order in which they are written."""
        parts, variants = self._maps(self.step.layers)
        names: dict[str, None] = {}
        for layers in [self.step.layers, *([layer] for layer in (*parts.values(), *variants.values()))]:
            names |= dict.fromkeys(self._mirrors(layers))
        return tuple(names)

    def _mirrors(self, layers: Iterable[Layer]) -> dict[str, Layer]:
        return named_layers(lay(layers, Report()).get("mirrors"), Level.MIRROR, Report())

    def mirror(self, name: str) -> tuple[list[Variation], list[Absence]]:
        """The step once more, as one of its mirrors says."""
        written = self._mirrors(self.step.layers).get(name)
        shape = () if written is None else (_only(written, {"parts", "variants"}),)
        parts, variants = self._maps((*self.step.layers, *shape))
        own_parts = _entries(written, "parts")
        jobs: list[Variation] = []
        absences: list[Absence] = []
        combinations = [(part, variant) for part in _present(parts) for variant in _present(variants)]
        for part, variant in combinations:
            under = (*self.step.layers, *_some(part, variant))
            entry = self._mirrors(under).get(name)
            if entry is None:
                continue
            if "none" in entry.extra:
                absences.append(self._absence(entry))
                continue
            part_layers = _some(self._unnarrowed(part))
            inherited = [_stripped(layer, MIRROR_TAKES_ITS_OWN) for layer in (*self.step.layers, *_some(variant))]
            if part is not None and part.name in own_parts:
                layers = (*inherited, entry, *part_layers)
            else:
                inner = tuple(_stripped(layer, MIRROR_TAKES_ITS_OWN) for layer in part_layers)
                layers = (*inherited[: len(self.step.layers)], *inner, *inherited[len(self.step.layers) :], entry)
            here = tuple(other for other in parts if self._has_mirror(parts[other], variant, name))
            found = self._variation(
                layers, part, variant, entry, parts, here, rerun=self._is_rerun(part, variant, entry)
            )
            jobs += [] if found is None else [found]
        return jobs, list(dict.fromkeys(absences))

    def _has_mirror(self, part: Layer, variant: Layer | None, name: str) -> bool:
        return name in self._mirrors((*self.step.layers, *_some(part, variant)))

    def _unnarrowed(self, part: Layer | None) -> Layer | None:
        return None if part is None else _stripped(part, NARROWING)

    def _is_rerun(self, part: Layer | None, variant: Layer | None, entry: Layer) -> bool:
        own = self._hardware(lay((*self.step.layers, *_some(part, variant)), Report()))
        other = self._hardware({"hardware": entry.nodes["hardware"]} if "hardware" in entry.nodes else {})
        return own is not None and other is not None and own.lane == other.lane

    def _hardware(self, nodes: Nodes) -> Hardware | None:
        name = hardware_name(nodes.get("hardware"))
        return None if name is None else self.catalogue.hardware.get(name)

    def _absence(self, entry: Layer) -> Absence:
        def text(name: str) -> str | None:
            node = entry.extra.get(name)
            return node.text if isinstance(node, Scalar) else None

        return Absence(
            area=self.step.area,
            step=self.step.name,
            lane=entry.name,
            reason=text("none") or "",
            tracking=text("tracking"),
            until=text("until"),
            span=entry.span,
        )

    def _variation(  # noqa: PLR0913, PLR0917 - one row of the product, by name
        self,
        layers: tuple[Layer, ...],
        part: Layer | None,
        variant: Layer | None,
        mirror: Layer | None,
        parts: Mapping[str, Layer],
        part_names: tuple[str, ...],
        *,
        rerun: bool,
    ) -> Variation | None:
        authored = lay(layers, Report())
        hardware = self._hardware(authored)
        if hardware is None:
            self._no_hardware(authored, mirror)
            return None
        lane = self.catalogue.workspace.lanes.get(hardware.lane)
        below = [layer for layer in (lane.layer if lane is not None else None, hardware.layer) if layer is not None]
        supplied = frozenset({"depends_on"}) if any("depends_on" in layer.nodes for layer in below) else frozenset()
        catalogue_layers = [_stripped(layer, frozenset({"depends_on"})) for layer in below]
        return Variation(
            step=self.step,
            origin=Origin(
                area=self.step.area,
                step=self.step.name,
                part=None if part is None else part.name,
                variant=None if variant is None else variant.name,
                mirror=None if mirror is None else mirror.name,
            ),
            layers=layers,
            part=part,
            part_names=part_names,
            parts=parts,
            hardware=hardware,
            authored=authored,
            nodes=lay([*catalogue_layers, *layers], self.report, supplied=supplied),
            rerun=rerun,
        )

    def _no_hardware(self, authored: Nodes, mirror: Layer | None) -> None:
        if "hardware" in authored:
            return  # an unknown name, reported where it is written
        what = (
            f'mirror "{mirror.name}"'
            if mirror is not None
            else f'area "{self.step.area}"'
            if self.step.area
            else "the step"
        )
        self.report.add(
            codes.NO_HARDWARE,
            self.step.span if mirror is None else mirror.span,
            f"{what} names no hardware",
            hint=f"add hardware: one of {', '.join(sorted(self.catalogue.hardware)[:12])}",
        )


def _only(layer: Layer, names: set[str]) -> Layer:
    return replace(layer, nodes={name: node for name, node in layer.nodes.items() if name in names})


def _entries(layer: Layer | None, name: str) -> frozenset[str]:
    node = None if layer is None else layer.nodes.get(name)
    return frozenset(entry.key.text for entry in node.entries) if isinstance(node, MappingNode) else frozenset()


def hardware_name(node: Node | None) -> str | None:
    """The catalogue entry that a `hardware` value names, with or without tags."""
    match node:
        case Scalar():
            return node.text
        case MappingNode() if len(node.entries) == 1:
            return node.entries[0].key.text
        case _:
            return None
