"""Edits of a manifest's text that keep everything else as its author typed it: one item of a list, one value."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import yaml

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Edit, Span

_LOADER: Final = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # only the places of nodes are asked for
_BREAK: Final = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_PLAIN: Final = re.compile(r"(?:[A-Za-z_.][\w./+-]*|//[\w./+-]+)(?:::[\w:]*\w)?")
"""Paths and node ids that are text to YAML wherever they stand, without quotes."""
_REST: Final = re.compile(r",?[ \t]*(?:#.*)?(?=\r?\n)")
"""What may stand behind the last item of a list, in its line."""
_OWN: Final = re.compile(r"[ \t]*,[ \t]*(?P<comment>(?:#[^\r\n]*)?)(?P<newline>\r?\n)")
"""What may stand behind an item that is not the last of its list, up to the end of its line."""
_NOT_TEXT: Final = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n", "~", ".", ".inf", ".nan"})


class OverlappingEditsError(ValueError):
    """Two edits want to write the same characters."""


def applied(text: str, edits: Iterable[Edit]) -> str:
    """A text with edits made, each once.

    Raises:
        OverlappingEditsError: two of them overlap.
    """
    starts = line_starts(text)
    at = 0
    pieces = []
    for edit in sorted(set(edits)):
        start, end = _offsets(edit.span, starts)
        if start < at:
            raise OverlappingEditsError(f"two edits at {edit.span}")
        pieces += [text[at:start], edit.text]
        at = end
    return "".join([*pieces, text[at:]])


def line_starts(text: str) -> tuple[int, ...]:
    """The offset of each line, as YAML counts them."""
    return (0, *(found.end() for found in _BREAK.finditer(text)))


def _offsets(span: Span, starts: tuple[int, ...]) -> tuple[int, int]:
    return starts[span.line - 1] + span.column - 1, starts[span.end_line - 1] + span.end_column - 1


def between(path: str, start: int, end: int, starts: tuple[int, ...]) -> Span:
    """The span from one offset of a text to another; `starts` are those of its lines."""

    def place(offset: int) -> tuple[int, int]:
        line = max(at for at, begin in enumerate(starts) if begin <= offset)
        return line + 1, offset - starts[line] + 1

    line, column = place(start)
    end_line, end_column = place(end)
    return Span(path=path, line=line, column=column, end_line=end_line, end_column=end_column)


def replaced(span: Span, value: str) -> Edit:
    """Another text in the place of a value, with quotes where YAML asks for them."""
    plain = _PLAIN.fullmatch(value) and value.lower() not in _NOT_TEXT
    return Edit(span=span, text=value if plain else json.dumps(value, ensure_ascii=False))


def removed(text: str, item: Span) -> tuple[Edit, ...]:
    """The edit that takes one item out of its list; none where that cannot be done by removing text alone.

    `item` is the place of a value that is an item of a list, or the one value in a list's stead: then an empty list
    takes its place. What stays of a list is what it was, with all comments but the item's own, at the end of its line.
    """
    place = _find(text, item)
    if place is None:
        return ()
    if place.items is None:
        return (Edit(span=item, text="[]"),)
    starts = line_starts(text)
    found = _flow(text, place) if place.flow else _block(text, place, starts)
    if found is None:
        return ()
    start, end, instead = found
    return (Edit(span=between(item.path, start, end, starts), text=instead),)


def merged(text: str, items: Sequence[Span], value: str) -> tuple[Edit, ...]:
    """The edits that put one value in the place of several items of one list, where the first of them stands.

    None where the items are not all of one list, or where removing them would take comments with them.
    """
    first, *others = sorted(items)
    places = [_find(text, item) for item in (first, *others)]
    lists = {None if place is None or place.items is None else (place.start, place.end) for place in places}
    indices = [place.index for place in places if place is not None]
    if len(lists) > 1 or None in lists:
        return ()
    start = replaced(first, value)
    if places[0] is not None and not places[0].flow:
        rest = [edit for other in others for edit in removed(text, other)]
        return (start, *rest) if len(rest) == len(others) else ()
    last = others[-1] if others else first
    whole = Span(
        path=first.path, line=first.line, column=first.column, end_line=last.end_line, end_column=last.end_column
    )
    begin, end = _offsets(whole, line_starts(text))
    if indices != list(range(indices[0], indices[0] + len(indices))) or "#" in text[begin:end]:
        return ()
    return (Edit(span=whole, text=start.text),)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """An item in its list: where the list and all of its items begin and end. No items: it is no list."""

    index: int = 0
    items: tuple[tuple[int, int], ...] | None = None
    flow: bool = False
    start: int = 0
    end: int = 0


def _find(text: str, item: Span) -> _Place | None:
    """The list whose item begins at a place."""
    starts = line_starts(text)
    if not 1 <= item.line <= len(starts):
        return None
    wanted = _offsets(item, starts)[0]
    try:
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError:
        return None
    for node, inner in _nested(root):
        if inner.start_mark.index != wanted or not isinstance(inner, yaml.ScalarNode):
            continue
        if not isinstance(node, yaml.SequenceNode):
            return _Place()
        places = tuple((one.start_mark.index, one.end_mark.index) for one in node.value)
        if any(places[at][1] > places[at + 1][0] for at in range(len(places) - 1)):
            return None  # an alias stands for what lies elsewhere
        at = next(at for at, one in enumerate(node.value) if one is inner)
        return _Place(
            index=at,
            items=places,
            flow=bool(node.flow_style),
            start=node.start_mark.index,
            end=node.end_mark.index,
        )
    return None


def _nested(root: yaml.Node | None) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    """Every value with what it stands in, each once."""
    pending = [] if root is None else [root]
    seen = set()
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        match node:
            case yaml.SequenceNode():
                inner = list(node.value)
            case yaml.MappingNode():
                inner = [value for _, value in node.value]
            case _:
                inner = []
        yield from ((node, one) for one in inner)
        pending += inner


def _flow(text: str, place: _Place) -> tuple[int, int, str] | None:
    """What to cut out of `[a, b, c]`: the item with the comma behind it, or, of the last one, in front of it."""
    items = place.items or ()
    start, end = items[place.index]
    if len(items) == 1:
        return place.start, place.end, "[]"
    if place.index + 1 < len(items):
        following = items[place.index + 1][0]
        return (start, following, "") if "#" not in text[end:following] else _before_comment(text, start, end)
    before = items[place.index - 1][1]
    between = text[before:start]
    if "#" not in between:
        return before, end, ""
    line = text.rfind("\n", 0, start) + 1  # the comma stays where it is, behind it the comment of the item before
    own = _REST.match(text, end)
    if text[line:start].strip():
        return None
    return (line, end, "") if own is None else (line - 1, own.end(), "")


def _before_comment(text: str, start: int, end: int) -> tuple[int, int, str] | None:
    """What to cut where comments lie between an item and the next: its own goes, at the end of its line."""
    own = _OWN.match(text, end)
    if own is None:
        return None
    line = text.rfind("\n", 0, start) + 1
    in_front = text[line:start].strip()
    if not in_front:
        return line, own.end(), ""  # all of its line
    return start, own.start("comment") if in_front.endswith(",") else own.start("newline"), ""


def _block(text: str, place: _Place, starts: tuple[int, ...]) -> tuple[int, int, str] | None:
    """What to cut out of a list with an item a line: the item's lines, or, of the only item, what makes it a list."""
    items = place.items or ()
    start, end = items[place.index]
    line = max(at for at in starts if at <= start)
    if text[line:start].strip() != "-":
        return None
    last = max(at for at in starts if at <= max(start, end - 1))
    after = next((at for at in starts if at > last), len(text))
    if len(items) > 1:
        return line, after, ""
    key = text.rstrip(" ") and text[:line].rstrip(" \n")
    return (len(key), after, " []\n") if key.endswith(":") else None
