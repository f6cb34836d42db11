"""Ends: a day that passes, or a change that lands. One notion of them for toggles, lanes, quarantine and waivers.

A passed end is a finding in the builds of a schedule and where a change touches what has ended, and a warning
elsewhere: no date turns everybody's commits red. Rules report all of them alike; `judged` tells the two apart.
"""

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field

from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import Diagnostic, Severity, Span
from pipegen.rules.facts import Facts


def passed(until: str, facts: Facts) -> str | None:
    """How an end passed, as the end of a sentence; None if it has not, as far as is known.

    Of a day, which is the last one that something holds, the next morning. Of a change, its landing.
    """
    if until.startswith("#"):
        return f"ended when {until} landed" if until in facts.landed().changes else None
    return f"ended on {until}" if day_passed(until, facts.today) else None


def day_passed(until: str, today: str) -> bool:
    """Whether a last day is over; both are written as `YYYY-MM-DD`, which sorts as days do."""
    return until < today


def judged(
    diagnostics: Iterable[Diagnostic], *, scheduled: bool, touched: Callable[[Span], bool]
) -> tuple[Diagnostic, ...]:
    """The same, passed ends lowered to warnings where the build is of no schedule and the change has not touched them.

    What has ended is where the diagnostic stands, and the places that it names beside.
    """
    return tuple(
        replace(one, lowered=Severity.WARNING)
        if one.code.end and not scheduled and not any(map(touched, (one.span, *(place.span for place in one.related))))
        else one
        for one in diagnostics
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """Which lines of files a change made, from their texts before and now; `renames` has a file's new name by its old.

    Called with a place, it says whether the change is in one of its lines. Files that differ are compared when somebody
    asks about them.
    """

    before: Mapping[str, str]
    now: Mapping[str, str]
    renames: Mapping[str, str] = field(default_factory=dict)
    _lines: dict[str, frozenset[int]] = field(default_factory=dict, init=False)

    def __call__(self, span: Span) -> bool:
        """Whether the change is in one of the lines of a place."""
        if span.path not in self._lines:
            self._lines[span.path] = self._changed(span.path)
        return not self._lines[span.path].isdisjoint(range(span.line, max(span.end_line, span.line) + 1))

    def _changed(self, path: str) -> frozenset[int]:
        old = next((old for old, new in self.renames.items() if new == path), path)
        before, now = self.before.get(old, "").splitlines(), self.now.get(path, "").splitlines()
        if before == now:
            return frozenset()
        blocks = difflib.SequenceMatcher(a=before, b=now, autojunk=False).get_opcodes()
        return frozenset(
            line for kind, _, _, start, end in blocks if kind != "equal" for line in range(start + 1, end + 1)
        )


def untouched(_: Span) -> bool:
    """What is said of every place where no change is known."""
    return False
