"""What words become: fields of known text, holes for what only the machine knows, and files found when it runs."""

import re
from collections.abc import Iterable
from typing import Final, TypeAlias

from pipegen.commands.finds import Glob, Search
from pipegen.commands.shell.texts import InnerText, Segment, ShellText
from pipegen.dataclass import dataclass
from pipegen.dollar import UPLOAD_CLOSE, UPLOAD_OPEN

_GLOB: Final = re.compile(r"[*?]|\[[!^]?\]?[^\]/]*\]")
_ESCAPED: Final = re.compile(r"[*?[\]\\]")


@dataclass(frozen=True, slots=True)
class Text:
    """Known characters. `exact` says that they stand one by one in the text from `at` on."""

    text: str
    quoted: bool
    at: int
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Hole:
    """Unknown characters, as they were written. Unquoted, they may be any number of words, or none."""

    written: str
    quoted: bool
    at: int


@dataclass(frozen=True, slots=True)
class Each:
    """Files that the shell finds when it runs: the word stands for every one of them in turn."""

    found: Glob | Search
    at: int


Piece: TypeAlias = Text | Hole | Each
Field: TypeAlias = tuple[Piece, ...]
"""One argument of a command, or one line of output, piece by piece; no piece is the empty text."""

Output: TypeAlias = tuple[Field, ...]
"""What a command prints, line by line."""


@dataclass(frozen=True, slots=True)
class Items:
    """The value of a list variable."""

    items: tuple[Field, ...]


Value: TypeAlias = Field | Items


def known(field: Field) -> str | None:
    """The text of a field, None where some of it is not known before it runs."""
    if len(field) == 1:
        piece = field[0]
        return piece.text if isinstance(piece, Text) else None
    texts = [piece.text for piece in field if isinstance(piece, Text)]
    return "".join(texts) if len(texts) == len(field) else None


def written(field: Field) -> str:
    """A field for people: known text as it is, the rest as its author wrote it."""
    if len(field) == 1 and isinstance(field[0], Text):  # as most are
        return field[0].text
    return "".join(_written(piece) for piece in field)


def _written(piece: Piece) -> str:
    match piece:
        case Text():
            return piece.text
        case Hole():
            return piece.written
        case Each():
            return piece.found.written


def unknowns(field: Field) -> tuple[str, ...]:
    """What is not known of a field, as written."""
    return tuple(piece.written for piece in field if isinstance(piece, Hole))


def place_of(field: Field, otherwise: int) -> int:
    """The offset where a field begins."""
    return field[0].at if field else otherwise


def plain(text: str, at: int, *, exact: bool = False) -> Field:
    """A field of quoted text."""
    return (Text(text, quoted=True, at=at, exact=exact),)


def quoted(field: Field) -> Field:
    """The same characters without any meaning to the shell."""
    return _with_quotes(field, present=True)


def bared(field: Field) -> Field:
    """The same characters as a variable or an output holds them: the quotes around them are long gone."""
    return _with_quotes(field, present=False)


def _with_quotes(field: Field, *, present: bool) -> Field:
    if all(isinstance(piece, Each) or piece.quoted is present for piece in field):
        return field
    pieces: list[Piece] = []
    for piece in field:
        match piece:
            case Text():
                pieces.append(Text(piece.text, quoted=present, at=piece.at, exact=piece.exact))
            case Hole():
                pieces.append(Hole(piece.written, quoted=present, at=piece.at))
            case Each():
                pieces.append(piece)
    return tuple(pieces)


def moved(field: Field, at: int) -> Field:
    """A value at the place where it is used."""
    pieces: list[Piece] = []
    for piece in field:
        match piece:
            case Text():
                pieces.append(Text(piece.text, quoted=piece.quoted, at=at, exact=False))
            case Hole():
                pieces.append(Hole(piece.written, quoted=piece.quoted, at=at))
            case Each():
                pieces.append(Each(piece.found, at))
    return tuple(pieces)


def is_glob(field: Field) -> bool:
    """Whether the shell would look for files with this name."""
    for piece in field:  # noqa: SIM110 - every argument is asked, and `any` takes twice as long for its one piece
        if isinstance(piece, Text) and not piece.quoted and _GLOB.search(piece.text):
            return True
    return False


def glob_text(field: Field) -> str:
    """A field of known text as a pattern: what has no meaning to the shell stands behind a backslash."""
    return "".join(
        _ESCAPED.sub(r"\\\g<0>", piece.text) if piece.quoted else piece.text
        for piece in field
        if isinstance(piece, Text)
    )


def split(field: Field) -> list[Field]:
    """Unquoted text split into fields at blanks; quoted text stays whole."""
    fields: list[Field] = []
    current: list[Piece] = []
    for piece in field:
        if not isinstance(piece, Text) or piece.quoted:
            current.append(piece)
            continue
        for index, text in enumerate(re.split(r"[ \t\n]+", piece.text)):
            if index and current:
                fields.append(tuple(current))
                current = []
            if text:
                current.append(Text(text, quoted=False, at=piece.at, exact=False))
    if current:
        fields.append(tuple(current))
    return fields


def joined(fields: Iterable[Field], separator: str) -> Field:
    """Fields in one, with text between them."""
    pieces: list[Piece] = []
    for index, field in enumerate(fields):
        if index:
            pieces.append(Text(separator, quoted=True, at=place_of(field, 0), exact=False))
        pieces += field
    return tuple(pieces)


def inner_text(field: Field, around: ShellText) -> InnerText:
    """A field as shell text of its own; what is unknown in it stands between the signs of an upload reference."""
    text: list[str] = []
    segments: list[Segment] = []
    length = 0
    for piece in field:
        exact = isinstance(piece, Text) and piece.exact
        shown = piece.text if isinstance(piece, Text) else f"{UPLOAD_OPEN}{_mark(piece)}{UPLOAD_CLOSE}"
        segments.append(Segment(start=length, at=piece.at, exact=exact))
        text.append(shown)
        length += len(shown)
    return InnerText(text="".join(text), segments=tuple(segments), around=around)


def _mark(piece: Hole | Each) -> str:
    """A name for unknown text that cannot be taken for that of an upload reference."""
    shown = _written(piece).replace(UPLOAD_OPEN, "").replace(UPLOAD_CLOSE, "")
    return shown if shown.startswith(("$", "`")) else f"$({shown})"


def lines_of(field: Field) -> Output:
    """A text line by line; a newline at its end begins no further line."""
    lines: list[list[Piece]] = [[]]
    for piece in field:
        if not isinstance(piece, Text):
            lines[-1].append(piece)
            continue
        at = piece.at
        for index, text in enumerate(piece.text.split("\n")):
            if index:
                lines.append([])
            if text:
                lines[-1].append(Text(text, quoted=piece.quoted, at=at, exact=piece.exact))
            at += (len(text) + 1) if piece.exact else 0
    if not lines[-1]:
        lines.pop()
    return tuple(tuple(line) for line in lines)
