"""Documents as they are written: readable, and read back alike by everyone."""

import math
from collections.abc import Callable

import pytest

from pipegen.dollar import upload_reference
from pipegen.emit.json import to_json
from pipegen.emit.yaml import to_yaml
from pipegen.plain import Plain
from tests.support.readers import YAML_READERS, json_reader, same
from tests.support.traps import TEXTS, UNCARRIABLE

Writer = Callable[[Plain], str]
WRITERS: tuple[Writer, ...] = (to_yaml, to_json)

STEPS: Plain = {
    "steps": [
        {
            "group": "Spec Decode",
            "key": "spec-decode",
            "steps": [
                {
                    "label": ":nvidia: (H200) Spec Decode Eagle %N",
                    "key": "spec_decode-eagle",
                    "agents": {"queue": "h200_35gb"},
                    "depends_on": ["image-build"],
                    "timeout_in_minutes": 25,
                    "parallelism": 4,
                    "soft_fail": False,
                    "env": {
                        "ENABLE_HMA_FLAG": "1",
                        "MODEL": "meta-llama/Llama-3.1-8B-Instruct",
                        "EMPTY": "",
                        "ON": "on",
                    },
                    "commands": [
                        "uv pip install --system -r /workspace/requirements/kv_connectors.txt",
                        "pytest -v spec_decode/eagle -k 'deepseek_eagle or qwen3' --shard-id=$$BUILDKITE_PARALLEL_JOB",
                        "#!/bin/bash\nset -eu\n\nif [ -n \"$$X\" ]; then\n\techo '$$X: yes'\nfi\n",
                        "./run.sh",
                    ],
                    "retry": {"automatic": [{"exit_status": -1, "limit": 1}]},
                    "plugins": [
                        {"docker#v5.13.0": {"image": "a/b:1", "always-pull": True, "volumes": []}},
                        {"./own": None},
                    ],
                },
                "wait",
            ],
        }
    ]
}

STEPS_YAML = """\
steps:
  - group: Spec Decode
    key: spec-decode
    steps:
      - label: ":nvidia: (H200) Spec Decode Eagle %N"
        key: spec_decode-eagle
        agents:
          queue: h200_35gb
        depends_on:
          - image-build
        timeout_in_minutes: 25
        parallelism: 4
        soft_fail: false
        env:
          ENABLE_HMA_FLAG: "1"
          MODEL: meta-llama/Llama-3.1-8B-Instruct
          EMPTY: ""
          "ON": "on"
        commands:
          - uv pip install --system -r /workspace/requirements/kv_connectors.txt
          - pytest -v spec_decode/eagle -k 'deepseek_eagle or qwen3' --shard-id=$$BUILDKITE_PARALLEL_JOB
          - |
            #!/bin/bash
            set -eu

            if [ -n "$$X" ]; then
            \techo '$$X: yes'
            fi
          - ./run.sh
        retry:
          automatic:
            - exit_status: -1
              limit: 1
        plugins:
          - docker#v5.13.0:
              image: a/b:1
              always-pull: true
              volumes: []
          - ./own: null
      - wait
"""

SMALL_JSON = """\
{
  "steps": [
    {
      "label": "🚀 \\"quoted\\" \\\\ \\u2028",
      "env": {
        "A": "1.10"
      },
      "priority": -3,
      "timeout_in_minutes": 1.0e+16,
      "soft_fail": true,
      "depends_on": [],
      "plugins": {}
    },
    "wait",
    null
  ]
}
"""


def test_yaml_golden() -> None:
    assert to_yaml(STEPS) == STEPS_YAML
    for read in YAML_READERS:
        assert same(read(STEPS_YAML), STEPS)


