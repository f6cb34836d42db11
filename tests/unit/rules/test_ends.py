"""Ends: when they have passed, and whom that concerns."""

import random

import pytest

from pipegen.diagnostics import Code, Diagnostic, Related, Severity, Span
from pipegen.rules.ends import Touched, judged, passed, untouched
from tests.support.rules import BASE, Case, facts_of

END = Code(code="PG998", name="ended", summary="It ended.", severity=Severity.FINDING, end=True)
OTHER = Code(code="PG999", name="other", summary="It is.", severity=Severity.FINDING)


@pytest.mark.parametrize(
    ("until", "how"),
    [
        ("2026-11-29", "ended on 2026-11-29"),
        ("2026-11-30", None),
        ("2027-01-01", None),
        ("#7", "ended when #7 landed"),
        ("#70", None),
    ],
)
def test_passed(until: str, how: str | None) -> None:
    assert passed(until, facts_of(Case(files=BASE, landed=frozenset({"#7"}), today="2026-11-30"))) == how


def line(at: int, to: int | None = None, path: str = "a.yaml") -> Span:
    return Span(path=path, line=at, column=3, end_line=to or at, end_column=9)


class TestJudged:
    END = Diagnostic(code=END, span=line(4), message="over", related=(Related(span=line(2, 4), note="set here"),))
    OTHER = Diagnostic(code=OTHER, span=line(4), message="is so")

    def test_a_warning_elsewhere(self) -> None:
        found = judged((self.END, self.OTHER), scheduled=False, touched=untouched)
        assert [one.severity for one in found] == [Severity.WARNING, Severity.FINDING]

    def test_a_finding_in_builds_of_a_schedule(self) -> None:
        assert judged((self.END,), scheduled=True, touched=untouched) == (self.END,)

    @pytest.mark.parametrize(("changed", "severity"), [(1, "warning"), (2, "finding"), (4, "finding"), (5, "warning")])
    def test_a_finding_where_the_change_touches_it(self, changed: int, severity: str) -> None:
        before = "\n".join(f"line {number}" for number in range(1, 7))
        now = before.replace(f"line {changed}", "another")
        touched = Touched(before={"a.yaml": before}, now={"a.yaml": now})
        assert [one.severity.value for one in judged((self.END,), scheduled=False, touched=touched)] == [severity]


class TestTouched:
    def test_lines_that_only_moved_are_not(self) -> None:
        touched = Touched(before={"a.yaml": "one\ntwo\n"}, now={"a.yaml": "zero\none\ntwo\n"})
        assert [touched(line(number)) for number in (1, 2, 3)] == [True, False, False]

    def test_a_new_file_is_all_of_it(self) -> None:
        assert Touched(before={}, now={"a.yaml": "one\n"})(line(1))

    def test_a_renamed_file_is_what_it_was(self) -> None:
        touched = Touched(before={"b.yaml": "one\n"}, now={"a.yaml": "one\n"}, renames={"b.yaml": "a.yaml"})
        assert not touched(line(1))

    def test_a_file_that_nobody_has_is_untouched(self) -> None:
        assert not Touched(before={}, now={})(line(1))

    def test_every_line_of_the_change_and_no_other_of_distinct_lines(self) -> None:
        chance = random.Random(1)
        before = [str(number) for number in range(60)]
        for _ in range(20):
            changed = {chance.randrange(60) for _ in range(5)}
            now = [f"new {text}" if int(text) in changed else text for text in before]
            touched = Touched(before={"a.yaml": "\n".join(before)}, now={"a.yaml": "\n".join(now)})
            assert {number for number in range(60) if touched(line(number + 1))} == changed
