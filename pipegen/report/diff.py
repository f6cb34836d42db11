"""Changes of files as a unified diff, as `git apply` takes it."""

import difflib
from collections.abc import Iterator, Mapping

_CONTEXT = 3


def unified_diff(changes: Mapping[str, tuple[str, str]]) -> str:
    """The difference of each file, from the text before to the text after, by its path."""
    return "".join(line for path, (before, after) in sorted(changes.items()) for line in _file(path, before, after))


def _file(path: str, before: str, after: str) -> Iterator[str]:
    lines = difflib.unified_diff(_lines(before), _lines(after), f"a/{path}", f"b/{path}", n=_CONTEXT)
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """Lines as git counts them: only a newline ends one."""
    *whole, rest = text.split("\n")
    return [f"{line}\n" for line in whole] + ([rest] if rest else [])
