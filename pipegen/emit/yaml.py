"""YAML that go-yaml v3, YAML 1.1 and YAML 1.2 readers all read to the same value, and people read with ease."""

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.emit.scalar import ESCAPED, constant, entry_key, quoted, refuse_depth, refuse_uncarriable
from pipegen.plain import Plain

# Text without quotes, in block style: it starts like a word, a path or a shell variable, so that no reader takes it
# for a number, a date or an indicator; it has no ": ", no " #", no space at its ends; it is printable ASCII.
_PLAIN: Final = re.compile(
    r"""
      (?: [A-Za-z_$(/] | \.(?=[A-Za-z/]) | \.\./ )
      (?: [!-9;-~]++ | :(?=[!-~]) | [ ]++(?=[!"$-~]) )*+
    """,
    re.VERBOSE,
)
# Words that one reader or another takes for null, a boolean or a float, in any letter case.
_WORDS: Final = frozenset(["null", "true", "false", "yes", "no", "on", "off", "y", "n", ".nan", ".inf"])

# What keeps text of several lines out of a literal block: a character that needs an escape, a space or a tab that
# ends a line (invisible, and the first thing an editor removes), nothing but line breaks.
_UNBLOCKABLE: Final = re.compile(f"[\\0-\\x08\\x0b-\\x1f]|[{ESCAPED}]|[ \\t](?:\\n|\\Z)|\\A\\n*\\Z")


def to_yaml(tree: Plain) -> str:
    """Write a tree as one document in block style that ends in a newline.

    Two spaces a level; text of several lines as a literal block where that is exact; text without quotes where no
    reader can mistake it; no anchors, tags or folded lines. The tree is final: what interpolation needs is escaped,
    no upload reference is left.

    Raises:
        ValueError: something that no reader, or not every reader, would read back: infinities, not-a-number,
            integers beyond 64 bits, lone surrogates, upload references, keys of more than 1,000 characters.
    """
    writing = _Writing()
    writing.write(tree, "  " if isinstance(tree, str) else "", "")
    return "".join(writing.out).removeprefix(" ")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Writing:
    """The pieces of the document so far, and which of them a collection became, by its identity and place.

    What stands in the tree several times, as the plugins of steps do, is spelled once for each place that it has.
    Collections are held, so that no other gets their id.
    """

    out: list[str] = field(default_factory=list)
    written: dict[tuple[int, str, str], tuple[Plain, int, int]] = field(default_factory=dict)

    def write(self, tree: Plain, pad: str, nested: str) -> None:
        """Write what follows `key:` or `-`, to the end of its last line.

        `pad` indents the lines of a collection or a block, bar the first of a collection: `nested` leads to that.
        """
        if isinstance(tree, str):
            self.out.append(f" {_text(tree, pad)}\n")
            return
        if tree is None or isinstance(tree, int | float):
            self.out.append(f" {constant(tree)}\n")
            return
        place = id(tree), pad, nested
        known = self.written.get(place)
        if known is not None:
            self.out.extend(self.out[known[1] : known[2]])
            return
        start = len(self.out)
        if isinstance(tree, dict | Mapping):  # the usual type first: to ask an abstract class takes ten times as long
            self._mapping(tree, pad, nested)
        else:
            self._sequence(tree, pad, nested)
        self.written[place] = tree, start, len(self.out)

    def _mapping(self, tree: Mapping[str, Plain], pad: str, nested: str) -> None:
        if not tree:
            self.out.append(" {}\n")
            return
        self.out.append(nested)
        refuse_depth(len(pad) // 2)
        inner = pad + "  "
        before = ""
        for key, value in tree.items():
            if type(value) is str:  # as most values are
                self.out.append(f"{before}{_key(key)}: {_text(value, inner)}\n")
            else:
                self.out.append(f"{before}{_key(key)}:")
                self.write(value, inner, f"\n{inner}")
            before = pad

    def _sequence(self, tree: Sequence[Plain], pad: str, nested: str) -> None:
        if not tree:
            self.out.append(" []\n")
            return
        self.out.append(nested)
        refuse_depth(len(pad) // 2)
        inner = pad + "  "
        before = "-"
        for value in tree:
            self.out.append(before)
            self.write(value, inner, " ")
            before = f"{pad}-"


@functools.lru_cache(maxsize=1024)
def _key(key: str) -> str:
    """A key as written. Steps have the same few dozen, each some hundred times: to look them up saves half the time."""
    return entry_key(key, _one_line)


def _text(text: str, pad: str) -> str:
    if "\n" not in text or _UNBLOCKABLE.search(text):
        return _one_line(text)
    refuse_uncarriable(text)
    return _block(text, pad)


def _one_line(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return quoted(text)


def _block(text: str, pad: str) -> str:
    """A literal block, bar its last line break.

    Where the text starts with white space a reader cannot tell its indentation and is told.
    """
    body = text.rstrip("\n")
    breaks = len(text) - len(body)
    indentation = "2" if text[0] in " \t\n" else ""
    chomping = ("-", "")[breaks] if breaks < 2 else "+"
    lines = "\n".join(pad + line if line else "" for line in body.split("\n"))
    return f"|{indentation}{chomping}\n{lines}" + "\n" * (breaks - 1)
