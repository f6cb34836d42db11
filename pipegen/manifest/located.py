"""YAML as it was typed: every value with its place in the file, nothing resolved to a type yet."""

import re
from collections.abc import Collection, Iterator
from typing import Final, TypeAlias

from pipegen import codes
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Code, Diagnostic, Related, Span, expected, meant
from pipegen.dollar import REFERENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """Text as typed. `plain` is false for quoted and block scalars, which are text whatever they look like."""

    text: str
    plain: bool
    span: Span

    @property
    def is_null(self) -> bool:
        """Whether this is the bare word `null`, which removes what is inherited."""
        return self.plain and self.text == "null"

    @property
    def is_empty(self) -> bool:
        """Whether nothing was typed at all (`key:`), which is never a value."""
        return self.plain and not self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """A YAML sequence."""

    items: "tuple[Node, ...]"
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One key of a mapping with its value."""

    key: Scalar
    value: "Node"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping:
    """A YAML mapping in the order it was typed; keys are scalars and unique."""

    entries: tuple[Entry, ...]
    span: Span

    def get(self, name: str) -> "Node | None":
        """The value of a key, or None."""
        return next((entry.value for entry in self.entries if entry.key.text == name), None)

    def around(self, span: Span) -> "Entry | None":
        """The entry in which a place of its file is."""
        before = [entry for entry in self.entries if entry.key.span <= span]
        return max(before, key=lambda entry: entry.key.span, default=None)


Node: TypeAlias = Scalar | Items | Mapping


class Report:
    """Collects the diagnostics of one reading, so that every mistake is found in one run."""

    __slots__ = ("comparisons", "deferring", "found", "inheriting")

    def __init__(self, *, deferring: bool = False, inheriting: bool = False, of: "Report | None" = None) -> None:
        self.found: list[Diagnostic] = []
        self.comparisons: list[int] = [0] if of is None else of.comparisons
        self.deferring = deferring
        """Whether text with an expression in it passes for any scalar: its value comes later."""
        self.inheriting = inheriting
        """Whether what is read may be inherited, so that null would remove it."""

    def meant(self, word: str, candidates: Collection[str], shown: str = '"{}"') -> str:
        """See `diagnostics.meant`; no text once so many words were misspelt that looking them all up takes long.

        A report `of` another counts with that one.
        """
        self.comparisons[0] += len(candidates)
        return meant(word, candidates, shown) if self.comparisons[0] <= MAX_COMPARISONS else ""

    def did_you_mean(self, word: str, candidates: Collection[str]) -> str:
        """See `diagnostics.did_you_mean`, with the bounds of `meant`."""
        return self.meant(word, candidates) or expected(candidates)

    def add(self, code: Code, span: Span, message: str, *, hint: str = "", related: tuple[Related, ...] = ()) -> None:
        """Record one mistake."""
        self.found.append(Diagnostic(code=code, span=span, message=message, help=hint, related=related))


MAX_COMPARISONS: Final = 100_000
"""Pairs of words that one stage compares to find out what misspelt ones were meant to be."""

JINJA = re.compile(r"\{\{(?!\s*matrix\s*(?:\.[\w.-]+)?\s*\}\})")
"""Where an expression begins. `{{matrix}}` and `{{matrix.NAME}}` are Buildkite's and pass through."""


def has_jinja(node: Node) -> bool:
    """Whether any text in there holds an expression."""
    return any("{{" in scalar.text and JINJA.search(scalar.text) for scalar in scalars(node))


def scalars(node: Node) -> Iterator[Scalar]:
    """Every scalar value in there (not keys), in order."""
    match node:
        case Scalar():
            yield node
        case Items():
            for item in node.items:
                yield from scalars(item)
        case Mapping():
            for entry in node.entries:
                yield from scalars(entry.value)


def describe(node: Node) -> str:
    """What a value is, for a message: its text quoted, or its kind."""
    match node:
        case Scalar():
            if node.is_empty:
                return "nothing"
            if node.is_null:
                return "null"
            text = REFERENCE.sub(r"{{ upload.\1 }}", node.text)
            first = text.split("\n", 1)[0]
            return '"' + (first if len(first) <= 60 and first == text else first[:57] + "...") + '"'
        case Items():
            return "a list" if node.items else "an empty list"
        case Mapping():
            return "a mapping" if node.entries else "an empty mapping"


def refuse_empty(node: Scalar, report: Report, what: str, *, or_text: bool = False) -> None:
    """Report a key without a value. `or_text` says that empty text would do."""
    text = ', "" for empty text,' if or_text else ""
    otherwise = " or null to remove what is inherited" if report.inheriting else " or take the key out"
    report.add(codes.EMPTY_VALUE, node.span, f"empty {what}", hint="write a value" + (text or ",") + otherwise)
