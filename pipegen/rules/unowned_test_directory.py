"""A directory holds test files, and no area owns any of them.

Nobody answers for those tests, and mostly no job runs them: they pass every review, and never fail. The commonest way
to come by such a directory is to sort tests into new directories, or to add a feature with its tests. Add the
directory to `tests` of the area that it belongs to, or write an area for it.

A directory below it is not reported apart, and files that only look like tests go into `tests: ignore:` of the
workspace file. What a misspelt or renamed path of a manifest was meant to own is told at that path alone, unless that
is ignored, waived or old.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Severity, Span, listing
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.missing_test_path import MISSING_TEST_PATH
from pipegen.rules.orphans import Neighbours, orphans, runs_somewhere, shown

UNOWNED_TEST_DIRECTORY: Final = Code(
    code="PG201",
    name="unowned-test-directory",
    summary="A directory holds test files, and no area owns any of them.",
    severity=Severity.FINDING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    loose = orphans(facts).folders
    neighbours = facts.once(Neighbours.of)
    for folder, files, causes in loose:
        hint, related = neighbours.what_to_add(f"{folder}/")
        names = listing((path[len(folder) + 1 :] for path in files), limit=4)
        tests, them = ("the test file", "it") if len(files) == 1 else ("the test files", "them")
        idle = "" if runs_somewhere(files, facts) else f", and no job runs {them}"
        yield Diagnostic(
            code=UNOWNED_TEST_DIRECTORY,
            span=Span(path=files[0]),
            message=f'no area owns "{shown(folder, facts)}/", with {tests} {names}{idle}',
            help=hint,
            related=related,
            implied_by=tuple((MISSING_TEST_PATH, span) for span in causes),
        )


RULE: Final = Rule(codes=(UNOWNED_TEST_DIRECTORY,), check=_check)
