"""What is done in a quicker way gives what the usual way gives."""

import re
from collections.abc import Callable, Mapping

from hypothesis import example, given, settings
from hypothesis import strategies as st
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from pipegen import patterns
from pipegen.globs import steady
from pipegen.jinja import Expressions, Facts, JinjaError, Names, Upload
from pipegen.render.document import DocumentError, Documents, read_document

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
