"""Every job that runs a test file narrows it by `-k` or `-m`, and what they leave out together may run nowhere.

A file is collected and the job is green, and still some of its tests never run: those whose marks or names no
expression takes. Within a step `parts` with a `rest` cannot lose any. Between steps and lanes somebody has to take the
complement: `-m cpu_test` on one machine wants `-m 'not cpu_test'` on another. Whether expressions leave anything out
is asked of logic alone, over all lanes together: what one lane leaves another may take. A `-m 'not slow'` under
`addopts` in pytest's own settings narrows every run that says no `-m` itself, and is shown in that file.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from pipegen.codes import UNPROVEN_PARTS
from pipegen.commands import Expression
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Code, Diagnostic, Severity, Span, listing
from pipegen.expression import And, Coverage, ExpressionError, Kind, Name, Not, Or, covers, parse
from pipegen.expression import Expression as Node
from pipegen.manifest.located import Mapping as Written
from pipegen.rules.facts import Facts, JobFacts, Ran
from pipegen.rules.frame import Rule
from pipegen.rules.orphans import shown
from pipegen.rules.places import is_authored, span_of

NARROWED_EVERYWHERE: Final = Code(
    code="PG214",
    name="narrowed-everywhere",
    summary="All jobs that run a test file narrow it, and are not proven to run all of it together.",
    severity=Severity.FINDING,
)

_SHOWN: Final = 4
_HELP: Final = "let a part or step take the rest (rest: true), or write the complement for another job"
_HELP_FOR_SETTINGS: Final = "write the complement for another job, whose -k or -m wins, or take it out of addopts"
_Shares: TypeAlias = frozenset[tuple[str | None, str | None]]
"""What several runs take of a file: the `-k` and `-m` of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """A run that narrows."""

    job: JobFacts
    ran: Ran

    @property
    def share(self) -> tuple[str | None, str | None]:
        """Its expressions."""
        return _text(self.ran.run.k), _text(self.ran.run.m)

    @property
    def expression(self) -> Expression | None:
        """The one to show: rather what narrows this run than what pytest's own settings say of all."""
        given = [one for one in (self.ran.run.k, self.ran.run.m) if one is not None]
        return min(given, key=lambda one: one.configured is not None, default=None)

    @property
    def place(self) -> Span:
        """Where it narrows."""
        job = self.job.job
        run = self.ran.run
        expression = self.expression
        if expression is not None and expression.configured is not None:
            return Span(path=expression.configured)
        if expression is None or is_authored(job, run.place):
            if expression is None:
                return span_of(job, run.place)
            return span_of(job, expression.place, expression.text)
        for name in ("k", "m", "parts"):
            if name in job.nodes:
                return job.nodes[name].span
        return job.span

    @property
    def unproven(self) -> tuple[tuple[Code, Span], ...]:
        """Where it is told of the parts, or of the steps, that they may not take all; nowhere of written commands."""
        job = self.job.job
        parts = job.nodes.get("parts")
        first = parts.entries[0].key.span if isinstance(parts, Written) and parts.entries else job.span
        configured = self.expression is not None and self.expression.configured is not None
        return ((UNPROVEN_PARTS, first),) if self.job.generated and not configured else ()


def _check(facts: Facts) -> Iterator[Diagnostic]:
    found: dict[tuple[Span, _Shares], tuple[_Run, list[str]]] = {}
    proven: dict[_Shares, bool] = {}
    for path, runs in _narrowed(facts).items():
        shares = frozenset(run.share for run in runs)
        if shares not in proven:
            proven[shares] = _take_all(shares)
        if not proven[shares]:
            first = min(runs, key=lambda run: run.place)
            found.setdefault((first.place, shares), (first, []))[1].append(path)
    for (place, shares), (first, paths) in found.items():
        names = listing((shown(path, facts) for path in sorted(paths)), limit=4)
        yield Diagnostic(
            code=NARROWED_EVERYWHERE,
            span=place,
            message=f"every job that runs {names} narrows {'it' if len(paths) == 1 else 'them'}: {_options(shares)}; "
            "what these leave out may run nowhere",
            help=_HELP if first.expression is None or first.expression.configured is None else _HELP_FOR_SETTINGS,
            implied_by=first.unproven,
        )


def _narrowed(facts: Facts) -> Mapping[str, list[_Run]]:
    """The owned files that no job anywhere runs as a whole, with the runs that run some of each."""
    whole: set[str] = set()
    found: dict[str, list[_Run]] = {}
    for job in facts.jobs:
        for ran in job.runs:
            if not ran.run.executes or job.skip is not None:
                continue
            run = _Run(job=job, ran=ran)
            taken = _takes(run)
            for path in ran.collection.paths:
                if taken(path):
                    whole.add(path)
                else:
                    found.setdefault(path, []).append(run)
    owned = facts.ownership.owned
    return {path: runs for path, runs in found.items() if path in owned and path not in whole}


def _takes(run: _Run) -> Callable[[str], bool]:
    """Whether a run takes every test of a file; `-k` looks into the file's name as well."""
    k, m = run.share
    if m is not None:
        return lambda _: False
    if k is None:
        return lambda _: True
    try:
        expression = parse(k, Kind.KEYWORD)
    except ExpressionError:
        return lambda _: False
    return lambda path: _certainly(expression, path.rpartition("/")[2].lower()) is True


def _certainly(expression: Node, name: str) -> bool | None:
    """What an expression is for every test of a file of a name; None if that depends on the test."""
    match expression:
        case Name():
            return True if expression.text.lower() in name else None
        case Not():
            inner = _certainly(expression.operand, name)
            return None if inner is None else not inner
        case And() | Or():
            decisive = isinstance(expression, Or)
            found = [_certainly(operand, name) for operand in expression.operands]
            return decisive if decisive in found else None if None in found else not decisive
        case _:
            return None


def _take_all(shares: Iterable[tuple[str | None, str | None]]) -> bool:
    """Whether logic shows that runs take every test together; what cannot be read takes nothing."""
    by_kind: dict[Kind, list[str]] = {Kind.KEYWORD: [], Kind.MARK: []}
    for k, m in shares:
        if k is not None and m is None:
            by_kind[Kind.KEYWORD].append(k)
        elif m is not None and k is None:
            by_kind[Kind.MARK].append(m)
    return any(_cover(texts, kind) for kind, texts in by_kind.items() if texts)


def _cover(texts: Iterable[str], kind: Kind) -> bool:
    expressions = []
    for text in texts:
        try:
            expressions.append(parse(text, kind))
        except ExpressionError:
            continue
    return bool(expressions) and covers(expressions) is Coverage.PROVEN


def _text(expression: Expression | None) -> str | None:
    return None if expression is None else expression.text


def _options(shares: _Shares) -> str:
    shown = sorted(map(_option, shares))
    more = len(shown) - _SHOWN
    return ", ".join(shown[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _option(share: tuple[str | None, str | None]) -> str:
    return " ".join(f'{name} "{text}"' for name, text in zip(("-k", "-m"), share, strict=True) if text is not None)


RULE: Final = Rule(codes=(NARROWED_EVERYWHERE,), check=_check)
