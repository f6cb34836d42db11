"""Shapes: what a value may look like, the typed value that comes of it, and what is said where it does not."""

import datetime
import re

import pytest

from pipegen import codes
from pipegen.diagnostics import Code
from pipegen.manifest.containers import AsAgentReads, ListOf, MapOf, one_of
from pipegen.manifest.fields import SETTING_UNTIL
from pipegen.manifest.located import Mapping, Node, Report
from pipegen.manifest.record import Field, PlainRecord, Record, Values
from pipegen.manifest.shape import Boolean, Date, Integer, Shape, Text, Word
from pipegen.manifest.yaml import parse_yaml

POINT = Record(
    what="a point",
    fields=(
        Field(name="across", shape=Integer(), about="how far to the right", required=True),
        Field(name="down", shape=Integer(), about="how far down", required=True),
        Field(name="label", shape=Text(), about="what it is called"),
    ),
    renamed={"name": "label", "other": "elsewhere"},
)


def node_of(text: str) -> Node:
    report = Report()
    root = parse_yaml(f"at: {text}\n".encode(), "a.yaml", report)
    assert report.found == []
    assert isinstance(root, Mapping)
    node = root.get("at")
    assert node is not None
    return node


def read(shape: Shape[object], text: str, *, deferring: bool = False) -> tuple[object, list[tuple[Code, str, str]]]:
    """The value, and code, message and help of everything that is found."""
    report = Report(deferring=deferring)
    value = shape.read(node_of(text), report, "at")
    return value, [(found.code, found.message, found.help) for found in report.found]


def good(shape: Shape[object], text: str) -> object:
    value, found = read(shape, text)
    assert found == []
    return value


def bad(shape: Shape[object], text: str) -> tuple[Code, str, str]:
    value, found = read(shape, text)
    assert len(found) == 1
    assert value is None
    return found[0]


NUMBER = "write a whole number, without a unit"


class TestText:
    @pytest.mark.parametrize("text", ["1.10", "on", "2024-1-1", "1e3", "0x1F", "true", "x y"])
    def test_as_typed(self, text: str) -> None:
        assert good(Text(), text) == text

    def test_empty_text_is_text_where_it_may_be(self) -> None:
        assert good(Text(), '""') == ""
        assert bad(Text(may_be_blank=False), '" "') == (
            codes.EMPTY_VALUE,
            'at: expected text, found " "',
            "write it out, or take the key out",
        )

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("[]", "an empty list"),
            ("[1]", "a list"),
            ("{}", "an empty mapping"),
            ("{a: b}", "a mapping"),
        ],
    )
    def test_is_no_other_thing(self, text: str, found: str) -> None:
        assert bad(Text(), text) == (codes.WRONG_TYPE, f"at: expected text, found {found}", "write one text")

    def test_null_is_no_text(self) -> None:
        assert bad(Text(), "null") == (
            codes.WRONG_TYPE,
            "at: expected text, found null",
            'write "null" in quotes for the text, or take it out',
        )

    def test_nothing(self) -> None:
        assert bad(Text(), "") == (
            codes.EMPTY_VALUE,
            'empty value of "at"',
            'write a value, "" for empty text, or take the key out',
        )
        assert bad(Integer(), "")[2] == "write a value, or take the key out"

    @pytest.mark.parametrize(
        ("pattern", "text", "near"),
        [
            (r"[a-z-]+", "a b", "a-b"),
            (r"[a-z_]+", "a-b", "a_b"),
            (r"[a-z-]+", "a/b", "a-b"),
            (r"[a-z/-]+", "a/b c", "a/b-c"),
            (r"[a-z-]+", "a!", "a"),
            (r"[0-9]+", "abc", ""),
            (r"[a-z]+", "'  '", ""),
        ],
    )
    def test_a_pattern_and_what_comes_near(self, pattern: str, text: str, near: str) -> None:
        code, message, hint = bad(Text(what="a word", pattern=re.compile(pattern)), text)
        assert code is codes.BAD_NAME
        assert message.startswith('at: expected a word, found "')
        assert hint == (f'write "{near}"' if near else "")

    def test_long_and_many_lines_are_shortened(self) -> None:
        shape = Text(what="a word", pattern=re.compile("x"))
        assert bad(shape, "y" * 100)[1] == 'at: expected a word, found "' + "y" * 57 + '..."'
        assert bad(shape, '"one\\ntwo"')[1] == 'at: expected a word, found "one..."'

    def test_expressions(self) -> None:
        assert good(Text(), '"{{ x }}"') == "{{ x }}"
        assert good(Text(jinja=False), '"{{matrix}} {{ matrix.os }}"') == "{{matrix}} {{ matrix.os }}"
        code, message, _ = bad(Text(jinja=False), '"a {{ x }}"')
        assert (code, message) == (codes.JINJA_NOT_HERE, 'at: an expression cannot stand here, found "a {{ x }}"')


