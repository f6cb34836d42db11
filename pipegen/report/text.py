"""Diagnostics as text: the place, the line itself with the value marked, and what to type."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Diagnostic, Severity, Span

_BREAK: Final = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_CONTROL: Final = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufeff]"
)
_WIDTH: Final = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How to emphasise; without colour every one is the text itself."""

    color: bool = False

    def bold(self, text: str) -> str:
        """Emphasised text."""
        return f"\x1b[1m{text}\x1b[0m" if self.color else text

    def severity(self, severity: Severity, text: str) -> str:
        """Text in the colour of a severity."""
        if not self.color:
            return text
        shade = {Severity.ERROR: 31, Severity.FINDING: 35, Severity.WARNING: 33}[severity]
        return f"\x1b[1;{shade}m{text}\x1b[0m"

    def faint(self, text: str) -> str:
        """Text that may be overlooked."""
        return f"\x1b[2m{text}\x1b[0m" if self.color else text


def render_text(
    diagnostics: Iterable[Diagnostic],
    source: Callable[[str], str | None],
    style: Style,
    *,
    shown_path: Callable[[str], str],
) -> str:
    """All diagnostics with their source lines, and a summary line. `source` gives the text of a file, if it has any."""
    found = list(diagnostics)
    blocks = render_blocks(found, source, style, shown_path=shown_path)
    return "".join(block + "\n" for block in ([*blocks, summary(found)] if found else blocks))


def render_blocks(
    diagnostics: Iterable[Diagnostic],
    source: Callable[[str], str | None],
    style: Style,
    *,
    shown_path: Callable[[str], str],
) -> list[str]:
    """Each diagnostic with its source line, ending in a newline."""
    files: dict[str, Sequence[str] | None] = {}

    def line(span: Span) -> str | None:
        if span.path not in files:
            text = source(span.path)
            files[span.path] = None if text is None else _BREAK.split(text)
        lines = files[span.path]
        return lines[span.line - 1] if lines is not None and 1 <= span.line <= len(lines) else None

    return [_block(diagnostic, line, style, shown_path) for diagnostic in diagnostics]


def _block(
    diagnostic: Diagnostic, line: Callable[[Span], str | None], style: Style, shown_path: Callable[[str], str]
) -> str:
    span = diagnostic.span
    place = _place(span, shown_path)
    word = "" if diagnostic.severity is Severity.ERROR else f"{diagnostic.severity.value}: "
    code = style.severity(diagnostic.severity, diagnostic.code.code)
    rows = [f"{style.bold(place)} {code} {word}{clean(diagnostic.message)} {style.faint(f'[{diagnostic.code.name}]')}"]
    text = line(span)
    margin = " " * len(str(span.line))
    if text is not None:
        shown, mark = _marked(text, span)
        rows += [f"{margin} |", f"{span.line} | {shown}", f"{margin} | {style.severity(diagnostic.severity, mark)}"]
    if diagnostic.help:
        rows.append(f"{margin} = help: {clean(diagnostic.help)}")
    for related in diagnostic.related:
        rows.append(f"{margin} = {_place(related.span, shown_path)}: {clean(related.note)}")
    return "\n".join(rows) + "\n"


def _place(span: Span, shown_path: Callable[[str], str]) -> str:
    return f"{clean(shown_path(span.path))}:{max(span.line, 1)}:{max(span.column, 1)}"


def _marked(text: str, span: Span) -> tuple[str, str]:
    """A source line, cut to what a terminal holds, and the mark below the offending part of it."""
    start = max(span.column, 1) - 1
    end = span.end_column - 1 if span.end_line == span.line else len(text.rstrip())
    end = max(end, start + 1)
    offset = 0
    if len(text) > _WIDTH and start > _WIDTH // 2:
        offset = start - _WIDTH // 4
    shown = text[offset : offset + _WIDTH]
    prefix = "".join("\t" if character == "\t" else " " * _cells(character) for character in shown[: start - offset])
    length = max(1, sum(_cells(character) for character in shown[start - offset : end - offset]))
    return clean(shown), prefix + "^" + "~" * (length - 1)


def _cells(character: str) -> int:
    """How many cells of a terminal a character takes: two if it is wide, none if it joins the one before it."""
    if unicodedata.combining(character) or character in "\u200b\u200c\u200d\ufe0e\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def clean(text: str) -> str:
    """Text without what could move a terminal's cursor, ring it, or turn what is read around."""
    return _CONTROL.sub("\ufffd", text)


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """One line: how many errors, findings and warnings."""
    counts = dict.fromkeys(Severity, 0)
    for diagnostic in diagnostics:
        counts[diagnostic.severity] += 1
    parts = [f"{count} {severity.value}{'' if count == 1 else 's'}" for severity, count in counts.items() if count]
    return ", ".join(parts) or "no problems"
