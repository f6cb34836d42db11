"""The schema language: what a value may look like, in one place for the decoder, its messages and JSON Schema.

A shape reads a located node into a typed value, or reports why it cannot and returns None. `at` is the name of the
key that holds the node, for the message.
"""

import datetime
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping as MappingABC
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pipegen import codes
from pipegen.agent_scalars import NotPlainData, read_scalar
from pipegen.diagnostics import closest, listing, meant
from pipegen.dollar import REFERENCE
from pipegen.manifest.located import JINJA, Items, Mapping, Node, Report, Scalar, describe, refuse_empty
from pipegen.plain import Plain, PlainMap

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Shape(ABC, Generic[T_co]):
    """What a value may look like."""

    @property
    @abstractmethod
    def words(self) -> str:
        """The expectation in words: "an integer of at least 1"."""

    @abstractmethod
    def fits(self, node: Node) -> bool:
        """Whether the node is of the right kind (scalar, sequence, mapping), so that its mistakes are worth naming."""

    @abstractmethod
    def read(self, node: Node, report: Report, at: str) -> T_co | None:
        """The typed value, or None with a diagnostic in `report`."""

    @abstractmethod
    def schema(self) -> PlainMap:
        """The same as JSON Schema (draft 2020-12)."""


def refused_item(node: Node, report: Report, at: str) -> bool:
    """Whether an item of a list is nothing at all, which is reported."""
    if not isinstance(node, Scalar) or not node.is_empty:
        return False
    report.add(codes.EMPTY_VALUE, node.span, f'empty item of "{at}"', hint='write it, "" for empty text, or drop it')
    return True


def _unexpected(shape: Shape[object], node: Node, report: Report, at: str) -> None:
    if isinstance(node, Scalar) and node.is_empty:
        trial = Report()
        shape.read(Scalar(text="", plain=False, span=node.span), trial, at)
        refuse_empty(node, report, f'value of "{at}"', or_text=not trial.found)
    elif isinstance(node, Scalar) and REFERENCE.search(node.text):
        report.add(
            codes.JINJA_NOT_HERE,
            node.span,
            f"{at}: expected {shape.words}, found {describe(node)}, which only the agent knows",
            hint="write the value itself, or take it from vars, build or env",
        )
    else:
        found = f"{at}: expected {shape.words}, found {describe(node)}"
        report.add(codes.WRONG_TYPE, node.span, found, hint=_spelling(shape, node))


_YES: Final = frozenset({"yes", "on", "y", "1"})
_NO: Final = frozenset({"no", "off", "n", "0"})


def _spelling(shape: "Shape[object]", node: Node) -> str:
    """How to write what an author of other YAML or of other numbers probably means."""
    text = node.text.strip().lower() if isinstance(node, Scalar) else ""
    match shape:
        case Boolean() if text in _YES | _NO:
            return f"write {'true' if text in _YES else 'false'}"
        case Boolean():
            return meant(text, ("true", "false"), "{}")
        case Integer() if re.fullmatch(r"[+-]?[0-9][0-9_]{0,17}", text):
            number = int(text.replace("_", ""))
            return f"write {number}" if shape.holds(number) and str(number) != text else ""
        case _:
            return ""


