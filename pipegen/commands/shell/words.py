"""Words of shell text, split into their parts: quotes are taken off, expansions are kept for later."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from pipegen.commands.shell.cursor import Cursor
from pipegen.commands.shell.dollars import read_dollar
from pipegen.commands.shell.syntax import Literal, Part, Script, ShellSyntaxError, Substitution, Unknown, Word
from pipegen.dollar import UPLOAD_CLOSE, UPLOAD_OPEN

_BARE: Final = re.compile(rf"[^\s|&;()<>$`\"'\\{UPLOAD_OPEN}]+")
_DOUBLE_QUOTED: Final = re.compile(rf'[^"\\$`{UPLOAD_OPEN}]+')
_DOCUMENT: Final = re.compile(rf"[^\\$`{UPLOAD_OPEN}]+")
_OPERAND: Final = re.compile(rf"[^}}$`\"'\\{UPLOAD_OPEN}]+")
_QUOTED_OPERAND: Final = re.compile(rf"[^}}\"$`\\{UPLOAD_OPEN}]+")
_BLANKS: Final = re.compile(r"(?:[ \t\r]+|\\\n)+")

_ANSI: Final = re.compile(
    r"\\(?:(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]{1,2})|u(?P<short>[0-9a-fA-F]{1,4})|U(?P<long>[0-9a-fA-F]{1,8})"
    r"|c(?P<control>.)|(?P<plain>.))",
    re.DOTALL,
)
_ANSI_PLAIN: Final = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r"} | {
    "t": "\t",
    "v": "\v",
}


def skip_blanks(cursor: Cursor) -> None:
    """Step over spaces, tabs and continued lines."""
    found = _BLANKS.match(cursor.text, cursor.position)
    if found:
        cursor.position = found.end()


def read_word(cursor: Cursor) -> Word | None:
    """The word that comes next, None where an operator, a blank or the end does.

    Raises:
        ShellSyntaxError: a quote or an expansion is not closed.
    """
    start = cursor.position
    parts: list[Part] = []
    while True:
        found = _BARE.match(cursor.text, cursor.position)
        if found:
            parts.append(Literal(found[0], quoted=False, at=cursor.position))
            cursor.position = found.end()
        elif not _special(cursor, parts):
            break
    return Word(tuple(parts), at=start) if cursor.position > start and parts else None


def _special(cursor: Cursor, parts: list[Part]) -> bool:
    """Read one quoted or expanded piece outside of double quotes; False where the word ends."""
    sign = cursor.peek
    if sign in {"<", ">"} and cursor.text[cursor.position + 1 : cursor.position + 2] == "(":
        parts.append(_process(cursor))
        return True
    reads = _SPECIAL.get(sign)
    if reads is not None:
        parts += reads(cursor)
    return reads is not None


def read_operand(cursor: Cursor, *, quoted: bool) -> Word:
    """The text up to the `}` of an expansion; inside of double quotes a single quote is a character like any other."""
    start = cursor.position
    parts: list[Part] = []
    run = _QUOTED_OPERAND if quoted else _OPERAND
    while not cursor.starts("}"):
        found = run.match(cursor.text, cursor.position)
        if found:
            parts.append(Literal(found[0], quoted=quoted, at=cursor.position))
            cursor.position = found.end()
        elif quoted and not cursor.starts('"'):
            _inside_quotes(cursor, parts, '$`"\\}')
        elif not _special(cursor, parts):
            raise ShellSyntaxError('expected "}" behind "${"', cursor.position, incomplete=cursor.ended)
    return Word(tuple(parts), at=start)


def read_document(cursor: Cursor) -> Word:
    """All that is left, as the body of a here-document whose delimiter had no quotes."""
    start = cursor.position
    parts: list[Part] = []
    while not cursor.ended:
        found = _DOCUMENT.match(cursor.text, cursor.position)
        if found:
            parts.append(Literal(found[0], quoted=True, at=cursor.position))
            cursor.position = found.end()
        else:
            _inside_quotes(cursor, parts, "$`\\")
    return Word(tuple(parts), at=start)


def read_unknown(cursor: Cursor, *, quoted: bool) -> Unknown:
    """A value that the text does not hold: the name of it stands between the two signs of an upload reference."""
    start = cursor.position
    end = cursor.text.find(UPLOAD_CLOSE, start)
    if end < 0:
        raise ShellSyntaxError("half an upload reference", start)
    cursor.position = end + 1
    name = cursor.text[start + 1 : end]
    return Unknown(written=name if name.startswith(("$", "`")) else f"upload.{name}", quoted=quoted, at=start)


def _single_quoted(cursor: Cursor) -> Literal:
    start = cursor.position + 1
    end = cursor.text.find("'", start)
    if end < 0:
        raise ShellSyntaxError("a single quote is not closed", start - 1, incomplete=True)
    cursor.position = end + 1
    return Literal(cursor.text[start:end], quoted=True, at=start)


def _double_quoted(cursor: Cursor) -> list[Part]:
    start = cursor.position
    cursor.position += 1
    parts: list[Part] = []
    while not cursor.take('"'):
        if cursor.ended:
            raise ShellSyntaxError("a double quote is not closed", start, incomplete=True)
        found = _DOUBLE_QUOTED.match(cursor.text, cursor.position)
        if found:
            parts.append(Literal(found[0], quoted=True, at=cursor.position))
            cursor.position = found.end()
        else:
            _inside_quotes(cursor, parts)
    return parts or [Literal("", quoted=True, at=start + 1)]


def _inside_quotes(cursor: Cursor, parts: list[Part], escapable: str = '$`"\\') -> None:
    """What keeps a meaning inside of double quotes and here-documents: backslash, dollar and backtick."""
    match cursor.peek:
        case "\\":
            follower = cursor.text[cursor.position + 1 : cursor.position + 2]
            if follower == "\n":
                cursor.position += 2
            elif follower and follower in escapable:
                parts.append(Literal(follower, quoted=True, at=cursor.position + 1))
                cursor.position += 2
            else:
                parts.append(Literal("\\", quoted=True, at=cursor.position))
                cursor.position += 1
        case "$":
            parts.append(read_dollar(cursor, quoted=True, operand=read_operand))
        case "`":
            parts.append(_backticks(cursor, quoted=True))
        case _:
            parts.append(read_unknown(cursor, quoted=True))


def _escaped(cursor: Cursor) -> list[Part]:
    start = cursor.position
    follower = cursor.text[start + 1 : start + 2]
    cursor.position += 2 if follower else 1
    if follower == "\n":
        return []
    return [Literal(follower or "\\", quoted=True, at=start + 1 if follower else start)]


def _dollar(cursor: Cursor) -> list[Part]:
    if cursor.starts("$'"):
        return [_ansi_quoted(cursor)]
    if cursor.starts('$"'):
        cursor.position += 1
        return _double_quoted(cursor)
    return [read_dollar(cursor, quoted=False, operand=read_operand)]


def _ansi_quoted(cursor: Cursor) -> Literal:
    start = cursor.position + 2
    end = start
    while end < len(cursor.text) and cursor.text[end] != "'":
        end += 2 if cursor.text[end] == "\\" else 1
    if end >= len(cursor.text):
        raise ShellSyntaxError("a single quote is not closed", start - 1, incomplete=True)
    cursor.position = end + 1
    written = cursor.text[start:end]
    # bash ends the text at a NUL, which no argument can hold.
    text = _ANSI.sub(_ansi_character, written).split("\0", 1)[0]
    return Literal(text, quoted=True, at=start, exact=text == written)


def _ansi_character(escape: re.Match[str]) -> str:
    if escape["octal"]:
        return chr(int(escape["octal"], 8) & 0xFF)
    code = escape["hex"] or escape["short"] or escape["long"]
    if code:
        return chr(min(int(code, 16), 0x10FFFF))
    if escape["control"]:
        return chr(ord(escape["control"].upper()) & 0x1F)
    plain = escape["plain"]
    return _ANSI_PLAIN.get(plain, plain if plain in "\\'\"?" else "\\" + plain)


def _backticks(cursor: Cursor, *, quoted: bool) -> Substitution | Unknown:
    """Text between backticks; where it has escapes of its own it is not read."""
    start = cursor.position
    end = start + 1
    while end < len(cursor.text) and cursor.text[end] != "`":
        end += 2 if cursor.text[end] == "\\" else 1
    if end >= len(cursor.text):
        raise ShellSyntaxError("a backtick is not closed", start, incomplete=True)
    written = cursor.text[start : end + 1]
    if "\\" in written:
        cursor.position = end + 1
        return Unknown(written=written, quoted=quoted, at=start)
    inner = Cursor(
        text=cursor.text[:end],
        script=cursor.script,
        position=start + 1,
        depth=cursor.depth,
        documents=cursor.documents,
    )
    body = _body(inner, frozenset())
    cursor.position = end + 1
    return Substitution(body=body, quoted=quoted, at=start, written=written)


def _process(cursor: Cursor) -> Substitution:
    start = cursor.position
    cursor.position += 2
    body = _body(cursor, frozenset({")"}))
    cursor.expect(")", what='behind "<("')
    return Substitution(
        body=body,
        quoted=False,
        at=start,
        written=cursor.text[start : cursor.position],
        process=cursor.text[start] == "<",
    )


def _body(cursor: Cursor, closing: frozenset[str]) -> Script:
    return cursor.script(cursor, closing)


_SPECIAL: Final[Mapping[str, Callable[[Cursor], list[Part]]]] = {
    "'": lambda cursor: [_single_quoted(cursor)],
    '"': _double_quoted,
    "\\": _escaped,
    "$": _dollar,
    "`": lambda cursor: [_backticks(cursor, quoted=False)],
    UPLOAD_OPEN: lambda cursor: [read_unknown(cursor, quoted=False)],
}
