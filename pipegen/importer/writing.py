"""Manifests as a maintainer would type them: short values on one line, long text folded, comments where they belong.

The text is read back by `pipegen.manifest.yaml`, where a value is what was typed: nothing here is a number or a flag.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from pipegen.dataclass import dataclass

WIDTH: Final = 120
"""Characters of a line, where the text lets it be broken at all."""

_STEP: Final = "  "
_INDICATOR: Final = re.compile(r"[-?:,\[\]{}#&*!|>'\"%@`]|<<$|=$")
_NOT_PLAIN: Final = re.compile(r": | #|:$|^\s|\s$|[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]|^(?:---|\.\.\.)")
_NOT_PLAIN_IN_FLOW: Final = re.compile(r"[,\[\]{}]|:(?=[,\[\]{}]|$)")
_RESERVED: Final = frozenset({"", "+", "~", "null", "Null", "NULL"})
_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}
_UNBLOCKABLE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]|[ \t]\n|\A\s|\n\n\Z|[ \t]\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What is said about a value: comment lines above it, and one behind it."""

    above: tuple[str, ...] = ()
    beside: str = ""

    def __bool__(self) -> bool:
        return bool(self.above or self.beside)


SILENT: Final = Said()


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An item of a list."""

    value: "Value"
    said: Said = SILENT


@dataclass(frozen=True, slots=True, kw_only=True)
class List:
    """A list; `after` are comment lines behind its last item.

    With `tall` each item has a line of its own, with `spaced` an empty one between.
    """

    items: tuple[Item, ...]
    after: tuple[str, ...] = ()
    tall: bool = False
    spaced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A key and its value. `gap` leaves a line empty in front."""

    key: str
    value: "Value"
    said: Said = SILENT
    gap: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Map:
    """A mapping. With `tall` each key has a line of its own."""

    pairs: tuple[Pair, ...]
    tall: bool = False

    def get(self, key: str) -> "Value | None":
        """The value of a key."""
        return next((pair.value for pair in self.pairs if pair.key == key), None)


@dataclass(frozen=True, slots=True)
class Bare:
    """A word that stands without quotes because it is no text: `null`, `+`, `true`, a number."""

    word: str


Value: TypeAlias = str | Bare | List | Map


def plain_list(texts: Iterable["str | Bare"]) -> List:
    """A list without comments."""
    return List(items=tuple(Item(value=text) for text in texts))


def document(head: Sequence[str], root: Map, tail: Sequence[str] = ()) -> str:
    """A whole file: comment lines, the mapping, comment lines."""
    lines = [*_comments(head, ""), *_pairs(root, ""), *([""] if tail else []), *_comments(tail, "")]
    return "\n".join(lines) + "\n"


def _comments(texts: Iterable[str], pad: str) -> list[str]:
    return [f"{pad}# {text}".rstrip() for text in texts]


def _pairs(root: Map, pad: str) -> list[str]:
    lines: list[str] = []
    for pair in root.pairs:
        lines += [""] if pair.gap and lines else []
        lines += _comments(pair.said.above, pad)
        lines += _entry(f"{pad}{scalar(pair.key)}:", pair.value, pad, pair.said.beside)
    return lines


def _entry(head: str, value: Value, pad: str, beside: str) -> list[str]:
    """The lines of what follows `head`, which is `key:` or a dash with its indentation."""
    behind = f"  # {beside}" if beside else ""
    one = flow(value)
    fits = one is not None and len(f"{head} {one}{behind}") <= WIDTH
    if fits or (isinstance(value, str | Bare) and one is not None and not _foldable(value)):
        if len(f"{head} {one}{behind}") > WIDTH and beside:
            return [*_comments([beside], pad), f"{head} {one}"]
        return [f"{head} {one}{behind}"]
    above = _comments([beside], pad) if beside else []
    inner = pad + _STEP
    match value:
        case str():
            return [*above, *_block(head, value, inner)]
        case List():
            return [*above, head, *_items(value, inner)]
        case Map():
            return [*above, head, *_pairs(value, inner)]
        case Bare():
            return [*above, f"{head} {value.word}"]


