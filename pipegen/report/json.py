"""Diagnostics and listings as JSON, for programs."""

import json
from collections.abc import Iterable

from pipegen.diagnostics import Diagnostic, Span
from pipegen.plain import Plain, PlainMap


def diagnostic_data(diagnostic: Diagnostic) -> PlainMap:
    """One diagnostic as plain data."""
    return {
        "code": diagnostic.code.code,
        "name": diagnostic.code.name,
        "severity": diagnostic.severity.value,
        **span_data(diagnostic.span),
        "message": diagnostic.message,
        "help": diagnostic.help,
        "related": [{**span_data(related.span), "note": related.note} for related in diagnostic.related],
        "fix": [{**span_data(edit.span), "text": edit.text} for edit in diagnostic.fix],
    }


def span_data(span: Span) -> PlainMap:
    """A place as plain data; lines and columns count from 1."""
    return {
        "path": span.path,
        "line": max(span.line, 1),
        "column": max(span.column, 1),
        "end_line": span.end_line,
        "end_column": span.end_column,
    }


def render_json(value: Plain) -> str:
    """Plain data as indented JSON with a final newline."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def render_diagnostics(diagnostics: Iterable[Diagnostic]) -> str:
    """All diagnostics as one JSON document."""
    return render_json({"diagnostics": [diagnostic_data(diagnostic) for diagnostic in diagnostics]})