def test_json_golden() -> None:
    step: Plain = {
        "label": '🚀 "quoted" \\ \u2028',
        "env": {"A": "1.10"},
        "priority": -3,
        "timeout_in_minutes": 1e16,
        "soft_fail": True,
        "depends_on": [],
        "plugins": {},
    }
    tree: Plain = {"steps": [step, "wait", None]}
    assert to_json(tree) == SMALL_JSON
    for read in (json_reader, *YAML_READERS):
        assert same(read(SMALL_JSON), tree)


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (None, "null\n"),
        (True, "true\n"),
        (7, "7\n"),
        ("text", "text\n"),
        ("7", '"7"\n'),
        ("a\nb", "|-\n  a\n  b\n"),
        ({}, "{}\n"),
        ([], "[]\n"),
        ((), "[]\n"),
        (("a", 1), "- a\n- 1\n"),
        ([["a", ["b"]], [[]], {}], "- - a\n  - - b\n- - []\n- {}\n"),
        ([{"a": 1, "b": {"c": ["d"]}}], "- a: 1\n  b:\n    c:\n      - d\n"),
        ({"a": "b\n", "c": "d\n\n"}, "a: |\n  b\nc: |+\n  d\n\n"),
        (["\n a\n"], "- |2\n\n   a\n"),
        ([["\ta\nb"]], "- - |2-\n    \ta\n    b\n"),
        ({"a\nb": "c"}, '"a\\nb": c\n'),
        ({"": ""}, '"": ""\n'),
    ],
)
def test_yaml_shapes(tree: Plain, text: str) -> None:
    assert to_yaml(tree) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("word", "word"),
        ("two  words", "two  words"),
        ("https://x/y?z=1", "https://x/y?z=1"),
        ("a:b", "a:b"),
        ("a#b", "a#b"),
        (".buildkite/run.sh", ".buildkite/run.sh"),
        ("../x", "../x"),
        ("$$HOME/bin", "$$HOME/bin"),
        ("(cd a; make) || true", "(cd a; make) || true"),
        ('it\'s "fine" {a} [b], *c', 'it\'s "fine" {a} [b], *c'),
        ("a: b", '"a: b"'),
        ("a #b", '"a #b"'),
        ("a:", '"a:"'),
        ("a ", '"a "'),
        ("-x", '"-x"'),
        ("1e3", '"1e3"'),
        ("Off", '"Off"'),
        ("y", '"y"'),
        ("N", '"N"'),
        (".NaN", '".NaN"'),
        ("é", '"é"'),
        ("a\tb", '"a\\tb"'),
        ("\x00\x1b\x7f\x85", '"\\u0000\\u001b\\u007f\\u0085"'),
        ("\ufeff\u2029\uffff", '"\\ufeff\\u2029\\uffff"'),
        ("a \nb", '"a \\nb"'),
        ("a\r\nb", '"a\\r\\nb"'),
        ("\n", '"\\n"'),
    ],
)
def test_yaml_quotes_where_it_must(text: str, written: str) -> None:
    assert to_yaml([text]) == f"- {written}\n"


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("text", [*TEXTS, *UNCARRIABLE])
def test_traps_read_back(write: Writer, text: str) -> None:
    """In every place that text can have, with something behind it that would show where it ended."""
    tree: Plain = {"value": text, text: "key", "list": [text, "next"], "deep": [[{text: [text]}], text], "end": text}
    written = write(tree)
    readers = YAML_READERS if write is to_yaml else (json_reader, *YAML_READERS)
    for read in readers:
        assert same(read(written), tree), written
    for read in readers:
        assert same(read(write(text)), text)


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0, "0"),
        (-1, "-1"),
        (2**63 - 1, "9223372036854775807"),
        (-(2**63), "-9223372036854775808"),
        (2**64 - 1, "18446744073709551615"),
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (8.0, "8.0"),
        (0.1, "0.1"),
        (1e15, "1000000000000000.0"),
        (1e16, "1.0e+16"),
        (1.5e300, "1.5e+300"),
        (5e-324, "5.0e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
    ],
)
def test_numbers(number: float, written: str) -> None:
    for write in WRITERS:
        text = write({"n": number})
        assert text.split(": ")[1].split("\n")[0] == written
        for read in YAML_READERS:
            assert same(read(text), {"n": number})
    assert same(json_reader(to_json({"n": number})), {"n": number})


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (math.inf, "inf is no finite number; write it as text, in quotes"),
        (-math.inf, "-inf is no finite number; write it as text, in quotes"),
        (math.nan, "nan is no finite number; write it as text, in quotes"),
        (2**64, "the integer 18446744073709551616 does not fit 64 bits; write it as text, in quotes"),
        (-(2**63) - 1, "the integer -9223372036854775809 does not fit 64 bits; write it as text, in quotes"),
        (10**100, "the integer of 333 bits does not fit 64 bits; write it as text, in quotes"),
        ("a\ud83d", 'the lone surrogate U+D83D in "a\ufffd" is no character of any text; remove it'),
        ("a\n\udc00\n", 'the lone surrogate U+DC00 in "a\\n\ufffd\\n" is no character of any text; remove it'),
        (
            upload_reference("TAG"),
            'an upload reference is left in "\ufffdTAG\ufffd"; it has to be escaped or resolved first',
        ),
        ("a\nb\ufdd1", 'an upload reference is left in "a\\nb\ufffd"; it has to be escaped or resolved first'),
    ],
)
def test_what_no_reader_takes_is_refused(write: Writer, value: Plain, message: str) -> None:
    for tree in (value, {"a": [value]}, {value: 1} if isinstance(value, str) else [value]):
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
            write(tree)
        assert str(caught.value) == message


@pytest.mark.parametrize("write", WRITERS)
def test_integers_too_long_to_be_shown(write: Writer) -> None:
    with pytest.raises(ValueError, match="the integer of 16610 bits does not fit 64 bits"):
        write([10**5000])


@pytest.mark.parametrize("write", WRITERS)
def test_long_keys(write: Writer) -> None:
    """YAML readers look for the `:` of a key in 1,024 characters, and quotes and escapes count."""
    for key in ("k" * 998, "日" * 998, "\x00" * 166):
        for read in YAML_READERS:
            assert same(read(write({"a": {key: "v"}})), {"a": {key: "v"}})
    for key in ("k" * 1001, "日" * 999, "\x00" * 167):
        with pytest.raises(ValueError, match=r"a mapping key takes \d+ characters, of at most 1000 that YAML readers"):
            write({"a": {key: "v"}})


@pytest.mark.parametrize("write", WRITERS)
def test_long_values(write: Writer) -> None:
    tree: Plain = {"a": ["x" * 100_000, "x " * 50_000, "é: " * 30_000, "line\n" * 20_000], "b": {"c": "1" * 70_000}}
    for read in YAML_READERS[:1]:
        assert same(read(write(tree)), tree)
    assert max(map(len, to_yaml(tree).split("\n"))) > 100_000  # never folded


@pytest.mark.parametrize("write", WRITERS)
def test_depth(write: Writer) -> None:
    deep: Plain = "x"
    for _ in range(100):
        deep = [deep]
    assert same(YAML_READERS[0](write(deep)), deep)
    with pytest.raises(ValueError, match="nested more than 100 levels deep"):
        write({"a": [deep]})


@pytest.mark.parametrize("write", WRITERS)
def test_keys_are_text(write: Writer) -> None:
    with pytest.raises(ValueError, match="the key 5 is no text"):
        write({5: "x"})  # type: ignore[dict-item]  # what the types forbid is refused at run time as well
