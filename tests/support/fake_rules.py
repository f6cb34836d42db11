"""Small rules for tests of `lint` itself."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from pipegen.app.place import DEFAULT_WORKSPACE, Place
from pipegen.app.request import Request, Wanted
from pipegen.diagnostics import Code, Diagnostic, Edit, Severity, Span
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule

WORD: Final = Code(code="PG291", name="bad-word", summary="It says bad.", severity=Severity.FINDING)
LONELY: Final = Code(code="PG292", name="lonely-test", summary="Nobody is beside it.", severity=Severity.FINDING)
SLOW: Final = Code(code="PG391", name="slow-word", summary="It says slow.", severity=Severity.WARNING)


def _words(facts: Facts, word: str, code: Code, better: str | None) -> Iterator[Diagnostic]:
    """Every time that a manifest says a word; a fix writes a better one."""
    paths = sorted({job.job.span.path for job in facts.jobs})
    for path in paths:
        for number, line in enumerate((facts.source(path) or "").split("\n"), start=1):
            for found in re.finditer(word, line.split("#")[0]):
                start, end = found.start() + 1, found.end() + 1
                span = Span(path=path, line=number, column=start, end_line=number, end_column=end)
                fix = () if better is None else (Edit(span=span, text=better),)
                yield Diagnostic(code=code, span=span, message=f'"{word}" is said', help="say more", fix=fix)


def saying(word: str = "bad", code: Code = WORD, better: str | None = None) -> Rule:
    """A rule that finds a word in manifests."""
    return Rule(codes=(code,), check=lambda facts: _words(facts, word, code, better))


def _lonely(facts: Facts) -> Iterator[Diagnostic]:
    for path in facts.inventory.tests:
        if path.endswith("test_lonely.py"):
            yield Diagnostic(code=LONELY, span=facts.inventory.at, message=f'"{path}" is lonely')


LONELY_RULE: Final = Rule(codes=(LONELY,), check=_lonely)
"""Finds test files of that name; it shows the workspace file."""

CONTENT_RULE: Final = Rule(codes=(LONELY,), check=_lonely, reads_content=True)

SLOW_RULE: Final = saying("slow", SLOW)


def asked(root: Path, environment: dict[str, str] | None = None) -> Request:
    """A request for the workspace of a folder."""
    return Request(place=Place(root=root, path=DEFAULT_WORKSPACE), environment=environment or {})


def wanted(*rules: Rule, change: Callable[[Wanted], Wanted] = lambda one: one) -> Wanted:
    """What a caller asks for, with these rules instead of pipegen's own."""
    return replace(change(Wanted(today="2026-11-30")), rules=rules)
