"""What is done in a quicker way gives what the usual way gives."""

import json
import re
from collections.abc import Callable, Mapping

from hypothesis import example, given, settings
from hypothesis import strategies as st
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from pipegen import patterns
from pipegen.dollar import escape_tree, is_carried, literal_tree
from pipegen.emit.yaml import to_yaml
from pipegen.globs import steady
from pipegen.jinja import Expressions, Facts, JinjaError, Names, Upload
from pipegen.manifest.yaml import yaml_events
from pipegen.plain import Plain
from pipegen.render.document import DocumentError, Documents, _read_json, _Reader, read_document
from pipegen.validate.structure import Glances

NAMES: Mapping[str, object] = {
    "build": Names("build", {"branch": "main", "number": "7", "none": None, "items": "i"}),
    "env": Names("env", {}, unknown="declare it"),
    "hardware": Names("hardware", {"gpus": 2, "facts": Facts("hardware.facts", {"volumes": ["/a"], "on": True})}),
    "upload": Upload(),
    "title": "Engine {{ title }}",
    "empty": "",
    "number": 1.5,
    "mapping": {"keys": "k", "a": "b"},
}
PATHS = st.lists(
    st.sampled_from(
        "build branch number none items env hardware gpus facts volumes on upload A title empty mapping keys a true "
        "None self loop range x __class__ _values".split()
    ),
    min_size=1,
    max_size=3,
).map(".".join)
SPACES = st.sampled_from(["", " ", "  ", "\n", "\t"])
EXPRESSIONS = st.builds("{{{{{}{}{}}}}}".format, SPACES, PATHS, SPACES)
TEXTS = st.sampled_from(
    ["", "a", " ", "\r\n", "\n", "$A", "{", "}", "}}", "{%", "#}", "{{ matrix }}", "{{matrix.a}}", "{{- title }}", "é"]
)


def outcome(call: Callable[[], object]) -> object:
    try:
        return call()
    except JinjaError as error:
        return str(error), error.hint
    except DocumentError as error:
        return str(error), error.hint, error.line


class TestExpressions:
    @settings(max_examples=50, deadline=None)
    @given(st.lists(st.one_of(EXPRESSIONS, EXPRESSIONS, TEXTS), min_size=1, max_size=5).map("".join))
    @example("{{ title }}")
    @example("{{ build }}")
    @example("{{ upload.A }}-{{ mapping.keys }}{{ mapping.a }}")
    @example("{{ hardware.facts.on }}{{ hardware.gpus }}{{ number }}")
    def test_names_alone_are_filled_in_as_jinja_would(self, text: str) -> None:
        usual = Expressions()
        usual._filled = lambda source, names: None  # type: ignore[method-assign]
        assert outcome(lambda: Expressions().evaluate(text, NAMES)) == outcome(lambda: usual.evaluate(text, NAMES))


LINES = st.sampled_from(
    [
        "a: 1",
        "b: [x, 'y', \"z\"]",
        "c: {d: e}",
        "d:",
        "  - 1",
        "  e: f",
        "- g",
        "e: |",
        "    text",
        "f: &x [1]",
        "g: *x",
        "h: 'begins",
        "ends'",
        'i: "begins',
        'ends"',
        "j: [1,",
        "2]",
        "---",
        "...",
        "%YAML 1.1",
        "# said: so",
        "",
        "? k",
        ": l",
        "a: 2",
        "m: !!str 1",
        "<<: {n: o}",
        "n: 2020-01-01",
        "plain",
        "A: 1",
        "k8s.io/x: 1",
        "\ttab: 1",
    ]
)
DOCUMENTS = st.lists(LINES, max_size=6).map(lambda lines: "\n".join([*lines, ""]))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
JSON = st.builds(lambda value, ascii_only: json.dumps(value, ensure_ascii=ascii_only), VALUES, st.booleans())


