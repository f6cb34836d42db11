"""Layers: the step attributes written at one place, and how one layer is laid over another.

Inheritance goes lane, hardware, file, area, step, part or variant, mirror. Maps merge one level, the word `null`
removes an inherited key, a list replaces, and `+` in it stands for what is inherited.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Final, TypeAlias

from pipegen import codes
from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import Span
from pipegen.manifest.containers import MapOf, OneOf, mapping_schema
from pipegen.manifest.fields import (
    NAME,
    NONE,
    NONE_TRACKING,
    NONE_UNTIL,
    RENAMED,
    REST,
    STEP_FIELDS,
    Level,
    Merge,
    StepField,
)
from pipegen.manifest.located import Items, Node, Report, Scalar, describe, has_jinja, refuse_empty
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.record import Field, PlainRecord, Record, unknown_key, with_example
from pipegen.manifest.shape import Shape
from pipegen.plain import PlainMap

Nodes: TypeAlias = Mapping[str, Node]
"""Attribute values by name, not read yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """The attributes written at one place.

    `nodes` may hold `null` (removes) and lists with `+`; all else has passed its field's shape. `extra` holds the
    keys that belong to the place and are not inherited (`rest` of a part, `none` of a mirror).
    """

    level: Level
    name: str
    span: Span
    nodes: Nodes
    extra: Nodes = field(default_factory=dict)
    faulty: frozenset[str] = frozenset()
    """Keys in which a mistake was reported, or which an unknown key was probably meant to be: what follows from them
    is not worth a diagnostic."""
    named_at: Span | None = None
    """Where its name stands, if it has one in front of it."""
    read: "Mapping[str, Mapping[str, Layer]]" = field(default_factory=dict, repr=False, compare=False)
    """What `inner` gives, of attributes that were found sound when they were checked."""

    def inner(self, name: str, level: Level) -> "Mapping[str, Layer]":
        """The layers of one of its attributes or own keys (`parts`, `mirrors`, …), whose mistakes are reported."""
        node = self.nodes.get(name, self.extra.get(name))
        known = self.read.get(name)
        return named_layers(node, level, Report()) if node is None or known is None else known

    @property
    def broken(self) -> bool:
        """Whether a mistake in here was reported."""
        return bool(self.faulty)

    @property
    def place(self) -> Span:
        """What to point at for the whole: its name, or where it begins."""
        return self.named_at or self.span


def read_layer(node: Node, level: Level, name: str, extra: Sequence[Field[object]], report: Report) -> Layer | None:
    """Read the attributes at one place, each checked by its shape; None if there is no mapping at all."""
    what = f'{level.value} "{name}"' if name else f"a {level.value}"
    if not isinstance(node, MappingNode):
        _refuse_layer(node, what, report)
        return None
    known = KNOWN[level]
    extras = {field.name: field for field in extra}
    nodes: dict[str, Node] = {}
    kept: dict[str, Node] = {}
    faulty: set[str] = set()
    inner: dict[str, Mapping[str, Layer]] = {}
    for entry in node.entries:
        word, before = entry.key.text, len(report.found)
        read: object = None
        if word in extras:
            read = extras[word].shape.read(entry.value, report, word)
            report.found[before:] = with_example(report.found[before:], extras[word], entry.value)
            kept[word] = entry.value
        elif word in known:
            read = check_field(known[word], entry.value, report)
            nodes[word] = entry.value
        elif word in FIELDS:
            report.add(
                codes.UNKNOWN_KEY,
                entry.key.span,
                f'"{word}" cannot stand in {what}',
                hint=f"it may stand in: {_places(FIELDS[word])}",
            )
        else:
            faulty.update(unknown_key(entry.key, what, (*known, *extras), report, renamed=RENAMED) or (word,))
        if len(report.found) > before:
            faulty.add(word)
        elif isinstance(read, dict) and _settled(read.values()):
            inner[word] = read
    return Layer(level=level, name=name, span=node.span, nodes=nodes, extra=kept, faulty=frozenset(faulty), read=inner)


