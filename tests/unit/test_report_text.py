"""Diagnostics as people see them: the line, the mark below it, and nothing that could move the cursor."""

import json

import pytest

from pipegen.diagnostics import Code, Diagnostic, Related, Severity, Span, ordered
from pipegen.report.json import render_diagnostics
from pipegen.report.text import Style, render_text, summary

BAD = Code(code="PG999", name="bad-thing", summary="Something is bad.")
FINDING = Code(code="PG998", name="odd-thing", summary="Something is odd.", severity=Severity.FINDING)
WARNING = Code(code="PG997", name="dull-thing", summary="Something is dull.", severity=Severity.WARNING)
NAME = "a.yaml"


def span(column: int = 1, end_column: int = 0, *, line: int = 1, end_line: int | None = None) -> Span:
    return Span(
        path=NAME, line=line, column=column, end_line=line if end_line is None else end_line, end_column=end_column
    )


def render(text: str | None, *spans: Span, message: str = "m", help_: str = "") -> str:
    found = [Diagnostic(code=BAD, span=place, message=message, help=help_) for place in spans]
    return render_text(found, lambda path: text if path == NAME else None, Style(), shown_path=lambda path: path)


def marked(text: str, place: Span) -> tuple[str, str]:
    """The line and its mark, without their margin."""
    rows = render(text, place).splitlines()
    width = len(str(place.line)) + 3
    assert rows[1] == rows[3][: width - 1] == " " * (width - 3) + " |"
    return rows[2][width:], rows[3][width:]


def test_a_block() -> None:
    text = "group: Engine\nowner: cor\n"
    assert render(text, span(8, 11, line=2), message='unknown owner "cor"', help_='did you mean "core"?') == (
        'a.yaml:2:8 PG999 unknown owner "cor" [bad-thing]\n'
        "  |\n"
        "2 | owner: cor\n"
        "  |        ^~~\n"
        '  = help: did you mean "core"?\n'
        "\n"
        "1 error\n"
    )


def test_nothing_found_is_nothing_said() -> None:
    assert render("text") == ""


def test_findings_and_warnings_say_so() -> None:
    found = [Diagnostic(code=code, span=Span(path=NAME), message="m") for code in (BAD, FINDING, WARNING, WARNING)]
    text = render_text(found, lambda _: None, Style(), shown_path=lambda path: path)
    assert text.splitlines()[::2] == [
        "a.yaml:1:1 PG999 m [bad-thing]",
        "a.yaml:1:1 PG998 finding: m [odd-thing]",
        "a.yaml:1:1 PG997 warning: m [dull-thing]",
        "a.yaml:1:1 PG997 warning: m [dull-thing]",
        "1 error, 1 finding, 2 warnings",
    ]
    assert summary([]) == "no problems"


def test_related_places() -> None:
    other = Related(span=Span(path="b.yaml", line=7, column=3), note="first here")
    found = [Diagnostic(code=BAD, span=span(1, 2, line=12), message="m", related=(other,))]
    text = render_text(found, lambda _: "\n" * 11 + "x", Style(), shown_path=lambda path: f"../{path}")
    assert text.splitlines() == [
        "../a.yaml:12:1 PG999 m [bad-thing]",
        "   |",
        "12 | x",
        "   | ^",
        "   = ../b.yaml:7:3: first here",
        "",
        "1 error",
    ]


class TestMark:
    @pytest.mark.parametrize(
        ("place", "mark"),
        [
            (span(4, 7), "   ^~~"),
            (span(4, 5), "   ^"),
            (span(4, 4), "   ^"),
            (span(1, 8), "^~~~~~~"),
            (span(7, 8), "      ^"),
            (span(8, 8), "       ^"),
            (span(4, 2, end_line=2), "   ^~~~"),
            (span(4, 0, end_line=0), "   ^~~~"),
            (span(0, 0, end_line=0), "^~~~~~~"),
        ],
        ids=str,
    )
    def test_the_offending_part(self, place: Span, mark: str) -> None:
        """To the end of the value; of a value of many lines, or one without an end, to the end of the line."""
        assert marked("abc def  \nxyz", place) == ("abc def  ", mark)

    def test_tabs_stay_tabs(self) -> None:
        assert marked("\ta:\tbad", span(5, 8)) == ("\ta:\tbad", "\t  \t^~~")

    @pytest.mark.parametrize(
        ("text", "place", "mark"),
        [
            ("日本: bad", span(5, 8), "      ^~~"),
            ("日本: bad", span(1, 3), "^~~~"),
            ("🚀: bad", span(4, 7), "    ^~~"),
            ("é: bad", span(4, 7), "   ^~~"),
            ("e\u0301: bad", span(5, 8), "   ^~~"),
            ("👩\u200d🚀: bad", span(6, 9), "      ^~~"),
        ],
        ids=["wide", "wide itself", "emoji", "narrow", "combining", "joined"],
    )
    def test_cells_of_a_terminal(self, text: str, place: Span, mark: str) -> None:
        assert marked(text, place) == (text, mark)

    def test_a_long_line_is_cut_around_the_mark(self) -> None:
        text = "x" * 500 + "BAD" + "y" * 500
        shown, mark = marked(text, span(501, 504))
        assert len(shown) == 160
        start = mark.index("^")
        assert shown[start : start + 3] == "BAD"
        assert mark == " " * start + "^~~"

    def test_a_long_line_is_shown_from_its_start_where_that_is_enough(self) -> None:
        text = "key: BAD" + "y" * 500
        shown, mark = marked(text, span(6, 9))
        assert shown == text[:160]
        assert mark == "     ^~~"

    def test_a_long_value_is_marked_as_far_as_it_is_shown(self) -> None:
        shown, mark = marked("x" * 1000, span(1, 1001))
        assert (len(shown), len(mark)) == (160, 160)

    @pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r", "\x85", "\u2028", "\u2029"])
    def test_lines_are_counted_as_yaml_does(self, line_break: str) -> None:
        text = f"one{line_break}two{line_break}three"
        assert marked(text, span(1, 4, line=2)) == ("two", "^~~")


