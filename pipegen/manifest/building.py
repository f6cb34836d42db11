"""Events to located nodes, with a stack of its own: what is nested a million deep costs no recursion."""

import re
from collections.abc import Iterator
from dataclasses import field
from typing import Final

import yaml

from pipegen import codes
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Related, Span, closest
from pipegen.manifest.located import Entry, Items, Mapping, Node, Report, Scalar, describe

QUOTE_IT: Final = "put the whole value in double quotes"
UNQUOTED: Final = 'a value that begins with "{{" must be quoted'
MAX_DEPTH: Final = 64
MAX_NODES: Final = 200_000
"""Nodes of one file with every alias counted at its full size."""
_UNCARRIED: Final = re.compile("[\0\ud800-\udfff\ufdd0-\ufdef]")
_NULLS: Final = frozenset({"~", "Null", "NULL"})


def place_of_mark(mark: "yaml.error.Mark | yaml._yaml.Mark | None") -> tuple[int, int]:
    """Line and column, both from 1, of a mark that counts from 0."""
    return (1, 1) if mark is None else (mark.line + 1, mark.column + 1)


class TooLargeError(Exception):
    """A file is nested deeper, or expands to more, than any manifest; `span` is where."""

    def __init__(self, message: str, span: Span, hint: str) -> None:
        super().__init__(message)
        self.span = span
        self.hint = hint


@dataclass(slots=True, kw_only=True)
class _Open:
    """A collection that is being read: its parts so far, and for a mapping the key that waits for its value.

    `offset` is where it begins in the text; `unquoted` says that it is an expression without its quotes.
    """

    is_mapping: bool
    offset: int
    unquoted: bool = False
    flow: bool
    anchor: str | None
    start: Span
    items: list[Node] = field(default_factory=list)
    entries: dict[str, Entry] = field(default_factory=dict)
    merged: list[Node] = field(default_factory=list)
    key: Scalar | None = None
    bad_key: bool = False
    weight: int = 1