def _refuse_layer(node: Node, what: str, report: Report) -> None:
    if isinstance(node, Scalar) and node.is_empty:
        report.add(codes.EMPTY_VALUE, node.span, f"empty {what}", hint="write its keys below it, indented")
    else:
        found = f"{what}: expected a mapping, found {describe(node)}"
        report.add(codes.WRONG_TYPE, node.span, found, hint="write its keys below it, indented")


def _settled(values: Iterable[object]) -> bool:
    """Whether these are layers that a second look would read alike: nothing of theirs was let pass until later."""
    return all(
        isinstance(layer, Layer) and not any(map(has_jinja, layer.extra.values())) and not layer.faulty
        for layer in values
    )


def _places(field: StepField[object]) -> str:
    return ", ".join(
        f"{'an' if level is Level.AREA else 'a'} {level.value}" for level in Level if level in field.levels
    )


def check_field(field: StepField[object], node: Node, report: Report) -> object:
    """Check one attribute as it was written, before inheritance: `null` and `+` pass where they mean something.

    Given back is what was read of it, if anything was.
    """
    if is_null(node):
        return None
    if field.merge is not Merge.WHOLE and is_plus(node):
        report.add(
            codes.WRONG_TYPE,
            node.span,
            f'{field.name}: "+" stands for inherited items and is one of a list',
            hint="write [+, …], or leave it out to inherit",
        )
        return None
    trial = Report(deferring=field.jinja, inheriting=True, of=report)
    if field.merge is Merge.MAP and isinstance(node, MappingNode):
        for entry in node.entries:
            if is_null(entry.value):
                _check_removed(field.shape, entry.key, report)
    bare = node if field.merge is Merge.WHOLE else _without_marks(node, maps=field.merge is Merge.MAP)
    if bare is None:
        return None
    read = field.shape.read(bare, trial, field.name)
    if trial.found:
        trial.found = with_example(trial.found, field, node)
        inherited = field.merge is Merge.MAP and isinstance(node, MappingNode)
        report.found += (
            d for d in trial.found if not (inherited and d.code is codes.MISSING_KEY and d.span == node.span)
        )
    return read


def _check_removed(shape: Shape[object], key: Scalar, report: Report) -> None:
    """Check the name of an entry that null removes: one that could never be there is a mistake."""
    match shape:
        case OneOf():
            for inner in shape.shapes:
                _check_removed(inner, key, report)
        case PlainRecord():
            _check_removed(shape.record, key, report)
        case Record() if key.text not in (names := tuple(field.name for field in shape.fields)):
            unknown_key(key, shape.what, names, report)
        case MapOf():
            shape.name.read(replace(key, plain=False), report, "name")
        case _:
            pass


def _without_marks(node: Node, *, maps: bool) -> Node | None:
    """A value without what only inheritance gives a meaning to: `+`, and `null` in a mapping; None if nothing stays."""
    match node:
        case MappingNode() if maps and node.entries:
            bare = [(entry, None if is_null(entry.value) else _without_plus(entry.value)) for entry in node.entries]
            if all(entry.value is value for entry, value in bare):  # as in nearly all: nothing to make anew
                return node
            entries = tuple(replace(entry, value=value) for entry, value in bare if value is not None)
            return replace(node, entries=entries) if entries else None
        case _:
            return _without_plus(node)


def _without_plus(node: Node) -> Node | None:
    if not isinstance(node, Items) or not has_plus(node):
        return node
    rest = tuple(item for item in node.items if not is_plus(item))
    return replace(node, items=rest) if rest else None


def is_null(node: Node) -> bool:
    """Whether a value is the bare word `null`."""
    return isinstance(node, Scalar) and node.is_null


def is_plus(node: Node) -> bool:
    """Whether a list item is the bare `+` that stands for what is inherited."""
    return isinstance(node, Scalar) and node.plain and node.text == "+"


def has_plus(node: Items) -> bool:
    """Whether `+` is among the items; asked for every list of every job, so without a call for each item."""
    for item in node.items:  # noqa: SIM110 - see above
        if isinstance(item, Scalar) and item.text == "+" and item.plain:
            return True
    return False


EXTRA: Final[Mapping[Level, tuple[Field[object], ...]]] = MappingProxyType(
    {
        Level.STEP: (REST,),
        Level.PART: (REST,),
        Level.MIRROR: (NONE, NONE_TRACKING, NONE_UNTIL),
    }
)
"""The keys of a place that are its own and not inherited."""


