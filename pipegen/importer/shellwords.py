"""Simple commands of a shell text, as far as it takes to see which quotes go wrong.

What commands run is read by `pipegen.commands`; a text whose quotes are wrong is none that it reads.
"""

import re
import shlex
from collections.abc import Iterator
from typing import Final

from pipegen.dataclass import dataclass

_OPERATORS: Final = ";&|()<>\n"
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")


class UnbalancedError(ValueError):
    """A quote is opened and never closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One simple command: its words without quotes and assignments in front, and the files that its output goes to."""

    words: tuple[str, ...]
    redirected: tuple[str, ...] = ()


def calls(text: str) -> tuple[Call, ...]:
    """The simple commands of a text, in order.

    Raises:
        UnbalancedError: a quote is never closed.
    """
    return tuple(_calls(text))


def _calls(text: str) -> Iterator[Call]:
    words: list[str] = []
    files: list[str] = []
    into = False
    for piece in _pieces(text):
        operator = bool(piece) and all(character in _OPERATORS for character in piece)
        if not operator:
            (files if into else words).append(piece)
            into = False
        elif set(piece) & set("<>"):
            into = ">" in piece and not piece.endswith("&")
        else:
            yield _call(words, files)
            words, files, into = [], [], False
    yield _call(words, files)


def _call(words: list[str], files: list[str]) -> Call:
    front = next((at for at, word in enumerate(words) if not _ASSIGNMENT.match(word)), len(words))
    return Call(words=tuple(words[front:]), redirected=tuple(files))


def _pieces(text: str) -> list[str]:
    lexer = shlex.shlex(re.sub(r"\\\n", " ", text), posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError as error:
        raise UnbalancedError(str(error).lower()) from error
