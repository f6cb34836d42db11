"""Waivers: dated, owned exceptions in the workspace file, for what cannot be put right today.

    names = Names.of(facts.pipelines)
    done = waive(diagnostics, waivers, names=names, known=known, judged=judged, today=today, before=before)

A waiver is about what a finding is about: the file that it stands in, the area, the key of a job, or whatever its
message quotes; `at` is a pattern over those, in the syntax of `sources`. Errors cannot be waived: they stop `generate`
all the same. A waiver goes on after its end, and says so; one that has nothing left to waive, or has more to waive
than before the change, is a finding itself.
"""

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Code, Diagnostic, Related, Severity, closest
from pipegen.model import Waiver
from pipegen.patterns import Patterns
from pipegen.rules.ends import day_passed
from pipegen.rules.subjects import Names

UNUSED_WAIVER: Final = Code(
    code="PG801",
    name="unused-waiver",
    summary="A waiver has nothing to waive: what it was for is gone, or it is written wrongly.",
    severity=Severity.FINDING,
)
ENDED_WAIVER: Final = Code(
    code="PG802", name="ended-waiver", summary="The end of a waiver has passed.", severity=Severity.FINDING, end=True
)
GROWING_WAIVER: Final = Code(
    code="PG803",
    name="growing-waiver",
    summary="A waiver that was there before the change waives more than it did.",
    severity=Severity.FINDING,
)
UNKNOWN_WAIVED: Final = Code(
    code="PG804", name="unknown-waived-rule", summary="A waiver names no rule.", severity=Severity.FINDING
)
WAIVED_ERROR: Final = Code(
    code="PG805",
    name="waived-error",
    summary="A waiver names an error, which stops `generate` whatever is waived.",
    severity=Severity.FINDING,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What another revision has: its diagnostics, none of them waived, its waivers, and what stands where there."""

    diagnostics: tuple[Diagnostic, ...]
    waivers: tuple[Waiver, ...]
    names: Names
    called: str
    """What the caller called it, such as `origin/main`."""

    def has(self, waiver: Waiver) -> bool:
        """Whether it has a waiver of the same rule at the same place."""
        same = (waiver.rule.text, waiver.at.text)
        return any((other.rule.text, other.at.text) == same for other in self.waivers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waived:
    """What is left of some diagnostics, what was waived of them, and what is wrong with the waivers."""

    kept: tuple[Diagnostic, ...]
    waived: tuple[Diagnostic, ...]
    found: tuple[Diagnostic, ...]


def waive(  # noqa: PLR0913 - what was found, what is put up with, and all that it takes to judge that
    diagnostics: Sequence[Diagnostic],
    waivers: Iterable[Waiver],
    *,
    names: Names,
    known: Mapping[str, Code],
    judged: Callable[[Code], bool],
    today: str,
    before: Before | None = None,
) -> Waived:
    """Take out what is waived.

    `known` are all codes by their number, `judged` says whether all that reports a code has looked: a waiver of
    another is not called unused. Waivers grow compared with what was `before`.
    """
    good: list[_Matching] = []
    found: list[Diagnostic] = []
    for waiver in dict.fromkeys(waivers):
        code = _code(waiver.rule.text, known)
        if code is None or code.severity is Severity.ERROR:
            found.append(_unwaivable(waiver, code, known))
        else:
            good.append(_Matching.of(waiver, code))
    taken = {id(one): one.taken(diagnostics, names) for one in good}
    waived = {diagnostic for found_by in taken.values() for diagnostic in found_by}
    decided = {
        diagnostic for one in good if before is not None and not before.has(one.waiver) for diagnostic in taken[id(one)]
    }
    for one in good:
        found += _judge(one, taken[id(one)], judged, today)
        if before is not None and before.has(one.waiver):
            found += _growing(one, taken[id(one)], before, decided)
    return Waived(
        kept=tuple(diagnostic for diagnostic in diagnostics if diagnostic not in waived),
        waived=tuple(diagnostic for diagnostic in diagnostics if diagnostic in waived),
        found=tuple(found),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Matching:
    """A waiver, and the patterns that say what it is about."""

    waiver: Waiver
    code: Code
    at: Patterns

    @classmethod
    def of(cls, waiver: Waiver, code: Code) -> "_Matching":
        return cls(waiver=waiver, code=code, at=Patterns.compile([waiver.at.text]))

    def taken(self, diagnostics: Iterable[Diagnostic], names: Names) -> tuple[Diagnostic, ...]:
        """The diagnostics that it is for."""
        return tuple(
            one
            for one in diagnostics
            if one.code == self.code and any(self.at.match(subject) for subject in names.subjects(one))
        )


def _judge(
    one: _Matching,
    taken: Sequence[Diagnostic],
    judged: Callable[[Code], bool],
    today: str,
) -> Iterator[Diagnostic]:
    """What is wrong with a waiver that names a rule, whatever was before."""
    waiver = one.waiver
    if not taken:
        if judged(one.code):
            message = f'nothing to waive: no "{waiver.rule.text}" ({_other_name(waiver, one.code)}) is about '
            message += f'"{waiver.at.text}"'
            yield Diagnostic(code=UNUSED_WAIVER, span=waiver.at.span, message=message, help="take the waiver out")
        return
    if day_passed(waiver.until.text, today):
        yield Diagnostic(
            code=ENDED_WAIVER,
            span=waiver.until.span,
            message=f'the waiver of "{waiver.rule.text}" for "{waiver.at.text}" ended on {waiver.until.text}: '
            f"{described(waiver.reason, waiver.owner, waiver.tracking)}",
            help=f"put right what it waives ({_count(taken)}), or have {waiver.owner} give it another end",
            related=(Related(span=waiver.span, note="waived here"),),
        )


def _growing(
    one: _Matching, taken: Sequence[Diagnostic], before: Before, decided: Container[Diagnostic]
) -> Iterator[Diagnostic]:
    """That a waiver takes more than it did; what is `decided` was given a waiver of its own by the change."""
    waiver = one.waiver
    earlier = one.taken(before.diagnostics, before.names)
    more = _grown([diagnostic for diagnostic in taken if diagnostic not in decided], earlier)
    if more:
        yield Diagnostic(
            code=GROWING_WAIVER,
            span=waiver.at.span,
            message=f'the waiver of "{waiver.rule.text}" for "{waiver.at.text}" takes {_count(taken)}, '
            f"{len(more)} more than at {before.called}: {more[0].message}",
            help="put that right, or write a waiver of its own for it",
        )


def described(reason: str, owner: str, tracking: str | None) -> str:
    """Why something is put up with, and who ends it."""
    return f"{reason} (owner {owner}{'' if tracking is None else f', {tracking}'})"


def _count(taken: Sequence[Diagnostic]) -> str:
    return f"{len(taken)} finding{'' if len(taken) == 1 else 's'}"


_LINE: Final = re.compile(r":\d+(:\d+)?\b")


def _grown(taken: Sequence[Diagnostic], earlier: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """What is taken beyond what was taken earlier, if that is more."""
    if len(taken) <= len(earlier):
        return ()
    known = Counter(_identity(diagnostic) for diagnostic in earlier)
    more = []
    for diagnostic in taken:
        if known[_identity(diagnostic)]:
            known[_identity(diagnostic)] -= 1
        else:
            more.append(diagnostic)
    return tuple(more[: len(taken) - len(earlier)])


def _identity(diagnostic: Diagnostic) -> tuple[str, str]:
    return diagnostic.span.path, _LINE.sub("", diagnostic.message)


def _code(word: str, known: Mapping[str, Code]) -> Code | None:
    """The code that a number or a name stands for."""
    return known.get(word) or next((code for code in known.values() if code.name == word), None)


def _other_name(waiver: Waiver, code: Code) -> str:
    return code.name if waiver.rule.text == code.code else code.code


def _unwaivable(waiver: Waiver, code: Code | None, known: Mapping[str, Code]) -> Diagnostic:
    word = waiver.rule.text
    if code is not None:
        message = f'"{word}" ({_other_name(waiver, code)}) is an error, which no waiver can help: it stops generate'
        return Diagnostic(code=WAIVED_ERROR, span=waiver.rule.span, message=message, help="take the waiver out")
    names = [code.name for code in known.values()]
    near = word.upper() if word.upper() in known else closest(word, names)
    hint = f'did you mean "{near}"?' if near else "write a code as findings show it, such as PG201, or its name"
    return Diagnostic(code=UNKNOWN_WAIVED, span=waiver.rule.span, message=f'no rule is called "{word}"', help=hint)


CODES: Final = (UNUSED_WAIVER, ENDED_WAIVER, GROWING_WAIVER, UNKNOWN_WAIVED, WAIVED_ERROR)
