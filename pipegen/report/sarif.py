"""Diagnostics as SARIF 2.1.0, which code scanners and editors read.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final
from urllib.parse import quote

from pipegen.diagnostics import Code, Diagnostic, Edit, Severity, Span
from pipegen.plain import Plain, PlainMap
from pipegen.report.json import render_json

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
VERSION: Final = "2.1.0"
ROOT: Final = "SRCROOT"
"""What paths are relative to: the top of the repository."""

_LEVELS: Final = {Severity.ERROR: "error", Severity.FINDING: "error", Severity.WARNING: "warning"}


def render_sarif(diagnostics: Iterable[Diagnostic], version: str, shown_path: Callable[[str], str]) -> str:
    """One run with all diagnostics. `shown_path` gives a file's path from the repository's root."""
    found = tuple(diagnostics)
    codes = sorted({diagnostic.code for diagnostic in found}, key=lambda code: code.code)
    marks = _fingerprints(found)
    places = {code: at for at, code in enumerate(codes)}
    results = [
        _result(diagnostic, places[diagnostic.code], mark, shown_path)
        for diagnostic, mark in zip(found, marks, strict=True)
    ]
    driver: PlainMap = {"name": "pipegen", "version": version, "rules": [_rule(code) for code in codes]}
    run: PlainMap = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "The top of the repository."}}},
        "results": results,
    }
    return render_json({"$schema": SCHEMA, "version": VERSION, "runs": [run]})


def _rule(code: Code) -> PlainMap:
    return {
        "id": code.code,
        "name": "".join(word.capitalize() for word in code.name.split("-")),
        "shortDescription": {"text": code.summary},
        # Not `helpUri`: that has to be absolute, and pages are where pipegen's documentation is.
        "help": {"text": f"{code.summary} See {page(code)} of pipegen's documentation."},
        "defaultConfiguration": {"level": _LEVELS[code.severity]},
        "properties": {"kebab": code.name, "severity": code.severity.value},
    }


def page(code: Code) -> str:
    """Where a code is explained, from the top of pipegen's own documentation."""
    return f"docs/messages.md#{code.code.lower()}-{code.name}"


def _result(diagnostic: Diagnostic, at: int, mark: str, shown_path: Callable[[str], str]) -> PlainMap:
    text = diagnostic.message + (f"\n{diagnostic.help}" if diagnostic.help else "")
    result: dict[str, Plain] = {
        "ruleId": diagnostic.code.code,
        "ruleIndex": at,
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": text},
        "locations": [_location(diagnostic.span, shown_path)],
        "partialFingerprints": {"pipegen/v1": mark},
    }
    if diagnostic.related:
        result["relatedLocations"] = [
            {"id": number, **_location(related.span, shown_path), "message": {"text": related.note}}
            for number, related in enumerate(diagnostic.related, start=1)
        ]
    if diagnostic.fix:
        result["fixes"] = [_fix(diagnostic, shown_path)]
    return result


def _location(span: Span, shown_path: Callable[[str], str]) -> PlainMap:
    physical: dict[str, Plain] = {"artifactLocation": _artifact(span, shown_path)}
    if span.line:
        physical["region"] = _region(span)
    return {"physicalLocation": physical}


def _artifact(span: Span, shown_path: Callable[[str], str]) -> PlainMap:
    return {"uri": quote(shown_path(span.path), errors="replace"), "uriBaseId": ROOT}


def _region(span: Span) -> PlainMap:
    region: dict[str, Plain] = {"startLine": span.line, "startColumn": max(span.column, 1)}
    if span.end_line >= span.line:
        region |= {"endLine": span.end_line, "endColumn": max(span.end_column, 1)}
    return region


def _fix(diagnostic: Diagnostic, shown_path: Callable[[str], str]) -> PlainMap:
    by_file: dict[str, list[Edit]] = {}
    for edit in diagnostic.fix:
        by_file.setdefault(edit.span.path, []).append(edit)
    return {
        "description": {"text": diagnostic.help or diagnostic.message},
        "artifactChanges": [
            {
                "artifactLocation": _artifact(edits[0].span, shown_path),
                "replacements": [
                    {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.text}} for edit in edits
                ],
            }
            for edits in by_file.values()
        ],
    }


def _fingerprints(diagnostics: Sequence[Diagnostic]) -> tuple[str, ...]:
    """What tells a result from all others when lines move; equal ones in a file are counted."""
    seen: Counter[str] = Counter()
    marks = []
    for diagnostic in diagnostics:
        words = "\0".join((diagnostic.code.code, diagnostic.span.path, diagnostic.message))
        seen[words] += 1
        marks.append(hashlib.sha256(f"{words}\0{seen[words]}".encode("utf-8", "replace")).hexdigest()[:32])
    return tuple(marks)
