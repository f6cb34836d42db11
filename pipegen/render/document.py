"""What a template rendered, read as the Buildkite agent would: plain data straight from libyaml's events.

Located nodes would tell where in the rendered text a value stands, which nobody has typed; without them this is the
cheap part of rendering 300 jobs. The limits are those of authored files.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import field
from typing import Final

import yaml

from pipegen.agent_scalars import NotPlainData, read_scalar
from pipegen.dataclass import dataclass
from pipegen.dollar import UPLOAD_CLOSE, UPLOAD_OPEN
from pipegen.manifest.building import MAX_DEPTH, MAX_NODES
from pipegen.manifest.yaml import yaml_events
from pipegen.plain import Plain, PlainMap

_PLAIN_STYLES: Final = (None, "")
_REFUSED: Final = re.compile("[\0\ud800-\udfff\ufdd2-\ufdef]")


class DocumentError(ValueError):
    """The text is no single YAML document of plain data; `line` counts from 1 in the rendered text."""

    def __init__(self, message: str, *, line: int, hint: str = "") -> None:
        super().__init__(message)
        self.line = line
        self.hint = hint


@dataclass(slots=True, kw_only=True)
class _Open:
    """A collection that is being read."""

    value: "list[Plain] | dict[str, Plain]"
    is_mapping: bool
    anchor: str | None
    key: str | None = None
    weight: int = 1


class Documents:
    """Reads many documents; an attribute that stands in several of them, as plugins mostly do, is read once.

    Half of all values of a large pipeline are read that way. What is given back may be shared: it is not to be changed.
    """

    def __init__(self) -> None:
        self._attributes: dict[str, tuple[PlainMap, int]] = {}

    def read(self, text: str) -> Plain:
        """See `read_document`, which reads what cannot be taken apart, and says what is wrong."""
        before, *attributes = _ATTRIBUTE.split(f"\n{text}")
        if before.strip() or not attributes or _MARKER.search(f"\n{text}"):
            return read_document(text)
        attributes[:-1] = [f"{attribute}\n" for attribute in attributes[:-1]]
        whole: dict[str, Plain] = {}
        weight = 0
        for attribute in attributes:
            read = self._attributes.get(attribute) or self._read(attribute)
            if read is None or not whole.keys().isdisjoint(read[0]):
                return read_document(text)
            self._attributes[attribute] = read
            whole.update(read[0])
            weight += read[1]
        return whole if weight <= MAX_NODES else read_document(text)

    def _read(self, text: str) -> tuple[PlainMap, int] | None:
        """One attribute and its weight; None where it is none, or not one, by itself."""
        name, _, written = text.rstrip("\n").partition(":")
        found = _read_json(written[1:] if written.startswith(" ") else _in_one_line(written))
        if found is not None:
            value, weight = found
            return {name: value}, weight + 1
        reader = _Reader()
        try:
            read = reader.read(yaml_events(text))
        except (DocumentError, yaml.YAMLError):
            return None
        return (read, reader.weight) if isinstance(read, dict) and len(read) == 1 else None


_ATTRIBUTE: Final = re.compile(r"\n(?=[a-z_]+:)")
"""Where a line begins with a name: an attribute of the document if what stands before it is whole without it.

Looked for by the break in front: to ask at each character whether a line begins there takes three times as long.
"""
_MARKER: Final = re.compile(r"\n(?:---|\.\.\.|%)")
"""The beginning or end of a document, which ends more than an attribute."""


def _read_json(text: str) -> tuple[Plain, int] | None:
    """The value that stands in a line of JSON, which is YAML, and its weight; None where YAML may read another.

    Nine of ten attributes come out of `tojson`. The line is to hold nothing that YAML has rules of its own for: tabs,
    other line breaks and white space, escapes beyond the ones that both have, keys of a kilobyte.
    """
    if text[:1] not in _BEGINS_JSON or "\\u" in text or "\\/" in text:
        return None
    if not text.isprintable() and not text.replace(UPLOAD_OPEN, "").replace(UPLOAD_CLOSE, "").isprintable():
        return None
    try:
        value = _DECODE(text)
    except (ValueError, RecursionError):
        return None
    weight = _weight(value)
    return None if weight is None else (value, weight)


def _in_one_line(lines: str) -> str:
    """A block of names with a JSON text each, which is what templates make of an environment, as one line of JSON."""
    entries = [_ENTRY.fullmatch(line) for line in lines[1:].split("\n")]
    found = [f'"{entry[1]}": {entry[2]}' for entry in entries if entry is not None]
    return f"{{{', '.join(found)}}}" if len(found) == len(entries) else ""


def _weight(value: Plain) -> int | None:
    """What `_Reader` counts for the value of an attribute: each value as often as it is deep; None if that is deep."""
    weight, level, depth = 0, [value], 2
    while level:
        if depth > MAX_DEPTH:
            return None
        weight += depth * len(level)
        below: list[Plain] = []
        for item in level:
            if type(item) is dict:
                below += item.values()
            elif type(item) is list:
                below += item
        level, depth = below, depth + 1
    return weight


def _unique(pairs: list[tuple[str, Plain]]) -> dict[str, Plain]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs) or max(map(len, mapping), default=0) > _LONGEST_SIMPLE:
        raise ValueError("for YAML to read")
    return mapping


def _refuse(constant: str) -> Plain:
    raise ValueError(constant)


_ENTRY: Final = re.compile(r'  ([A-Za-z_][A-Za-z0-9_]*): ("[^"\\]*+(?:\\.[^"\\]*+)*+")')
_BEGINS_JSON: Final = ("[", "{", '"')
_LONGEST_SIMPLE: Final = 500
"""Characters of a key, each of which may take two; YAML's end at 1,024."""
_DECODE: Final = json.JSONDecoder(
    object_pairs_hook=_unique, parse_int=read_scalar, parse_float=read_scalar, parse_constant=_refuse
).decode


