"""Diagnostics as workflow commands of GitHub Actions: an annotation at each line."""

from collections.abc import Callable, Iterable
from typing import Final

from pipegen.diagnostics import Diagnostic, Severity
from pipegen.report.text import clean

_COMMANDS: Final = {Severity.ERROR: "error", Severity.FINDING: "error", Severity.WARNING: "warning"}


def render_github(diagnostics: Iterable[Diagnostic], shown_path: Callable[[str], str]) -> str:
    """A workflow command for each diagnostic. `shown_path` gives a file's path from the repository's root."""
    return "".join(_command(diagnostic, shown_path) for diagnostic in diagnostics)


def _command(diagnostic: Diagnostic, shown_path: Callable[[str], str]) -> str:
    span = diagnostic.span
    properties = {"file": shown_path(span.path)}
    if span.line:
        properties |= {"line": str(span.line), "endLine": str(max(span.end_line, span.line))}
        if span.end_line == span.line and span.end_column > span.column:
            properties |= {"col": str(span.column), "endColumn": str(span.end_column)}
        else:
            properties |= {"col": str(max(span.column, 1))}
    properties["title"] = f"{diagnostic.code.code} {diagnostic.code.name}"
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    text = "\n".join(clean(part) for part in (diagnostic.message, diagnostic.help) if part)
    return f"::{_COMMANDS[diagnostic.severity]} {written}::{_message(text)}\n"


def _message(text: str) -> str:
    """Text that cannot end the command's line, as GitHub decodes it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """The same for a value among others."""
    return _message(text).replace(":", "%3A").replace(",", "%2C")
