"""Mappings with known keys: what each is for, what may stand there, and what is said of one that nothing reads."""

from collections.abc import Mapping as MappingABC
from collections.abc import Sequence
from typing import Final, Generic

from pipegen import codes
from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import Diagnostic, likeliest, listing
from pipegen.manifest.located import Mapping, Node, Report, Scalar
from pipegen.manifest.shape import Shape, T, T_co, unexpected
from pipegen.plain import Plain, PlainMap, flow


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

    @property
    def how(self) -> str:
        """See `Shape.how`."""
        return f"write KEY: VALUE below it, of {listing([field.name for field in self.fields], limit=6)}"

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return isinstance(node, Mapping)

    def read(self, node: Node, report: Report, at: str) -> Values | None:
        """See `Shape.read`. Broken fields are left out, so that the rest can still be checked."""
        if not isinstance(node, Mapping):
            unexpected(self, node, report, at)
            return None
        known = {field.name: field for field in self.fields}
        missing = [field.name for field in self.fields if field.required and node.get(field.name) is None]
        values: dict[str, object] = {}
        faulty: set[str] = set()
        for entry in node.entries:
            name, before = entry.key.text, len(report.found)
            if name not in known:
                meant = unknown_key(entry.key, self.what, tuple(known), report, renamed=self.renamed)
                faulty.update(meant or [next((one for one in missing if one not in faulty), name)])
            elif (value := known[name].shape.read(entry.value, report, name)) is not None:
                values[name] = value
            if len(report.found) > before:
                faulty.add(name)
                report.found[before:] = with_example(report.found[before:], known.get(name), entry.value)
        for name in missing:
            if name not in faulty:
                lacks = f'{self.what} lacks "{name}"'
                report.add(codes.MISSING_KEY, node.span, lacks, hint=f"add {name}: {known[name].about}")
        return Values(values=values, node=node, faulty=frozenset((*faulty, *missing)))

    def schema(self) -> PlainMap:
        """See `Shape.schema`."""
        return record_schema(self.fields)


def with_example(found: Sequence[Diagnostic], field: Field[object] | None, node: Node) -> list[Diagnostic]:
    """What was found in the value of a field; what says nothing better of it shows how such a value is written."""
    if not found or field is None or field.example is None:
        return list(found)
    example = f"for example {field.name}: {flow(field.example)}"
    return [
        replace(one, help=example)
        if one.span == node.span and one.code in _MISSHAPEN and one.help in ("", field.shape.how)
        else one
        for one in found
    ]


_MISSHAPEN: Final = (codes.WRONG_TYPE, codes.BAD_NAME)


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
) -> tuple[str, ...]:
    """Report a key that nothing reads, and give back those that were probably meant, the likeliest first."""
    name = None if renamed is None else renamed.get(key.text)
    if name is not None and name in known:
        hint = f'pipegen calls it "{name}"'
        meant: tuple[str, ...] = (name,)
    else:
        hint = report.did_you_mean(key.text, known)
        meant = likeliest(key.text, known) if hint.startswith("did you mean") else ()
    report.add(codes.UNKNOWN_KEY, key.span, f'unknown key "{key.text}" in {what}', hint=hint)
    return meant
