"""Ignores in the files themselves: `# pipegen: ignore[PG201] reason`, at the end of a line or on a line above it.

    done = suppress(diagnostics, texts, known, judged)

Why: a finding that is right in general and wrong here should be silenced here, by name and with a reason. An ignore
that lost its object, or never had one, is a finding itself: it would hide the next mistake.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import yaml

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Code, Diagnostic, Severity, Span, closest, meant

IGNORE_WITHOUT_REASON: Final = Code(
    code="PG810",
    name="ignore-without-reason",
    summary="An inline ignore does not say why.",
    severity=Severity.FINDING,
)
UNKNOWN_IGNORE: Final = Code(
    code="PG811", name="unknown-ignore", summary="An inline ignore names no rule.", severity=Severity.FINDING
)
UNUSED_IGNORE: Final = Code(
    code="PG812",
    name="unused-ignore",
    summary="An inline ignore has nothing to silence on its line.",
    severity=Severity.FINDING,
)
IGNORED_ERROR: Final = Code(
    code="PG813",
    name="ignored-error",
    summary="An inline ignore names an error, which stops `generate` whatever stands beside it.",
    severity=Severity.FINDING,
)
BAD_IGNORE: Final = Code(
    code="PG814", name="bad-ignore", summary="An inline ignore is not written as one.", severity=Severity.FINDING
)

CODES: Final = (IGNORE_WITHOUT_REASON, UNKNOWN_IGNORE, UNUSED_IGNORE, IGNORED_ERROR, BAD_IGNORE)

_BREAK: Final = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_MARK: Final = re.compile(r"(?:^|(?<=\s))#\s*pipegen\s*:\s*([A-Za-z]+)")
_WRITTEN: Final = re.compile(r"ignore\s*\[([^\]]*)\](.*)")
_WORD: Final = re.compile(r"[^\s,]+")
_NUMBER: Final = re.compile(r"\bPG[0-9]{3}\b")
_SAYS_SOMETHING: Final = re.compile(r"\w\w")
_EXAMPLE: Final = "# pipegen: ignore[PG201] the reason"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignore:
    """An inline ignore of one code, and the lines that it is about: `first` to `last`."""

    code: Code
    span: Span
    first: int
    last: int

    def covers(self, diagnostic: Diagnostic) -> bool:
        """Whether a diagnostic is what it is for."""
        span = diagnostic.span
        return diagnostic.code == self.code and span.path == self.span.path and self.first <= span.line <= self.last


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed:
    """What is left of some diagnostics, what was ignored of them, and what is wrong with the ignores."""

    kept: tuple[Diagnostic, ...]
    ignored: tuple[Diagnostic, ...]
    found: tuple[Diagnostic, ...]


def suppress(
    diagnostics: Iterable[Diagnostic],
    texts: Mapping[str, str],
    known: Mapping[str, Code],
    judged: Callable[[Code], bool],
) -> Suppressed:
    """Take out what inline ignores silence. Errors stay: they stop `generate` all the same.

    `texts` are the YAML files of the workspace by path, `known` all codes by their number. An ignore is unused only if
    its code was `judged`: all that reports it has looked.
    """
    ignores: list[Ignore] = []
    found: list[Diagnostic] = []
    for path, text in texts.items():
        for one in read_ignores(path, text, known):
            if isinstance(one, Ignore):
                ignores.append(one)
            else:
                found.append(one)
    by_place: dict[tuple[Code, str], list[Ignore]] = {}
    for ignore in ignores:
        by_place.setdefault((ignore.code, ignore.span.path), []).append(ignore)
    kept: list[Diagnostic] = []
    ignored: list[Diagnostic] = []
    used: set[Ignore] = set()
    for diagnostic in diagnostics:
        covering = [i for i in by_place.get((diagnostic.code, diagnostic.span.path), ()) if i.covers(diagnostic)]
        used.update(covering)
        (ignored if covering else kept).append(diagnostic)
    unused = (_unused(ignore) for ignore in ignores if ignore not in used and judged(ignore.code))
    return Suppressed(kept=tuple(kept), ignored=tuple(ignored), found=(*found, *unused))


def _unused(ignore: Ignore) -> Diagnostic:
    return Diagnostic(
        code=UNUSED_IGNORE,
        span=ignore.span,
        message=f'nothing to ignore: no "{ignore.code.code}" ({ignore.code.name}) is on its line',
        help=f"take {ignore.code.code} out, or put the comment at the end of the line or on a line above it",
    )


def read_ignores(path: str, text: str, known: Mapping[str, Code]) -> Iterator[Ignore | Diagnostic]:
    """The inline ignores of a file, and what is wrong with them."""
    if "pipegen" not in text:
        return
    lines = _BREAK.split(text)
    comments = [(at, mark) for at, line in enumerate(lines, start=1) for mark in _MARK.finditer(line)]
    scalars = _Scalars.of(text) if comments else None
    for at, mark in comments:
        word = mark[1]
        if scalars is None or scalars.hold(at, mark.start() + 1):
            continue  # text of a value, no comment
        if word != "ignore" and closest(word.lower(), ["ignore"]) is None:
            continue  # a sentence that begins with our name
        end = len(lines[at - 1].rstrip()) + 1
        span = Span(path=path, line=at, column=mark.start() + 1, end_line=at, end_column=end)
        first = _about(lines, at)
        yield from _ignores(lines[at - 1][mark.start(1) :], span, (first, scalars.end(first)), known)


def _about(lines: Sequence[str], at: int) -> int:
    """The line that a comment on this one is about: the same, or the next that is more than a comment."""
    if not lines[at - 1].lstrip().startswith("#"):
        return at
    below = (number for number in range(at + 1, len(lines) + 1) if _has_content(lines[number - 1]))
    return next(below, at)


def _has_content(line: str) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith("#")


def _ignores(
    written: str, span: Span, about: tuple[int, int], known: Mapping[str, Code]
) -> Iterator[Ignore | Diagnostic]:
    """The ignores of one comment; `written` is its text from the word `ignore` on."""
    parsed = _WRITTEN.match(written)
    words = [] if parsed is None else list(_WORD.finditer(parsed[1]))
    if parsed is None or not words:
        message = f'"{written.strip()}" is no ignore: expected codes in brackets and a reason'
        codes = ", ".join(dict.fromkeys(_NUMBER.findall(written)))
        hint = f"write # pipegen: ignore[{codes}] and why" if codes else f"write {_EXAMPLE}"
        yield Diagnostic(code=BAD_IGNORE, span=span, message=message, help=hint)
        return
    if not _SAYS_SOMETHING.search(parsed[2]):
        shown = f"ignore[{parsed[1].strip()}]"
        message = f'"{shown}" gives no reason'
        hint = f"write # pipegen: {shown} and why"
        yield Diagnostic(code=IGNORE_WITHOUT_REASON, span=span, message=message, help=hint)
    start = span.end_column - len(written.rstrip())
    for word in words:
        column = start + parsed.start(1) + word.start()
        place = Span(
            path=span.path, line=span.line, column=column, end_line=span.line, end_column=column + len(word[0])
        )
        code = known.get(word[0])
        if code is None:
            yield _unknown(word[0], place, known)
        elif code.severity is Severity.ERROR:
            message = f'"{code.code}" ({code.name}) is an error, which no comment can silence: it stops generate'
            yield Diagnostic(code=IGNORED_ERROR, span=place, message=message, help=f"take {code.code} out")
        else:
            yield Ignore(code=code, span=place, first=about[0], last=about[1])


def _unknown(word: str, span: Span, known: Mapping[str, Code]) -> Diagnostic:
    by_name = {code.name: code.code for code in known.values()}
    named = by_name.get(word) or by_name.get(closest(word, by_name) or "")
    near = f"write {named}" if named else meant(word.upper(), known, "{}")
    hint = near or "write a code as findings show it, such as PG201"
    return Diagnostic(code=UNKNOWN_IGNORE, span=span, message=f'no rule has the code "{word}"', help=hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scalar:
    """Where a value of a YAML text stands, by line and column from 1: its first line, its text, the end exclusive.

    The text of a block (`|`) begins below its first line, which may end in a comment.
    """

    first: int
    start: tuple[int, int]
    end: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scalars:
    """The values of a YAML text."""

    places: tuple[_Scalar, ...]

    @classmethod
    def of(cls, text: str) -> "_Scalars":
        """Those of a text, up to where it stops being YAML."""
        places = []
        try:
            for token in yaml.scan(text, Loader=yaml.CSafeLoader):
                if isinstance(token, yaml.ScalarToken):
                    first, column = token.start_mark.line + 1, token.start_mark.column + 1
                    start = (first + 1, 1) if token.style in ("|", ">") else (first, column)
                    end = (token.end_mark.line + 1, token.end_mark.column + 1)
                    places.append(_Scalar(first=first, start=start, end=end))
        except yaml.YAMLError:
            pass
        return cls(places=tuple(places))

    def hold(self, line: int, column: int) -> bool:
        """Whether the character there is part of a value."""
        return any(place.start <= (line, column) < place.end for place in self.places)

    def end(self, line: int) -> int:
        """The last line of what begins on a line: a value may go on below."""
        ends = (place.end[0] - (place.end[1] == 1) for place in self.places if place.first == line)
        return max((line, *ends))
