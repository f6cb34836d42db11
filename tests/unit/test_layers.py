"""What may be written at one place, and how places inherit from one another."""

from collections.abc import Sequence

import pytest

from pipegen import codes
from pipegen.diagnostics import Code
from pipegen.manifest.fields import Level
from pipegen.manifest.inheritance import Removals, lay
from pipegen.manifest.layers import EXTRA, FIELDS, Layer, named_layers, read_layer
from pipegen.manifest.located import Items, Mapping, Node, Report, Scalar
from pipegen.manifest.yaml import parse_yaml
from pipegen.plain import Plain

Found = list[tuple[Code, str]]


def node_of(text: str, path: str = "a.yaml") -> Node:
    report = Report()
    node = parse_yaml(text.encode(), path, report)
    assert report.found == []
    assert node is not None
    return node


def layer(text: str, level: Level = Level.AREA) -> tuple[Layer, Found]:
    report = Report()
    found = read_layer(node_of(text), level, "x", EXTRA.get(level, ()), report)
    assert found is not None
    return found, [(one.code, one.message) for one in report.found]


def good(text: str, level: Level = Level.AREA) -> Layer:
    found, mistakes = layer(text, level)
    assert mistakes == []
    assert not found.broken
    return found


def plain(node: Node | None) -> Plain:
    """A node as data, all scalars as text."""
    match node:
        case Scalar():
            return node.text
        case Items():
            return [plain(item) for item in node.items]
        case Mapping():
            return {entry.key.text: plain(entry.value) for entry in node.entries}
        case None:
            return None


def laid(*texts: str, supplied: Sequence[str] = ()) -> tuple[dict[str, Plain], Found]:
    """What layers give together, the most general first."""
    report = Report()
    nodes = lay([good(text) for text in texts], report, supplied=frozenset(supplied))
    return {name: plain(node) for name, node in nodes.items()}, [(one.code, one.message) for one in report.found]


class TestReading:
    def test_attributes_and_the_keys_of_the_place(self) -> None:
        part = good("{k: fast, rest: false, timeout_in_minutes: 5}", Level.PART)
        assert {name: plain(node) for name, node in part.nodes.items()} == {"k": "fast", "timeout_in_minutes": "5"}
        assert {name: plain(node) for name, node in part.extra.items()} == {"rest": "false"}

    @pytest.mark.parametrize(
        ("text", "level", "faulty"),
        [
            ("{tests: 3.5, timeout_in_minutes: x}", Level.AREA, {"timeout_in_minutes"}),
            ("{hardwear: l4}", Level.AREA, {"hardwear", "hardware"}),
            ("{device: l4}", Level.AREA, {"device", "hardware"}),
            ("{xyzzy: l4}", Level.AREA, {"xyzzy"}),
            ("{tests: [a]}", Level.HARDWARE, {"tests"}),
            ("{k: '', m: ' '}", Level.PART, {"k", "m"}),
            ("{rest: maybe}", Level.PART, {"rest"}),
            ("{none: ''}", Level.MIRROR, {"none"}),
        ],
    )
    def test_faulty_keys(self, text: str, level: Level, faulty: set[str]) -> None:
        """What follows from those is not worth a diagnostic."""
        found, mistakes = layer(text, level)
        assert set(found.faulty) == faulty
        assert found.broken
        assert mistakes

    def test_where_a_word_may_stand(self) -> None:
        _, mistakes = layer("{tests: [a]}", Level.LANE)
        assert mistakes == [(codes.UNKNOWN_KEY, '"tests" cannot stand in lane "x"')]
        report = Report()
        read_layer(node_of("{parts: {}}"), Level.PART, "x", (), report)
        assert report.found[0].help == "it may stand in: a manifest, an area, a step, a mirror"

    @pytest.mark.parametrize(
        ("text", "code", "message"),
        [
            ("x", codes.WRONG_TYPE, 'area "x": expected a mapping, found "x"'),
            ("[x]", codes.WRONG_TYPE, 'area "x": expected a mapping, found a list'),
        ],
    )
    def test_no_mapping(self, text: str, code: Code, message: str) -> None:
        report = Report()
        assert read_layer(node_of(text), Level.AREA, "x", (), report) is None
        assert [(one.code, one.message) for one in report.found] == [(code, message)]

    @pytest.mark.parametrize("level", Level)
    def test_every_word_that_may_stand_there_does(self, level: Level) -> None:
        examples = {name: "null" for name, field in FIELDS.items() if level in field.levels}
        found = good("{" + ", ".join(f"{name}: {text}" for name, text in examples.items()) + "}", level)
        assert set(found.nodes) == set(examples)


