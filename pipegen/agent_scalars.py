"""How the Buildkite agent reads an unquoted YAML scalar, for the places where the agent's reading is meant.

Everywhere else in a manifest text is text. Inside `plugins`, and in what a template renders, `5` is a number and
`true` a boolean because they are for the agent, which reads YAML with go-yaml v3 (package `gopkg.in/yaml.v3`,
file `resolve.go`, then `strconv` and `time` of Go).
"""

import calendar
import math
import re
from collections.abc import Mapping
from typing import Final

from pipegen.plain import show

_WORDS: Final[Mapping[str, bool | None]] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
}
_INFINITE: Final = frozenset(sign + word for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")) | frozenset(
    (".nan", ".NaN", ".NAN")
)

_PREFIXED_INT: Final = re.compile(
    r"""
      (?P<sign>[-+]?) 0 (?: [xX](?P<hexadecimal>[0-9a-fA-F]+) | [bB](?P<binary>[01]+) | [oO]?(?P<octal>[0-7]+) )
    """,
    re.VERBOSE,
)
_INNER_SIGN: Final = re.compile(r"0(?:b(?P<binary>[-+][01]+)|o(?P<octal>[-+][0-7]+))")
_DECIMAL_INT: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,19})")  # 20 digits: none longer fits 64 bits
_DIGITS: Final = re.compile(r"[-+]?[0-9]+")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_DOT_FLOAT: Final = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?")
_DATE: Final = re.compile(
    r"""
      (?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})
      (?: (?P<between>[Tt]|\ +)
          (?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{1,2}):(?P<second>[0-9]{1,2}) (?:[.,][0-9]+)?
          (?P<zone>Z|[-+](?P<zone_hour>[0-9]{2}):(?P<zone_minute>[0-9]{2}))?
      )?
    """,
    re.VERBOSE,
)
_BASES: Final[Mapping[str, int]] = {"hexadecimal": 16, "binary": 2, "octal": 8}


class NotPlainData(ValueError):  # noqa: N818  (the value is at fault, and the name says how)
    """The agent reads this unquoted scalar as something that JSON does not have, or not with this value."""


def read_scalar(text: str) -> bool | int | float | str | None:
    """Read an unquoted YAML scalar as the Buildkite agent does.

    `true`, `null` and `~` in three spellings each, `0x1F`, `0o17`, `0b11`, a leading zero as octal, underscores in
    numbers, `08` as the float 8; `yes`, `no`, `on`, `off`, `12:30:45` and `1e999` stay text. `text` is what the
    scalar holds after YAML has removed its line folding.

    Raises:
        NotPlainData: for dates and timestamps, infinities, not-a-number, and integers that 64 bits cannot hold,
            which the agent would round or cannot send as JSON. (Beyond 64 bits, `0x`, `0o` and `0b` are text.)
    """
    if text in _WORDS:
        return _WORDS[text]
    if text in _INFINITE:
        raise NotPlainData(_quote_it(f"reads {show(text)} as a number that JSON does not have"))
    if text[0] == ".":
        return _float_or_text(text, text.replace("_", "")) if _DOT_FLOAT.fullmatch(text) else text
    if text[0] not in "+-0123456789":
        return text
    if _is_date(text):
        raise NotPlainData(_quote_it(f"reads {show(text)} as a date"))
    return _read_number(text)


def _read_number(text: str) -> int | float | str:
    """Read what starts with a sign or a digit: go-yaml drops the underscores first, then tries int before float."""
    bare = text.replace("_", "")
    integer = _read_int(bare)
    if integer is not None:
        return integer
    if not _FLOAT.fullmatch(bare):
        return text
    value = _float_or_text(text, bare)
    if isinstance(value, float) and _DIGITS.fullmatch(bare) and not _holds(value, bare):
        raise NotPlainData(_quote_it(f"rounds the integer {show(text)} to a float"))
    return value


def _read_int(bare: str) -> int | None:
    """Go's `ParseInt(bare, 0, 64)`, then `ParseUint` for what has no sign; None where both fail."""
    if _DECIMAL_INT.fullmatch(bare):
        value = int(bare)
    elif match := _PREFIXED_INT.fullmatch(bare):
        value = int(match["sign"] + match[str(match.lastgroup)], _BASES[str(match.lastgroup)])
    elif match := _INNER_SIGN.fullmatch(bare):  # what follows `0b` and `0o` is parsed once more, with its own sign
        value = int(match[str(match.lastgroup)], _BASES[str(match.lastgroup)])
    else:
        return None
    signed = "+" in bare or "-" in bare
    return value if -(2**63) <= value < (2**63 if signed else 2**64) else None


def _float_or_text(text: str, bare: str) -> float | str:
    """Go's `ParseFloat`: what overflows is an error there, and so text; what underflows is zero."""
    value = float(bare)
    return text if math.isinf(value) else value


def _holds(value: float, digits: str) -> bool:
    """Whether the agent's float still is the integer that was written, as with `08`, and will be shown as such."""
    significant = digits.lstrip("+-0") or "0"
    return abs(value) < 2**53 and len(significant) <= 16 and abs(int(value)) == int(significant)


def _is_date(text: str) -> bool:
    """Whether go-yaml takes this for a time: its four layouts, with a month, day and hour that exist."""
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    year, month, day = int(match["year"]), int(match["month"]), int(match["day"])
    if not 1 <= month <= 12 or not 1 <= day <= _days_in(month, year):
        return False
    if match["between"] is None:
        return True
    if (match["zone"] is not None) != (match["between"] in "Tt"):
        return False
    if int(match["hour"]) > 23 or int(match["minute"]) > 59 or int(match["second"]) > 59:
        return False
    # Go lets a zone be one hour and one minute too far: "some people do write offsets of 24 hours or 60 minutes".
    return match["zone_hour"] is None or (int(match["zone_hour"]) <= 24 and int(match["zone_minute"]) <= 60)


def _days_in(month: int, year: int) -> int:
    """Days of a month; the year 0 counts as a leap year, as in Go."""
    return 29 if month == 2 and calendar.isleap(year) else (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def _quote_it(trouble: str) -> str:
    return f"the Buildkite agent {trouble}; put it in quotes to mean the text"
