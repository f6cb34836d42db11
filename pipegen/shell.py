"""Words for a POSIX shell: texts that sh, dash and bash read back as exactly the word that went in.

A word reads the same as part of a script and in the text of `bash -c`; nothing here depends on the locale or
on options of the shell, history expansion of interactive shells included.
"""

import fnmatch
import re
from collections.abc import Iterable
from typing import Final

# What no shell gives a meaning to, anywhere in an argument: `shlex.quote`'s choice. `~` is not in it.
_SAFE: Final = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")

# What double quotes do not protect, and control characters, which a reader should not meet unannounced.
_NOT_IN_DOUBLE_QUOTES: Final = re.compile(r'[$`"\\!\x00-\x1f\x7f-\x9f]')

_ASSIGNMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")

# POSIX XCU 2.4 and bash's own. Those with characters that need quotes anyway (`{`, `[[`, `!`) are not repeated.
_RESERVED: Final = frozenset(
    {"case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in"}
    | {"namespace", "select", "then", "time", "until", "while"}
)

# A bracket expression as sh, dash and bash agree on it: it closes, and holds no slash. A first `]` is plain.
_BRACKET_HEAD: Final = re.compile(r"\[[!^]?+\]?+")
_GLOB: Final = re.compile(rf"\*|\?|{_BRACKET_HEAD.pattern}(?>\[:[a-z]+:\]|[^\]/])*\]")

_BRACKET_PIECE: Final = re.compile(r"\[:[a-z]+:\]|[A-Za-z0-9_@%+=:,.-]+|.", re.DOTALL)


def quote(word: str) -> str:
    """One argument of a command, as an author would write it.

    Bare where every character is harmless (`--num-shards=4`); in double quotes where nothing in it is special
    there (`"a or b"`); else in single quotes, a single quote inside written as `'"'"'`.

    Raises:
        ValueError: The word holds NUL, which no argument of a process can.
    """
    if "\0" in word:
        raise ValueError("expected a word without NUL: no argument of a process can hold one")
    if _SAFE.fullmatch(word):
        return word
    if not _NOT_IN_DOUBLE_QUOTES.search(word):
        return f'"{word}"'
    return "'" + word.replace("'", "'\"'\"'") + "'"


def quote_command(word: str) -> str:
    """The first word of a command, which `A=b` and `if` must not be taken for an assignment and a keyword in.

    Raises:
        ValueError: The word holds NUL.
    """
    quoted = quote(word)
    if quoted == word and (word in _RESERVED or _ASSIGNMENT.match(word)):
        return f'"{word}"'
    return quoted


def join(words: Iterable[str]) -> str:
    """A simple command: the words with a space between them, the first one as the name of the command.

    It is right for arguments alone, too: at most, the first has quotes that it did not need.

    Raises:
        ValueError: A word holds NUL.
    """
    return " ".join(quote(word) if place else quote_command(word) for place, word in enumerate(words))


def quote_glob(word: str) -> str:
    r"""One argument in which `*`, `?` and `[…]` stay for the shell to expand, and everything else is quoted.

    A backslash is a character like any other, so there is no way to write a literal `*`: `quote` is for
    names that are no pattern. `[^…]` becomes `[!…]`, which every shell negates. Where nothing matches, the
    shell passes the word on as it stands.

    Raises:
        ValueError: The word holds NUL.
    """
    pieces: list[str] = []
    at = 0
    for glob in _GLOB.finditer(word):
        pieces.append(_quote_piece(word[at : glob.start()]))
        pieces.append(_quote_bracket(glob[0]) if len(glob[0]) > 1 else glob[0])
        at = glob.end()
    pieces.append(_quote_piece(word[at:]))
    return "".join(pieces) or quote("")


def glob_reaches(pattern: str, path: str) -> bool:
    """Whether a shell would expand a glob to the path or to a folder above it; `*` stops at `/`.

    Neither ends in `/`. A name that begins with a dot counts, although shells leave it out unless the glob says so.
    """
    wanted, given = pattern.replace("[^", "[!").split("/"), path.split("/")
    return len(wanted) <= len(given) and all(map(fnmatch.fnmatchcase, given, wanted))


def _quote_piece(piece: str) -> str:
    return quote(piece) if piece else ""


def _quote_bracket(bracket: str) -> str:
    """A bracket expression with its own signs bare and quotes around what the shell would stumble over.

    POSIX leaves `[^…]` open: bash negates, dash looks for a `^`. `[!…]` negates in both.
    """
    head = _BRACKET_HEAD.match(bracket)
    start = head.end() if head else 0
    pieces = _BRACKET_PIECE.findall(bracket, start, len(bracket) - 1)
    inside = "".join(piece if piece.startswith("[:") else quote(piece) for piece in pieces)
    return f"{bracket[:start].replace('^', '!')}{inside}]"


def glob_passes(pattern: str, folder: str) -> bool:
    """Whether some of what the pattern names may lie inside of the folder, and some outside of it."""
    if pattern.startswith(folder + "/"):
        return False
    wanted, given = pattern.split("/"), folder.split("/")
    return len(wanted) > len(given) and glob_reaches("/".join(wanted[: len(given)]), folder)