class TestNull:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("{retry: null}", []),
            ("{env: {A: null}}", []),
            ("{env: {A: null, B: b}}", []),
            ("{gate: {label: null}}", []),
            ("{matrix: {setup: null, adjustments: null}}", []),
            ("{mirrors: {amd: null}}", []),
            ("{env: {A-B: null}}", ['name: expected a name of letters, digits and "_", no digit first, found "A-B"']),
            ("{gate: {lable: null}}", ['unknown key "lable" in a gate']),
            ("{checkout: {depht: null, lfs: true}}", ['unknown key "depht" in checkout']),
            ("{args: [null]}", ["args: expected text, found null"]),
            ("{env: {A: {value: null, because: x, until: '#1'}}}", ["value: expected text, found null"]),
        ],
    )
    def test_where_it_may_stand(self, text: str, found: list[str]) -> None:
        assert [message for _, message in layer(text)[1]] == found

    def test_a_quoted_null_is_text(self) -> None:
        assert laid("{title: a}", "{title: 'null'}") == ({"title": "null"}, [])

    def test_it_removes(self) -> None:
        assert laid("{title: a, k: b}", "{title: null}") == ({"k": "b"}, [])
        assert laid("{env: {A: 1, B: 2}}", "{env: {A: null}}") == ({"env": {"B": "2"}}, [])
        assert laid("{env: {A: 1}}", "{env: {A: null}}") == ({}, [])
        assert laid("{title: a}", "{title: null}", "{title: c}") == ({"title": "c"}, [])

    def test_one_that_never_removes_anything_is_a_mistake(self) -> None:
        removals, report = Removals(), Report()
        wide, narrow = good("{title: a, env: {A: 1}}"), good("{title: null,\n env: {A: null, B: null},\n k: null}")
        lay([narrow], Report(), removals=removals)
        lay([wide, narrow], Report(), removals=removals)
        removals.check(report)
        assert [one.message for one in report.found] == [
            'null removes what is inherited, and "B" of env is not',
            'null removes what is inherited, and "k" is not',
        ]
        assert {one.code for one in report.found} == {codes.NOTHING_INHERITED}


class TestMerging:
    def test_the_more_special_wins(self) -> None:
        assert laid("{title: a, k: x}", "{title: b}", "{title: c}") == ({"title": "c", "k": "x"}, [])

    def test_maps_merge_one_level(self) -> None:
        assert laid("{env: {A: 1, B: 1}}", "{env: {B: 2, C: 2}}") == ({"env": {"A": "1", "B": "2", "C": "2"}}, [])
        wide = "{mirrors: {amd: {hardware: a, gpus: 2}, xpu: {hardware: x}}}"
        assert laid(wide, "{mirrors: {amd: {hardware: b}}}")[0] == {
            "mirrors": {"amd": {"hardware": "b"}, "xpu": {"hardware": "x"}}
        }

    @pytest.mark.parametrize("name", ["hardware", "retry", "secrets"])
    def test_some_are_taken_whole_or_merged(self, name: str) -> None:
        values = {
            "hardware": ("{a: {t: 1}}", "{b: {u: 2}}", {"b": {"u": "2"}}),
            "retry": ("{automatic: true}", "{manual: false}", {"manual": "false"}),
            "secrets": ("{A: a}", "{B: b}", {"A": "a", "B": "b"}),
        }
        wide, narrow, expected = values[name]
        assert laid(f"{{{name}: {wide}}}", f"{{{name}: {narrow}}}") == ({name: expected}, [])

    def test_a_long_form_is_taken_whole(self) -> None:
        wide = "{env: {A: {value: 0, because: x, until: '#1'}}}"
        assert laid(wide, "{env: {A: 1}}") == ({"env": {"A": "1"}}, [])

    def test_a_list_in_the_place_of_a_map_and_back(self) -> None:
        assert laid("{secrets: {A: a}}", "{secrets: [B]}") == ({"secrets": ["B"]}, [])
        assert laid("{secrets: [B]}", "{secrets: {A: a}}") == ({"secrets": {"A": "a"}}, [])

    def test_an_empty_map_adds_nothing(self) -> None:
        assert laid("{env: {A: 1}}", "{env: {}}") == ({"env": {"A": "1"}}, [])
        assert laid("{k: x}", "{env: {}}") == ({"k": "x", "env": {}}, [])


