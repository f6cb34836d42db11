"""Regular expressions of path patterns, rewritten so that no path makes them take long.

`a*b*c` and `**/a/**/b` try every share of a path between their wildcards, which grows beyond bounds with each more.
That is never needed: behind a wildcard that another follows, the first place where the text in between fits is as
good as any later one. Atomic groups say just that.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

_LEADING: Final = "(?:.+/)?"
_BETWEEN: Final = "(?:/.+)?"
_STAR: Final = "[^/]*"
_TOKEN: Final = re.compile(r"\\.|\(\?:\.\+/\)\?|\(\?:/\.\+\)\?|\[\^/\][*+]?|(?:\(\?!/\))?\[\^?\]?[^\]]*\]|.", re.DOTALL)
_TAIL: Final = re.compile(r"(?:\(\?:)?\(\?P<ps_d>/\).*\Z|\\Z\Z", re.DOTALL)


def steady(source: str) -> str:
    """The regular expression of a gitignore pattern, as pathspec writes them, that takes the same in bounded time."""
    tail = _TAIL.search(source)
    body, end = (source, "") if tail is None else (source[: tail.start()], tail[0])
    if not body.startswith("^"):
        return source
    tokens = _TOKEN.findall(body[1:])
    parts = list(_parts(tokens))
    last = len(parts) - 1
    return "^" + "".join(_part(gap, text, is_last=at == last) for at, (gap, text) in enumerate(parts)) + end


def _parts(tokens: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The pattern between its `**`: what stands in front of each part, and its tokens."""
    gap = ""
    part: list[str] = []
    for token in tokens:
        if token in (_LEADING, _BETWEEN):
            if gap or part:
                yield gap, part
            gap, part = token, []
        else:
            part.append(token)
    yield gap, part


def _part(gap: str, tokens: Sequence[str], *, is_last: bool) -> str:
    text = "/".join(_name(name) for name in _names(tokens))
    if not gap or is_last:
        return gap + text
    shortest = gap.replace("+", "+?") + "?"
    return f"(?>{shortest}{text}(?=/))"


def _names(tokens: Sequence[str]) -> Iterator[list[str]]:
    name: list[str] = []
    for piece in tokens:
        if piece == "/":
            yield name
            name = []
        else:
            name.append(piece)
    yield name


def _name(tokens: Sequence[str]) -> str:
    """One name of a path: all `*` but the last take as little as will do."""
    stars = [at for at, token in enumerate(tokens) if token == _STAR]
    if len(stars) < 2:
        return "".join(tokens)
    pieces = ["".join(tokens[: stars[0]])]
    for star, after in pairwise(stars):
        pieces.append(f"(?>{_STAR}?{''.join(tokens[star + 1 : after])})")
    return "".join((*pieces, *tokens[stars[-1] :]))