def _items(value: List, pad: str) -> list[str]:
    lines: list[str] = []
    for item in value.items:
        lines += [""] if value.spaced and lines else []
        lines += _comments(item.said.above, pad)
        lines += _item(item, pad)
    return [*lines, *_comments(value.after, pad)]


def _item(item: Item, pad: str) -> list[str]:
    if isinstance(item.value, Map) and (item.value.tall or not _one_line(item, pad)):
        behind = _comments([item.said.beside], pad) if item.said.beside else []
        first, *rest = _pairs(item.value, pad + _STEP)
        return [*behind, f"{pad}- {first.lstrip()}", *rest]
    return _entry(f"{pad}-", item.value, pad, item.said.beside)


def _one_line(item: Item, pad: str) -> bool:
    one = flow(item.value)
    return one is not None and len(f"{pad}- {one}") + (len(item.said.beside) + 4 if item.said.beside else 0) <= WIDTH


def flow(value: Value, *, nested: bool = False) -> str | None:
    """The value on one line; None where it has comments, several lines, or is to stand tall."""
    match value:
        case Bare():
            return value.word
        case str():
            return None if "\n" in value else scalar(value, nested=nested)
        case List():
            if (value.tall and value.items) or value.after or any(item.said for item in value.items):
                return None
            parts = [flow(item.value, nested=True) for item in value.items]
            return None if None in parts else f"[{', '.join(str(part) for part in parts)}]"
        case Map():
            if (value.tall and value.pairs) or any(pair.said or pair.gap for pair in value.pairs):
                return None
            texts = [(scalar(pair.key, nested=True), flow(pair.value, nested=True)) for pair in value.pairs]
            if any(text is None for _, text in texts):
                return None
            return "{" + ", ".join(f"{key}: {text}" for key, text in texts) + "}"


def scalar(text: str, *, nested: bool = False) -> str:
    """One text on one line: bare where YAML lets it, else in the quotes that need the fewest escapes."""
    bare = text not in _RESERVED and not _INDICATOR.match(text) and not _NOT_PLAIN.search(text)
    if text.startswith("-") and len(text) > 1 and text[1] not in " -":
        bare = not _NOT_PLAIN.search(text)
    if bare and not (nested and _NOT_PLAIN_IN_FLOW.search(text)):
        return text
    if '"' in text and "'" not in text and text.isprintable():
        return f"'{text}'"
    if "\\" in text and text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return quoted(text)


def quoted(text: str) -> str:
    """One text in double quotes, whatever it is."""
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return character if character.isprintable() else f"\\U{ord(character):08x}"


def _foldable(value: Value) -> bool:
    """Whether a text can be broken over lines that fold back to it: at single spaces only."""
    return isinstance(value, str) and bool(re.search(r"(?<=\S) (?=\S)", value)) and not _UNBLOCKABLE.search(value)


def _block(head: str, text: str, pad: str) -> list[str]:
    if _UNBLOCKABLE.search(text):
        return [f"{head} {scalar(text)}"]
    if "\n" not in text:
        return [f"{head} >-", *(pad + line for line in _folded(text, WIDTH - len(pad)))]
    body = text.rstrip("\n")
    mark = "|" if text.endswith("\n") else "|-"
    return [f"{head} {mark}", *((pad + line).rstrip() if not line else pad + line for line in body.split("\n"))]


def _folded(text: str, width: int) -> list[str]:
    """Break a text at single spaces into lines of at most `width`, where there are spaces enough.

    A list of commands is broken behind the `&&` that joins them, as their authors do it.
    """
    joined = re.split(r"(?<=\S &&) (?=\S)", text)
    lines: list[str] = []
    for part in joined:
        line = ""
        for word in _words(part):
            if line and len(line) + 1 + len(word) > width:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}" if line else word
        lines.append(line)
    return lines


def _words(text: str) -> list[str]:
    """The pieces between single spaces; an expression in braces is one piece, however many spaces it has."""
    pieces: list[str] = []
    for piece in re.split(r"(?<=\S) (?=\S)", text):
        if pieces and pieces[-1].count("{{") > pieces[-1].count("}}"):
            pieces[-1] += f" {piece}"
        else:
            pieces.append(piece)
    return pieces
