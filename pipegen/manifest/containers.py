"""Shapes made of shapes: lists, mappings, choices, and free data as the Buildkite agent reads it."""

from collections.abc import Mapping as MappingABC
from collections.abc import Sequence
from typing import Final, Generic

from pipegen import codes
from pipegen.agent_scalars import NotPlainData, read_scalar
from pipegen.dataclass import dataclass
from pipegen.manifest.located import Items, Mapping, Node, Report, Scalar
from pipegen.manifest.shape import Shape, T, Text, is_deferred, refused_item, unexpected
from pipegen.plain import Plain, PlainMap


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOf(Shape[tuple[T, ...]], Generic[T]):
    """A list; with `one` a single item may stand for a list of one."""

    item: Shape[T]
    one: bool = False
    at_least: int = 0

    @property
    def words(self) -> str:
        """See `Shape.words`."""
        return ("a list" if not self.one else f"{self.item.words} or a list") + (
            "" if not self.at_least else f" of at least {self.at_least}"
        )

    @property
    def how(self) -> str:
        """See `Shape.how`."""
        return "write a list: [ITEM, …]" if not self.one else f"{self.item.how}, or a list of them"

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return isinstance(node, Items) or (self.one and self.item.fits(node))

    def read(self, node: Node, report: Report, at: str) -> tuple[T, ...] | None:
        """See `Shape.read`."""
        if self.one and not isinstance(node, Items) and self.item.fits(node):
            value = self.item.read(node, report, at)
            return None if value is None else (value,)
        if not isinstance(node, Items) or len(node.items) < self.at_least:
            unexpected(self, node, report, at)
            return None
        values = [None if refused_item(item, report, at) else self.item.read(item, report, at) for item in node.items]
        kept = tuple(value for value in values if value is not None)
        return kept if len(kept) == len(values) else None

    def schema(self) -> PlainMap:
        """See `Shape.schema`."""
        many: dict[str, Plain] = {"type": "array", "items": self.item.schema()}
        if self.at_least:
            many["minItems"] = self.at_least
        return {"anyOf": [self.item.schema(), many]} if self.one else many


ANY_NAME: Final = Text(what="a name", jinja=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MapOf(Shape[MappingABC[str, T]], Generic[T]):
    """A mapping from names of the author's choice to values of one shape."""

    value: Shape[T]
    name: Text = ANY_NAME
    at_least: int = 0

    @property
    def words(self) -> str:
        """See `Shape.words`."""
        return "a mapping" if not self.at_least else "a mapping with at least one entry"

    @property
    def how(self) -> str:
        """See `Shape.how`."""
        return "write NAME: VALUE below it, indented"

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return isinstance(node, Mapping)

    def read(self, node: Node, report: Report, at: str) -> MappingABC[str, T] | None:
        """See `Shape.read`."""
        if not isinstance(node, Mapping) or len(node.entries) < self.at_least:
            unexpected(self, node, report, at)
            return None
        result: dict[str, T] = {}
        for entry in node.entries:
            name = self.name.read(_as_text(entry.key), report, f"name in {at}")
            value = self.value.read(entry.value, report, entry.key.text)
            if name is not None and value is not None:
                result[name] = value
        return result if len(result) == len(node.entries) else None

    def schema(self) -> PlainMap:
        """See `Shape.schema`."""
        return mapping_schema(self.value.schema(), self.name, at_least=self.at_least)


def mapping_schema(values: PlainMap, name: Text, *, at_least: int = 0, reserved: Sequence[str] = ()) -> PlainMap:
    """JSON Schema of a mapping from names of the author's choice, `reserved` ones excepted."""
    mapping: dict[str, Plain] = {"type": "object", "additionalProperties": values}
    names: dict[str, Plain] = {"not": {"enum": list(reserved)}} if reserved else {}
    if name.pattern is not None:
        names["pattern"] = f"^(?:{name.pattern.pattern})$"
    if names:
        mapping["propertyNames"] = names
    if at_least:
        mapping["minProperties"] = at_least
    return mapping


def _as_text(key: Scalar) -> Scalar:
    """A key is always text: a variant named `null` is a name, not a removal."""
    return Scalar(text=key.text, plain=False, span=key.span)


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOf(Shape[T], Generic[T]):
    """One of several shapes; the kind of node decides where it can, so that messages name the real mistake."""

    shapes: tuple[Shape[T], ...]

    @property
    def words(self) -> str:
        """See `Shape.words`."""
        return " or ".join(dict.fromkeys(shape.words for shape in self.shapes))

    @property
    def how(self) -> str:
        """See `Shape.how`."""
        return next((shape.how for shape in self.shapes if shape.how), "")

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return any(shape.fits(node) for shape in self.shapes)

    def read(self, node: Node, report: Report, at: str) -> T | None:
        """See `Shape.read`."""
        fitting = [shape for shape in self.shapes if shape.fits(node)]
        if not fitting or (isinstance(node, Scalar) and node.is_empty):
            unexpected(self, node, report, at)
            return None
        if len(fitting) == 1:
            return fitting[0].read(node, report, at)
        if is_deferred(node, report):
            return None
        for shape in fitting:
            trial = Report(deferring=report.deferring, of=report)
            value = shape.read(node, trial, at)
            if not trial.found:
                return value
        unexpected(self, node, report, at)
        return None

    def schema(self) -> PlainMap:
        """See `Shape.schema`."""
        return {"anyOf": [shape.schema() for shape in self.shapes]}


@dataclass(frozen=True, slots=True, kw_only=True)
class AsAgentReads(Shape[Plain]):
    """Free data, plain scalars read as the Buildkite agent reads them (inside `plugins`, `notify`, …)."""

    @property
    def words(self) -> str:
        """See `Shape.words`."""
        return "any value"

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return isinstance(node, Scalar | Items | Mapping)

    def read(self, node: Node, report: Report, at: str) -> Plain | None:
        """See `Shape.read`. Nulls further inside are values; by itself null is none."""
        value = plain_of(node, report)
        if value is None:
            unexpected(self, node, report, at)
        return value

    def schema(self) -> PlainMap:
        """See `Shape.schema`."""
        return {}


def plain_of(node: Node, report: Report) -> Plain:
    """Free data as the agent reads it; dates and numbers out of range are reported."""
    match node:
        case Scalar():
            if not node.plain:
                return node.text
            try:
                return read_scalar(node.text)
            except NotPlainData as error:
                message = str(error).partition(";")[0]
                report.add(codes.WRONG_TYPE, node.span, message, hint=f'put it in quotes: "{node.text}"')
                return node.text
        case Items():
            return [plain_of(item, report) for item in node.items]
        case Mapping():
            return {entry.key.text: plain_of(entry.value, report) for entry in node.entries}


def one_of(*shapes: Shape[object]) -> OneOf[object]:
    """One of several shapes of different types."""
    return OneOf(shapes=shapes)
