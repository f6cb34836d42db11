"""The catalogue's free data, with its expressions evaluated for this build."""

from collections.abc import Mapping, Sequence

from pipegen.dataclass import replace
from pipegen.expand.reading import Reader
from pipegen.manifest.located import Items, Node, Scalar
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.model import Catalogue, Hardware
from pipegen.plain import Plain


def with_facts(catalogue: Catalogue, reader: Reader, names: Mapping[str, object]) -> Catalogue:
    """The catalogue whose `facts` hold no expressions any more; what cannot be evaluated is reported at its entry."""
    hardware = {name: _evaluated(entry, reader, names) for name, entry in catalogue.hardware.items()}
    return replace(catalogue, hardware=hardware)


def _evaluated(entry: Hardware, reader: Reader, names: Mapping[str, object]) -> Hardware:
    written = entry.layer.extra.get("facts")
    node = written if isinstance(written, MappingNode) else MappingNode(entries=(), span=entry.span)
    facts = _plain(entry.facts, node, reader, names)
    return replace(entry, facts=facts) if isinstance(facts, Mapping) and facts != entry.facts else entry


def _plain(value: Plain, node: Node, reader: Reader, names: Mapping[str, object]) -> Plain:
    """The value with its expressions evaluated; `node` is where it was written, or what it stands in."""
    match value:
        case str():
            return reader.text(Scalar(text=value, plain=False, span=node.span), names) or ""
        case Mapping():
            return {name: _plain(inner, _inner(node, name), reader, names) for name, inner in value.items()}
        case Sequence():
            return [_plain(inner, _inner(node, at), reader, names) for at, inner in enumerate(value)]
        case _:
            return value


def _inner(node: Node, at: str | int) -> Node:
    match node:
        case MappingNode():
            return node.get(str(at)) or node
        case Items() if isinstance(at, int) and at < len(node.items):
            return node.items[at]
        case _:
            return node
