"""YAML as it was typed: text, places, and what is refused; the words of most refusals are golden files."""

import itertools

import pytest

from pipegen import codes
from pipegen.diagnostics import Code, Span
from pipegen.manifest.building import MAX_DEPTH
from pipegen.manifest.located import Items, Mapping, Node, Report, Scalar, describe, scalars
from pipegen.manifest.yaml import MAX_BYTES, lines, parse_yaml, read_yaml
from pipegen.source import MappingTree
from tests.support.traps import TEXTS

PATH = "a.yaml"


def parse(text: str | bytes) -> tuple[Node | None, Report]:
    report = Report()
    return parse_yaml(text if isinstance(text, bytes) else text.encode(), PATH, report), report


def good(text: str) -> Node:
    node, report = parse(text)
    assert report.found == []
    assert node is not None
    return node


def codes_of(text: str | bytes) -> list[Code]:
    """The codes of what is found in a text, each diagnostic once, as people see them."""
    return [found.code for found in dict.fromkeys(parse(text)[1].found)]


def value(node: Node, name: str) -> Scalar:
    assert isinstance(node, Mapping)
    found = node.get(name)
    assert isinstance(found, Scalar)
    return found


def at(line: int, column: int, end_line: int, end_column: int) -> Span:
    return Span(path=PATH, line=line, column=column, end_line=end_line, end_column=end_column)


class TestText:
    @pytest.mark.parametrize(
        "text",
        "1.10 08 on yes no 1e3 0x1F 2024-1-1 12:30:45 1_000 .5 .inf True true null +1 y N =".split(),
    )
    def test_is_what_was_typed(self, text: str) -> None:
        scalar = value(good(f"a: {text}\n"), "a")
        assert (scalar.text, scalar.plain) == (text, True)

    @pytest.mark.parametrize("quoted", ["'null'", '"null"', "|-\n  null", ">-\n  null"])
    def test_in_quotes_is_never_null(self, quoted: str) -> None:
        scalar = value(good(f"a: {quoted}\n"), "a")
        assert (scalar.text, scalar.plain, scalar.is_null) == ("null", False, False)

    def test_nothing_is_not_empty_text(self) -> None:
        node = good('a:\nb: ""\nc: null\n')
        assert [value(node, name).is_empty for name in "abc"] == [True, False, False]
        assert [value(node, name).is_null for name in "abc"] == [False, False, True]
        assert [describe(value(node, name)) for name in "abc"] == ["nothing", '""', "null"]

    @pytest.mark.parametrize("text", [text for text in TEXTS if text.isprintable()])
    def test_in_double_quotes_survives(self, text: str) -> None:
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        assert value(good(f'a: "{escaped}"\n'), "a").text == text

    def test_line_breaks_of_windows_are_line_breaks(self) -> None:
        node = good("a: 1\r\nb: |\r\n  x\r\n  y\r\n")
        assert value(node, "b").text == "x\ny\n"
        assert value(node, "b").span.line == 2

    def test_a_byte_order_mark_is_no_text(self) -> None:
        node, report = parse(b"\xef\xbb\xbfa: 1\n")
        assert report.found == []
        assert node is not None
        assert value(node, "a").span == at(1, 4, 1, 5)

    @pytest.mark.parametrize("word", ["~", "Null", "NULL"])
    def test_other_nulls_could_be_either(self, word: str) -> None:
        assert codes_of(f"a: {word}\n") == [codes.WRONG_TYPE]
        assert codes_of(f'a: "{word}"\n') == []


class TestPlaces:
    TEXT = "a: one\nlist:\n  - x\n  - 'two words'\nmap: {k: v, l: [1, 2]}\nblock: |\n  text\nlast:\n"

    def test_of_values_and_keys(self) -> None:
        node = good(self.TEXT)
        assert isinstance(node, Mapping)
        assert [entry.key.span for entry in node.entries][:3] == [at(1, 1, 1, 2), at(2, 1, 2, 5), at(5, 1, 5, 4)]
        assert value(node, "a").span == at(1, 4, 1, 7)
        items = node.get("list")
        assert isinstance(items, Items)
        assert [item.span for item in items.items] == [at(3, 5, 3, 6), at(4, 5, 4, 16)]
        flow = node.get("map")
        assert isinstance(flow, Mapping)
        assert flow.span == at(5, 6, 5, 23)
        assert value(node, "block").span.line == 6
        assert value(node, "last").span == at(8, 6, 8, 6)

    def test_every_scalar_stands_where_it_says(self) -> None:
        rows = lines(self.TEXT)
        for scalar in scalars(good(self.TEXT)):
            if "\n" not in scalar.text and scalar.text:
                shown = rows[scalar.span.line - 1][scalar.span.column - 1 : scalar.span.end_column - 1]
                assert shown.strip("'") == scalar.text

    def test_of_an_alias_is_where_its_anchor_is(self) -> None:
        node = good("a: &x text\nb: *x\n")
        assert value(node, "b").span == value(node, "a").span

    def test_around(self) -> None:
        node = good("a: 1\nb: {c: 2}\n")
        assert isinstance(node, Mapping)
        found = [node.around(Span(path=PATH, line=line, column=column)) for line, column in ((1, 4), (2, 5), (0, 0))]
        assert [entry.key.text if entry else None for entry in found] == ["a", "b", None]


