"""Area manifests, decoded: one file is one Buildkite group with defaults, areas and plain steps."""

from typing import Final

from pipegen import codes
from pipegen.manifest.fields import AREA_NAME, FIXED, Level
from pipegen.manifest.layers import Layer, LayersOf, named_layers, read_layer
from pipegen.manifest.located import Items, Node, Report, Scalar, describe
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.shape import Field, Integer
from pipegen.manifest.workspace_fields import Raw
from pipegen.model import AreaSource, Located, Manifest
from pipegen.plain import PlainMap

GROUP: Final[Field[object]] = Field(
    name="group", shape=FIXED, about="the Buildkite group of its jobs", example="Spec Decode"
)
ORDER: Final[Field[object]] = Field(
    name="order", shape=Integer(), about="where the group stands; the lowest is first", default=0
)


class _Anything(Raw):
    """A value that is decoded here, below."""

    def read(self, node: Node, report: Report, at: str) -> Node | None:  # noqa: ARG002 - the interface
        """See `Shape.read`."""
        return node

    def schema(self) -> PlainMap:
        """See `Shape.schema`."""
        return {}


AREAS: Final[Field[object]] = Field(name="areas", shape=_Anything(), about="areas by name")
STEPS: Final[Field[object]] = Field(name="steps", shape=_Anything(), about="jobs that run no tests")
MANIFEST_EXTRA: Final = (GROUP, ORDER, AREAS, STEPS)
AREA_STEPS: Final[Field[object]] = Field(
    name="steps", shape=LayersOf(level=Level.STEP), about="several steps; the area is then their defaults"
)
AREA_EXTRA: Final = (AREA_STEPS,)


def decode_manifest(root: Node, path: str, report: Report) -> Manifest | None:
    """Decode one manifest; None if it is no mapping."""
    layer = read_layer(root, Level.FILE, path, MANIFEST_EXTRA, report)
    if layer is None:
        return None
    group = layer.extra.get("group")
    if group is None:
        report.add(
            codes.MISSING_KEY, root.span, 'a manifest lacks "group"', hint="add group: the Buildkite group of its jobs"
        )
    order = layer.extra.get("order")
    areas = layer.extra.get("areas")
    steps = layer.extra.get("steps")
    if areas is None and steps is None:
        report.add(
            codes.MISSING_KEY,
            root.span,
            'a manifest has neither "areas" nor "steps"',
            hint="add areas: to own tests, or steps: for other jobs",
        )
    read = Integer().read(order, Report(), "order") if order is not None else None
    return Manifest(
        path=path,
        group=Located(text=group.text, span=group.span)
        if isinstance(group, Scalar)
        else Located(text=path, span=root.span),
        order=read or 0,
        layer=layer,
        areas=_areas(areas, report),
        steps=_steps(steps, report),
    )


def _areas(node: Node | None, report: Report) -> tuple[AreaSource, ...]:
    if node is None:
        return ()
    if not isinstance(node, MappingNode) or not node.entries:
        found = "an empty mapping" if isinstance(node, MappingNode) else describe(node)
        report.add(codes.WRONG_TYPE, node.span, f"areas: expected a mapping of names to areas, found {found}")
        return ()
    result = []
    for entry in node.entries:
        name = AREA_NAME.read(Scalar(text=entry.key.text, plain=False, span=entry.key.span), report, "name of an area")
        layer = read_layer(entry.value, Level.AREA, entry.key.text, AREA_EXTRA, report)
        if name is not None and layer is not None:
            steps = named_layers(layer.extra.get("steps"), Level.STEP, Report())
            result.append(AreaSource(name=name, layer=layer, steps=steps, span=entry.key.span))
    return tuple(result)


def _steps(node: Node | None, report: Report) -> tuple[Layer, ...]:
    if node is None:
        return ()
    if not isinstance(node, Items) or not node.items:
        found = "an empty list" if isinstance(node, Items) else describe(node)
        report.add(codes.WRONG_TYPE, node.span, f"steps: expected a list of steps, found {found}")
        return ()
    result = []
    for item in node.items:
        layer = read_layer(item, Level.STEP, "", (), report)
        if layer is None:
            continue
        if "key" not in layer.nodes:
            report.add(
                codes.MISSING_KEY,
                layer.span,
                'a step of a manifest lacks "key"',
                hint="add key: other steps and people find it by that",
            )
        result.append(layer)
    return tuple(result)
