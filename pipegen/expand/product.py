"""The combinations of one step, and the layers that each of them inherits from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipegen import codes
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Related, Span, listing
from pipegen.expand.authored import Authored, only, stripped
from pipegen.expand.budget import Budget
from pipegen.expand.parts import check_parts
from pipegen.expand.variation import Variation
from pipegen.manifest.fields import MIRROR_TAKES_ITS_OWN, Level
from pipegen.manifest.inheritance import Removals, lay
from pipegen.manifest.layers import Layer, Nodes
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.located import Node, Report, Scalar
from pipegen.model import Absence, Catalogue, Hardware, Located, Origin, Step

NARROWING = frozenset({"k", "m"})
NESTED = frozenset({"parts", "variants"})
WAITS = frozenset({"depends_on"})


@dataclass(frozen=True, slots=True, kw_only=True)
class StepProduct:
    """A step times its parts, variants and mirrors.

    Combinations that are missing are reported, and the step is noted in `lost`.
    """

    catalogue: Catalogue
    step: Step
    report: Report
    removals: Removals
    lost: list[Step]
    budget: Budget
    authored: Authored

    def _maps(self, layers: Sequence[Layer]) -> tuple[Mapping[str, Layer], Mapping[str, Layer]]:
        return (
            self.authored.named(layers, "parts", Level.PART),
            self.authored.named(layers, "variants", Level.VARIANT),
        )

    def own(self) -> Iterator[Variation]:
        """The step itself, on its own hardware."""
        parts, variants = self._maps(self.step.layers)
        check_parts(parts, self.report)
        for part in _present(parts):
            for variant in _present(variants):
                layers = (*self.step.layers, *_some(self._unnarrowed(part), variant))
                chain = (*self.step.layers, *_some(part, variant))
                found = self._variation(layers, chain, part, variant, None, parts, tuple(parts), frozenset())
                if found is not None:
                    yield found

    def mirror_names(self) -> tuple[str, ...]:
        """The names of all mirrors that any combination has, in the order in which they are written."""
        parts, variants = self._maps(self.step.layers)
        names: dict[str, None] = {}
        for layers in [self.step.layers, *([layer] for layer in (*parts.values(), *variants.values()))]:
            names |= dict.fromkeys(self._mirrors(layers))
        return tuple(names)

    def default_mirrors(self) -> frozenset[Span]:
        """Where the mirrors stand that the file gives to all of its steps."""
        return frozenset(mirror.span for mirror in self._mirrors([self.step.manifest.layer]).values())

    def _mirrors(self, layers: Iterable[Layer]) -> Mapping[str, Layer]:
        return self.authored.named(layers, "mirrors", Level.MIRROR)

    def mirror(
        self, name: str, own_lanes: Mapping[tuple[str | None, str | None], str]
    ) -> tuple[list[Variation], list[tuple[str | None, str | None, Absence]]]:
        """The step once more, as one of its mirrors says, and the parts and variants that it does without there.

        `own_lanes` are the lanes of the step's own jobs by part and variant: there a mirror is a rerun.
        """
        written = self._mirrors(self.step.layers).get(name)
        shape = () if written is None else (only(written, NESTED),)
        parts, variants = self._maps((*self.step.layers, *shape))
        check_parts(parts, self.report)
        self._check_overrides(written, {**parts, **variants}, name)
        jobs: list[Variation] = []
        absent = []
        combinations = [(part, variant) for part in _present(parts) for variant in _present(variants)]
        for part, variant in combinations:
            entry = self._mirrors((*self.step.layers, *_some(part, variant))).get(name)
            if entry is None:
                continue
            if "none" in entry.extra:
                absent.append((_name(part), _name(variant), self._absence(entry)))
                continue
            here = tuple(other for other in parts if self._has_mirror(parts[other], variant, name))
            layers, chain = self._mirrored(part, variant, entry, written)
            own = own_lanes.get((_name(part), _name(variant)))
            found = self._variation(
                layers,
                chain,
                part,
                variant,
                entry,
                parts,
                here,
                frozenset(own_lanes.values() if own is None else [own]),
            )
            jobs += [] if found is None else [found]
        return jobs, absent

    def _mirrored(
        self, part: Layer | None, variant: Layer | None, entry: Layer, written: Layer | None
    ) -> tuple[tuple[Layer, ...], tuple[Layer, ...]]:
        """The layers of a mirror's job, and the same as they were written.

        What the mirror has of its own (its parts, its variants) is more special than itself.
        """
        own = {Level.PART: _entries(written, "parts"), Level.VARIANT: _entries(written, "variants")}
        outer: list[Layer] = list(self.step.layers)
        inner: list[Layer] = []
        for layer in _some(part, variant):
            (inner if layer.name in own[layer.level] else outer).append(layer)
        inherited = [stripped(layer, MIRROR_TAKES_ITS_OWN) for layer in outer]
        layers = [*inherited, entry, *inner]
        unnarrowed = [layer if layer.level is not Level.PART else stripped(layer, NARROWING) for layer in layers]
        return tuple(unnarrowed), (*outer, entry, *inner)

    def _check_overrides(self, written: Layer | None, there: Mapping[str, Layer], name: str) -> None:
        """Report parts and variants whose words about a mirror nothing would read.

        Which parts and variants a mirror has is said by the step's own entry for it, which an override replaces.
        """
        if written is None or not written.nodes.keys() & NESTED:
            return
        parts, variants = self._maps(self.step.layers)
        for layer in (*parts.values(), *variants.values()):
            override = layer.nodes.get("mirrors")
            given = override.get(name) if isinstance(override, MappingNode) else None
            dropped = isinstance(given, Scalar) and given.is_null
            if given is not None and not (dropped and layer.name in there):
                words = " and ".join(sorted(written.nodes.keys() & NESTED))
                self.report.add(
                    codes.CONTRADICTION,
                    given.span,
                    f'{layer.level.value} "{layer.name}" overrides mirror "{name}", which has {words} of its own',
                    hint=f"say it under mirrors: {name}: {words.split()[0]}:, or take that out",
                    related=(Related(span=written.span, note="the mirror of the step"),),
                )

    def _has_mirror(self, part: Layer, variant: Layer | None, name: str) -> bool:
        return name in self._mirrors((*self.step.layers, *_some(part, variant)))

    def _unnarrowed(self, part: Layer | None) -> Layer | None:
        return None if part is None else stripped(part, NARROWING)

    def _hardware(self, nodes: Nodes) -> Hardware | None:
        name = hardware_name(nodes.get("hardware"))
        return None if name is None else self.catalogue.hardware.get(name)

    def _absence(self, entry: Layer) -> Absence:
        def text(name: str) -> str | None:
            node = entry.extra.get(name)
            return node.text if isinstance(node, Scalar) else None

        until = entry.extra.get("until")
        return Absence(
            area=self.step.area,
            step=self.step.name,
            lane=entry.name,
            reason=text("none") or "",
            tracking=text("tracking"),
            until=Located(text=until.text, span=until.span) if isinstance(until, Scalar) else None,
            span=entry.span,
        )

    def _variation(  # noqa: PLR0913, PLR0917 - one row of the product, by name
        self,
        layers: tuple[Layer, ...],
        chain: tuple[Layer, ...],
        part: Layer | None,
        variant: Layer | None,
        mirror: Layer | None,
        parts: Mapping[str, Layer],
        part_names: tuple[str, ...],
        own_lanes: frozenset[str],
    ) -> Variation | None:
        authored = self.authored.laid(layers)
        hardware = self._hardware(authored)
        if hardware is None:
            self.lost.append(self.step)
            self._no_hardware(authored, layers, mirror)
            return None
        lane = self.catalogue.workspace.lanes.get(hardware.lane)
        below = [layer for layer in (lane.layer if lane is not None else None, hardware.layer) if layer is not None]
        doubtful = frozenset[str]().union(*(layer.faulty for layer in below))
        limited = any(key.partition(".")[0] == "limits" for key in self.catalogue.workspace.faulty)
        doubtful |= {"timeout_in_minutes"} if limited else set()
        waiting = [only(layer, WAITS) for layer in below if not WAITS.isdisjoint(layer.nodes)]
        supplied = lay(waiting, self.report, doubtful=doubtful).get("depends_on")
        catalogue_layers = [stripped(layer, WAITS) for layer in below]
        nodes = lay(
            [*catalogue_layers, *layers],
            self.report,
            supplied=WAITS if supplied else frozenset(),
            doubtful=doubtful,
            removals=self.removals,
        )
        if not self.budget.holds(nodes, self.step):
            self.lost.append(self.step)
            return None
        return Variation(
            step=self.step,
            origin=Origin(
                area=self.step.area,
                step=self.step.name,
                part=_name(part),
                variant=_name(variant),
                mirror=_name(mirror),
            ),
            layers=layers,
            chain=chain,
            part=part,
            part_names=part_names,
            parts=parts,
            hardware=hardware,
            supplied=supplied,
            nodes=nodes,
            rerun=hardware.lane in own_lanes,
            doubtful=doubtful,
        )

    def _no_hardware(self, authored: Nodes, layers: Iterable[Layer], mirror: Layer | None) -> None:
        if "hardware" in authored:
            return  # an unknown name, reported where it is written
        what, span = self._without_hardware(mirror)
        removed = [layer.nodes["hardware"].span for layer in layers if "hardware" in layer.nodes]
        self.report.add(
            codes.NO_HARDWARE,
            removed[-1] if removed else span,
            f"{what} names no hardware",
            hint=f"add hardware: one of {listing(sorted(self.catalogue.hardware))}",
        )

    def _without_hardware(self, mirror: Layer | None) -> tuple[str, Span]:
        """Who is to name hardware: the mirror or step, or the area if none of its steps does."""
        if mirror is not None:
            return f'mirror "{mirror.name}"', mirror.place
        step = self.step
        if step.area is None:
            return f'step "{step.label}"', step.span
        siblings = [other for other in self.catalogue.steps if other.area == step.area]
        if step.name is None or any("hardware" in other.layers[-1].nodes for other in siblings):
            name = f'area "{step.area}"' if step.name is None else f'step "{step.name}" of area "{step.area}"'
            return name, step.span
        return f'area "{step.area}"', step.layers[1].place


def _present(items: Mapping[str, Layer]) -> list[Layer | None]:
    return list(items.values()) or [None]


def _some(*layers: Layer | None) -> tuple[Layer, ...]:
    return tuple(layer for layer in layers if layer is not None)


def _name(layer: Layer | None) -> str | None:
    return None if layer is None else layer.name


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
