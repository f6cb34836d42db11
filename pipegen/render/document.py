"""What a template rendered, read as the Buildkite agent would: plain data straight from libyaml's events.

Located nodes would tell where in the rendered text a value stands, which nobody has typed; without them this is the
cheap part of rendering 300 jobs. The limits are those of authored files.
"""

import re
from collections.abc import Iterator
from dataclasses import field
from typing import Final

import yaml

from pipegen.agent_scalars import NotPlainData, read_scalar
from pipegen.dataclass import dataclass
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
        before, *attributes = _ATTRIBUTE.split(text)
        if before.strip() or not attributes or _MARKER.search(text):
            return read_document(text)
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
        reader = _Reader()
        try:
            read = reader.read(yaml_events(text))
        except (DocumentError, yaml.YAMLError):
            return None
        return (read, reader.weight) if isinstance(read, dict) and len(read) == 1 else None


_ATTRIBUTE: Final = re.compile(r"^(?=[a-z_]+:)", re.MULTILINE)
"""Where a line begins with a name: an attribute of the document if what stands before it is whole without it."""
_MARKER: Final = re.compile(r"^(?:---|\.\.\.|%)", re.MULTILINE)
"""The beginning or end of a document, which ends more than an attribute."""


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
