"""A test file has no owner, though areas own what lies beside it.

It is how areas that name files go stale: somebody adds one more test beside those that are named, and no job runs it.
Add the file to `tests` of the area that it belongs to. Better, let the area own the directory: then whatever is put
there next runs without anybody editing a manifest.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Severity, Span
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.missing_test_path import MISSING_TEST_PATH
from pipegen.rules.orphans import Neighbours, orphans, runs_somewhere, shown

UNOWNED_TEST_FILE: Final = Code(
    code="PG202",
    name="unowned-test-file",
    summary="No area owns a test file, though some own what lies beside it.",
    severity=Severity.FINDING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    loose = orphans(facts).files
    neighbours = facts.once(Neighbours.of)
    for path, causes in loose:
        hint, related = neighbours.what_to_add(path)
        idle = "" if runs_somewhere([path], facts) else ", and no job runs it"
        yield Diagnostic(
            code=UNOWNED_TEST_FILE,
            span=Span(path=path),
            message=f'no area owns "{shown(path, facts)}"{idle}',
            help=hint,
            related=related,
            implied_by=tuple((MISSING_TEST_PATH, span) for span in causes),
        )


RULE: Final = Rule(codes=(UNOWNED_TEST_FILE,), check=_check)