GATES: Final = "block"
"""What the keys of gates begin with, and no mirror is called."""


def named_layers(node: Node | None, level: Level, report: Report) -> dict[str, Layer]:
    """The layers of a map of parts, variants, mirrors or steps by name, in order; those removed by `null` left out."""
    if not isinstance(node, MappingNode):
        return {}
    result: dict[str, Layer] = {}
    for entry in node.entries:
        name = entry.key.text
        if is_null(entry.value):
            if level is Level.STEP:
                report.add(
                    codes.NOTHING_INHERITED,
                    entry.value.span,
                    f'null removes what is inherited, and step "{name}" is not',
                    hint="take it out",
                )
            continue
        if level is Level.MIRROR and name == GATES:
            report.add(
                codes.BAD_NAME,
                entry.key.span,
                'no mirror is called "block"',
                hint="gates have keys that begin with block-",
            )
            continue
        named = NAME.read(replace(entry.key, plain=False), report, f"name of a {level.value}")
        layer = read_layer(entry.value, level, name, EXTRA.get(level, ()), report)
        if named is not None and layer is not None:
            result[name] = replace(layer, named_at=entry.key.span)
    return result


@dataclass(frozen=True, slots=True, kw_only=True)
class LayersOf(Shape[Mapping[str, Layer]]):
    """A map of names to the attributes of a part, a variant, a mirror or a step."""

    level: Level

    @property
    def words(self) -> str:
        """See `Shape.words`."""
        return f"a mapping of names to {self.level.value}s"

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return isinstance(node, MappingNode)

    def read(self, node: Node, report: Report, at: str) -> Mapping[str, Layer] | None:
        """See `Shape.read`."""
        if isinstance(node, Scalar) and node.is_empty:
            refuse_empty(node, report, f'value of "{at}"')
            return None
        if not isinstance(node, MappingNode) or not node.entries:
            found = f"{at}: expected {self.words}, found {describe(node)}"
            report.add(codes.WRONG_TYPE, node.span, found, hint="write NAME: and its keys below it, indented")
            return None
        return named_layers(node, self.level, report)

    def schema(self) -> PlainMap:
        """See `Shape.schema`. The levels are definitions of the whole, because mirrors and parts hold one another."""
        to_level: PlainMap = {"$ref": f"#/$defs/{definition(self.level)}"}
        reserved = (GATES,) if self.level is Level.MIRROR else ()
        return mapping_schema({"anyOf": [to_level, {"type": "null"}]}, NAME, at_least=1, reserved=reserved)


def definition(level: Level) -> str:
    """What the JSON Schema calls the attributes at a level."""
    return level.value.replace(" ", "_")


_FROM_FILE: Final = frozenset({Level.FILE, Level.AREA, Level.STEP})
FIELDS: Final[Mapping[str, StepField[object]]] = MappingProxyType(
    {
        field.name: field
        for field in (
            *STEP_FIELDS,
            StepField(
                name="parts",
                shape=LayersOf(level=Level.PART),
                about="shares of the tests, one job each",
                example={"fast": {"k": "not slow"}, "others": {"rest": True}},
                merge=Merge.MAP,
                levels=_FROM_FILE | {Level.MIRROR},
            ),
            StepField(
                name="variants",
                shape=LayersOf(level=Level.VARIANT),
                about="named sets of variables, one job each",
                example={"eagle3": {"env": {"METHOD": "eagle3"}}, "mtp": {"env": {"METHOD": "mtp"}}},
                merge=Merge.MAP,
                levels=_FROM_FILE | {Level.MIRROR},
            ),
            StepField(
                name="mirrors",
                shape=LayersOf(level=Level.MIRROR),
                about="the same once more on other hardware",
                example={"amd": {"hardware": "mi300", "timeout_in_minutes": 60}},
                merge=Merge.MAP,
                levels=_FROM_FILE | {Level.PART, Level.VARIANT},
            ),
        )
    }
)
"""Every step attribute by name."""
KNOWN: Final[Mapping[Level, Mapping[str, StepField[object]]]] = MappingProxyType(
    {level: {name: field for name, field in FIELDS.items() if level in field.levels} for level in Level}
)
"""Those that may be written at each level."""
