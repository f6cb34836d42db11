"""Where a job runs: what its hardware entry offers and what the step asks of it. There is no queue to fall back to."""

from collections.abc import Mapping, Sequence

from pipegen import codes
from pipegen.dataclass import dataclass
from pipegen.expand.reading import Reader, number_of
from pipegen.expand.variation import Variation
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.located import Scalar
from pipegen.model import Hardware


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """The queue and the agent tags of a job, and how many GPUs and machines it has.

    `title` and `queue` are the entry's, their expressions evaluated for this build.
    """

    hardware: Hardware
    title: str
    queue: str
    tags: Mapping[str, str]
    gpus: int
    node_count: int


def place(variation: Variation, reader: Reader, names: Mapping[str, object]) -> Placement | None:
    """The placement of one job; None with a diagnostic where its hardware does not offer what it asks for."""
    hardware = variation.hardware
    gpus = _offered("gpus", "GPUs", hardware.gpus, variation, reader, names)
    node_count = _offered("nodes", "nodes", hardware.nodes, variation, reader, names)
    if gpus is None or node_count is None:
        return None
    queue = hardware.queues.get(gpus, hardware.queues.get(None))
    if queue is None:
        return None  # a count without a queue is reported where the entry is written
    title = reader.text(_written(hardware, "title", hardware.title, gpus), names)
    queue = reader.text(_written(hardware, "queue", queue, gpus), names)
    if title is None or queue is None:
        return None
    tags = {name: text for name, tag in _tags(variation) if (text := reader.text(tag, names)) is not None}
    return Placement(hardware=hardware, title=title, queue=queue, tags=tags, gpus=gpus, node_count=node_count)


def _offered(  # noqa: PLR0913, PLR0917 - what is asked, what is offered, and how to read it
    name: str,
    what: str,
    offered: Sequence[int],
    variation: Variation,
    reader: Reader,
    names: Mapping[str, object],
) -> int | None:
    """The number that the step asks for, or the one that goes without saying; None where it is not offered."""
    hardware = variation.hardware
    node = variation.nodes.get(name)
    if node is None:
        if not offered:
            return 0
        if len(offered) == 1 or 1 in offered:
            return offered[0] if len(offered) == 1 else 1
        reader.report.add(
            codes.NOT_OFFERED,
            variation.place,
            f'{variation.called} names no number of {what}, and hardware "{hardware.name}" does not offer "1"',
            hint=f"add {name}: {_numbers(offered)}",
        )
        return None
    asked = number_of(reader.read(variation.nodes, name, names))
    if asked is None or asked in offered:
        return asked
    if name in hardware.layer.faulty:
        return None
    message = f'{name}: hardware "{hardware.name}" does not offer "{asked}"'
    hint = f"write {_numbers(offered)}" if offered else f"take it out: the entry has no {what}"
    reader.report.add(codes.NOT_OFFERED, node.span, message, hint=hint)
    return None


def _written(hardware: Hardware, name: str, text: str, gpus: int) -> Scalar:
    """A text of the entry with the place where it stands: by itself, or for a number of GPUs."""
    node = hardware.layer.extra.get(name)
    if isinstance(node, MappingNode):
        node = node.get(str(gpus))
    return node if isinstance(node, Scalar) else Scalar(text=text, plain=False, span=hardware.span)


def _numbers(offered: Sequence[int]) -> str:
    return " or ".join(str(number) for number in offered)


def _tags(variation: Variation) -> list[tuple[str, Scalar]]:
    """The agent tags that the step asks for in `hardware: {NAME: {TAG: VALUE}}`."""
    node = variation.nodes.get("hardware")
    if not isinstance(node, MappingNode) or not isinstance(node.entries[0].value, MappingNode):
        return []
    tags = node.entries[0].value.entries
    found = {tag.key.text: tag.value for tag in tags if isinstance(tag.value, Scalar)}
    return [(name, found[name]) for name in sorted(found)]