class TestMerge:
    def test_explicit_keys_win_then_the_first(self) -> None:
        node = good("x: &x {a: 1, b: 1}\ny: &y {b: 2, c: 2}\nz: {c: 3, <<: [*x, *y]}\nw: {<<: *x, a: 9}\n")
        assert isinstance(node, Mapping)
        merged = [node.get(name) for name in "zw"]
        assert [
            {e.key.text: e.value.text for e in m.entries if isinstance(e.value, Scalar)}
            for m in merged
            if isinstance(m, Mapping)
        ] == [
            {"c": "3", "a": "1", "b": "1"},
            {"a": "9", "b": "1"},
        ]

    def test_a_quoted_merge_key_is_a_key(self) -> None:
        node = good('"<<": 1\n')
        assert value(node, "<<").text == "1"

    def test_only_mappings(self) -> None:
        assert codes_of("a: {<<: text}\n") == [codes.WRONG_TYPE]


class TestRefused:
    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("", codes.EMPTY_FILE),
            ("# only a comment\n", codes.EMPTY_FILE),
            ("---\n", codes.EMPTY_FILE),
            ("---\n...\n", codes.EMPTY_FILE),
            ("a: [1\n", codes.YAML_SYNTAX),
            ("a: 'x\n", codes.YAML_SYNTAX),
            ("\ta: 1\n", codes.YAML_SYNTAX),
            ("a: %x\n", codes.YAML_SYNTAX),
            ("%FOO bar\n---\na: 1\n", codes.YAML_SYNTAX),
            ("a: 1\n---\nb: 2\n", codes.YAML_FEATURE),
            ("a: !!str x\n", codes.YAML_FEATURE),
            ("a: !custom {b: 1}\n", codes.YAML_FEATURE),
            ("&a [*a]\n", codes.YAML_FEATURE),
            ("? {a: b}\n: c\n", codes.YAML_FEATURE),
            ("a: *b\n", codes.UNKNOWN_REFERENCE),
            ("a: 1\na: 2\n", codes.DUPLICATE_KEY),
            ("{'': 1}\n", None),
            ("?\n: 1\n", codes.EMPTY_VALUE),
            ("a: {{ x }}\n", codes.UNQUOTED_JINJA),
            ("a: {{ x }} y\n", codes.UNQUOTED_JINJA),
            ("a: {{ x }}: y\n", codes.UNQUOTED_JINJA),
            ("- {{ x | f('a') }}\n", codes.UNQUOTED_JINJA),
            ('a: "\\0"\n', codes.FORBIDDEN_CHARACTER),
            ('a: "\\uFDD0"\n', codes.FORBIDDEN_CHARACTER),
            ('a: "\\uD800"\n', codes.YAML_SYNTAX),
            (b"a: \x00\n", codes.FORBIDDEN_CHARACTER),
            (b"a: \x1b\n", codes.FORBIDDEN_CHARACTER),
            (b"a: \xc2\x80\n", codes.FORBIDDEN_CHARACTER),
            (b"\xff\n", codes.NOT_UTF8),
            (b"a: \xed\xa0\x80\n", codes.NOT_UTF8),
            ("a: 1\n".encode("utf-16"), codes.NOT_UTF8),
            (b"a: 1\n" + b"#" * MAX_BYTES, codes.TOO_LARGE),
        ],
    )
    def test_once(self, text: str | bytes, code: Code | None) -> None:
        assert codes_of(text) == ([] if code is None else [code])

    def test_control_characters_may_be_written_as_escapes(self) -> None:
        assert value(good('a: "\\e[0m\\x07"\n'), "a").text == "\x1b[0m\x07"

    def test_an_empty_file_is_found_after_other_mistakes(self) -> None:
        """A report collects many files: what was found in one says nothing of the next."""
        report = Report()
        parse_yaml(b"a: 1\na: 2\n", PATH, report)
        parse_yaml(b"", "b.yaml", report)
        assert [found.code for found in report.found] == [codes.DUPLICATE_KEY, codes.EMPTY_FILE]

    def test_the_rest_of_the_file_is_read_all_the_same(self) -> None:
        text = "a: {{ x }}\na: 1\nb: ~\nc: !t x\nd: *e\nb: 2\n"
        assert codes_of(text) == [
            codes.UNQUOTED_JINJA,
            codes.DUPLICATE_KEY,
            codes.WRONG_TYPE,
            codes.YAML_FEATURE,
            codes.UNKNOWN_REFERENCE,
            codes.DUPLICATE_KEY,
        ]

    def test_an_unquoted_expression_is_read_as_if_it_had_its_quotes(self) -> None:
        node, _ = parse("a: {{ x.y | f }}\nb: [{{ z }}, 2]\n")
        assert node is not None
        assert [scalar.text for scalar in scalars(node)] == ["{{ x.y | f }}", "{{ z }}", "2"]

    def test_places_behind_wide_characters(self) -> None:
        node, report = parse("ü🚀: {{ x }}\n")
        assert report.found[0].span == at(1, 5, 1, 7)
        assert node is not None
        assert [scalar.text for scalar in scalars(node)] == ["{{ x }}"]

    @pytest.mark.parametrize("text", ["a: {{matrix}} x", "a: '{{ x }}'", "a: x {{ y }}", "a: |\n  {{ x }}\n"])
    def test_braces_that_are_text(self, text: str) -> None:
        assert codes.UNQUOTED_JINJA not in codes_of(text) or text.startswith("a: {{matrix")


