"""Attributes after inheritance, with their expressions evaluated, as typed values."""

from collections.abc import Mapping, Sequence
from dataclasses import field

from pipegen import codes
from pipegen.dataclass import dataclass
from pipegen.dollar import references
from pipegen.jinja import Expressions, JinjaError
from pipegen.manifest.layers import FIELDS, Nodes
from pipegen.manifest.located import Entry, Items, Node, Report, Scalar, has_jinja, scalars
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.record import Field
from pipegen.manifest.shape import Shape
from pipegen.plain import Plain, in_order


@dataclass(slots=True, kw_only=True)
class Reader:
    """Evaluates and reads attributes. Values without expressions are read once, however many jobs share them."""

    expressions: Expressions
    report: Report
    shared: dict[tuple[int, str], tuple[Node, object]] = field(default_factory=dict)
    plain: dict[int, tuple[object, Plain]] = field(default_factory=dict)

    def read(self, nodes: Nodes, name: str, names: Mapping[str, object]) -> object:
        """The typed value of an attribute, or None where it is not given or a diagnostic says why it is none."""
        node = nodes.get(name)
        if node is None:
            return None
        shared = self.shared.get((id(node), name))
        if shared is not None:
            return shared[1]
        stepfield = FIELDS[name]
        if not stepfield.jinja or not has_jinja(node):
            before = len(self.report.found)
            value = stepfield.shape.read(node, self.report, name)
            if len(self.report.found) == before:  # else once more for the next job, which is to be left out as well
                self.shared[id(node), name] = (node, value)
            return value
        evaluated = self.evaluate(node, names)
        if evaluated is None:
            return None
        before = len(self.report.found)
        value = stepfield.shape.read(evaluated, self.report, name)
        if len(self.report.found) > before and (late := _known_at_upload(evaluated)):
            del self.report.found[before:]
            self.report.add(
                codes.JINJA_ERROR,
                node.span,
                f'{name}: "upload.{late}" is known only when the agent uploads, and this value is needed before',
                hint="write the value itself, or a variable of the workspace",
            )
        return value

    def read_plain(self, nodes: Nodes, name: str, names: Mapping[str, object]) -> Plain:
        """The same of one of Buildkite's attributes as plain data in order; what jobs share stays one thing."""
        value = self.read(nodes, name, names)
        if value is None or isinstance(value, str):
            return value
        known = self.plain.get(id(value))
        if known is None:
            known = self.plain[id(value)] = value, in_order(plain_value(value))
        return known[1]

    def evaluate(self, node: Node, names: Mapping[str, object]) -> Node | None:
        """The node with every expression in its values replaced; None if one of them failed."""
        match node:
            case Scalar():
                text = self.text(node, names)
                return None if text is None else Scalar(text=text, plain=node.plain, span=node.span)
            case Items():
                items = tuple(self.evaluate(item, names) for item in node.items)
                whole = tuple(item for item in items if item is not None)
                return Items(items=whole, span=node.span) if len(whole) == len(items) else None
            case MappingNode():
                entries = []
                for entry in node.entries:
                    value = self.evaluate(entry.value, names)
                    if value is None:
                        return None
                    entries.append(Entry(key=entry.key, value=value))
                return MappingNode(entries=tuple(entries), span=node.span)

    def text(self, node: Scalar, names: Mapping[str, object]) -> str | None:
        """The text of a scalar with its expressions replaced; None if one of them failed."""
        try:
            return self.expressions.evaluate(node.text, names)
        except JinjaError as error:
            self.report.add(codes.JINJA_ERROR, node.span, f"expression: {error}", hint=error.hint)
            return None


def _known_at_upload(node: Node) -> str | None:
    """A variable that the agent fills in at upload, if any text in there holds one."""
    return next((name for scalar in scalars(node) for name in references(scalar.text)), None)


def text_of(value: object) -> str | None:
    """A value that was read as text."""
    return value if isinstance(value, str) else None


def number_of(value: object) -> int | None:
    """A value that was read as an integer."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def plain_value(value: object) -> Plain:
    """A value that a Buildkite attribute's shape read, as plain data."""
    if isinstance(value, tuple):
        return [plain_value(item) for item in value]
    return value  # type: ignore[return-value]  # Buildkite's attributes have shapes that read plain data


def read_shape(shape: Shape[object] | Field[object], node: Node | None) -> object:
    """Read a node that has passed its shape already."""
    if node is None:
        return None
    return (shape.shape if isinstance(shape, Field) else shape).read(node, Report(), "")


def texts(node: Node | None) -> Sequence[Scalar]:
    """The text items of a list, or the one text."""
    items = node.items if isinstance(node, Items) else () if node is None else (node,)
    return [item for item in items if isinstance(item, Scalar)]
