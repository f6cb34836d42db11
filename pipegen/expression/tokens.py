"""Cut the text of an expression into tokens, exactly where pytest cuts it."""

import enum
import re
from collections.abc import Iterator

from pipegen.dataclass import dataclass
from pipegen.expression.nodes import Kind
from pipegen.plain import show


class ExpressionError(ValueError):
    """A text that pytest would refuse as a `-k` or `-m` expression.

    The message says what was expected and what was found; `column` is where, from 1; `help`, if not
    empty, says what to type instead.
    """

    def __init__(self, message: str, *, column: int, help: str = "") -> None:  # noqa: A002
        super().__init__(message)
        self.column = column
        self.help = help


class TokenKind(enum.Enum):
    """The kinds of token; the value is how a message names one."""

    NAME = "a name"
    TEXT = "a quoted text"
    AND = '"and"'
    OR = '"or"'
    NOT = '"not"'
    OPEN = '"("'
    CLOSE = '")"'
    EQUAL = '"="'
    COMMA = '","'
    END = "the end of the expression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token and the column, from 1, of its first character. A quoted text keeps its quotes."""

    kind: TokenKind
    text: str
    column: int

    @property
    def shown(self) -> str:
        """How a message names what was found."""
        return TokenKind.END.value if self.kind is TokenKind.END else show(self.text)


# pytest 9, `_pytest/mark/expression.py`: these characters, in any order, are one name.
_NAME = re.compile(r"[\w:+\-.\[\]\\/]+")

_RESERVED = {"and": TokenKind.AND, "or": TokenKind.OR, "not": TokenKind.NOT}
_PUNCTUATION = {"(": TokenKind.OPEN, ")": TokenKind.CLOSE, "=": TokenKind.EQUAL, ",": TokenKind.COMMA}
_OPERATORS_ELSEWHERE = {"&": "and", "|": "or", "!": "not", "~": "not"}


def tokenize(text: str, kind: Kind) -> Iterator[Token]:
    """The tokens of a text, the end included.

    Raises:
        ExpressionError: A character that is in no token, or a quote that does not close.
    """
    at = _start(text, kind)
    while at < len(text):
        if text[at] in " \t":
            at += 1
            continue
        token = _token_at(text, at)
        yield token
        at += len(token.text)
    yield Token(kind=TokenKind.END, text="", column=len(text) + 1)


def _start(text: str, kind: Kind) -> int:
    # pytest strips the front of a -k expression, line breaks included, and takes a -m expression as it is.
    return len(text) - len(text.lstrip()) if kind is Kind.KEYWORD else 0


def _token_at(text: str, at: int) -> Token:
    character = text[at]
    if character in _PUNCTUATION:
        return Token(kind=_PUNCTUATION[character], text=character, column=at + 1)
    if character in "'\"":
        return _quoted_at(text, at)
    name = _NAME.match(text, at)
    if name is None:
        raise _stray(character, at + 1)
    return Token(kind=_RESERVED.get(name[0], TokenKind.NAME), text=name[0], column=at + 1)


def _quoted_at(text: str, at: int) -> Token:
    end = text.find(text[at], at + 1)
    if end == -1:
        message = f"expected a closing {text[at]}, found the end of the expression"
        raise ExpressionError(message, column=at + 1)
    quoted = text[at : end + 1]
    if "\\" in quoted:
        message = f"expected a text without backslashes, found {show(quoted[1:-1])}"
        raise ExpressionError(message, column=at + quoted.index("\\") + 1)
    return Token(kind=TokenKind.TEXT, text=quoted, column=at + 1)


def _stray(character: str, column: int) -> ExpressionError:
    shown = "a line break" if character in "\r\n" else show(character)
    message = f'expected names, "and", "or", "not" and parentheses, found {shown}'
    suggestion = ""
    if character in _OPERATORS_ELSEWHERE:
        suggestion = f'write "{_OPERATORS_ELSEWHERE[character]}"'
    elif character in "*?":
        suggestion = f'leave out "{character}": pytest has no wildcards here'
    elif character in "\r\n":
        suggestion = "write the expression on one line"
    return ExpressionError(message, column=column, help=suggestion)