class TestFiles:
    def test_missing_where_it_is_named(self) -> None:
        report, named = Report(), at(3, 4, 3, 9)
        assert read_yaml(MappingTree(files={}), "x/y.yaml", report, named_at=named) is None
        assert [(found.code, found.span) for found in report.found] == [(codes.UNREADABLE_FILE, named)]

    def test_missing_with_one_that_was_meant(self) -> None:
        report = Report()
        read_yaml(MappingTree(files={"x/hardware.yaml": b"a: 1\n"}), "x/hardwear.yaml", report)
        assert report.found[0].help == 'did you mean "x/hardware.yaml"?'

    def test_read(self) -> None:
        report = Report()
        node = read_yaml(MappingTree(files={PATH: b"a: 1\n"}), PATH, report)
        assert node is not None
        assert report.found == []


class TestBudgets:
    """Refused at their limit, before work in proportion is done: each of these would take hours or all memory."""

    @pytest.mark.parametrize(("begin", "end"), ["[]", ("{a: ", "}"), ("- ", "")])
    def test_depth(self, begin: str, end: str) -> None:
        def nested(depth: int) -> str:
            return begin * depth + "x" + end * depth

        assert codes_of(nested(MAX_DEPTH)) == []
        assert codes_of(nested(MAX_DEPTH + 1)) == [codes.TOO_LARGE]
        assert codes_of(nested(100_000)) == [codes.TOO_LARGE]

    def test_aliases_at_their_full_size(self) -> None:
        rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
        rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 40)]
        text = "\n".join(rows)
        node, report = parse(text)
        assert node is None
        assert [found.code for found in report.found] == [codes.TOO_LARGE]
        assert report.found[0].span.line < 8

    def test_nodes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each counts once, however deep it lies."""
        monkeypatch.setattr("pipegen.manifest.building.MAX_NODES", 1000)
        for begin, end in (("[", "]"), ("[[[[[", "]]]]]")):
            most = 1000 - len(begin)
            assert codes_of(begin + "x," * most + end) == []
            assert codes_of(begin + "x," * (most + 1) + end) == [codes.TOO_LARGE]

    def test_merged_mappings_that_grow(self) -> None:
        rows = ["a0: &a0 {" + ", ".join(f"k{i}: 1" for i in range(1000)) + "}"]
        rows += [f"a{n}: &a{n} {{<<: *a{n - 1}, x{n}: 1}}" for n in range(1, 400)]
        assert codes_of("\n".join(rows)) == [codes.TOO_LARGE]

    def test_bytes(self) -> None:
        assert codes_of(b"a: " + b"x" * (MAX_BYTES - 4) + b"\n") == []
        assert codes_of(b"a: " + b"x" * (MAX_BYTES - 3) + b"\n") == [codes.TOO_LARGE]


@pytest.mark.parametrize("pieces", [*itertools.product(("a: ", "- ", "{", "[", "}", ": "), repeat=3)], ids="".join)
def test_any_beginning_is_an_answer(pieces: tuple[str, ...]) -> None:
    """A node or a diagnostic, never neither and never a crash."""
    node, report = parse("".join(pieces))
    assert node is not None or report.found


def test_lines() -> None:
    assert lines("a\r\nb\rc\nd\x85e\u2028f\u2029g") == list("abcdefg")
