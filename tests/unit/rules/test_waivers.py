"""Waivers: what they are about, and when they are unused, growing, or of no use at all."""

import pytest

from pipegen import codes
from pipegen.diagnostics import Diagnostic, Severity, Span
from pipegen.model import Located, Waiver
from pipegen.rules.ends import judged, untouched
from pipegen.rules.facts import Pipeline
from pipegen.rules.subjects import Names
from pipegen.rules.unowned_test_file import UNOWNED_TEST_FILE
from pipegen.rules.waivers import (
    ENDED_WAIVER,
    GROWING_WAIVER,
    UNUSED_WAIVER,
    WAIVED_ERROR,
    Before,
    Waived,
    waive,
)
from tests.support.bases import Base
from tests.support.waivers import KNOWN, TODAY
from tests.support.workspaces import FILES

MANIFEST = """\
group: Engine
owner: core
areas:
  engine/core:
    tests: [engine/]
    hardware: l4
  engine/more:
    tests: [more/]
    steps:
      small: {hardware: l4, k: one}
      large: {hardware: h100, gpus: 2, rest: true}
steps:
  - {key: docs, hardware: cpu, commands: [make docs]}
"""


def names() -> Names:
    files = {**{path: str(text).encode() for path, text in FILES.items()}, "areas/engine.yaml": MANIFEST.encode()}
    plan = Base(name="small", files=files, authored=()).sound_plan()
    pipeline = Pipeline(workspace=plan.workspace, catalogue=plan.catalogue, expansion=plan.expansion)
    return Names.of([pipeline])


def at(line: int, column: int, message: str = "no timeout", path: str = "areas/engine.yaml") -> Diagnostic:
    return Diagnostic(code=codes.NO_TIMEOUT, span=Span(path=path, line=line, column=column), message=message)


def waiver(at: str, rule: str = "PG306", until: str = "2027-01-31") -> Waiver:
    span = Span(path=".buildkite/pipegen.yaml", line=9, column=5, end_line=9, end_column=60)
    return Waiver(
        rule=Located(text=rule, span=span),
        at=Located(text=at, span=span),
        reason="it has to",
        owner="core",
        tracking=None,
        until=Located(text=until, span=span),
        span=span,
    )


def waived(*found: Diagnostic, by: tuple[Waiver, ...], before: Before | None = None, looked: bool = True) -> Waived:
    return waive(found, by, names=names(), known=KNOWN, judged=lambda _: looked, today=TODAY, before=before)


class TestWhatItIsAbout:
    @pytest.mark.parametrize(
        "place",
        [
            "areas/engine.yaml",
            "areas/",
            "areas/*.yaml",
            "**/engine.yaml",
            "engine/core",
            "engine/",
            "engine-core",
            "*-core",
            "no/such/thing",
        ],
    )
    def test_its_file_area_or_key_or_what_it_quotes(self, place: str) -> None:
        found = at(4, 3, 'no timeout for "no/such/thing/"')
        done = waived(found, by=(waiver(place),))
        assert (done.kept, done.waived, done.found) == ((), (found,), ())

    @pytest.mark.parametrize(
        "place", ["engine/mor", "engine/more", "areas/other.yaml", "core", "docs", "engine-more-*"]
    )
    def test_nothing_else(self, place: str) -> None:
        found = at(4, 3)
        assert waived(found, by=(waiver(place),)).kept == (found,)

    def test_a_step_of_an_area(self) -> None:
        small, large = at(10, 7), at(11, 7)
        assert waived(small, large, by=(waiver("engine-more-large"),)).waived == (large,)
        assert waived(small, large, by=(waiver("engine/more"),)).waived == (small, large)

    def test_a_step_of_a_manifest(self) -> None:
        found = at(13, 5)
        assert waived(found, by=(waiver("docs"),)).waived == (found,)

    def test_a_file_of_the_repository(self) -> None:
        orphan = Diagnostic(code=UNOWNED_TEST_FILE, span=Span(path="tests/old/test_a.py"), message="no owner")
        assert waived(orphan, by=(waiver("tests/old/", "unowned-test-file"),)).waived == (orphan,)

    def test_another_rule_is_another_matter(self) -> None:
        found = at(4, 3)
        assert waived(found, by=(waiver("engine/core", "PG307"),)).kept == (found,)


class TestUse:
    def test_unused(self) -> None:
        done = waived(by=(waiver("engine/core"),))
        assert [one.code for one in done.found] == [UNUSED_WAIVER]

    def test_of_what_was_not_looked_for_nothing_is_said(self) -> None:
        assert waived(by=(waiver("engine/core"),), looked=False).found == ()

    def test_unused_and_ended_is_one_thing(self) -> None:
        assert [one.code for one in waived(by=(waiver("engine/core", until="2026-01-01"),)).found] == [UNUSED_WAIVER]

    def test_an_ended_one_goes_on(self) -> None:
        done = waived(at(4, 3), by=(waiver("engine/core", until="2026-11-29"),))
        assert (done.kept, [one.code for one in done.found]) == ((), [ENDED_WAIVER])

    def test_the_last_day_counts(self) -> None:
        assert waived(at(4, 3), by=(waiver("engine/core", until="2026-11-30"),)).found == ()

    def test_an_ended_one_is_a_warning_until_somebody_can_act(self) -> None:
        found = waived(at(4, 3), by=(waiver("engine/core", until="2026-11-29"),)).found
        assert [one.severity for one in judged(found, scheduled=False, touched=untouched)] == [Severity.WARNING]
        assert [one.severity for one in judged(found, scheduled=True, touched=untouched)] == [Severity.FINDING]

    def test_an_error_stays(self) -> None:
        error = Diagnostic(code=codes.OWNED_TWICE, span=Span(path="areas/engine.yaml", line=4, column=3), message="a")
        done = waived(error, by=(waiver("areas/", "PG203"),))
        assert (done.kept, [one.code for one in done.found]) == ((error,), [WAIVED_ERROR])


class TestGrowing:
    def before(self, *found: Diagnostic, by: tuple[Waiver, ...] = (waiver("areas/"),)) -> Before:
        return Before(diagnostics=found, waivers=by, names=names(), called="main")

    def test_one_more(self) -> None:
        now = (at(4, 3, "one"), at(7, 3, "two"))
        done = waived(*now, by=(waiver("areas/"),), before=self.before(now[0]))
        assert [(one.code, one.message.rpartition(": ")[2]) for one in done.found] == [(GROWING_WAIVER, "two")]

    def test_another_instead(self) -> None:
        assert waived(at(7, 3, "two"), by=(waiver("areas/"),), before=self.before(at(4, 3, "one"))).found == ()

    def test_lines_may_move(self) -> None:
        moved = (at(5, 3, "one, see areas/engine.yaml:7:3"),)
        earlier = self.before(at(4, 3, "one, see areas/engine.yaml:6:3"))
        assert waived(*moved, by=(waiver("areas/"),), before=earlier).found == ()

    def test_a_new_waiver_is_a_decision(self) -> None:
        assert waived(at(4, 3), by=(waiver("areas/"),), before=self.before(by=())).found == ()

    def test_so_is_a_new_one_for_what_is_more(self) -> None:
        now = (at(4, 3, "one"), at(7, 3, "two"))
        both = (waiver("areas/"), waiver("engine/more"))
        assert waived(*now, by=both, before=self.before(now[0])).found == ()
