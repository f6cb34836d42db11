"""Diagnostics as Markdown: the annotation of a build."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from pipegen.diagnostics import Diagnostic, Severity, Span
from pipegen.report.commonmark import MAX_BYTES, code, escaped

_MARGIN: Final = 1 << 10


def render_markdown(
    diagnostics: Iterable[Diagnostic], heading: str, notes: Sequence[str], shown_path: Callable[[str], str]
) -> str:
    """A heading, the worst first, and notes, in at most `MAX_BYTES` bytes; what does not fit is counted."""
    found = sorted(diagnostics, key=lambda diagnostic: _ORDER[diagnostic.severity])
    head = f"**pipegen lint**: {escaped(heading)}\n"
    tail = "".join(f"\n{escaped(note)}\n" for note in notes)
    left = MAX_BYTES - _MARGIN - len((head + tail).encode("utf-8", "replace"))
    items: list[str] = []
    for diagnostic in found:
        item = _item(diagnostic, shown_path)
        left -= len(item.encode("utf-8", "replace"))
        if left < 0:
            tail = f"\nand {len(found) - len(items)} more: the job prints all of them\n{tail}"
            break
        items.append(item)
    return head + ("\n" if items else "") + "".join(items) + tail


_ORDER: Final = {Severity.ERROR: 0, Severity.FINDING: 1, Severity.WARNING: 2}
STYLES: Final = {None: "success", Severity.WARNING: "warning", Severity.FINDING: "error", Severity.ERROR: "error"}


def style(diagnostics: Iterable[Diagnostic]) -> str:
    """The style of the annotation, by the worst of what it shows."""
    worst = min((diagnostic.severity for diagnostic in diagnostics), key=_ORDER.__getitem__, default=None)
    return STYLES[worst]


def _item(diagnostic: Diagnostic, shown_path: Callable[[str], str]) -> str:
    word = "" if diagnostic.severity is Severity.ERROR else f"{diagnostic.severity.value}: "
    lines = [
        f"- {code(_place(diagnostic.span, shown_path))} **{diagnostic.code.code}** "
        f"{word}{escaped(diagnostic.message)} ({escaped(diagnostic.code.name)})"
    ]
    lines += [escaped(diagnostic.help)] if diagnostic.help else []
    lines += [f"{code(_place(one.span, shown_path))} {escaped(one.note)}" for one in diagnostic.related]
    return "<br>\n  ".join(lines) + "\n"


def _place(span: Span, shown_path: Callable[[str], str]) -> str:
    return f"{shown_path(span.path)}:{max(span.line, 1)}:{max(span.column, 1)}"