def _deferred(node: Node, report: Report) -> bool:
    return report.deferring and isinstance(node, Scalar) and JINJA.search(node.text) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Shape[str]):
    """Text as it was typed: `1.10`, `on` and `2024-1-1` are themselves.

    `pattern` must match the whole; `what` describes it. `jinja` says whether expressions may stand in it.
    """

    what: str = "text"
    pattern: re.Pattern[str] | None = None
    jinja: bool = True
    may_be_blank: bool = True

    @property
    def words(self) -> str:
        """See `Shape.words`."""
        return self.what

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return isinstance(node, Scalar)

    def read(self, node: Node, report: Report, at: str) -> str | None:
        """See `Shape.read`."""
        if not isinstance(node, Scalar) or node.is_empty or node.is_null:
            _unexpected(self, node, report, at)
            return None
        if not self.jinja and JINJA.search(node.text):
            report.add(
                codes.JINJA_NOT_HERE,
                node.span,
                f"{at}: an expression cannot stand here, found {describe(node)}",
                hint="write the value itself: it must be the same in every build",
            )
            return None
        if not self.may_be_blank and not node.text.strip():
            found = f"{at}: expected {self.what}, found {describe(node)}"
            report.add(codes.EMPTY_VALUE, node.span, found, hint="write it out, or take the key out")
            return None
        if self.pattern is not None and not self.pattern.fullmatch(node.text):
            found = f"{at}: expected {self.what}, found {describe(node)}"
            report.add(codes.BAD_NAME, node.span, found, hint=self._near(node.text))
            return None
        return node.text

    def _near(self, text: str) -> str:
        """The same with other characters in the place of those that may not be there."""
        for kept in (r"[^A-Za-z0-9_.:,/-]+", r"[^A-Za-z0-9]+"):
            for instead in "-_":
                near = re.sub(kept, instead, text).strip("-_/")
                if self.pattern is not None and near and self.pattern.fullmatch(near):
                    return f'write "{near}"'
        return ""

    def schema(self) -> PlainMap:
        """See `Shape.schema`."""
        text: dict[str, Plain] = {"type": ["string", "number", "boolean"]}
        if self.pattern is not None:
            text = {"type": "string", "pattern": f"^(?:{self.pattern.pattern})$"}
        return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Integer(Shape[int]):
    """A decimal integer within bounds, or an expression that gives one."""

    minimum: int | None = None
    maximum: int | None = None

    @property
    def words(self) -> str:
        """See `Shape.words`."""
        if self.minimum is not None and self.maximum is not None:
            return f"an integer from {self.minimum} to {self.maximum}"
        return "an integer" if self.minimum is None else f"an integer of at least {self.minimum}"

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return isinstance(node, Scalar)

    def read(self, node: Node, report: Report, at: str) -> int | None:
        """See `Shape.read`."""
        if _deferred(node, report):
            return None
        number = _decimal(node)
        if number is None or not self.holds(number):
            _unexpected(self, node, report, at)
            return None
        return number

    def holds(self, number: int) -> bool:
        """Whether a number is within the bounds."""
        return (self.minimum is None or number >= self.minimum) and (self.maximum is None or number <= self.maximum)

    def schema(self) -> PlainMap:
        """See `Shape.schema`."""
        bounds: dict[str, Plain] = {"type": "integer"}
        if self.minimum is not None:
            bounds["minimum"] = self.minimum
        if self.maximum is not None:
            bounds["maximum"] = self.maximum
        return {"anyOf": [bounds, {"type": "string", "pattern": r"^-?(?:0|[1-9][0-9]*)$|\{\{"}]}


_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")


