"""Lists of files that git printed and a caller hands over instead of it."""

import posixpath
import re
from typing import Final

from pipegen.diagnostics import WrongUsageError

_ESCAPE: Final = re.compile(rb'\\([0-3][0-7]{2}|[abfnrtv"\\])')
_QUOTED: Final = re.compile(rb'"((?:[^"\\]|\\[0-3][0-7]{2}|\\[abfnrtv"\\])*)"')
_LETTERS: Final = dict(zip(b'abfnrtv"\\', b'\a\b\f\n\r\t\v"\\', strict=True))


def parse_changed_files(content: bytes) -> tuple[str, ...]:
    """Paths from the repository's root, sorted, each once; from a list with NUL or, where it has none, newline between.

    Carriage returns, blank lines, a byte order mark and a leading `./` mean nothing. A line that stands in double
    quotes is read as git writes names that are not ASCII (`git diff --name-only` without `-z`).

    Raises:
        WrongUsageError: the list is not UTF-8, or a path cannot be one from the repository's root.
    """
    if b"\0" in content:
        names = content.split(b"\0")
    else:
        lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        names = [_unquoted(line.removesuffix(b"\r")) for line in lines]
    return tuple(sorted({_path(name) for name in names if name.strip()}))


def listed_names(content: bytes) -> tuple[str, ...]:
    """The names in a list, one a line, as `git ls-files` prints them; other bytes than UTF-8 are escaped."""
    lines = (_unquoted(line.removesuffix(b"\r")) for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n"))
    return tuple(line.decode("utf-8", "backslashreplace") for line in lines if line)


def _unquoted(line: bytes) -> bytes:
    """A name as it is, of a line as git prints it without `-z`: in double quotes where it is not plain ASCII."""
    quoted = _QUOTED.fullmatch(line)
    return line if quoted is None else _ESCAPE.sub(_character, quoted[1])


def _character(escape: re.Match[bytes]) -> bytes:
    text = escape[1]
    return bytes([int(text, 8) if len(text) == 3 else _LETTERS[text[0]]])


def _path(name: bytes) -> str:
    try:
        written = name.decode("utf-8")
    except UnicodeDecodeError as error:
        shown = name.decode("utf-8", "backslashreplace")
        raise WrongUsageError(
            f'the list of changed files is not UTF-8: "{shown}": {error.reason} at byte {error.start} of this name'
        ) from error
    path = posixpath.normpath(written)
    if path.startswith("/") or path in (".", "..") or path.startswith("../"):
        raise WrongUsageError(
            f'the list of changed files names "{written}": expected paths of files from the repository\'s root'
        )
    return path
