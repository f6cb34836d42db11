"""Values of old files as values of new ones, with what was said about them."""

from pipegen.importer.comments import Comments
from pipegen.importer.writing import SILENT, Bare, Item, List, Map, Pair, Said, Value, quoted
from pipegen.manifest.located import Items, Node, Scalar
from pipegen.manifest.located import Mapping as MappingNode

NO_COMMENTS = Comments()


def said_at(comments: Comments, line: int) -> Said:
    """What the comments say about the value that begins in a line."""
    above = (*comments.above.get(line, ()), *comments.after.get(line, ()))
    beside = comments.beside.get(line, "")
    return Said(above=above, beside=beside) if above or beside else SILENT


def value_of(node: Node, comments: Comments = NO_COMMENTS) -> Value:
    """A value as it was written: what had quotes keeps them, because free data is read by its type."""
    match node:
        case Scalar():
            if not node.plain:
                return Bare(quoted(node.text))
            return Bare(node.text) if node.text in ("null", "+") else node.text
        case Items():
            items = (
                Item(value=value_of(item, comments), said=said_at(comments, item.span.line)) for item in node.items
            )
            return List(items=tuple(items))
        case MappingNode():
            return Map(pairs=tuple(Pair(key=entry.key.text, value=value_of(entry.value)) for entry in node.entries))
