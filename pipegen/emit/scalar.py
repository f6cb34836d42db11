"""What JSON and YAML spell alike: constants, numbers, quoted text; and what neither of them can carry."""

import json
import math
import re
from collections.abc import Callable
from typing import Final

from pipegen.dollar import UPLOAD_CLOSE, UPLOAD_OPEN
from pipegen.plain import show

MAX_KEY: Final = 1000
"""Characters of a mapping key as written, quotes included. YAML readers give up on simple keys beyond 1,024."""

MAX_DEPTH: Final = 100
"""Levels of nesting. Readers recurse, and stop at depths of their own; no Buildkite step comes near this one."""

ESCAPED: Final = "\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff"
"""What JSON allows in a string as it is and YAML readers refuse, take for a line break, or drop; for a regexp."""

_ESCAPED: Final = re.compile(f"[{ESCAPED}]")
_UNCARRIABLE: Final = re.compile(f"[\ud800-\udfff{UPLOAD_OPEN}{UPLOAD_CLOSE}]")
_ENCODE: Final[Callable[[str], str]] = json.JSONEncoder(ensure_ascii=False).encode


def quoted(text: str) -> str:
    r"""A JSON string that is a double-quoted YAML scalar as well.

    Buildkite's agent reads JSON as YAML. It refuses the surrogate pairs that `json.dumps` writes for an emoji by
    default, so characters stay as they are, and it refuses raw control characters beyond ASCII, so those are
    spelled `\uXXXX`.

    Raises:
        ValueError: a lone surrogate, or an upload reference that nobody has resolved.
    """
    written = _ENCODE(text)
    if written.isascii():
        return written.replace("\x7f", "\\u007f")
    refuse_uncarriable(text)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", written)


def refuse_uncarriable(text: str) -> None:
    """Raise ValueError for a character that no reader takes, or that must not have got here."""
    found = _UNCARRIABLE.search(text)
    if found is None:
        return
    shown = show(_UNCARRIABLE.sub("\N{REPLACEMENT CHARACTER}", text))
    if found[0] in (UPLOAD_OPEN, UPLOAD_CLOSE):
        raise ValueError(f"an upload reference is left in {shown}; it has to be escaped or resolved first")
    raise ValueError(f"the lone surrogate U+{ord(found[0]):04X} in {shown} is no character of any text; remove it")


def constant(value: float | None) -> str:
    """Spell null, a boolean or a number so that every reader gives back the same type and value.

    Floats have a point and a signed exponent, or YAML 1.1 would read text.

    Raises:
        ValueError: infinities, not-a-number, and integers outside -2**63 to 2**64-1.
    """
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            if not -(2**63) <= value < 2**64:
                shown = str(value) if value.bit_length() < 128 else f"of {value.bit_length()} bits"
                raise ValueError(f"the integer {shown} does not fit 64 bits; write it as text, in quotes")
            return str(int(value))
        case _:
            return _float(value)


def entry_key(key: object, spell: Callable[[str], str]) -> str:
    """Spell a mapping key, if it is text that every reader can still find the end of.

    Raises:
        ValueError: a key that is no text, or longer than `MAX_KEY` characters as written.
    """
    if not isinstance(key, str):
        raise ValueError(f"the key {key!r} is no text; a mapping here has text for keys")  # noqa: TRY004
    written = spell(key)
    if len(written) > MAX_KEY:
        raise ValueError(
            f"a mapping key takes {len(written)} characters, of at most {MAX_KEY} that YAML readers accept: {show(key)}"
        )
    return written


def refuse_depth(level: int) -> None:
    """Raise ValueError where a tree is nested deeper than `MAX_DEPTH` (or holds itself)."""
    if level > MAX_DEPTH:
        raise ValueError(f"the value is nested more than {MAX_DEPTH} levels deep")


def _float(value: float) -> str:
    if not math.isfinite(value):
        raise ValueError(f"{value} is no finite number; write it as text, in quotes")
    mantissa, mark, exponent = repr(float(value)).partition("e")
    if mark and "." not in mantissa:
        mantissa += ".0"
    return mantissa + mark + exponent
