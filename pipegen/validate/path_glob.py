"""Globs as the agent reads them, in `if_changed` and `artifact_paths`.

`?` is one character but `/`, `*` any but `/`, `**` any; `{a,b}` is a choice, `[abc]` and `[^abc]` are sets of single
characters without ranges, a backslash escapes. A glob matches a whole path from the top of the repository, case
counts, and there is no negation.
"""

import re
from collections.abc import Iterator
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.plain import Path
from pipegen.validate.codes import GLOB_SUSPECT, GLOB_SYNTAX
from pipegen.validate.problem import Problem
from pipegen.validate.upload import has_reference, shown, spelled

_RANGE: Final = re.compile(r"[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9]")


def check_glob_syntax(glob: str, path: Path, name: str) -> Iterator[Problem]:
    """Every `{` and `[` is closed: the agent ignores a rule, or uploads nothing, where one is not."""
    if has_reference(glob):
        return
    unclosed = _scan(glob).unclosed
    if unclosed is not None:
        bracket = glob[unclosed]
        yield Problem(
            code=GLOB_SYNTAX,
            path=path,
            message=f'{name} {shown(glob)} has a "{bracket}" at character {unclosed + 1} that is never closed',
            help=f'close it with "{_CLOSING[bracket]}", or write "\\{bracket}" for the character itself',
        )


def check_changed_glob(glob: str, path: Path, name: str) -> Iterator[Problem]:
    """A glob over changed files: besides its syntax, what other tools' globs mean and the agent's do not."""
    yield from check_glob_syntax(glob, path, name)
    if has_reference(glob):
        return
    for fault, hint in _suspicions(glob):
        yield Problem(code=GLOB_SUSPECT, path=path, message=f"{name} {shown(glob)} {fault}", help=hint)


def _suspicions(glob: str) -> Iterator[tuple[str, str]]:
    """What is odd about a glob, and what to type instead."""
    if not glob:
        yield "is empty and matches no file", 'write "**" for every file'
        return
    prefix = next((prefix for prefix in ("./", "/") if glob.startswith(prefix)), None)
    if prefix is not None:
        fault = f'begins with "{prefix}" and matches no file: paths begin at the top of the repository'
        yield fault, f'write "{spelled(glob.removeprefix(prefix))}"'
    if glob.startswith("!"):
        yield 'begins with "!", which negates nothing here', f'put "{spelled(glob[1:])}" into "exclude"'
    if glob.endswith("/"):
        yield "ends with a slash and matches no file", f'write "{spelled(glob)}**" for everything below'
    scan = _scan(glob)
    if scan.comma is not None:
        yield "has a comma outside braces, which is part of the name", f'write "{{{spelled(glob)}}}" or a list'
    for inside in scan.sets:
        yield from _set_suspicions(inside)


def _set_suspicions(inside: str) -> Iterator[tuple[str, str]]:
    if inside.startswith("!"):
        yield (
            f'has "[{spelled(inside)}]", where "!" is one of the characters',
            f'write "[^{spelled(inside[1:])}]" for any other',
        )
    elif _RANGE.search(inside):
        yield f'has "[{spelled(inside)}]", where "-" is one of the characters and no range', "list all characters"


_CLOSING: Final = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scan:
    """What one pass over a glob finds: a bracket without an end, a comma outside braces, the insides of sets."""

    unclosed: int | None
    comma: int | None
    sets: tuple[str, ...]


def _scan(glob: str) -> _Scan:
    braces: list[int] = []
    sets: list[str] = []
    comma: int | None = None
    index = 0
    while index < len(glob):
        character = glob[index]
        if character == "\\":
            index += 1
        elif character == "[":
            end = _end_of_set(glob, index + 1)
            if end is None:
                return _Scan(unclosed=index, comma=comma, sets=tuple(sets))
            sets.append(glob[index + 1 : end])
            index = end
        elif character == "{":
            braces.append(index)
        elif character == "}" and braces:
            braces.pop()
        elif character == "," and not braces and comma is None:
            comma = index
        index += 1
    return _Scan(unclosed=braces[0] if braces else None, comma=comma, sets=tuple(sets))


def _end_of_set(glob: str, start: int) -> int | None:
    index = start
    while index < len(glob):
        if glob[index] == "]":
            return index
        index += 2 if glob[index] == "\\" else 1
    return None
