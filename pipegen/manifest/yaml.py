"""Bytes to located nodes. Built on libyaml's events, so that depth, size and aliases are bounded before they cost.

The limits are far above any real manifest and far below what hurts: they are refused at their place.
"""

import codecs
import re
from collections.abc import Iterator
from collections.abc import Mapping as MappingABC
from dataclasses import dataclass, field
from typing import Final

import yaml

from pipegen import codes
from pipegen.diagnostics import Related, Span, closest, meant
from pipegen.manifest.located import Entry, Items, Mapping, Node, Report, Scalar, describe
from pipegen.source import MissingError, Tree, UnreadableError

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


def read_yaml(tree: Tree, path: str, report: Report, *, named_at: Span | None = None) -> Node | None:
    """Read one file into nodes; None if a diagnostic says why there are none.

    `named_at` is the place that names the file, which is to blame where there is none.
    """
    content = _content(tree, path, report, limit=MAX_BYTES, named_at=named_at)
    return None if content is None else parse_yaml(content, path, report)


def read_text(tree: Tree, path: str, report: Report, *, limit: int) -> str | None:
    """Read one file of at most `limit` bytes as UTF-8 text; None if a diagnostic says why there is none."""
    content = _content(tree, path, report, limit=limit)
    return None if content is None else _decode(content, path, report, limit=limit)


def _content(tree: Tree, path: str, report: Report, *, limit: int, named_at: Span | None = None) -> bytes | None:
    try:
        return tree.read(path, limit=limit)
    except UnreadableError as error:
        at = named_at if isinstance(error, MissingError) and named_at is not None else Span(path=path)
        missing = isinstance(error, MissingError)
        hint = near_path(tree, path, at.path) if missing else "make it a file that can be read"
        report.add(codes.UNREADABLE_FILE, at, f'cannot read "{path}": {error}', hint=hint)
        return None


def near_path(tree: Tree, path: str, named_in: str, usual: str = "") -> str:
    """The help line for a path that is not there: the file or folder that was probably meant.

    It is looked for in the path's own folder, beside the file that names it, and at the usual place: a whole
    repository is too much to search. A path that ends with `/` is a folder's.
    """
    beside: set[str] = set()
    for place in (path.rstrip("/").rpartition("/")[0], named_in.rpartition("/")[0], usual):
        try:
            beside.update(tree.under(place) if place else ())
        except UnreadableError:
            continue
    if path.endswith("/"):
        beside = {f"{folder}/" for file in beside for folder in _folders(file)}
    return meant(path, beside)


def _folders(file: str) -> Iterator[str]:
    """The folders that a file lies in."""
    while (file := file.rpartition("/")[0]) != "":
        yield file


def parse_yaml(content: bytes, path: str, report: Report) -> Node | None:
    """Parse the bytes of one file into nodes; None if a diagnostic says why there are none."""
    text = _decode(content, path, report, limit=MAX_BYTES)
    if text is None:
        return None
    before = len(report.found)
    builder = _Builder(path=path, text=text, report=report)
    root: Node | None = None
    try:
        root = builder.build(yaml_events(text))
    except yaml.MarkedYAMLError as error:
        _syntax_error(error, text, path, report)
    except yaml.YAMLError as error:
        report.add(codes.YAML_SYNTAX, _after("", path), "not YAML: " + " ".join(str(error).split()))
    except _TooLargeError as error:
        report.add(codes.TOO_LARGE, error.span, str(error), hint=error.hint)
    if root is not None and not (isinstance(root, Scalar) and root.is_empty):
        return root
    if len(report.found) == before:
        report.add(codes.EMPTY_FILE, _after("", path), "the file holds nothing", hint="fill it, or delete it")
    return None


def yaml_events(text: str) -> Iterator[yaml.Event]:
    """The events that libyaml makes of a text, one at a time; the caller bounds what it builds of them."""
    loader = _LOADER(text)
    try:
        while loader.check_event():
            yield loader.get_event()
    finally:
        loader.dispose()


def _decode(content: bytes, path: str, report: Report, *, limit: int) -> str | None:
    if len(content) > limit:
        message = f"the file has more than {limit:,} bytes"
        report.add(codes.TOO_LARGE, Span(path=path), message, hint="split it into several files")
        return None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8", errors="replace")
        utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        found = "the file is UTF-16" if utf16 else f"byte 0x{content[error.start]:02x} is not UTF-8"
        report.add(codes.NOT_UTF8, _after(before, path), found, hint="save the file as UTF-8")
        return None
    if bad := _UNPRINTABLE.search(text):
        number = ord(bad[0])
        report.add(
            codes.FORBIDDEN_CHARACTER,
            _after(text[: bad.start()], path),
            f"character U+{number:04X} cannot stand in YAML",
            hint="remove it" + (f', or write "\\u{number:04x}" in double quotes' if number else ""),
        )
        return None
    return text


def _after(before: str, path: str) -> Span:
    """The character that comes after some text of a file."""
    seen = lines(before)
    line, column = len(seen), len(seen[-1]) + 1
    return Span(path=path, line=line, column=column, end_line=line, end_column=column + 1)