class TestInteger:
    @pytest.mark.parametrize(
        ("text", "value"), [("0", 0), ("-7", -7), ("12", 12), ("'12'", 12), ("999999999999999999", 10**18 - 1)]
    )
    def test_decimal(self, text: str, value: int) -> None:
        assert good(Integer(), text) == value

    @pytest.mark.parametrize(
        ("text", "hint"),
        [
            ("030", "write 30"),
            ("+3", "write 3"),
            ("1_000", "write 1000"),
            ("0x1F", NUMBER),
            ("1e3", NUMBER),
            ("7.5", NUMBER),
            ("30m", NUMBER),
            ("''", NUMBER),
            ("true", NUMBER),
            ("99999999999999999999", NUMBER),
            ("1__0", "write 10"),
            ("٣", NUMBER),
        ],
    )
    def test_what_readers_read_differently(self, text: str, hint: str) -> None:
        """`010` is 8 to YAML 1.1 and 10 to YAML 1.2."""
        code, message, found = bad(Integer(), text)
        assert code is codes.WRONG_TYPE
        assert message == f'at: expected an integer, found "{text.strip(chr(39))}"'
        assert found == hint

    @pytest.mark.parametrize(
        ("shape", "words"),
        [
            (Integer(minimum=1), "an integer of at least 1"),
            (Integer(minimum=1, maximum=9), "an integer from 1 to 9"),
        ],
    )
    def test_bounds(self, shape: Integer, words: str) -> None:
        assert good(shape, "1") == 1
        assert bad(shape, "0") == (codes.WRONG_TYPE, f'at: expected {words}, found "0"', NUMBER)
        assert bad(shape, "000")[2] == NUMBER, "nothing out of bounds is suggested"

    def test_an_expression_is_a_number_later(self) -> None:
        assert read(Integer(), '"{{ x }}"', deferring=True) == (None, [])
        assert bad(Integer(), '"{{ x }}"')[0] is codes.WRONG_TYPE
        assert read(Integer(), '"{{matrix}}"', deferring=True)[1] != []


class TestBoolean:
    @pytest.mark.parametrize(("text", "value"), [("true", True), ("false", False), ("'true'", True)])
    def test_two_words(self, text: str, value: bool) -> None:
        assert good(Boolean(), text) is value

    @pytest.mark.parametrize(
        ("text", "hint"),
        [
            ("yes", "write true"),
            ("on", "write true"),
            ("1", "write true"),
            ("No", "write false"),
            ("off", "write false"),
            ("0", "write false"),
            ("True", "did you mean true?"),
            ("FALSE", "did you mean false?"),
            ("ture", "did you mean true?"),
            ("maybe", "write true or false"),
            ("''", "write true or false"),
        ],
    )
    def test_other_words(self, text: str, hint: str) -> None:
        found = text.strip("'")
        assert bad(Boolean(), text) == (codes.WRONG_TYPE, f'at: expected true or false, found "{found}"', hint)


