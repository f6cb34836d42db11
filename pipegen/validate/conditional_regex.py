"""Regular expressions in conditions: what the server's dialect refuses, and what no dialect reads."""

import re
from collections.abc import Iterator
from typing import Final

from pipegen.validate.codes import IF_REGEX
from pipegen.validate.conditional_tokens import Fault
from pipegen.validate.upload import has_reference, shown

_GROUPS: Final = (
    ("(?<=", "a lookbehind"),
    ("(?<!", "a negative lookbehind"),
    ("(?>", "an atomic group"),
    ("(?<", "a named group"),
    ("(?P<", "a named group"),
    ("(?'", "a named group"),
    ("(?(", "a conditional"),
)
_PART: Final = re.compile(
    r"""
      (?P<escape>\\.)
    | (?P<set>\[\^?\]?(?:\\.|\[[:.=][\w^-]*[:.=]\]|[^\]\\])*\])
    | (?P<comment>\(\?\#[^)]*\))
    | (?P<group>\((?:\?(?:<=|<!|>|<|P<|'|\(|[:=!]|[a-zA-Z-]+[:)])?)?)
    | (?P<close>\))
    | (?P<repeat>[*+?]|\{[0-9]+(?:,[0-9]*)?\})
    | (?P<either>\|)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


def check_regex(source: str, start: int) -> Iterator[Fault]:
    """`/pattern/flags` as written: the flag `i` alone, no lookbehind, named, atomic, conditional, possessive."""
    pattern, _, flags = source[1:].rpartition("/")
    for flag in dict.fromkeys(flags):
        if flag != "i":
            message = f'{shown(flag)} is no flag of a regular expression: expected "i"'
            yield Fault(code=IF_REGEX, start=start + len(source) - len(flags) + flags.index(flag), message=message)
    if not has_reference(pattern):
        for offset, message, hint in _faults(pattern):
            yield Fault(code=IF_REGEX, start=start + 1 + offset, message=message, help=hint)


def _faults(pattern: str) -> Iterator[tuple[int, str, str]]:
    """Where something is wrong with a pattern, what it is, and what to type."""
    opened: list[int] = []
    before = ""
    for part in _PART.finditer(pattern):
        kind = part.lastgroup or ""
        for message, hint in _part_faults(kind, part.group(), before):
            yield part.start(), message, hint
        if kind == "other" and part.group() == "[":
            return  # its end was looked for in all the rest, and would be again for every "[" in there
        if kind == "group" and not part.group().endswith(")"):
            opened += [part.start()] * part.group().count("(")
        elif kind == "close" and opened:
            opened.pop()
        elif kind == "close":
            yield part.start(), '")" closes no group', 'write "\\)" for the character'
        before = kind
    for start in opened:
        yield start, '"(" begins a group that never ends', 'write "\\(" for the character'


def _part_faults(kind: str, text: str, before: str) -> Iterator[tuple[str, str]]:
    """What is wrong with one part of a pattern. `before` is the kind of the part before it, "" at the beginning."""
    if kind == "repeat" and text == "+" and before == "repeat":
        yield 'a possessive repetition ("+" behind another) is not supported', 'take the "+" out'
    elif kind == "repeat" and before in ("", "group", "either"):
        yield f"{shown(text)} repeats nothing", f'write ".{text}" for any characters, or put "\\" before it'
    elif kind == "group":
        unsupported = next((what for opening, what in _GROUPS if text.startswith(opening)), None)
        if unsupported is not None:
            hint = "take the name out" if unsupported == "a named group" else ""
            yield f"{unsupported} is not supported: {shown(text)}", hint
    elif kind == "other" and text == "[":
        yield '"[" begins a set that never ends', 'write "\\[" for the character'
