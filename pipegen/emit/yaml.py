"""YAML that go-yaml v3, YAML 1.1 and YAML 1.2 readers all read to the same value, and people read with ease."""

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Final

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
    out: list[str] = []
    _write(out, tree, "  " if isinstance(tree, str) else "", "")
    return "".join(out).removeprefix(" ")


def _write(out: list[str], tree: Plain, pad: str, nested: str) -> None:
    """Write what follows `key:` or `-`, to the end of its last line.

    `pad` indents the lines of a collection or a block, bar the first of a collection: `nested` leads to that.
    """
    match tree:  # the usual types first: to ask an abstract class takes ten times as long
        case str():
            out.append(f" {_text(tree, pad)}\n")
        case None | bool() | int() | float():
            out.append(f" {constant(tree)}\n")
        case list():
            _write_sequence(out, tree, pad, nested)
        case dict() | Mapping():
            _write_mapping(out, tree, pad, nested)
        case _:
            _write_sequence(out, tree, pad, nested)


def _write_mapping(out: list[str], tree: Mapping[str, Plain], pad: str, nested: str) -> None:
    if not tree:
        out.append(" {}\n")
        return
    out.append(nested)
    refuse_depth(len(pad) // 2)
    inner = pad + "  "
    before = ""
    for key, value in tree.items():
        if type(value) is str:  # as most values are
            out.append(f"{before}{_key(key)}: {_text(value, inner)}\n")
        else:
            out.append(f"{before}{_key(key)}:")
            _write(out, value, inner, f"\n{inner}")
        before = pad


@functools.lru_cache(maxsize=1024)
def _key(key: str) -> str:
    """A key as written. Steps have the same few dozen, each some hundred times: to look them up saves half the time."""
    return entry_key(key, _one_line)


def _write_sequence(out: list[str], tree: Sequence[Plain], pad: str, nested: str) -> None:
    if not tree:
        out.append(" []\n")
        return
    out.append(nested)
    refuse_depth(len(pad) // 2)
    inner = pad + "  "
    before = "-"
    for value in tree:
        out.append(before)
        _write(out, value, inner, " ")
        before = f"{pad}-"


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
