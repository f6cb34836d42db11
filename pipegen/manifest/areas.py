"""Area manifests, decoded: one file is one Buildkite group with defaults, areas and plain steps."""

from typing import Final

from pipegen import codes
from pipegen.dataclass import replace
from pipegen.manifest.fields import AREA_NAME, FIXED, Level
from pipegen.manifest.layers import Layer, LayersOf, read_layer
from pipegen.manifest.located import Items, Node, Report, Scalar, describe, refuse_empty
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.record import Field
from pipegen.manifest.shape import Integer
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
    if group is None and "group" not in layer.faulty:
        report.add(
            codes.MISSING_KEY, root.span, 'a manifest lacks "group"', hint="add group: the Buildkite group of its jobs"
        )
    order = layer.extra.get("order")
    areas = layer.extra.get("areas")
    steps = layer.extra.get("steps")
    if areas is None and steps is None and not layer.faulty & {"areas", "steps"}:
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
        _unexpected(node, "areas", "a mapping of names to areas", report)
        return ()
    result = []
    for entry in node.entries:
        name = AREA_NAME.read(Scalar(text=entry.key.text, plain=False, span=entry.key.span), report, "name of an area")
        layer = read_layer(entry.value, Level.AREA, entry.key.text, AREA_EXTRA, report)
        if layer is None:
            layer = Layer(level=Level.AREA, name=entry.key.text, span=entry.value.span, nodes={}, faulty=_ALL)
        if name is None:
            layer = replace(layer, faulty=_ALL)
        steps = layer.inner("steps", Level.STEP)
        named = replace(layer, named_at=entry.key.span)
        result.append(AreaSource(name=entry.key.text, layer=named, steps=steps, span=entry.key.span))
    return tuple(result)


_ALL: Final = frozenset({"areas"})
"""That nothing of an area can be trusted: it stays as a name that others may refer to."""


def _unexpected(node: Node, name: str, words: str, report: Report) -> None:
    if isinstance(node, Scalar) and node.is_empty:
        refuse_empty(node, report, f'value of "{name}"')
    else:
        found = f"{name}: expected {words}, found {describe(node)}"
        keys = "- key: KEY and more keys" if name == "steps" else "NAME: and its keys"
        report.add(codes.WRONG_TYPE, node.span, found, hint=f"write {keys} below it, indented")


def _steps(node: Node | None, report: Report) -> tuple[Layer, ...]:
    if node is None:
        return ()
    if not isinstance(node, Items) or not node.items:
        _unexpected(node, "steps", "a list of steps", report)
        return ()
    result = []
    for item in node.items:
        layer = read_layer(item, Level.STEP, "", (), report)
        if layer is None:
            continue
        key = layer.nodes.get("key")
        if not isinstance(key, Scalar) or key.is_null:
            if "key" not in layer.faulty:
                lacks = 'a step of a manifest lacks "key"'
                at = layer.span if key is None else key.span
                report.add(codes.MISSING_KEY, at, lacks, hint="add key: other steps and people find it by that")
            layer = replace(layer, faulty=layer.faulty | {"key"})
        result.append(layer)
    return tuple(result)
