"""Bytes to located nodes. Built on libyaml's events, so that depth, size and aliases are bounded before they cost.

The limits are far above any real manifest and far below what hurts: they are refused at their place.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import yaml

from pipegen import codes
from pipegen.diagnostics import Related, Span
from pipegen.manifest.located import Entry, Items, Mapping, Node, Report, Scalar
from pipegen.source import Tree, UnreadableError

MAX_BYTES: Final = 1 << 20
MAX_DEPTH: Final = 64
MAX_NODES: Final = 200_000
"""Nodes of one file with every alias counted at its full size."""

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BREAK: Final = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufeff\ufffe\uffff\ud800-\udfff]")
_UNCARRIED: Final = re.compile("[\0\ud800-\udfff\ufdd0-\ufdef]")
_NULLS: Final = frozenset({"~", "Null", "NULL"})


def lines(text: str) -> list[str]:
    """Split text into lines as YAML counts them."""
    return _BREAK.split(text)


def read_yaml(tree: Tree, path: str, report: Report) -> Node | None:
    """Read one file into nodes; None if a diagnostic says why there are none."""
    try:
        content = tree.read(path, limit=MAX_BYTES)
    except UnreadableError as error:
        report.add(codes.UNREADABLE_FILE, Span(path=path), f'cannot read "{path}": {error}')
        return None
    return parse_yaml(content, path, report)


def parse_yaml(content: bytes, path: str, report: Report) -> Node | None:
    """Parse the bytes of one file into nodes; None if a diagnostic says why there are none."""
    text = _decode(content, path, report)
    if text is None:
        return None
    builder = _Builder(path=path, report=report)
    try:
        root = builder.build(yaml_events(text))
    except yaml.MarkedYAMLError as error:
        _syntax_error(error, text, path, report)
        return None
    except yaml.YAMLError as error:
        report.add(codes.YAML_SYNTAX, Span(path=path, line=1, column=1), f"not YAML: {error}".replace("\n", " "))
        return None
    except _TooLargeError as error:
        report.add(codes.TOO_LARGE, error.span, str(error), hint="split it into several files")
        return None
    if root is None and not report.found:
        report.add(codes.EMPTY_FILE, Span(path=path, line=1, column=1), "the file holds nothing")
    return root


def yaml_events(text: str) -> Iterator[yaml.Event]:
    """The events that libyaml makes of a text, one at a time; the caller bounds what it builds of them."""
    loader = _LOADER(text)
    try:
        while loader.check_event():
            yield loader.get_event()
    finally:
        loader.dispose()


def _decode(content: bytes, path: str, report: Report) -> str | None:
    if len(content) > MAX_BYTES:
        report.add(
            codes.TOO_LARGE,
            Span(path=path),
            f"the file has more than {MAX_BYTES:,} bytes",
            hint="split it into several files",
        )
        return None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8", errors="replace")
        seen = lines(before)
        place = Span(path=path, line=len(seen), column=len(seen[-1]) + 1)
        report.add(
            codes.NOT_UTF8,
            place,
            f"byte 0x{content[error.start]:02x} is not UTF-8",
            hint="save the file as UTF-8",
        )
        return None
    if bad := _UNPRINTABLE.search(text):
        seen = lines(text[: bad.start()])
        place = Span(path=path, line=len(seen), column=len(seen[-1]) + 1)
        report.add(
            codes.FORBIDDEN_CHARACTER,
            place,
            f"control character U+{ord(bad[0]):04X} cannot stand in YAML",
            hint=f'remove it, or write "\\u{ord(bad[0]):04x}" in double quotes',
        )
        return None
    return text


def _syntax_error(error: yaml.MarkedYAMLError, text: str, path: str, report: Report) -> None:
    mark = error.problem_mark or error.context_mark
    line, column = _place(mark)
    source = lines(text)
    written = source[line - 1] if line <= len(source) else ""
    previous = source[line - 2] if 2 <= line <= len(source) + 1 else ""
    problem = error.problem or "cannot be read"
    for candidate, at in ((written, line), (previous, line - 1)):
        if unquoted := re.search(r"(?:^|[:\[,-])\s*(\{\{)", candidate):
            place = Span(
                path=path,
                line=at,
                column=unquoted.start(1) + 1,
                end_line=at,
                end_column=unquoted.start(1) + 3,
            )
            report.add(
                codes.UNQUOTED_JINJA,
                place,
                'a value that begins with "{{" must be quoted',
                hint="put the whole value in double quotes",
            )
            return
    hint = "indent with spaces: YAML allows no tabs there" if "\t" in written[: column + 1] else ""
    report.add(codes.YAML_SYNTAX, Span(path=path, line=line, column=column), f"not YAML: {problem}", hint=hint)


def _place(mark: "yaml.error.Mark | yaml._yaml.Mark | None") -> tuple[int, int]:
    """Line and column, both from 1, of a mark that counts from 0."""
    return (1, 1) if mark is None else (mark.line + 1, mark.column + 1)


class _TooLargeError(Exception):
    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.span = span


@dataclass(slots=True, kw_only=True)
class _Open:
    """A collection that is being read: its parts so far, and for a mapping the key that waits for its value."""

    is_mapping: bool
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
class _Builder:
    """Builds nodes from events with a stack of its own: input nested a million deep costs no recursion."""

    path: str
    report: Report
    stack: list[_Open] = field(default_factory=list)
    anchors: dict[str, tuple[Node, int]] = field(default_factory=dict)
    root: Node | None = None
    weight: int = 0
    documents: int = 0

    def build(self, events: Iterator[yaml.Event]) -> Node | None:
        for event in events:
            match event:
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
                case yaml.ScalarEvent():
                    self._scalar(event)
                case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                    self._open(event)
                case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                    self._close(event)
                case _:
                    pass
        return self.root

    def _span(self, event: yaml.Event) -> Span:
        line, column = _place(event.start_mark)
        end_line, end_column = _place(event.end_mark)
        return Span(path=self.path, line=line, column=column, end_line=end_line, end_column=end_column)

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        span = self._span(event)
        plain = event.style in (None, "")
        if event.tag is not None:
            self._refuse_tag(event.tag, span)
        text = str(event.value)
        if bad := _UNCARRIED.search(text):
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
        self.report.add(
            codes.YAML_FEATURE,
            span,
            f'tag "{shown}" is not supported',
            hint='put the value in double quotes if it begins with "!"',
        )

    def _open(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        span = self._span(event)
        if len(self.stack) >= MAX_DEPTH:
            raise _TooLargeError(f"nested more than {MAX_DEPTH} levels deep", span)
        if event.tag is not None:
            self._refuse_tag(event.tag, span)
        if event.anchor is not None:
            self.anchors.pop(event.anchor, None)
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        self.stack.append(_Open(is_mapping=is_mapping, flow=bool(event.flow_style), anchor=event.anchor, start=span))

    def _close(self, event: yaml.Event) -> None:
        top = self.stack.pop()
        end_line, end_column = _place(event.end_mark if top.flow else event.start_mark)
        span = Span(
            path=self.path, line=top.start.line, column=top.start.column, end_line=end_line, end_column=end_column
        )
        node: Node
        if top.is_mapping:
            self._merge(top)
            node = Mapping(entries=tuple(top.entries.values()), span=span)
        else:
            node = Items(items=tuple(top.items), span=span)
        self._put(node, top.weight, top.anchor)

    def _alias(self, event: yaml.AliasEvent) -> None:
        span = self._span(event)
        if any(level.anchor == event.anchor for level in self.stack):
            self.report.add(codes.YAML_FEATURE, span, f'alias "*{event.anchor}" contains itself')
            node: Node = Scalar(text="*" + str(event.anchor), plain=False, span=span)
            self._put(node, 1, None)
        elif event.anchor in self.anchors:
            node, weight = self.anchors[event.anchor]
            self._put(node, weight, None)
        else:
            self.report.add(codes.UNKNOWN_REFERENCE, span, f'alias "*{event.anchor}" names no anchor above it')
            self._put(Scalar(text="*" + str(event.anchor), plain=False, span=span), 1, None)

    def _put(self, node: Node, weight: int, anchor: str | None) -> None:
        self.weight += weight
        if self.weight > MAX_NODES:
            raise _TooLargeError(f"more than {MAX_NODES:,} values, aliases counted at their full size", node.span)
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
            self.report.add(
                codes.UNQUOTED_JINJA,
                top.start,
                'a value that begins with "{{" must be quoted',
                hint="put the whole value in double quotes",
            )
        else:
            self.report.add(codes.YAML_FEATURE, node.span, "a key is text, not a list or mapping")

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
                    self.report.add(codes.WRONG_TYPE, source.span, '"<<" merges mappings only')
                    continue
                for entry in source.entries:
                    top.entries.setdefault(entry.key.text, entry)
