"""Which fixes can be made at once: edits that diagnostics offer, and that do not get into each other's way."""

import re
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Final

from pipegen.dataclass import replace
from pipegen.diagnostics import Diagnostic, Edit, Span

_BREAK: Final = re.compile("\r\n|\r|\n")


def fitting(diagnostics: Iterable[Diagnostic], *, apart: bool = False) -> Mapping[str, tuple[Edit, ...]]:
    """The edits of as many fixes as go together, by file: those of a fix all or none, no two for the same text.

    What is put in at one place goes together, unless the fixes are to stand `apart`. A fix that does not go with those
    before it waits for the next round, in which it is found again.
    """
    accepted: dict[str, list[Edit]] = {}
    for diagnostic in diagnostics:
        edits = tuple(dict.fromkeys(diagnostic.fix))
        taken = [edit for path in {edit.span.path for edit in edits} for edit in accepted.get(path, ())]
        new = [edit for edit in edits if edit not in taken]
        pairs = [*((one, other) for one in new for other in taken), *combinations(new, 2)]
        if not any(_meet(one.span, other.span, apart=apart) for one, other in pairs):
            for edit in new:
                accepted.setdefault(edit.span.path, []).append(edit)
    return {path: tuple(sorted(edits)) for path, edits in sorted(accepted.items())}


def _meet(one: Span, other: Span, *, apart: bool) -> bool:
    """Whether two edits are for the same text; with `apart`, or stand at the same place."""
    if one.path != other.path:
        return False
    if _start(one) == _start(other):
        return apart or (_start(one) != _end(one) and _start(other) != _end(other))
    return _start(one) < _end(other) and _start(other) < _end(one)


def _start(span: Span) -> tuple[int, int]:
    return span.line, span.column


def _end(span: Span) -> tuple[int, int]:
    return span.end_line, span.end_column


def with_breaks_of(text: str, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Edits with the line endings of the text that they are for, which is that of its first line."""
    found = _BREAK.search(text)
    ending = "\n" if found is None else found[0]
    return tuple(replace(edit, text=_BREAK.sub(ending, edit.text)) for edit in edits)
