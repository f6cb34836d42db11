"""What `lint` prints of a workspace, and the same as plain data that a later run can print again."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Code, Diagnostic, Edit, Related, Severity, Span
from pipegen.plain import Plain, PlainMap

if TYPE_CHECKING:
    from pipegen.app.linting import Linted

_Kind = TypeVar("_Kind", str, int, bool)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The diagnostics, those that the base has too, how many were ignored and waived, and notes, a line each.

    `texts` are the files of the workspace that were read.
    """

    diagnostics: tuple[Diagnostic, ...]
    old: tuple[Diagnostic, ...]
    ignored: int
    waived: int
    texts: Mapping[str, str]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, linted: "Linted") -> "Verdict":
        """The verdict of a run."""
        return cls(
            diagnostics=linted.diagnostics,
            old=linted.old,
            ignored=len(linted.ignored),
            waived=len(linted.waived),
            texts=linted.texts,
            notes=linted.notes,
        )

    @property
    def fails(self) -> bool:
        """Whether there is more than warnings."""
        return any(diagnostic.severity is not Severity.WARNING for diagnostic in self.diagnostics)


def to_plain(verdict: Verdict) -> PlainMap:
    """The verdict as plain data, without the texts, which are where they were read."""
    codes = _codes(verdict)
    return {
        "codes": {code.code: [code.name, code.summary, code.severity.value, code.end] for code in codes},
        "diagnostics": [_plain(diagnostic) for diagnostic in verdict.diagnostics],
        "old": [_plain(diagnostic) for diagnostic in verdict.old],
        "ignored": verdict.ignored,
        "waived": verdict.waived,
        "notes": list[Plain](verdict.notes),
        "texts": list[Plain](verdict.texts),
    }


def from_plain(data: Plain, text: Callable[[str], str | None]) -> Verdict:
    """The verdict that plain data tells of. `text` gives those of the files that were read.

    Raises:
        KeyError, TypeError, ValueError: it is no such data.
    """
    parts = mapping(data)
    codes = {number: _code(number, code) for number, code in mapping(parts["codes"]).items()}
    return Verdict(
        diagnostics=tuple(_diagnostic(one, codes) for one in sequence(parts["diagnostics"])),
        old=tuple(_diagnostic(one, codes) for one in sequence(parts["old"])),
        ignored=scalar(parts["ignored"], int),
        waived=scalar(parts["waived"], int),
        texts={path: text(path) or "" for path in texts_of(parts["texts"])},
        notes=texts_of(parts["notes"]),
    )


# --- Plain data, as a file may hold it ------------------------------------------------------------------------------


def mapping(data: Plain) -> PlainMap:
    """The data, if it is a mapping. These raise TypeError otherwise."""
    if not isinstance(data, Mapping):
        raise TypeError(data)
    return data


def sequence(data: Plain) -> Sequence[Plain]:
    """The data, if it is a list."""
    if not isinstance(data, Sequence) or isinstance(data, str):
        raise TypeError(data)
    return data


def scalar(data: Plain, kind: type[_Kind]) -> _Kind:
    """The data, if it is of a kind."""
    if not isinstance(data, kind):
        raise TypeError(data)
    return data


def texts_of(data: Plain) -> tuple[str, ...]:
    """The data, if it is a list of texts."""
    return tuple(scalar(item, str) for item in sequence(data))


# --- Diagnostics ----------------------------------------------------------------------------------------------------


def _codes(verdict: Verdict) -> Iterable[Code]:
    for diagnostic in (*verdict.diagnostics, *verdict.old):
        yield diagnostic.code
        yield from (code for code, _ in diagnostic.implied_by)


def _code(number: str, data: Plain) -> Code:
    name, summary, severity, end = sequence(data)
    return Code(
        code=number,
        name=scalar(name, str),
        summary=scalar(summary, str),
        severity=Severity(severity),
        end=scalar(end, bool),
    )


def _plain(diagnostic: Diagnostic) -> list[Plain]:
    return [
        diagnostic.code.code,
        _words(diagnostic.span),
        diagnostic.message,
        diagnostic.help,
        [[_words(related.span), related.note] for related in diagnostic.related],
        [[_words(edit.span), edit.text] for edit in diagnostic.fix],
        None if diagnostic.lowered is None else diagnostic.lowered.value,
        [[_words(span), code.code] for code, span in diagnostic.implied_by],
    ]


def _diagnostic(data: Plain, codes: Mapping[str, Code]) -> Diagnostic:
    code, span, message, hint, related, fix, lowered, implied_by = sequence(data)
    return Diagnostic(
        code=codes[scalar(code, str)],
        span=_span(span),
        message=scalar(message, str),
        help=scalar(hint, str),
        related=tuple(Related(span=at, note=note) for at, note in _placed(related)),
        fix=tuple(Edit(span=at, text=text) for at, text in _placed(fix)),
        lowered=None if lowered is None else Severity(lowered),
        implied_by=tuple((codes[number], at) for at, number in _placed(implied_by)),
    )


def _words(span: Span) -> list[Plain]:
    return [span.path, span.line, span.column, span.end_line, span.end_column]


def _span(data: Plain) -> Span:
    path, *numbers = sequence(data)
    line, column, end_line, end_column = (scalar(number, int) for number in numbers)
    return Span(path=scalar(path, str), line=line, column=column, end_line=end_line, end_column=end_column)


def _placed(data: Plain) -> Iterable[tuple[Span, str]]:
    for item in sequence(data):
        span, text = sequence(item)
        yield _span(span), scalar(text, str)