class TestWordsAndDates:
    def test_word(self) -> None:
        shape = Word(choices=("run", "gate"))
        assert good(shape, "gate") == "gate"
        assert bad(shape, "gat") == (
            codes.WRONG_TYPE,
            'at: expected one of "run" and "gate", found "gat"',
            'did you mean "gate"?',
        )
        assert bad(shape, "xyzzy")[2] == ""
        assert bad(shape, "[run]")[1] == 'at: expected one of "run" and "gate", found a list'

    def test_date(self) -> None:
        assert good(Date(), "2027-01-31") == datetime.date(2027, 1, 31)
        for text in ("2027-02-30", "2027-1-31", "31.01.2027", "[2027-01-31]", "today"):
            assert bad(Date(), text)[1].startswith("at: expected a date as YYYY-MM-DD, found ")

    def test_end(self) -> None:
        shape = SETTING_UNTIL.shape
        for text in ("2027-01-31", '"#56179"', "2028-02-29"):
            assert good(shape, text) == text.strip('"')
        assert bad(shape, "2027-02-29")[2] == "the calendar has no such day"
        for text in ('"#0"', "'56179'", "27-01-31", '"#1x"', "2027-01-3"):
            assert bad(shape, text)[0] is codes.BAD_NAME


class TestLists:
    def test_items(self) -> None:
        assert good(ListOf(item=Integer()), "[1, 2]") == (1, 2)
        assert good(ListOf(item=Integer()), "[]") == ()
        assert good(ListOf(item=Integer(), one=True), "3") == (3,)
        assert bad(ListOf(item=Integer()), "3")[1] == 'at: expected a list, found "3"'
        assert (
            bad(ListOf(item=Integer(), one=True), "{a: b}")[1] == "at: expected an integer or a list, found a mapping"
        )
        assert bad(ListOf(item=Integer(), at_least=2), "[1]")[1] == "at: expected a list of at least 2, found a list"

    def test_each_bad_item_is_named(self) -> None:
        value, found = read(ListOf(item=Integer()), "[1, x, [2], '']")
        assert value is None
        assert [message for _, message, _ in found] == [
            'at: expected an integer, found "x"',
            "at: expected an integer, found a list",
            'at: expected an integer, found ""',
        ]

    def test_an_item_that_is_nothing(self) -> None:
        _, found = read(ListOf(item=Text()), "\n  - a\n  -\n")
        assert found == [(codes.EMPTY_VALUE, 'empty item of "at"', 'write it, "" for empty text, or drop it')]


class TestMappings:
    def test_names_are_text_whatever_they_look_like(self) -> None:
        assert good(MapOf(value=Integer()), "{no: 1, 1.10: 2, null: 3, on: 4}") == {
            "no": 1,
            "1.10": 2,
            "null": 3,
            "on": 4,
        }

    def test_names_and_values_are_both_checked(self) -> None:
        shape = MapOf(value=Integer(), name=Text(what="a word", pattern=re.compile("[a-z]+"), jinja=False))
        value, found = read(shape, "{a: 1, B: x}")
        assert value is None
        assert [message for _, message, _ in found] == [
            'name in at: expected a word, found "B"',
            'B: expected an integer, found "x"',
        ]

    def test_at_least(self) -> None:
        assert bad(MapOf(value=Text(), at_least=1), "{}")[1] == (
            "at: expected a mapping with at least one entry, found an empty mapping"
        )


