"""What is written reads back as what was meant, and as somebody would have typed it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipegen.importer.writing import WIDTH, Bare, Item, List, Map, Pair, Said, Value, document, flow, plain_list, scalar
from pipegen.manifest.located import Items, Node, Report
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.yaml import parse_yaml

TEXTS = st.text(alphabet="ab \"'\\:#-,[]{}&*!|>%@`\n\t~+0$?=.é\u2028", max_size=60)
LONG = st.lists(
    st.sampled_from(["pytest", "a", "&&", "'x y'", "{{ vars.A }}", "\n", "  ", "-k", "# no"]), max_size=60
).map(" ".join)


def _written(value: Value) -> Node:
    text = document((), Map(pairs=(Pair(key="k", value=value),), tall=True))
    report = Report()
    root = parse_yaml(text.encode(), "a.yaml", report)
    assert report.found == [], text
    assert isinstance(root, MappingNode)
    (entry,) = root.entries
    return entry.value


@given(text=TEXTS | LONG)
def test_a_text_reads_back(text: str) -> None:
    node = _written(text)
    assert getattr(node, "text", None) == text
    assert not getattr(node, "is_null", False)


@given(texts=st.lists(TEXTS | LONG, min_size=1, max_size=5), tall=st.booleans(), said=st.booleans())
def test_lists_of_texts_read_back(texts: list[str], tall: bool, said: bool) -> None:
    about = Said(above=("one", ""), beside="two") if said else Said()
    node = _written(List(items=tuple(Item(value=text, said=about) for text in texts), tall=tall, after=("three",)))
    assert isinstance(node, Items)
    assert [getattr(item, "text", None) for item in node.items] == texts


@given(
    pairs=st.dictionaries(TEXTS.filter(lambda key: bool(key) and key != "<<"), TEXTS, min_size=1, max_size=5),
    tall=st.booleans(),
)
def test_mappings_of_texts_read_back(pairs: dict[str, str], tall: bool) -> None:
    node = _written(Map(pairs=tuple(Pair(key=key, value=text) for key, text in pairs.items()), tall=tall))
    assert isinstance(node, MappingNode)
    assert {entry.key.text: getattr(entry.value, "text", None) for entry in node.entries} == pairs


@given(words=st.lists(st.text(alphabet="abcdefgh", min_size=1, max_size=12), min_size=30, max_size=80))
def test_long_texts_keep_to_the_width(words: list[str]) -> None:
    text = document((), Map(pairs=(Pair(key="k", value=" ".join(words)),)))
    assert max(len(line) for line in text.splitlines()) <= WIDTH


@pytest.mark.parametrize(
    ("text", "block", "nested"),
    [
        ("pytest -v -s a", "pytest -v -s a", "pytest -v -s a"),
        ("a, b", "a, b", '"a, b"'),
        ("1.10", "1.10", "1.10"),
        ("on", "on", "on"),
        ("null", '"null"', '"null"'),
        ("+", '"+"', '"+"'),
        ("", '""', '""'),
        ("!x/", '"!x/"', '"!x/"'),
        ("a: b", '"a: b"', '"a: b"'),
        ('say "x"', 'say "x"', 'say "x"'),
        ('"x"', "'\"x\"'", "'\"x\"'"),
        ("{{ title }}", '"{{ title }}"', '"{{ title }}"'),
        ("-1", "-1", "-1"),
        ("- x", '"- x"', '"- x"'),
        ("test[a]", "test[a]", '"test[a]"'),
    ],
)
def test_quotes_stand_where_they_must(text: str, block: str, nested: str) -> None:
    assert scalar(text) == block
    assert scalar(text, nested=True) == nested


def test_short_values_stand_on_one_line() -> None:
    value = Map(pairs=(Pair(key="amd", value=Map(pairs=(Pair(key="none", value=Bare("null")),))),))
    assert flow(value) == "{amd: {none: null}}"
    assert flow(plain_list(["a", Bare("+")])) == "[a, +]"
    assert flow(plain_list(["a\nb"])) is None


def test_a_list_of_commands_is_broken_where_it_is_joined() -> None:
    text = "cd tests && " + "pytest -v -s " + "a" * 90 + " && pytest -v -s b"
    assert document((), Map(pairs=(Pair(key="run", value=text),))).splitlines() == [
        "run: >-",
        "  cd tests &&",
        "  pytest -v -s " + "a" * 90 + " &&",
        "  pytest -v -s b",
    ]


def test_an_expression_is_never_broken() -> None:
    text = "x " * 50 + "{{ vars.REGISTRY ~ '/' ~ vars.REPOSITORY }} y"
    lines = document((), Map(pairs=(Pair(key="run", value=text),))).splitlines()
    assert any("{{ vars.REGISTRY ~ '/' ~ vars.REPOSITORY }}" in line for line in lines)