def read_document(text: str) -> Plain:
    """The one document of a text.

    Raises:
        DocumentError: it is no YAML, has a feature that plain data does without, or is too large.
    """
    try:
        return _Reader().read(yaml_events(text))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise DocumentError(f"not YAML: {error.problem}", line=1 if mark is None else mark.line + 1) from error
    except yaml.YAMLError as error:
        raise DocumentError("not YAML: " + " ".join(str(error).split()), line=1) from error


@dataclass(slots=True, kw_only=True)
class _Reader:
    stack: list[_Open] = field(default_factory=list)
    anchors: dict[str, tuple[Plain, int]] = field(default_factory=dict)
    root: Plain = None
    weight: int = 0
    documents: int = 0

    def read(self, events: Iterator[yaml.Event]) -> Plain:
        for event in events:
            match event:
                case yaml.ScalarEvent():
                    self._scalar(event)
                case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                    self._open(event)
                case yaml.CollectionEndEvent():
                    top = self.stack.pop()
                    self._put(top.value, top.weight, top.anchor, event)
                case yaml.AliasEvent():
                    self._alias(event)
                case yaml.DocumentStartEvent():
                    self.documents += 1
                    if self.documents > 1:
                        raise _fault("a second document begins here", event)
                case _:
                    pass
        return self.root

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        text = event.value
        if event.tag is not None:
            raise _fault(
                f'tag "{event.tag}" is not supported', event, hint='put a value that begins with "!" in quotes'
            )
        if not text.isascii() or "\0" in text:  # few texts are, and those that are need no search
            self._refuse_characters(text, event)
        top = self.stack[-1] if self.stack else None
        if top is not None and top.is_mapping and top.key is None:
            self._key(top, text, event)
            return
        value: Plain = text
        if event.style in _PLAIN_STYLES:
            try:
                value = read_scalar(text)
            except NotPlainData as error:
                message = str(error).partition(";")[0]
                raise _fault(message, event, hint=f'put it in quotes: "{text}"') from error
        self._put(value, 1, event.anchor, event)

    def _refuse_characters(self, text: str, event: yaml.Event) -> None:
        if bad := _REFUSED.search(text):
            raise _fault(f"character U+{ord(bad[0]):04X} is not text", event)

    def _key(self, top: _Open, text: str, event: yaml.Event) -> None:
        if text == "<<" and getattr(event, "style", None) in (None, ""):
            raise _fault('merge key "<<" is not supported here', event, hint="write the keys out")
        if text in top.value:
            raise _fault(f'key "{text}" stands here twice', event, hint="keep one of them")
        top.key = text

    def _open(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        if len(self.stack) >= MAX_DEPTH:
            raise _fault(f"nested more than {MAX_DEPTH} levels deep", event)
        if event.tag is not None:
            raise _fault(f'tag "{event.tag}" is not supported', event)
        if self.stack and self.stack[-1].is_mapping and self.stack[-1].key is None:
            raise _fault("a key is text, not a list or mapping", event, hint="put a value that begins with { in quotes")
        is_mapping = type(event) is yaml.MappingStartEvent
        self.stack.append(_Open(value={} if is_mapping else [], is_mapping=is_mapping, anchor=event.anchor))

    def _alias(self, event: yaml.AliasEvent) -> None:
        if event.anchor not in self.anchors:
            raise _fault(f'alias "*{event.anchor}" names no anchor above it', event)
        value, weight = self.anchors[event.anchor]
        self._put(value, weight, None, event)

    def _put(self, value: Plain, weight: int, anchor: str | None, event: yaml.Event) -> None:
        self.weight += weight
        if self.weight > MAX_NODES:
            raise _fault(f"more than {MAX_NODES:,} values", event)
        if anchor is not None:
            self.anchors[anchor] = (value, weight)
        if not self.stack:
            self.root = value
            return
        top = self.stack[-1]
        top.weight += weight
        if isinstance(top.value, list):
            top.value.append(value)
        elif top.key is None:
            raise _fault("a key is text", event)
        else:
            top.value[top.key] = value
            top.key = None


def _fault(message: str, event: yaml.Event, *, hint: str = "") -> DocumentError:
    mark = event.start_mark
    return DocumentError(message, line=1 if mark is None else mark.line + 1, hint=hint)