class TestNoLine:
    """Where no line can be shown the place and message still are."""

    EXPECTED = "a.yaml:1:1 PG999 m [bad-thing]\n\n1 error\n"

    def test_a_file_as_a_whole(self) -> None:
        assert render("text", Span(path=NAME)) == self.EXPECTED

    def test_a_file_that_is_not_there(self) -> None:
        assert render(None, span(1)) == self.EXPECTED

    @pytest.mark.parametrize("line", [3, 99])
    def test_a_line_that_is_not_there(self, line: int) -> None:
        assert render("one\ntwo", span(1, line=line)) == self.EXPECTED.replace(":1:1", f":{line}:1")

    def test_help_is_there_all_the_same(self) -> None:
        assert render(None, Span(path=NAME), help_="h") == "a.yaml:1:1 PG999 m [bad-thing]\n  = help: h\n\n1 error\n"


HOSTILE = (
    "\x1b[31m",
    "\x07",
    "\r",
    "\x00",
    "\x9b31m",
    "\u202e",
    "\u2066",
    "\ufdd0",
    "\ufeff",
    "\u200f",
    "\udcff",
    "\x7f",
)


class TestHostileText:
    """What a file, a name or a message holds neither moves the cursor nor turns the text around."""

    @pytest.mark.parametrize("bad", HOSTILE, ids=ascii)
    def test_everywhere(self, bad: str) -> None:
        name = f"x{bad}.yaml"
        place = Span(path=name, line=1, column=1, end_line=1, end_column=2)
        found = Diagnostic(
            code=BAD, span=place, message=f"m{bad}", help=f"h{bad}", related=(Related(span=place, note=f"n{bad}"),)
        )
        text = render_text([found], lambda _: f"t{bad.replace(chr(13), '')}", Style(), shown_path=lambda path: path)
        assert bad not in text
        assert "m\ufffd" in text
        assert "h\ufffd" in text
        assert "n\ufffd" in text
        assert "x\ufffd" in text
        text.encode()

    def test_a_name_or_message_is_one_line(self) -> None:
        place = Span(path="x\ny.yaml")
        found = Diagnostic(code=BAD, span=place, message="one\ntwo", help="three\nfour")
        text = render_text([found], lambda _: None, Style(), shown_path=lambda path: path)
        assert text.splitlines() == [
            "x\ufffdy.yaml:1:1 PG999 one\ufffdtwo [bad-thing]",
            "  = help: three\ufffdfour",
            "",
            "1 error",
        ]

    @pytest.mark.parametrize("good", ["é", "日本", "🚀", "\t", "\u00a0", "العربية"])
    def test_text_is_left_alone(self, good: str) -> None:
        assert marked(f"a{good}", span(1, 2))[0] == f"a{good}"


def test_colour() -> None:
    found = [Diagnostic(code=code, span=span(1, 3), message="m") for code in (BAD, FINDING, WARNING)]
    coloured = render_text(found, lambda _: "text", Style(color=True), shown_path=lambda path: path)
    for shade, code in ((31, "PG999"), (35, "PG998"), (33, "PG997")):
        assert f"\x1b[1;{shade}m{code}\x1b[0m" in coloured
    assert "\x1b[1ma.yaml:1:1\x1b[0m" in coloured
    plain = render_text(found, lambda _: "text", Style(), shown_path=lambda path: path)
    assert "\x1b" not in plain


def test_json() -> None:
    other = Related(span=Span(path="b.yaml"), note="there")
    found = Diagnostic(code=FINDING, span=span(3, 5, line=2), message='ü "m"', help="h", related=(other,))
    assert json.loads(render_diagnostics([found])) == {
        "diagnostics": [
            {
                "code": "PG998",
                "name": "odd-thing",
                "severity": "finding",
                "path": "a.yaml",
                "line": 2,
                "column": 3,
                "end_line": 2,
                "end_column": 5,
                "message": 'ü "m"',
                "help": "h",
                "related": [
                    {"path": "b.yaml", "line": 1, "column": 1, "end_line": 0, "end_column": 0, "note": "there"}
                ],
                "fix": [],
            }
        ]
    }


def test_order_is_by_place_and_each_once() -> None:
    places = [Span(path="b.yaml", line=2), Span(path="a.yaml", line=10), Span(path="a.yaml", line=9, column=2)]
    found = [Diagnostic(code=BAD, span=place, message=message) for place in places for message in ("y", "x", "y")]
    shown = [(d.span.path, d.span.line, d.message) for d in ordered(reversed(found))]
    files = (("a.yaml", 9), ("a.yaml", 10), ("b.yaml", 2))
    assert shown == [(path, line, message) for path, line in files for message in ("x", "y")]
