"""Shell text taken apart, as far as it takes to see which tests it runs: simple commands, their words, their pipes."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_OPERATORS: Final = ";&|()<>\n"
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_BEFORE_A_COMMAND: Final = frozenset(
    {"command", "exec", "time", "env", "nohup", "sudo", "if", "then", "do", "!", "else"}
)


class UnbalancedError(ValueError):
    """A quote is opened and never closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One simple command: its words without quotes and assignments in front. `piped` says that it reads the last."""

    words: tuple[str, ...]
    piped: bool
    redirected: tuple[str, ...] = ()
    """Files that its output goes to."""


def calls(text: str) -> tuple[Call, ...]:
    """The simple commands of a text, in order.

    Raises:
        UnbalancedError: a quote is never closed.
    """
    return tuple(_calls(text))


def _calls(text: str) -> Iterator[Call]:
    words: list[str] = []
    files: list[str] = []
    piped = into = False
    for piece in _tokens(text):
        operator = bool(piece) and all(character in _OPERATORS for character in piece)
        if not operator:
            (files if into else words).append(piece)
            into = False
        elif set(piece) & set("<>"):
            into = ">" in piece and not piece.endswith("&")
            if words and words[-1].isdigit():
                words.pop()
        else:
            if words:
                yield _call(words, files, piped=piped)
            words, files, into = [], [], False
            piped = piece == "|"
    if words:
        yield _call(words, files, piped=piped)


def _call(words: list[str], files: list[str], *, piped: bool) -> Call:
    rest = list(words)
    while rest and (_ASSIGNMENT.match(rest[0]) or rest[0] in _BEFORE_A_COMMAND):
        rest.pop(0)
    if rest[:1] == ["timeout"] and len(rest) > 2:
        rest = rest[2:]
    return Call(words=tuple(rest), piped=piped, redirected=tuple(files))


def _tokens(text: str) -> list[str]:
    lexer = shlex.shlex(re.sub(r"\\\n", " ", text), posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError as error:
        raise UnbalancedError(str(error).lower()) from error
