"""The fields of a mapping in a step file, each read as what it should be, each mistake reported where it stands."""

import re
from collections.abc import Mapping
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span
from pipegen.importer import codes
from pipegen.manifest.fields import KEY_PATTERN
from pipegen.manifest.layers import FIELDS, check_field
from pipegen.manifest.located import Entry, Items, Node, Report, Scalar, describe, has_jinja
from pipegen.manifest.located import Mapping as MappingNode

_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE: Final = frozenset({"true", "yes", "on", "y"})
_FALSE: Final = frozenset({"false", "no", "off", "n"})
_COUNT: Final = re.compile(r"[1-9][0-9]{0,8}")


def is_null(node: Node) -> bool:
    """Whether the value says nothing: YAML 1.1 has four words for that, and no word at all is a fifth."""
    return isinstance(node, Scalar) and node.plain and node.text in _NULLS


def boolean_of(node: Node) -> bool | None:
    """A boolean as YAML 1.1 spells it, or None."""
    if not isinstance(node, Scalar):
        return None
    text = node.text.lower()
    return True if text in _TRUE else False if text in _FALSE else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """A mapping by its keys. What is null counts as not being there."""

    what: str
    entries: Mapping[str, Entry]
    span: Span
    report: Report

    def __contains__(self, name: str) -> bool:
        return name in self.entries

    def at(self, name: str) -> Span:
        """Where a field stands, or where it would."""
        return self.entries[name].key.span if name in self.entries else self.span

    def node(self, name: str) -> Node | None:
        """The value as it was written."""
        return self.entries[name].value if name in self.entries else None

    def text(self, name: str) -> str | None:
        """A text; None if it is missing, blank or none."""
        node = self.node(name)
        if isinstance(node, Scalar) and node.text.strip():
            return node.text
        if node is not None:
            self._wrong(name, node, "text")
        return None

    def boolean(self, name: str, *, default: bool = False) -> bool:
        """A boolean; the default if it is missing or none."""
        node = self.node(name)
        if node is None:
            return default
        found = boolean_of(node)
        if found is None:
            self._wrong(name, node, "true or false")
            return default
        return found

    def count(self, name: str) -> int | None:
        """A number of at least 1; None if it is missing or none."""
        node = self.node(name)
        if node is None:
            return None
        if isinstance(node, Scalar) and _COUNT.fullmatch(node.text.strip()):
            return int(node.text)
        self._wrong(name, node, "an integer of at least 1")
        return None

    def texts(self, name: str) -> tuple[Scalar, ...]:
        """A list of texts, or one text; what is none of them is reported and left out."""
        node = self.node(name)
        if node is None:
            return ()
        items = node.items if isinstance(node, Items) else (node,)
        result = []
        for item in items:
            if isinstance(item, Scalar) and item.text.strip() and not is_null(item):
                result.append(item)
            else:
                self._wrong(name, item, "text")
        return tuple(result)

    def keys(self, name: str) -> tuple[Scalar, ...]:
        """A list of keys of steps; what can be none is reported and left out."""
        given = self.texts(name)
        for node in given:
            if not KEY_PATTERN.fullmatch(node.text):
                self._wrong(name, node, "the key of a step")
        return tuple(node for node in given if KEY_PATTERN.fullmatch(node.text))

    def mapping(self, name: str) -> tuple[Entry, ...]:
        """The entries of a mapping."""
        node = self.node(name)
        if node is None or isinstance(node, MappingNode):
            return () if node is None else node.entries
        self._wrong(name, node, "a mapping")
        return ()

    def shaped(self, name: str) -> Node | None:
        """A value that manifests take as it is; None if it is missing or they do not."""
        node = self.node(name)
        if node is None:
            return None
        trial = Report()
        check_field(FIELDS[name], node, trial)
        if trial.found:
            self.report.add(codes.NOT_CARRIED, trial.found[0].span, trial.found[0].message, hint="it is left behind")
        elif has_jinja(node):
            self._wrong(name, node, "a value without braces")
        else:
            return node
        return None

    def _wrong(self, name: str, node: Node, wanted: str) -> None:
        self.report.add(
            codes.NOT_CARRIED,
            node.span,
            f"{name} of {self.what}: expected {wanted}, found {describe(node)}",
            hint="it is left behind: put it right in the new manifest",
        )


def fields_of(node: MappingNode, what: str, report: Report) -> Fields:
    """The fields of a mapping that say something."""
    entries = {entry.key.text: entry for entry in node.entries if not is_null(entry.value)}
    return Fields(what=what, entries=entries, span=node.span, report=report)