@dataclass(slots=True, kw_only=True)
class Builder:
    """Builds nodes from events with a stack of its own: input nested a million deep costs no recursion."""

    path: str
    text: str
    report: Report
    stack: list[_Open] = field(default_factory=list)
    anchors: dict[str, tuple[Node, int]] = field(default_factory=dict)
    root: Node | None = None
    weight: int = 0
    documents: int = 0

    def build(self, events: Iterator[yaml.Event]) -> Node | None:
        """The root node of the one document, or None; mistakes are in the report.

        Raises:
            TooLargeError: a limit is passed.
        """
        for event in events:
            match event:  # by how many there are of each
                case yaml.ScalarEvent():
                    self._scalar(event)
                case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                    self._open(event)
                case yaml.CollectionEndEvent():
                    self._close(event)
                case yaml.DocumentStartEvent():
                    self.documents += 1
                    if self.documents > 1:
                        self.report.add(
                            codes.YAML_FEATURE,
                            self._span(event),
                            "a second document begins here",
                            hint="keep one document per file",
                        )
                        return None
                case yaml.AliasEvent():
                    self._alias(event)
                case _:
                    pass
        return self.root

    def _span(self, event: yaml.Event) -> Span:
        start, end = event.start_mark, event.end_mark
        if start is None or end is None:
            return Span(path=self.path, line=1, column=1, end_line=1, end_column=1)
        return Span(
            path=self.path,
            line=start.line + 1,
            column=start.column + 1,
            end_line=end.line + 1,
            end_column=end.column + 1,
        )

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        span = self._span(event)
        plain = event.style in (None, "")
        if event.tag is not None:
            self._refuse_tag(event.tag, span)
        text = str(event.value)
        if (not text.isascii() or "\0" in text) and (bad := _UNCARRIED.search(text)):
            self.report.add(
                codes.FORBIDDEN_CHARACTER,
                span,
                f"character U+{ord(bad[0]):04X} is not text",
                hint="remove it: no shell, variable or pipeline can carry it",
            )
            text = _UNCARRIED.sub("\ufffd", text)
        if plain and text in _NULLS:
            self.report.add(
                codes.WRONG_TYPE,
                span,
                f'"{text}" could be text or null',
                hint=f'write null to remove a value, or "{text}" in quotes for the text',
            )
        self._put(Scalar(text=text, plain=plain, span=span), 1, event.anchor)

    def _refuse_tag(self, tag: str, span: Span) -> None:
        shown = tag.replace("tag:yaml.org,2002:", "!!")
        typed = shown.startswith("!!")
        hint = (
            "take it out: the key says of what type its value is" if typed else "put the whole value in double quotes"
        )
        self.report.add(codes.YAML_FEATURE, span, f'tag "{shown}" is not supported', hint=hint)

    def _open(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        span = self._span(event)
        if len(self.stack) >= MAX_DEPTH:
            raise TooLargeError(f"nested more than {MAX_DEPTH} levels deep", span, "nest less")
        if event.tag is not None:
            self._refuse_tag(event.tag, span)
        if event.anchor is not None:
            self.anchors.pop(event.anchor, None)
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        offset, flow = 0 if event.start_mark is None else event.start_mark.index, bool(event.flow_style)
        self.stack.append(_Open(is_mapping=is_mapping, offset=offset, flow=flow, anchor=event.anchor, start=span))

    def _close(self, event: yaml.Event) -> None:
        top = self.stack.pop()
        end_line, end_column = place_of_mark(event.end_mark if top.flow else event.start_mark)
        span = Span(
            path=self.path, line=top.start.line, column=top.start.column, end_line=end_line, end_column=end_column
        )
        node: Node
        if top.unquoted and event.end_mark is not None:
            # As if it had its quotes, so that what is wrong elsewhere in the file is found in the same run.
            node = Scalar(text=self.text[top.offset : event.end_mark.index], plain=False, span=span)
        elif top.is_mapping:
            self._merge(top)
            node = Mapping(entries=tuple(top.entries.values()), span=span)
        else:
            node = Items(items=tuple(top.items), span=span)
        self._put(node, top.weight, top.anchor, new=1)

    def _alias(self, event: yaml.AliasEvent) -> None:
        span, name = self._span(event), str(event.anchor)
        inside = any(level.anchor == name for level in self.stack)
        if name in self.anchors and not inside:
            node, weight = self.anchors[name]
            self._put(node, weight, None)
            return
        if inside:
            self.report.add(codes.YAML_FEATURE, span, f'alias "*{name}" contains itself', hint="write its items out")
        else:
            likely = self.report.meant(name, self.anchors, '"*{}"')
            hint = likely or f'{QUOTE_IT} if it begins with "*"'
            self.report.add(codes.UNKNOWN_REFERENCE, span, f'alias "*{name}" names no anchor above it', hint=hint)
            if likely:  # as if it were that one, so that nothing else is said about this place
                self._put(*self.anchors[closest(name, self.anchors) or name], None)
                return
        self._put(Scalar(text=f"*{name}", plain=False, span=span), 1, None)

    def _put(self, node: Node, weight: int, anchor: str | None, *, new: int | None = None) -> None:
        """Put a node where it belongs. `weight` is its full size, of which `new` nodes were not counted yet."""
        self.weight += weight if new is None else new
        if self.weight > MAX_NODES:
            message = f"more than {MAX_NODES:,} values, aliases counted at their full size"
            raise TooLargeError(message, node.span, "split the file, or use fewer aliases")
        if anchor is not None:
            self.anchors[anchor] = (node, weight)
        if not self.stack:
            self.root = node
            return
        top = self.stack[-1]
        top.weight += weight
        if not top.is_mapping:
            top.items.append(node)
        elif top.key is None and not top.bad_key:
            self._key(top, node)
        else:
            self._value(top, node)

    def _key(self, top: _Open, node: Node) -> None:
        if isinstance(node, Scalar):
            top.key = node
            if node.is_empty:
                self.report.add(codes.EMPTY_VALUE, node.span, "empty key", hint="name the key")
            return
        top.bad_key = True
        if isinstance(node, Mapping) and top.flow:
            top.unquoted = True
            place = braces(self.path, top.start.line, top.start.column)
            self.report.add(codes.UNQUOTED_JINJA, place, UNQUOTED, hint=QUOTE_IT)
        else:
            self.report.add(
                codes.YAML_FEATURE, node.span, "a key is text, not a list or mapping", hint="put the key in quotes"
            )

    def _value(self, top: _Open, node: Node) -> None:
        key, top.key, was_bad, top.bad_key = top.key, None, top.bad_key, False
        if key is None or was_bad:
            return
        if key.plain and key.text == "<<":
            top.merged.append(node)
        elif (first := top.entries.get(key.text)) is not None:
            self.report.add(
                codes.DUPLICATE_KEY,
                key.span,
                f'key "{key.text}" stands here twice',
                hint="keep one of them",
                related=(Related(span=first.key.span, note="first here"),),
            )
        else:
            top.entries[key.text] = Entry(key=key, value=node)

    def _merge(self, top: _Open) -> None:
        """YAML's merge key: explicit keys win, then earlier mappings."""
        for node in top.merged:
            for source in node.items if isinstance(node, Items) else (node,):
                if not isinstance(source, Mapping):
                    found = f'"<<" merges mappings, found {describe(source)}'
                    self.report.add(codes.WRONG_TYPE, source.span, found, hint="write <<: *NAME, a mapping's anchor")
                    continue
                for entry in source.entries:
                    top.entries.setdefault(entry.key.text, entry)


def braces(path: str, line: int, column: int) -> Span:
    """The two braces that stand at a place."""
    return Span(path=path, line=line, column=column, end_line=line, end_column=column + 2)
