"""Inline ignores: where they stand, what they are about, and what is wrong with them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipegen import codes
from pipegen.diagnostics import Code, Diagnostic, Severity, Span
from pipegen.rules.suppress import (
    BAD_IGNORE,
    CODES,
    IGNORE_WITHOUT_REASON,
    IGNORED_ERROR,
    UNKNOWN_IGNORE,
    UNUSED_IGNORE,
    Suppressed,
    suppress,
)

ORPHAN = Code(code="PG201", name="orphan", summary="It has no owner.", severity=Severity.FINDING)
TWICE = Code(code="PG206", name="collected-twice", summary="It runs twice.", severity=Severity.FINDING)
SLOW = Code(code="PG399", name="slow", summary="It is slow.", severity=Severity.WARNING)
KNOWN = {code.code: code for code in (ORPHAN, TWICE, SLOW, codes.UNKNOWN_HARDWARE, *CODES)}


def at(line: int, code: Code = ORPHAN, path: str = "a.yaml") -> Diagnostic:
    return Diagnostic(code=code, span=Span(path=path, line=line, column=3), message=f"line {line}")


def ignored(text: str, *found: Diagnostic, unjudged: tuple[Code, ...] = ()) -> Suppressed:
    return suppress(found, {"a.yaml": text}, KNOWN, lambda code: code not in unjudged)


def places(done: Suppressed) -> list[tuple[str, int, int]]:
    return [(one.code.code, one.span.line, one.span.column) for one in done.found]


class TestWhere:
    def test_at_the_end_of_the_line(self) -> None:
        text = "a: 1\nb: 2  # pipegen: ignore[PG201] it is generated\nc: 3\n"
        done = ignored(text, at(1), at(2), at(3))
        assert (done.ignored, done.kept, done.found) == ((at(2),), (at(1), at(3)), ())

    def test_on_a_line_of_its_own_above(self) -> None:
        text = "a: 1\n# pipegen: ignore[PG201] it is generated\nb: 2\nc: 3\n"
        done = ignored(text, at(1), at(3), at(4))
        assert (done.ignored, done.kept, done.found) == ((at(3),), (at(1), at(4)), ())

    def test_above_other_comments_and_blank_lines(self) -> None:
        text = "  # pipegen: ignore[PG201] it is generated\n\n  # and so is this\nb: 2\n"
        assert ignored(text, at(4)).ignored == (at(4),)

    def test_two_above_one_line(self) -> None:
        text = "# pipegen: ignore[PG201] one reason\n# pipegen: ignore[PG206] another\nb: 2\n"
        done = ignored(text, at(3), at(3, TWICE))
        assert (len(done.ignored), done.kept, done.found) == (2, (), ())

    def test_a_list_of_codes(self) -> None:
        text = "b: 2 # pipegen: ignore[PG201, PG206] both are generated\n"
        done = ignored(text, at(1), at(1, TWICE), at(1, SLOW))
        assert (done.kept, done.found) == ((at(1, SLOW),), ())

    @pytest.mark.parametrize("comment", ["#pipegen:ignore[PG201] a reason", "#   pipegen: ignore [ PG201 ] a reason"])
    def test_however_it_is_spaced(self, comment: str) -> None:
        assert ignored(f"b: 2 {comment}\n", at(1)).ignored == (at(1),)

    def test_a_warning(self) -> None:
        assert ignored("b: 2 # pipegen: ignore[PG399] it has to\n", at(1, SLOW)).ignored == (at(1, SLOW),)

    def test_several_on_the_line(self) -> None:
        one, two = at(1), Diagnostic(code=ORPHAN, span=Span(path="a.yaml", line=1, column=9), message="another")
        assert ignored("b: 2 # pipegen: ignore[PG201] generated\n", one, two).kept == ()

    def test_another_file_is_another_matter(self) -> None:
        other = at(1, path="b.yaml")
        assert ignored("b: 2 # pipegen: ignore[PG201] generated\n", other).kept == (other,)

    def test_above_a_text_of_several_lines_means_all_of_it(self) -> None:
        text = "# pipegen: ignore[PG201] generated\n- |\n  one\n  two\n- three\n"
        done = ignored(text, at(2), at(3), at(4), at(5))
        assert done.kept == (at(5),)

    def test_at_the_beginning_of_a_text_of_several_lines(self) -> None:
        done = ignored("- >- # pipegen: ignore[PG201] generated\n  one\n  two\n", at(2), at(3))
        assert (done.kept, done.found) == ((), ())

    @pytest.mark.parametrize(
        "text",
        [
            'b: "2 # pipegen: ignore[PG201] in quotes"\n',
            "b: 'x\n  # pipegen: ignore[PG201] in quotes over lines'\n",
            "b: |\n  # pipegen: ignore[PG201] in a script\n",
            "b: x#pipegen: ignore[PG201] no comment to YAML\n",
        ],
    )
    def test_text_is_no_comment(self, text: str) -> None:
        done = ignored(text, at(1), at(2))
        assert (done.ignored, done.found) == ((), ())

    def test_a_file_that_is_no_yaml_is_read_as_far_as_it_goes(self) -> None:
        text = "a: 1 # pipegen: ignore[PG201] generated\nb: [\n"
        assert ignored(text, at(1)).ignored == (at(1),)

    def test_lines_are_those_of_yaml(self) -> None:
        text = "a: 1\r\nb: 2 # pipegen: ignore[PG201] generated\r\n"
        assert ignored(text, at(2)).ignored == (at(2),)


class TestWrong:
    def test_no_reason(self) -> None:
        done = ignored("b: 2 # pipegen: ignore[PG201]\n", at(1))
        assert done.ignored == (at(1),), "what is meant is clear"
        assert [(one.code, one.message, one.help) for one in done.found] == [
            (IGNORE_WITHOUT_REASON, '"ignore[PG201]" gives no reason', "write # pipegen: ignore[PG201] and why")
        ]

    @pytest.mark.parametrize("reason", ["", "  ", " .", " -- "])
    def test_what_is_no_reason(self, reason: str) -> None:
        assert places(ignored(f"b: 2 # pipegen: ignore[PG201]{reason}\n", at(1))) == [("PG810", 1, 6)]

    @pytest.mark.parametrize(
        ("word", "hint"),
        [
            ("PG210", "did you mean PG201?"),
            ("pg201", "did you mean PG201?"),
            ("orphan", "write PG201"),
            ("colected-twice", "write PG206"),
            ("E501", "write a code as findings show it, such as PG201"),
        ],
    )
    def test_unknown_code(self, word: str, hint: str) -> None:
        (found,) = ignored(f"b: 2 # pipegen: ignore[{word}] a reason\n").found
        assert (found.code, found.message, found.help) == (UNKNOWN_IGNORE, f'no rule has the code "{word}"', hint)
        assert (found.span.column, found.span.end_column) == (24, 24 + len(word))

    def test_unused(self) -> None:
        done = ignored("a: 1\nb: 2 # pipegen: ignore[PG201, PG206] a reason\n", at(1), at(2, TWICE))
        assert [(one.code, one.message) for one in done.found] == [
            (UNUSED_IGNORE, 'nothing to ignore: no "PG201" (orphan) is on its line')
        ]
        assert places(done) == [("PG812", 2, 24)]

    def test_unused_by_a_rule_that_did_not_look(self) -> None:
        assert ignored("b: 2 # pipegen: ignore[PG201] a reason\n", unjudged=(ORPHAN,)).found == ()

    def test_an_error_cannot_be_ignored(self) -> None:
        error = at(1, codes.UNKNOWN_HARDWARE)
        done = ignored("b: 2 # pipegen: ignore[PG301] a reason\n", error)
        assert done.kept == (error,)
        assert [(one.code, one.message, one.help) for one in done.found] == [
            (
                IGNORED_ERROR,
                '"PG301" (unknown-hardware) is an error, which no comment can silence: it stops generate',
                "take PG301 out",
            )
        ]

    @pytest.mark.parametrize(
        ("comment", "hint"),
        [
            ("pipegen: ignore", "write # pipegen: ignore[PG201] the reason"),
            ("pipegen: ignore[] why", "write # pipegen: ignore[PG201] the reason"),
            ("pipegen: ignore PG206, PG399 why", "write # pipegen: ignore[PG206, PG399] and why"),
            ("pipegen: ignored[PG206] why", "write # pipegen: ignore[PG206] and why"),
        ],
    )
    def test_not_written_as_one(self, comment: str, hint: str) -> None:
        (found,) = ignored(f"b: 2 # {comment}\n").found
        assert (found.code, found.help) == (BAD_IGNORE, hint)

    def test_a_sentence_is_no_ignore(self) -> None:
        assert ignored("b: 2 # pipegen: makes this\n# pipegen reads it\n").found == ()

    def test_a_comment_at_the_end_of_the_file_is_about_nothing(self) -> None:
        assert places(ignored("b: 2\n# pipegen: ignore[PG201] a reason\n", at(1))) == [("PG812", 2, 19)]


PIECES = (
    *("# pipegen: ignore[PG201] why", "# pipegen: ignore[PG206", "]", "#", "a: ", "|", ">"),
    *("'", '"', "- ", "x", " ", "\n"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join), st.integers(1, 8))
@settings(max_examples=50)
def test_any_text_is_read(text: str, line: int) -> None:
    """Nothing is lost: a diagnostic is kept or ignored, and all that is found stands in the text."""
    given_ones = (at(line), at(line, TWICE), at(1, codes.UNKNOWN_HARDWARE))
    done = ignored(text, *given_ones)
    assert sorted((*done.kept, *done.ignored), key=str) == sorted(given_ones, key=str)
    lines = text.split("\n")
    for one in done.found:
        assert lines[one.span.line - 1][one.span.column - 1 : one.span.end_column - 1].strip()