_HERE: Final = "here"
_QUOTE: Final = "put the whole value in double quotes"
_CLOSE: Final = 'close it, or put a value that holds ": ", "," or a bracket in double quotes'
_TAG: Final = ('"!" begins a tag', _QUOTE, _HERE)
_TAB: Final = ("a tab cannot stand here", "indent with spaces")
_FAULTS: Final[MappingABC[str, tuple[str, str, str]]] = {
    "could not find expected ':'": ('expected ":" after this key', "write KEY: VALUE", _HERE),
    "found unexpected end of stream": ("a quote that is never closed", "close it with the same quote", _HERE),
    "found unknown escape character": ("unknown escape in double quotes", "write it in single quotes", ""),
    "mapping values are not allowed in this context": ('a second ":" in one line', _QUOTE, ""),
    "did not find expected key": ("expected a key", "begin all keys of a mapping in one column", "the mapping begins"),
    "did not find expected '-' indicator": ('expected "- "', "begin all items in one column", "the list begins"),
    "did not find expected ',' or ']'": ('expected "," or "]"', _CLOSE, "the list begins"),
    "did not find expected ',' or '}'": ('expected "," or "}"', _CLOSE, "the mapping begins"),
    "did not find expected alphabetic or numeric character": ('"*" begins an alias, "&" an anchor', _QUOTE, _HERE),
    "did not find expected whitespace or line break": _TAG,
    "did not find expected tag URI": _TAG,
    "found undefined tag handle": _TAG,
}
"""What libyaml's problems mean to an author: the message, what to type, and what stands where libyaml began to read
the thing that it gave up on (`_HERE`: the mistake itself)."""


def _syntax_error(error: yaml.MarkedYAMLError, text: str, path: str, report: Report) -> None:
    line, column = _place(error.problem_mark or error.context_mark)
    source = ["", *lines(text), ""]
    if error.problem == "exceeded maximum nesting depth":  # of libyaml itself, which reads ahead
        report.add(codes.TOO_LARGE, _after("", path), f"nested more than {MAX_DEPTH} levels deep", hint="nest less")
        return
    for at in (line, line - 1):
        if unquoted := re.search(r"(?:^|[:\[,-])\s*(\{\{)", source[at]):
            report.add(codes.UNQUOTED_JINJA, _braces(path, at, unquoted.start(1) + 1), _UNQUOTED, hint=_QUOTE)
            return
    problem = error.problem or "cannot be read"
    message, hint, start = _FAULTS.get(problem, (problem, "", ""))
    if problem == "found character that cannot start any token":
        found = source[line][column - 1 : column]
        message, hint = _TAB if found == "\t" else (f'no value begins with "{found}"', _QUOTE)
    related: tuple[Related, ...] = ()
    if error.context_mark is not None and start == _HERE:
        line, column = _place(error.context_mark)
    elif error.context_mark is not None and start:
        begun = _place(error.context_mark)
        related = (Related(span=Span(path=path, line=begun[0], column=begun[1]), note=f"{start} here"),)
    place = Span(path=path, line=line, column=column, end_line=line, end_column=column + 1)
    report.add(codes.YAML_SYNTAX, place, f"not YAML: {message}", hint=hint, related=related)


_UNQUOTED: Final = 'a value that begins with "{{" must be quoted'


def _braces(path: str, line: int, column: int) -> Span:
    return Span(path=path, line=line, column=column, end_line=line, end_column=column + 2)


def _place(mark: "yaml.error.Mark | yaml._yaml.Mark | None") -> tuple[int, int]:
    """Line and column, both from 1, of a mark that counts from 0."""
    return (1, 1) if mark is None else (mark.line + 1, mark.column + 1)


class _TooLargeError(Exception):
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
class _Builder:
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
        typed = shown.startswith("!!")
        hint = (
            "take it out: the key says of what type its value is" if typed else "put the whole value in double quotes"
        )
        self.report.add(codes.YAML_FEATURE, span, f'tag "{shown}" is not supported', hint=hint)

    def _open(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        span = self._span(event)
        if len(self.stack) >= MAX_DEPTH:
            raise _TooLargeError(f"nested more than {MAX_DEPTH} levels deep", span, "nest less")
        if event.tag is not None:
            self._refuse_tag(event.tag, span)
        if event.anchor is not None:
            self.anchors.pop(event.anchor, None)
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        offset, flow = 0 if event.start_mark is None else event.start_mark.index, bool(event.flow_style)
        self.stack.append(_Open(is_mapping=is_mapping, offset=offset, flow=flow, anchor=event.anchor, start=span))

    def _close(self, event: yaml.Event) -> None:
        top = self.stack.pop()
        end_line, end_column = _place(event.end_mark if top.flow else event.start_mark)
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
            hint = likely or f'{_QUOTE} if it begins with "*"'
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
            raise _TooLargeError(message, node.span, "split the file, or use fewer aliases")
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
            place = _braces(self.path, top.start.line, top.start.column)
            self.report.add(codes.UNQUOTED_JINJA, place, _UNQUOTED, hint=_QUOTE)
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