def _decimal(node: Node) -> int | None:
    """The number that a scalar spells in decimal; `010`, `0x1F` and `1e3` are read differently by different readers."""
    if isinstance(node, Scalar) and _DECIMAL.fullmatch(node.text.strip()):
        return int(node.text)
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Boolean(Shape[bool]):
    """`true` or `false`, or an expression that gives one of them."""

    @property
    def words(self) -> str:
        """See `Shape.words`."""
        return "true or false"

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return isinstance(node, Scalar)

    def read(self, node: Node, report: Report, at: str) -> bool | None:
        """See `Shape.read`."""
        if _deferred(node, report):
            return None
        text = node.text.strip() if isinstance(node, Scalar) else ""
        if text in ("true", "false"):
            return text == "true"
        _unexpected(self, node, report, at)
        return None

    def schema(self) -> PlainMap:
        """See `Shape.schema`."""
        return {"anyOf": [{"type": "boolean"}, {"type": "string", "pattern": r"^(?:true|false)$|\{\{"}]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Date(Shape[datetime.date]):
    """A day as `YYYY-MM-DD`."""

    @property
    def words(self) -> str:
        """See `Shape.words`."""
        return "a date as YYYY-MM-DD"

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return isinstance(node, Scalar)

    def read(self, node: Node, report: Report, at: str) -> datetime.date | None:
        """See `Shape.read`."""
        if isinstance(node, Scalar) and re.fullmatch(r"\d{4}-\d\d-\d\d", node.text):
            try:
                return datetime.date.fromisoformat(node.text)
            except ValueError:
                pass
        _unexpected(self, node, report, at)
        return None

    def schema(self) -> PlainMap:
        """See `Shape.schema`."""
        return {"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Word(Shape[str]):
    """One of a few words."""

    choices: tuple[str, ...]

    @property
    def words(self) -> str:
        """See `Shape.words`."""
        return ("one of " if len(self.choices) > 1 else "") + listing(self.choices)

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return isinstance(node, Scalar)

    def read(self, node: Node, report: Report, at: str) -> str | None:
        """See `Shape.read`."""
        if isinstance(node, Scalar) and node.text in self.choices:
            return node.text
        if not isinstance(node, Scalar) or node.is_empty:
            _unexpected(self, node, report, at)
            return None
        hint = report.meant(node.text, self.choices)
        report.add(codes.WRONG_TYPE, node.span, f"{at}: expected {self.words}, found {describe(node)}", hint=hint)
        return None

    def schema(self) -> PlainMap:
        """See `Shape.schema`."""
        return {"enum": list(self.choices)}


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

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return isinstance(node, Items) or (self.one and self.item.fits(node))

    def read(self, node: Node, report: Report, at: str) -> tuple[T, ...] | None:
        """See `Shape.read`."""
        if self.one and not isinstance(node, Items) and self.item.fits(node):
            value = self.item.read(node, report, at)
            return None if value is None else (value,)
        if not isinstance(node, Items) or len(node.items) < self.at_least:
            _unexpected(self, node, report, at)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MapOf(Shape[MappingABC[str, T]], Generic[T]):
    """A mapping from names of the author's choice to values of one shape."""

    value: Shape[T]
    name: Text = Text(what="a name", jinja=False)
    at_least: int = 0

    @property
    def words(self) -> str:
        """See `Shape.words`."""
        return "a mapping" if not self.at_least else "a mapping with at least one entry"

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return isinstance(node, Mapping)

    def read(self, node: Node, report: Report, at: str) -> MappingABC[str, T] | None:
        """See `Shape.read`."""
        if not isinstance(node, Mapping) or len(node.entries) < self.at_least:
            _unexpected(self, node, report, at)
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
        mapping: dict[str, Plain] = {"type": "object", "additionalProperties": self.value.schema()}
        if self.name.pattern is not None:
            mapping["propertyNames"] = {"pattern": f"^(?:{self.name.pattern.pattern})$"}
        if self.at_least:
            mapping["minProperties"] = self.at_least
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

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return any(shape.fits(node) for shape in self.shapes)

    def read(self, node: Node, report: Report, at: str) -> T | None:
        """See `Shape.read`."""
        fitting = [shape for shape in self.shapes if shape.fits(node)]
        if not fitting or (isinstance(node, Scalar) and node.is_empty):
            _unexpected(self, node, report, at)
            return None
        if len(fitting) == 1:
            return fitting[0].read(node, report, at)
        if _deferred(node, report):
            return None
        for shape in fitting:
            trial = Report(deferring=report.deferring, of=report)
            value = shape.read(node, trial, at)
            if not trial.found:
                return value
        _unexpected(self, node, report, at)
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
            _unexpected(self, node, report, at)
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Field(Generic[T_co]):
    """One key of a record: its name, what may stand there, what it is for, and what holds without it."""

    name: str
    shape: Shape[T_co]
    about: str
    default: Plain = None
    example: Plain = None
    required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """What a record read: typed values by field, with their nodes for their places.

    `faulty` names the fields that are missing, those in which a mistake was reported, and those which an unknown key
    was probably meant to be.
    """

    values: MappingABC[str, object]
    node: Mapping
    faulty: frozenset[str] = frozenset()

    def get(self, field: Field[T]) -> T | None:
        """The value of a field, or None where it was not given."""
        return self.values.get(field.name)  # type: ignore[return-value]  # stored as this field's shape read it

    def at(self, name: str) -> Node:
        """The node of a key, or of the whole record."""
        return self.node.get(name) or self.node


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Shape[Values]):
    """A mapping with known keys; `renamed` tells those who write a key of another tool what it is called here."""

    what: str
    fields: tuple[Field[object], ...]
    renamed: MappingABC[str, str] | None = None
    null_keys: Sequence[str] = ()

    @property
    def words(self) -> str:
        """See `Shape.words`."""
        return "a mapping"

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return isinstance(node, Mapping)

    def read(self, node: Node, report: Report, at: str) -> Values | None:
        """See `Shape.read`. Broken fields are left out, so that the rest can still be checked."""
        if not isinstance(node, Mapping):
            _unexpected(self, node, report, at)
            return None
        known = {field.name: field for field in self.fields}
        missing = [field.name for field in self.fields if field.required and node.get(field.name) is None]
        values: dict[str, object] = {}
        faulty: set[str] = set()
        for entry in node.entries:
            name, before = entry.key.text, len(report.found)
            if name not in known:
                meant = unknown_key(entry.key, self.what, tuple(known), report, renamed=self.renamed)
                faulty.add(meant or next((one for one in missing if one not in faulty), name))
            elif (value := known[name].shape.read(entry.value, report, name)) is not None:
                values[name] = value
            if len(report.found) > before:
                faulty.add(name)
        for name in missing:
            if name not in faulty:
                lacks = f'{self.what} lacks "{name}"'
                report.add(codes.MISSING_KEY, node.span, lacks, hint=f"add {name}: {known[name].about}")
        return Values(values=values, node=node, faulty=frozenset((*faulty, *missing)))

    def schema(self) -> PlainMap:
        """See `Shape.schema`."""
        return record_schema(self.fields)


def record_schema(fields: Sequence[Field[object]]) -> PlainMap:
    """JSON Schema of a mapping with these keys."""
    return closed({field.name: described(field, field.shape.schema()) for field in fields}, fields)


def described(field: Field[object], schema: PlainMap) -> PlainMap:
    """A schema with what the field says of itself, for editors to show."""
    about: dict[str, Plain] = {"description": field.about}
    if field.default is not None:
        about["default"] = field.default
    if field.example is not None:
        about["examples"] = [field.example]
    return {**schema, **about}


def closed(properties: MappingABC[str, Plain], fields: Sequence[Field[object]]) -> PlainMap:
    """JSON Schema of a mapping with these properties and no others."""
    result: dict[str, Plain] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required := [field.name for field in fields if field.required]:
        result["required"] = required
    return result


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainRecord(Shape[PlainMap]):
    """A record that stays data: its fields' values by name, as a Buildkite step holds them."""

    record: Record

    @property
    def words(self) -> str:
        """See `Shape.words`."""
        return self.record.words

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return self.record.fits(node)

    def read(self, node: Node, report: Report, at: str) -> PlainMap | None:
        """See `Shape.read`."""
        before = len(report.found)
        values = self.record.read(node, report, at)
        if values is None or len(report.found) > before:
            return None
        return {name: _plain(value) for name, value in values.values.items()}

    def schema(self) -> PlainMap:
        """See `Shape.schema`."""
        return self.record.schema()


def _plain(value: object) -> Plain:
    """A value that a shape read, as plain data: tuples become lists, the rest is plain already."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value  # type: ignore[return-value]  # fields of a plain record read plain values only


def unknown_key(
    key: Scalar,
    what: str,
    known: Sequence[str],
    report: Report,
    *,
    renamed: MappingABC[str, str] | None = None,
) -> str | None:
    """Report a key that nothing reads, and give back the one that was probably meant, if there is one."""
    meant = None if renamed is None else renamed.get(key.text)
    if meant is not None and meant in known:
        hint = f'pipegen calls it "{meant}"'
    else:
        hint = report.did_you_mean(key.text, known)
        meant = closest(key.text, known) if hint.startswith("did you mean") else None
    report.add(codes.UNKNOWN_KEY, key.span, f'unknown key "{key.text}" in {what}', hint=hint)
    return meant


def one_of(*shapes: Shape[object]) -> OneOf[object]:
    """One of several shapes of different types."""
    return OneOf(shapes=shapes)