class TestOneOf:
    SHAPE = one_of(Boolean(), Text(pattern=re.compile("x+"), what="some x"), ListOf(item=Integer()))

    def test_the_kind_of_value_decides(self) -> None:
        assert good(self.SHAPE, "true") is True
        assert good(self.SHAPE, "xx") == "xx"
        assert good(self.SHAPE, "[1]") == (1,)

    def test_the_real_mistake_is_named_where_only_one_shape_fits(self) -> None:
        assert bad(self.SHAPE, "[a]")[1] == 'at: expected an integer, found "a"'

    def test_all_are_named_where_several_fit_or_none(self) -> None:
        words = "true or false or some x or a list"
        assert bad(self.SHAPE, "y")[1] == f'at: expected {words}, found "y"'
        assert bad(self.SHAPE, "{a: b}")[1] == f"at: expected {words}, found a mapping"
        assert bad(self.SHAPE, "")[0] is codes.EMPTY_VALUE

    def test_an_expression_waits(self) -> None:
        assert read(one_of(Boolean(), Integer()), '"{{ x }}"', deferring=True) == (None, [])


class TestAsAgentReads:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("5", 5),
            ("'5'", "5"),
            ("yes", "yes"),
            ("true", True),
            ("0x10", 16),
            ("[1, null]", [1, None]),
            ("{a: 1.5}", {"a": 1.5}),
        ],
    )
    def test_values(self, text: str, value: object) -> None:
        assert good(AsAgentReads(), text) == value

    def test_null_by_itself_is_none(self) -> None:
        assert bad(AsAgentReads(), "null") == (codes.WRONG_TYPE, "at: expected any value, found null", "")

    def test_a_date_is_no_data(self) -> None:
        _, found = read(AsAgentReads(), "{a: 2024-01-01}")
        assert found == [
            (
                codes.WRONG_TYPE,
                'the Buildkite agent reads "2024-01-01" as a date',
                'put it in quotes: "2024-01-01"',
            )
        ]


class TestRecord:
    def read(self, text: str) -> tuple[Values, list[tuple[Code, str, str]]]:
        value, found = read(POINT, text)
        assert isinstance(value, Values)
        return value, found

    def test_values(self) -> None:
        value, found = self.read("{across: 1, down: 2}")
        assert found == []
        assert (value.values, value.faulty) == ({"across": 1, "down": 2}, frozenset())

    def test_missing(self) -> None:
        value, found = self.read("{across: 1}")
        assert found == [(codes.MISSING_KEY, 'a point lacks "down"', "add down: how far down")]
        assert value.faulty == {"down"}

    def test_a_misspelt_key_is_not_missing_as_well(self) -> None:
        value, found = self.read("{acros: 1, down: 2}")
        assert found == [(codes.UNKNOWN_KEY, 'unknown key "acros" in a point', 'did you mean "across"?')]
        assert value.faulty == {"acros", "across"}

    def test_a_key_like_none_stands_for_the_first_that_is_missing(self) -> None:
        _, found = self.read("{xyzzy: 1}")
        assert [(code, message) for code, message, _ in found] == [
            (codes.UNKNOWN_KEY, 'unknown key "xyzzy" in a point'),
            (codes.MISSING_KEY, 'a point lacks "down"'),
        ]
        assert found[0][2] == 'expected one of "across", "down" and "label"'

    def test_a_key_of_another_tool(self) -> None:
        _, found = self.read("{across: 1, down: 2, name: x}")
        assert found == [(codes.UNKNOWN_KEY, 'unknown key "name" in a point', 'pipegen calls it "label"')]

    def test_another_name_of_what_cannot_stand_here(self) -> None:
        _, found = self.read("{across: 1, down: 2, other: x}")
        assert "pipegen calls it" not in found[0][2]

    def test_the_rest_is_read_all_the_same(self) -> None:
        value, found = self.read("{across: x, down: y, label: z}")
        assert len(found) == 2
        assert (value.values, value.faulty) == ({"label": "z"}, frozenset({"across", "down"}))

    def test_other_kinds(self) -> None:
        assert bad(POINT, "[1]")[1] == "at: expected a mapping, found a list"
        assert bad(POINT, "")[0] is codes.EMPTY_VALUE

    def test_plain(self) -> None:
        plain = PlainRecord(record=POINT)
        assert good(plain, "{across: 1, down: 2, label: x}") == {"across": 1, "down": 2, "label": "x"}
        assert read(plain, "{across: 1}")[0] is None
