"""How one layer is laid over another.

Maps merge one level, the word `null` removes an inherited key, a list replaces, and `+` in it stands for what is
inherited.
"""

from collections.abc import Iterable
from dataclasses import field

from pipegen import codes
from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import Span
from pipegen.manifest.fields import (
    Merge,
    StepField,
)
from pipegen.manifest.layers import FIELDS, Layer, Nodes, has_plus, is_null, is_plus
from pipegen.manifest.located import Entry, Items, Node, Report, Scalar
from pipegen.manifest.located import Mapping as MappingNode


@dataclass(frozen=True, slots=True)
class Removals:
    """Which nulls of layers removed something, and which did not, over all the times that they were laid."""

    at_work: set[Span] = field(default_factory=set)
    idle: dict[Span, str] = field(default_factory=dict)
    names: dict[Span, tuple[str, set[str]]] = field(default_factory=dict)
    """Of idle ones the name that each removes, and those that there were to remove."""

    def note(self, place: Span, what: str, *, removed: bool) -> None:
        """Remember what became of one null."""
        if removed:
            self.at_work.add(place)
        else:
            self.idle.setdefault(place, what)

    def note_entry(self, name: str, entry: Entry, under: Node | None) -> None:
        """Remember what became of a null in a mapping; it is found where the name that it removes stands."""
        there = () if not isinstance(under, MappingNode) else tuple(one.key.text for one in under.entries)
        key = entry.key
        self.note(key.span, f'"{key.text}" of {name}', removed=key.text in there)
        self.names.setdefault(key.span, (key.text, set()))[1].update(there)

    def check(self, report: Report) -> None:
        """Report each null that never removed anything: what it names is misspelt, or no longer there."""
        for span, what in self.idle.items():
            if span not in self.at_work:
                message = f"null removes what is inherited, and {what} is not"
                name, there = self.names.get(span, ("", set()))
                report.add(codes.NOTHING_INHERITED, span, message, hint=report.meant(name, there) or "take it out")


def lay(
    layers: Iterable[Layer],
    report: Report,
    *,
    supplied: frozenset[str] = frozenset(),
    doubtful: frozenset[str] = frozenset(),
    removals: Removals | None = None,
) -> Nodes:
    """Lay layers over one another, the most general first.

    `supplied` names lists for which `+` may stand although no layer gives any items, because something outside of
    the layers does: a list of nothing but that is left out. `doubtful` names attributes that a mistake keeps from
    being inherited: nothing is said of a `+` or null that misses them.
    """
    result: dict[str, Node] = {}
    for layer in layers:
        for name, node in layer.nodes.items():
            if isinstance(node, Scalar) and not node.is_null:
                result[name] = node  # as two of three attributes: it merges with nothing, and removes nothing
                continue
            if removals is not None and name not in doubtful:
                _note_removed(name, result.get(name), node, removals)
            if is_null(node):
                result.pop(name, None)
                continue
            merged = _laid(FIELDS[name], result.get(name), node, report, supplied=name in supplied | doubtful)
            if merged is None:
                result.pop(name, None)
            else:
                result[name] = merged
    return result


def _note_removed(name: str, under: Node | None, over: Node, removals: Removals) -> None:
    if is_null(over):
        removals.note(over.span, f'"{name}"', removed=under is not None)
    if FIELDS[name].merge is not Merge.MAP or not isinstance(over, MappingNode):
        return
    for entry in over.entries:
        if is_null(entry.value):
            removals.note_entry(name, entry, under)


def _laid(field: StepField[object], under: Node | None, over: Node, report: Report, *, supplied: bool) -> Node | None:
    match field.merge, over:
        case Merge.MAP, MappingNode():
            return _laid_map(field.name, under if isinstance(under, MappingNode) else None, over, report)
        case Merge.MAP | Merge.LIST, Items() if has_plus(over):
            return _laid_list(field.name, under, over, report, supplied=supplied)
        case _:
            return over


def _laid_map(name: str, under: MappingNode | None, over: MappingNode, report: Report) -> Node | None:
    entries = {entry.key.text: entry for entry in under.entries} if under is not None else {}
    for entry in over.entries:
        inner = entry.key.text
        if is_null(entry.value):
            entries.pop(inner, None)
        elif isinstance(entry.value, Items) and has_plus(entry.value):
            below = entries[inner].value if inner in entries else None
            value = _laid_list(f"{inner} of {name}", below, entry.value, report, supplied=False)
            entries[inner] = entry if value is None else replace(entry, value=value)
        else:
            entries[inner] = entry
    return MappingNode(entries=tuple(entries.values()), span=over.span) if entries or not over.entries else None


def _laid_list(name: str, under: Node | None, over: Items, report: Report, *, supplied: bool) -> Node | None:
    """The list with inherited items in the place of each `+`; None if it is nothing but what is supplied from outside.

    An empty list would say that there are none.
    """
    inherited = () if under is None else under.items if isinstance(under, Items) else (under,)
    items: list[Node] = []
    for item in over.items:
        if not is_plus(item):
            items.append(item)
        elif under is None and not supplied:
            report.add(
                codes.NOTHING_INHERITED,
                item.span,
                f'"+" stands for inherited {name}, and there are none',
                hint="remove the +",
            )
        else:
            items.extend(inherited)
    return None if under is None and supplied and not items else Items(items=tuple(items), span=over.span)
