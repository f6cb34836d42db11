"""Shell patterns as regular expressions: `*`, `?`, `[…]`, and a backslash that takes the meaning off a character."""

import re
from collections.abc import Iterable
from typing import Final

_CLASSES: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "upper": "A-Z",
    "word": r"\w",
    "xdigit": "0-9A-Fa-f",
}
_CLASS: Final = re.compile(r"\[:([a-z]+):\]")
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)


def pattern_source(pattern: str) -> str:
    """A shell pattern as the source of a regular expression; `*` takes any text, `/` included.

    With `re.DOTALL` and a full match this is what `case`, `${x#…}` and `find -name` do with it.
    """
    source: list[str] = []
    at = 0
    while at < len(pattern):
        match pattern[at]:
            case "*":
                source.append(".*")
            case "?":
                source.append(".")
            case "\\" if at + 1 < len(pattern):
                at += 1
                source.append(re.escape(pattern[at]))
            case "[":
                found = _bracket(pattern, at)
                if found is None:
                    source.append(r"\[")
                else:
                    piece, at = found
                    source.append(piece)
            case char:
                source.append(re.escape(char))
        at += 1
    return "".join(source)


def _bracket(pattern: str, start: int) -> tuple[str, int] | None:
    """A bracket expression and the offset of its last character; None where none closes."""
    at = start + 1
    negated = pattern[at : at + 1] in {"!", "^"}
    at += negated
    pieces: list[str] = []
    first = True
    while at < len(pattern) and (first or pattern[at] != "]"):
        first = False
        named = _CLASS.match(pattern, at)
        if named and named[1] in _CLASSES:
            pieces.append(_CLASSES[named[1]])
            at = named.end()
            continue
        if pattern[at] == "\\" and at + 1 < len(pattern):
            at += 1
            pieces.append(re.escape(pattern[at]))
        else:
            pieces.append("-" if pattern[at] == "-" else re.escape(pattern[at]))
        at += 1
    if at >= len(pattern):
        return None
    source = f"[{'^' if negated else ''}{''.join(pieces)}]"
    try:
        re.compile(source)
    except re.error:
        # An empty range such as `[z-a]` takes nothing.
        return r"(?!)", at
    return source, at


def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern for whole texts, as `case` and `find -name` match them."""
    return re.compile(pattern_source(pattern), re.DOTALL)


def has_signs(pattern: str) -> bool:
    """Whether a pattern holds a `*`, `?` or `[` that is not behind a backslash."""
    return any(sign in _ESCAPE.sub("", pattern) for sign in "*?[")


def unescaped(pattern: str) -> str:
    """A pattern without signs as the text that it stands for."""
    return _ESCAPE.sub(r"\1", pattern)


def path_names(pattern: str) -> tuple[re.Pattern[str] | str | None, ...]:
    """A path pattern, name by name: a text for itself, an expression for names, None for `**`.

    As in a shell, `*` and `?` take no `/`, and a name that begins with a dot only matches a pattern that does.
    """
    return tuple(_path_name(name) for name in pattern.split("/"))


def _path_name(name: str) -> re.Pattern[str] | str | None:
    if name == "**":
        return None
    if not has_signs(name):
        return unescaped(name)
    source = pattern_source(name)
    return re.compile(source if name.startswith((".", "\\.")) else rf"(?!\.){source}", re.DOTALL)


def any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """One expression for the names that any of these patterns takes."""
    return re.compile("|".join(f"(?:{pattern_source(pattern)})" for pattern in patterns) or r"(?!)", re.DOTALL)
