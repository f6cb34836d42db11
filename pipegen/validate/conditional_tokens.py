"""The words of a condition: names, numbers, texts, regular expressions and operators, with where each begins."""

import enum
import re
from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Code
from pipegen.validate.codes import IF_SYNTAX
from pipegen.validate.upload import shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What is wrong with a condition, and at which character (from 0) of its text."""

    code: Code
    start: int
    message: str
    help: str = ""


class ConditionSyntaxError(Exception):
    """The text is no condition; everything behind this place is unknown."""

    def __init__(self, start: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.fault: Final = Fault(code=IF_SYNTAX, start=start, message=message, help=hint)


class TokenKind(enum.Enum):
    """What a token is."""

    NAME = "name"
    NUMBER = "number"
    TEXT = "text"
    REGEX = "regular expression"
    AT_UPLOAD = "value known at upload"
    OPERATOR = "operator"
    END = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token as written, and its range in the text. `literal` is the content of a text, unless filled in later."""

    kind: TokenKind
    source: str
    start: int
    literal: str | None = None

    @property
    def end(self) -> int:
        """Where the next token may begin."""
        return self.start + len(self.source)


_BLANK: Final = re.compile(r"(?:[ \t\r\n]+|//[^\n]*)*")
_TOKEN: Final = re.compile(
    r"""
      (?P<name>[A-Za-z_][A-Za-z0-9_.]*)
    | (?P<number>[0-9][0-9A-Za-z_]*)
    | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | (?P<regex>/(?:[^/\\]|\\.)*/[A-Za-z_]*)
    | (?P<operator>==|!=|=~|!~|&&|\|\||[!?:(),\[\]])
    | (?P<at_upload>\$[A-Za-z_][A-Za-z0-9_.]*|\ufdd0[^\ufdd0\ufdd1]*\ufdd1)
    """,
    re.VERBOSE | re.DOTALL,
)
_INTEGER: Final = re.compile(
    r"0[xX]_?[0-9a-fA-F_]*[0-9a-fA-F]|0[bB]_?[01_]*[01]|0[oO]?_?[0-7_]*[0-7]|0|[1-9](?:[0-9_]*[0-9])?"
)
_KINDS: Final[Mapping[str, TokenKind]] = {
    "name": TokenKind.NAME,
    "number": TokenKind.NUMBER,
    "text": TokenKind.TEXT,
    "regex": TokenKind.REGEX,
    "operator": TokenKind.OPERATOR,
    "at_upload": TokenKind.AT_UPLOAD,
}
_UNCLOSED: Final[Mapping[str, str]] = {
    '"': "a text",
    "'": "a text",
    "/": "a regular expression",
}
_ADVICE: Final[Mapping[str, str]] = {
    "=": 'write "==" to compare',
    "&": 'write "&&"',
    "|": 'write "||"',
    "<": "conditions compare with == and != only",
    ">": "conditions compare with == and != only",
    "@": 'write "includes"',
    "`": "put texts in quotes",
    ".": "numbers are whole, and names begin with a letter",
}


def read_tokens(text: str) -> Iterator[Token]:
    """All tokens of a condition, an END behind the last one.

    Raises:
        ConditionSyntaxError: at a character that begins no token.
    """
    position = _skip_blank(text, 0)
    while position < len(text):
        token = _read_token(text, position)
        yield token
        position = _skip_blank(text, token.end)
    yield Token(kind=TokenKind.END, source="", start=len(text))


def _skip_blank(text: str, position: int) -> int:
    blank = _BLANK.match(text, position)
    return blank.end() if blank is not None else position


def _read_token(text: str, position: int) -> Token:
    if text.startswith("${", position):
        end = _end_of_expansion(text, position)
        return Token(kind=TokenKind.AT_UPLOAD, source=text[position:end], start=position)
    found = _TOKEN.match(text, position)
    if found is None or found.lastgroup is None:
        raise _no_token(text, position)
    kind = _KINDS[found.lastgroup]
    source = found.group()
    if kind is TokenKind.NUMBER and not _INTEGER.fullmatch(source):
        hint = "a leading 0 makes a number octal" if source.isdigit() else "put texts in quotes"
        raise ConditionSyntaxError(position, f"{shown(source)} is no whole number", hint)
    literal = _literal(source) if kind is TokenKind.TEXT else None
    return Token(kind=kind, source=source, start=position, literal=literal)


def _no_token(text: str, position: int) -> ConditionSyntaxError:
    character = text[position]
    unclosed = _UNCLOSED.get(character)
    if unclosed is not None:
        return ConditionSyntaxError(position, f"{unclosed} begins here and never ends", f"close it with {character}")
    return ConditionSyntaxError(
        position, f"{shown(character)} has no meaning in a condition", _ADVICE.get(character, "")
    )


def _end_of_expansion(text: str, start: int) -> int:
    """Where `${...}` ends, expansions inside it included."""
    depth = 0
    for brace in re.finditer(r"\$\{|\}", text[start:]):
        depth += 1 if brace.group() == "${" else -1
        if depth == 0:
            return start + brace.end()
    raise ConditionSyntaxError(start, 'an expansion begins with "${" and never ends', 'close it with "}"')


_ESCAPE: Final = re.compile(r"\\(x[0-9a-fA-F]{2}|[0-7]{1,3}|.)", re.DOTALL)
_ESCAPED: Final[Mapping[str, str]] = {
    "n": "\n",
    "s": " ",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "f": "\f",
    "b": "\b",
    "a": "\a",
    "e": "\x1b",
}
_FILLED_IN: Final = re.compile(r"\$[A-Za-z_{$]|\ufdd0")


def _literal(source: str) -> str | None:
    """What a quoted text says, or None where that is known only at upload.

    In double quotes `$NAME` is filled in, and a backslash has its meanings of C and some more; in single quotes it
    is special before itself and a quote alone.
    """
    inside = source[1:-1]
    if source[0] == "'":
        return None if "\ufdd0" in inside else re.sub(r"\\([\\'])", r"\1", inside)
    return None if _FILLED_IN.search(inside) else _ESCAPE.sub(_unescape, inside)


def _unescape(escape: re.Match[str]) -> str:
    escaped = escape.group(1)
    if len(escaped) == 3 and escaped[0] == "x":
        return chr(int(escaped[1:], 16))
    if escaped.isdigit() and escaped[0] in "01234567":
        return chr(int(escaped, 8))
    return _ESCAPED.get(escaped, escaped)
