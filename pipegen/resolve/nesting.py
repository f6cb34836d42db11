"""Words that stand together in one layer and of which one would silently say nothing."""

from pipegen import codes
from pipegen.diagnostics import listing
from pipegen.manifest.fields import Level
from pipegen.manifest.layers import Layer
from pipegen.manifest.located import Node, Report, Scalar


def check_nesting(layer: Layer, report: Report) -> None:
    """Report a step that takes the rest and narrows, and mirrors of parts and variants that have any of their own."""
    if layer.level is Level.STEP:
        _check_rest(layer, report)
    if layer.level in (Level.PART, Level.VARIANT):
        for mirror in layer.inner("mirrors", Level.MIRROR).values():
            _check_mirror(layer, mirror, report)


def _check_rest(layer: Layer, report: Report) -> None:
    rest = layer.extra.get("rest")
    given = [name for name in ("k", "m") if not _absent(layer.nodes.get(name))]
    if given and isinstance(rest, Scalar) and rest.text == "true":
        report.add(
            codes.CONTRADICTION,
            rest.span,
            f'step "{layer.name}" has {listing([*given, "rest"])}',
            hint="keep one of them: what the other steps leave cannot be narrowed without a loss",
        )


def _check_mirror(layer: Layer, mirror: Layer, report: Report) -> None:
    for name in ("parts", "variants"):
        node = mirror.nodes.get(name)
        if node is not None:
            report.add(
                codes.CONTRADICTION,
                node.span,
                f'mirror "{mirror.name}" of {layer.level.value} "{layer.name}" has {name}, and it is one job already',
                hint=f"write {name} in the mirror of the step",
            )


def _absent(node: Node | None) -> bool:
    return node is None or (isinstance(node, Scalar) and node.is_null)
