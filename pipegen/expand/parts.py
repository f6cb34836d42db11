"""What can be said of a step's parts together, after inheritance has put them together."""

from collections.abc import Mapping

from pipegen import codes
from pipegen.manifest.layers import Layer
from pipegen.manifest.located import Report, Scalar


def is_rest(part: Layer) -> bool:
    """Whether a part takes what its siblings do not."""
    node = part.extra.get("rest")
    return isinstance(node, Scalar) and node.text == "true"


def check_parts(parts: Mapping[str, Layer], report: Report) -> None:
    """Report parts that exclude each other.

    Each map of parts is checked where it is written, so these come from different places: a default and a step, or a
    step and a mirror.
    """
    rests = [part for part in parts.values() if is_rest(part)]
    for extra in rests[1:]:
        report.add(
            codes.CONTRADICTION,
            extra.extra["rest"].span,
            f'parts "{rests[0].name}" and "{extra.name}" both take the rest',
            hint="keep one of them",
        )
    narrowed = [part for part in parts.values() if len(part.nodes.keys() & {"k", "m"}) == 1 and not is_rest(part)]
    by_k = next((part for part in narrowed if "k" in part.nodes), None)
    by_m = next((part for part in narrowed if "m" in part.nodes), None)
    if by_k is not None and by_m is not None:
        report.add(
            codes.CONTRADICTION,
            by_m.nodes["m"].span,
            f'part "{by_k.name}" has k and part "{by_m.name}" has m',
            hint="narrow all parts of a step by k, or all by m",
        )