class TestPlus:
    @pytest.mark.parametrize(
        ("wide", "narrow", "expected"),
        [
            ("[a, b]", "[c]", ["c"]),
            ("[a, b]", "[+, c]", ["a", "b", "c"]),
            ("[a, b]", "[c, +]", ["c", "a", "b"]),
            ("[a, b]", "[c, +, d]", ["c", "a", "b", "d"]),
            ("[a]", "[+, +]", ["a", "a"]),
            ("a", "[+, c]", ["a", "c"]),
            ("[]", "[+, c]", ["c"]),
            ("[a]", "[]", []),
            ("[a]", "['+', c]", ["+", "c"]),
        ],
    )
    def test_lists(self, wide: str, narrow: str, expected: list[str]) -> None:
        assert laid(f"{{args: {wide}}}", f"{{args: {narrow}}}") == ({"args": expected}, [])

    def test_it_stands_for_all_above(self) -> None:
        assert laid("{args: [a]}", "{args: [+, b]}", "{args: [+, c]}") == ({"args": ["a", "b", "c"]}, [])
        assert laid("{args: [a]}", "{args: [b]}", "{args: [+, c]}") == ({"args": ["b", "c"]}, [])

    def test_nothing_is_inherited(self) -> None:
        nodes, found = laid("{k: x}", "{args: [+, c]}")
        assert nodes["args"] == ["c"]
        assert found == [(codes.NOTHING_INHERITED, '"+" stands for inherited args, and there are none')]

    def test_nothing_is_left_to_inherit(self) -> None:
        assert laid("{args: [a]}", "{args: null}", "{args: [+, c]}")[1] != []

    def test_what_something_else_supplies_need_not_be_there(self) -> None:
        assert laid("{k: x}", "{depends_on: [+, c]}", supplied=["depends_on"]) == ({"k": "x", "depends_on": ["c"]}, [])
        assert laid("{k: x}", "{depends_on: [+]}", supplied=["depends_on"]) == ({"k": "x"}, [])

    def test_inside_of_a_map(self) -> None:
        wide = "{matrix: {setup: [a], adjustments: [{with: [a], skip: true}]}}"
        assert laid(wide, "{matrix: {setup: [+, b]}}")[0]["matrix"] == {
            "setup": ["a", "b"],
            "adjustments": [{"with": ["a"], "skip": "true"}],
        }

    def test_it_is_one_of_a_list(self) -> None:
        code, message = layer("{args: +}")[1][0]
        assert (code, message) == (codes.WRONG_TYPE, 'args: "+" stands for inherited items and is one of a list')

    @pytest.mark.parametrize("text", ["{retry: {automatic: [+]}}", "{timeout_in_minutes: +}", "{title: [+]}"])
    def test_elsewhere_it_is_no_mark(self, text: str) -> None:
        assert layer(text)[1] != []

    def test_items_beside_it_are_checked(self) -> None:
        assert [message for _, message in layer("{when: [+, {a: b}]}")[1]] == [
            'when: expected a name of letters, digits, "-", "_" and ".", found a mapping'
        ]


class TestNamed:
    def test_in_order_with_their_names_in_front(self) -> None:
        report = Report()
        found = named_layers(node_of("b: {k: x}\na: {k: y}\nc: null\n"), Level.PART, report)
        assert report.found == []
        assert list(found) == ["b", "a"]
        assert [one.place.line for one in found.values()] == [1, 2]
        assert [one.place.column for one in found.values()] == [1, 1]

    def test_names(self) -> None:
        report = Report()
        found = named_layers(node_of("a b: {}\nblock: {hardware: x}\nno: {}\n"), Level.MIRROR, report)
        assert list(found) == ["no"]
        assert [one.message for one in report.found] == [
            'name of a mirror: expected a name of letters, digits, "-", "_" and ".", found "a b"',
            'no mirror is called "block"',
        ]

    def test_a_step_has_nothing_to_remove(self) -> None:
        report = Report()
        named_layers(node_of("a: null\n"), Level.STEP, report)
        assert [one.code for one in report.found] == [codes.NOTHING_INHERITED]