class TestDocuments:
    @settings(max_examples=50, deadline=None)
    @given(st.lists(DOCUMENTS, min_size=1, max_size=3))
    @example(["f: &x [1]\ng: *x\n"])
    @example(["a: 1\n...\nb: 2\n"])
    @example(['i: "begins\na: 1\nends"\n'])
    @example(["a: 1\n", "a: 1\na: 2\n", "b: 1\na: 1\n"])
    def test_documents_with_parts_in_common_are_read_as_each_by_itself(self, texts: list[str]) -> None:
        documents = Documents()
        for text in texts:
            assert outcome(lambda text=text: documents.read(text)) == outcome(lambda text=text: read_document(text))  # type: ignore[misc]

    @settings(max_examples=50, deadline=None)
    @given(JSON, st.sampled_from(["{}: {}\n", "{}:  {}\n\n", "{}: {} # said\n", '{}:\n  A: {}\n  B: "b"\n', "{}:{}"]))
    @example('["\\ud83d\\ude00", "\\u0085", "\\/"]', "{}: {}\n")
    @example('{"a": 1, "a": 2}', "{}: {}\n")
    @example('{"' + "k" * 1_100 + '": 1}', "{}: {}\n")
    @example("[" * 70 + "]" * 70, "{}: {}\n")
    @example("[NaN, 1e400, 1E5, -0, 12345678901234567890123, 0.1]", "{}: {}\n")
    @example('["\x7f", "\u2028", "\ufeff", "\ufdd0A\ufdd1", "\ufdd2", "\U0001f680"]', "{}: {}\n")
    @example('"a", "b": "c"', '{}:\n  A: {}\n  B: "b"\n')
    @example('"a"', '{}:\n  A: {}\n  A: "b"\n')
    @example('["a",\t"b"]', "{}: {}\n")
    def test_json_is_read_as_the_yaml_that_it_is(self, written: str, line: str) -> None:
        text = line.format("name", written)
        assert outcome(lambda: Documents().read(text)) == outcome(lambda: read_document(text))
        found, reader = _read_json(written), _Reader()
        if found is not None:
            reader.read(yaml_events(f"name: {written}\n"))
            assert found[1] + 1 == reader.weight

    @settings(max_examples=50, deadline=None)
    @given(
        st.lists(st.sampled_from(["a: |\n  x\n", "b: |+\n  y\n\n", "c: 1\n", "d: >-\n  z\n\n", "e: [x]"]), max_size=4)
    )
    def test_line_breaks_between_attributes_stay(self, attributes: list[str]) -> None:
        text = "".join(attributes)
        assert outcome(lambda: Documents().read(text)) == outcome(lambda: read_document(text))

    def test_what_stands_twice_is_read_once(self) -> None:
        documents = Documents()
        one, other = documents.read("a: 1\nb: [x]\n"), documents.read("a: 2\nb: [x]\n")
        assert isinstance(one, dict)
        assert isinstance(other, dict)
        assert one["b"] is other["b"]
        assert (one["a"], other["a"]) == (1, 2)


STARS = st.builds(
    lambda front, folders, head, tail: front + "".join(f"{name}/" for name in folders) + head + "*" + tail,
    st.sampled_from(["", "/", "**/", "/**/"]),
    st.lists(st.sampled_from(["a", "b.c", "d-e", "#f", " g", "$", "^h", "(i|j)"]), max_size=2),
    st.sampled_from(["", "a", ".", "a-b_c", "!", "é"]),
    st.sampled_from(["", ".py", "-x", "$", "é"]),
)


class TestPatterns:
    @settings(max_examples=50, deadline=None)
    @given(STARS)
    @example("**/*.md")
    @example("docs/*")
    def test_one_star_is_written_as_pathspec_writes_it(self, pattern: str) -> None:
        rooted = pattern if pattern.startswith("/") else f"/{pattern}"
        source, _ = GitIgnoreSpecPattern.pattern_to_regex(rooted)
        own = patterns._glob(pattern)
        assert source is not None
        assert own is not None
        assert own.pattern == steady(patterns._exact(source))
        assert own.flags & re.DOTALL


SHARED: list[Plain] = [{"image": "a:$B", "flags": ["on", "x\ny"]}, [{"a": [1, None]}], {}, []]
TREES: st.SearchStrategy[Plain] = st.recursive(
    st.sampled_from(SHARED)
    | st.sampled_from(["a", "$A", "\\\\$A", "\\$A", "\ufdd0A\ufdd1", "\ufdd0", "é", 1, True, None]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "$c", "\ufdd0d\ufdd1"]), inner, max_size=3)
    ),
    max_leaves=6,
)


def unshared(tree: Plain) -> Plain:
    """The same, with everything made anew."""
    if isinstance(tree, dict):
        return {key: unshared(value) for key, value in tree.items()}
    return [unshared(item) for item in tree] if isinstance(tree, list) else tree


class TestShared:
    @settings(max_examples=50, deadline=None)
    @given(TREES)
    @example([SHARED[0], {"a": SHARED[0], "b": [SHARED[0], SHARED[0]]}])
    def test_what_stands_twice_is_written_as_if_by_itself(self, tree: Plain) -> None:
        spelled = carried(lambda: escape_tree(tree))
        assert spelled == carried(lambda: escape_tree(unshared(tree)))
        if not isinstance(spelled, tuple):
            assert to_yaml(spelled) == to_yaml(unshared(spelled))  # type: ignore[arg-type]  # a tree where it is no error

    @settings(max_examples=50, deadline=None)
    @given(st.dictionaries(st.sampled_from(["label", "env", "$x", "\ufdd0"]), TREES, max_size=3), st.booleans())
    def test_a_step_that_passes_at_a_glance_passes(self, step: dict[str, Plain], interpolation: bool) -> None:
        seen = Glances().of(step)
        if seen is not None and is_carried(seen.texts, seen.keys, interpolation=interpolation):
            assert not isinstance(carried(lambda: escape_tree(step) if interpolation else literal_tree(step)), tuple)


def carried(call: Callable[[], Plain]) -> object:
    try:
        return call()
    except ValueError as error:
        return type(error), str(error), getattr(error, "path", ())
