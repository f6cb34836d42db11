"""Values of the workspace file with their places: entries of maps, items of lists, and what holds without them."""

from collections.abc import Mapping
from typing import TypeVar

from pipegen.manifest.located import Entry, Items, Node, Scalar
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.record import Field, Values
from pipegen.model import Located

T = TypeVar("T")


def either(values: Values, field: Field[T], default: T) -> T:
    """The value of a field, or what holds without it."""
    found = values.get(field)
    return default if found is None else found


def items_of(node: Node) -> tuple[Node, ...]:
    """The items of a list, or the one value."""
    return node.items if isinstance(node, Items) else (node,)


def located(node: Node) -> tuple[Located, ...]:
    """The items of a list of text, or one text, with their places."""
    items = node.items if isinstance(node, Items) else (node,)
    return tuple(Located(text=item.text, span=item.span) for item in items if isinstance(item, Scalar))


def entries_of(values: Values, field: Field[Mapping[str, T]]) -> list[tuple[str, T, Entry]]:
    """The entries of a map that were read, each with its place."""
    node = values.node.get(field.name)
    read = values.get(field) or {}
    if not isinstance(node, MappingNode):
        return []
    return [(entry.key.text, read[entry.key.text], entry) for entry in node.entries if entry.key.text in read]


def text_at(values: Values, name: str) -> str | None:
    """The value of a key, if it is text."""
    found = values.values.get(name)
    return found if isinstance(found, str) else None
