"""Exceptions that have an owner and an end: waivers of what `lint` finds, and flaky tests in quarantine."""

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span
from pipegen.model.places import Located


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """What a rule finds at a place, put up with until a day.

    `rule` is a code or the name of one. `at` is a pattern over what a finding is about: its file, its area, the key of
    its job, or what its message quotes. `until` is a day as `YYYY-MM-DD`, the last one that it holds.
    """

    rule: Located
    at: Located
    reason: str
    owner: str
    tracking: str | None
    until: Located
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantined:
    """A flaky test that jobs leave out, but for those of `lanes` and those of a build of `schedules`.

    `test` is a file or a node id, written as in `tests`. `until` is a day as `YYYY-MM-DD`, the last of the
    quarantine, or the change `#N` whose landing ends it.
    """

    test: Located
    reason: str
    owner: str
    tracking: str | None
    until: Located
    lanes: tuple[str, ...]
    schedules: tuple[str, ...]
    span: Span
