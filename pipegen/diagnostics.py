"""What a check found, and where: the one type that every stage reports its users' mistakes with."""

import enum
from collections.abc import Collection, Iterable, Sequence
from dataclasses import field
from typing import Final

from pipegen.dataclass import dataclass, field_names
from pipegen.spelling import nearest


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Span:
    """A piece of a file of the workspace. Lines and columns count from 1; the end is exclusive.

    Line 0 stands for a file as a whole, where no line can be named (a file that is missing or cannot be read).
    """

    path: str
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{max(self.line, 1)}:{max(self.column, 1)}"

    @property
    def order(self) -> tuple[str, int, int, int, int]:
        """What spans are sorted by, for who sorts by many: to compare two of them takes four calls, of these none."""
        return self.path, self.line, self.column, self.end_line, self.end_column


class Severity(enum.Enum):
    """What a diagnostic stops: an error `generate` (and all else), a finding `lint` alone, a warning nothing."""

    ERROR = "error"
    FINDING = "finding"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A kind of diagnostic: its stable code, its kebab name, how bad it is and what it is about.

    `end` says that it tells of an end that passed: what it is then depends on the build, see `pipegen.rules.ends`.
    """

    code: str
    name: str
    summary: str
    severity: Severity = Severity.ERROR
    end: bool = False

    def __eq__(self, other: object) -> bool:
        """There is one of each kind, so that next to no comparison goes further than to itself."""
        if self is other or not isinstance(other, Code):
            return self is other
        return all(getattr(self, name) == getattr(other, name) for name in field_names(Code))

    def __hash__(self) -> int:
        """See `__eq__`."""
        return hash(self.code)


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """A second place that belongs to a diagnostic, and what it has to do with it."""

    span: Span
    note: str


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Edit:
    """Text that takes the place of a span of a file; an empty span puts it in front of a character."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One mistake at one place.

    `message` is one line in lower case that quotes the offending value and says what was expected;
    `help` says what to type. `fix` types it, where there is one safe way: edits that belong together. `lowered` is how
    bad it is here, where that is less than what its code says. `implied_by` are the codes and places of others that
    have the same cause: this one is for where not all of those are reported.
    """

    code: Code
    span: Span
    message: str
    help: str = ""
    related: tuple[Related, ...] = field(default=())
    fix: tuple[Edit, ...] = field(default=())
    lowered: Severity | None = None
    implied_by: tuple[tuple[Code, Span], ...] = field(default=())

    def __post_init__(self) -> None:
        """Keep what authors typed from filling pages: of a message that holds too much the middle is left out."""
        for name in ("message", "help"):
            text: str = getattr(self, name)
            if len(text) > MAX_MESSAGE:
                half = MAX_MESSAGE // 2 - 3
                object.__setattr__(self, name, f"{text[:half]} ... {text[-half:]}")

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return self.lowered or self.code.severity


MAX_MESSAGE: Final = 2_000
"""Characters of a message or help line; of more, the middle is left out."""


class PipegenError(Exception):
    """pipegen could not do what it was asked to, and no line of the workspace is to blame (exit 3)."""


def ordered(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sort by place, then code and message, each once: what users see never depends on the order of checks."""
    unique = dict.fromkeys(diagnostics)
    return tuple(sorted(unique, key=lambda d: (d.span.order, d.code.code, d.message, d.help)))


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether anything in there stops `generate`."""
    return any(d.severity is Severity.ERROR for d in diagnostics)


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that a writer of `word` most likely meant, or None if none is near; see `spelling.nearest`."""
    return next(iter(nearest(word, candidates)), None)


def meant(word: str, candidates: Iterable[str], shown: str = '"{}"') -> str:
    """The help line that names what a writer of `word` most likely meant, or no text if nothing is near.

    Several that are as likely stand side by side. `shown` is how each of them is written.
    """
    likely = [shown.format(name) for name in likeliest(word, candidates)]
    if not likely:
        return ""
    return f"did you mean {' or '.join([', '.join(likely[:-1]), likely[-1]] if likely[1:] else likely)}?"


def likeliest(word: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """The candidates that a writer of `word` most likely meant, those that a help line names."""
    return nearest(word, candidates)[:_MOST_LIKELY]


_MOST_LIKELY: Final = 3


def listing(words: Iterable[str], *, limit: int = 12) -> str:
    """Join words for a message: `"a", "b" and "c"`; beyond `limit` the rest is counted."""
    quoted = [f'"{word}"' for word in words]
    if not quoted:
        return "nothing"
    if len(quoted) > limit:
        return ", ".join(quoted[:limit]) + f" and {len(quoted) - limit} more"
    if len(quoted) == 1:
        return quoted[0]
    return ", ".join(quoted[:-1]) + f" and {quoted[-1]}"


def first_of(keys: Sequence[str]) -> str:
    """The first of the jobs that something is true of, and how many there are: `"a" and 2 more jobs`."""
    more = len(keys) - 1
    return f'"{keys[0]}"' + (f" and {more} more job{'' if more == 1 else 's'}" if more else "")


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """The help line for an unknown word: the nearest candidate, else all of them."""
    known = tuple(candidates)
    return meant(word, known) or expected(known)


def expected(words: Collection[str]) -> str:
    """The help line that lists what there is; no text if there is nothing."""
    return f"expected {'one of ' if len(words) > 1 else ''}{listing(words)}" if words else ""


class WrongUsageError(PipegenError):
    """pipegen was asked for something that cannot be meant (exit 2)."""
