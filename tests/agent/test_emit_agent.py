"""What pipegen writes, read by the real agent: hostile text in every place, both formats, both modes of upload."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

import pytest

from pipegen.agent_scalars import NotPlainData, read_scalar
from pipegen.dollar import Uncarriable, escape, escape_tree, literal, literal_tree, upload_reference
from pipegen.emit.json import to_json
from pipegen.emit.yaml import to_yaml
from pipegen.plain import Plain
from tests.support.agent import Agent
from tests.support.agent_model import FatalInterpolationError, interpolate
from tests.support.readers import same
from tests.support.traps import DOLLARS, SCALARS, TEXTS, UNCARRIABLE

pytestmark = pytest.mark.agent

Writer = Callable[[Plain], str]

ENV = {"A": "value of A: $B \\", "B": "", "AB": "é🚀", "TAG": "v1.10", "ÉTÉ": "été"}
LONG = ("x" * 100_000, "a: b # " * 15_000, "line\n\n  line\n" * 8_000, "é🚀$A" * 20_000)
NUMBERS = (
    0,
    -1,
    2**63 - 1,
    -(2**63),
    2**64 - 1,
    1.5,
    -0.25,
    -0.0,
    8.0,
    1e15,
    2.0**64,
    1e21,
    1.5e-7,
    5e-324,
    1.7976931348623157e308,
)
REFERRING = (
    upload_reference("TAG"),
    f"img:{upload_reference('TAG')}-$TAG",
    f"${upload_reference('A')}$",
    f"\\\\{upload_reference('AB')}{upload_reference('B')}_x",
    f"{upload_reference('ÉTÉ')}é",
)

both_writers = pytest.mark.parametrize("write", [to_yaml, to_json])
both_modes = pytest.mark.parametrize("interpolation", [True, False], ids=["interpolation", "no-interpolation"])


def sent(agent: Agent, tree: Plain, *, write: Writer, interpolation: bool) -> Sequence[Plain]:
    """The steps that the agent would upload for a pipeline, spelled for the mode."""
    spelled = escape_tree(tree) if interpolation else literal_tree(tree, ENV)
    run = agent.dry_run(write(spelled), interpolation=interpolation, env=ENV)
    assert run.status == 0, run.stderr
    return run.steps


def shown(tree: Plain) -> Plain:
    """A tree as Go's JSON shows it: floats without a fraction have no point there, below 1e21."""
    match tree:
        case float():
            return int(Decimal(repr(tree))) if tree.is_integer() and abs(tree) < 1e21 else tree
        case str() | int() | None:
            return tree
        case Mapping():
            return {key: shown(value) for key, value in sorted(tree.items())}
        case _:
            return [shown(value) for value in tree]


def in_order(tree: Plain) -> Plain:
    """The agent's own answer with its keys sorted, as `same` minds their order."""
    match tree:
        case Mapping():
            return {key: in_order(value) for key, value in sorted(tree.items())}
        case str():
            return tree
        case Sequence():
            return [in_order(value) for value in tree]
        case _:
            return tree


def texts_for(mode: bool) -> tuple[str, ...]:
    """All that can be carried: with interpolation, no odd backslashes before a dollar."""
    return (*TEXTS, *LONG) if mode else (*TEXTS, *LONG, *UNCARRIABLE)


@both_writers
@both_modes
def test_text_arrives_everywhere(agent: Agent, write: Writer, interpolation: bool) -> None:
    texts = texts_for(interpolation)
    keys = [text for text in texts if len(text) < 900 and not (interpolation and "$" in text)]
    tree: Plain = {
        "steps": [
            {"command": "true", "env": {f"V{index}": text for index, text in enumerate(texts)}},
            {"command": "true", "env": dict.fromkeys(keys, "value")},
            {
                "command": "true",
                "plugins": [{"./settings": {"list": list(texts), "keys": {key: [key] for key in keys}}}],
            },
            *({"command": text, "label": text, "key": text} for text in texts if text),
            {"commands": [text for text in texts if text]},
        ]
    }
    settings, keyed, plugged, *single, joined = sent(agent, tree, write=write, interpolation=interpolation)
    assert settings == {"command": "true", "env": {f"V{index}": text for index, text in enumerate(texts)}}
    assert keyed == {"command": "true", "env": dict.fromkeys(keys, "value")}
    assert plugged == {
        "command": "true",
        "plugins": [{"./settings": {"list": list(texts), "keys": {key: [key] for key in keys}}}],
    }
    assert single == [{"command": text, "label": text, "key": text} for text in texts if text]
    assert joined == {"command": "\n".join(text for text in texts if text)}


@both_writers
@both_modes
def test_types_arrive(agent: Agent, write: Writer, interpolation: bool) -> None:
    """In settings that the agent passes on as they are, and numbers in `plugins` above all."""
    values: list[Plain] = [
        *NUMBERS,
        True,
        False,
        None,
        "",
        "1",
        "true",
        "null",
        [],
        {},
        [[]],
        [{}],
        [None],
        {"a": None},
    ]
    tree: Plain = {
        "steps": [
            {
                "command": "true",
                "priority": -3,
                "soft_fail": [{"exit_status": 1}],
                "retry": {"manual": {"allowed": False}},
                "agents": {"queue": "10", "x": "on"},
                "plugins": [{"./settings": {"values": values}}],
            }
        ]
    }
    (step,) = sent(agent, tree, write=write, interpolation=interpolation)
    assert isinstance(tree, Mapping)
    assert isinstance(tree["steps"], list)
    assert same(in_order(step), shown(tree["steps"][0]))


@both_writers
@both_modes
def test_keys_as_long_as_allowed_arrive(agent: Agent, write: Writer, interpolation: bool) -> None:
    keys = ["k" * 998, "日" * 998, "\x00" * 166, "key " * 249 + "x"]
    tree: Plain = {"steps": [{"command": "true", "env": dict.fromkeys(keys, "v")}]}
    assert sent(agent, tree, write=write, interpolation=interpolation) == (
        {"command": "true", "env": dict.fromkeys(keys, "v")},
    )


@both_writers
@both_modes
def test_references_become_values(agent: Agent, write: Writer, interpolation: bool) -> None:
    tree: Plain = {"steps": [{"command": text, "env": {"X": text}} for text in REFERRING]}
    values = [literal(text, ENV) for text in REFERRING]
    assert values[1] == "img:v1.10-$TAG"
    assert list(sent(agent, tree, write=write, interpolation=interpolation)) == [
        {"command": value, "env": {"X": value}} for value in values
    ]


def test_nothing_carries_what_is_refused(agent: Agent) -> None:
    """What `escape` refuses does go wrong, however the dollar is spelled."""
    spellings = [(text, text.replace("$", dollar)) for text in UNCARRIABLE for dollar in ("$$", "\\$", "$$$$")]
    steps: Plain = [{"command": spelling} for _, spelling in spellings]
    run = agent.dry_run(to_json({"steps": steps}))
    assert run.status == 0, run.stderr
    for (text, _), step in zip(spellings, run.steps, strict=True):
        with pytest.raises(Uncarriable):
            escape(text)
        assert step != {"command": text}


def test_keys_with_dollars_would_be_lost(agent: Agent) -> None:
    """Why `escape_tree` refuses them: of `$$x` and `$x`, doubled as it has to be, one is gone."""
    text = to_json({"steps": [{"command": "true", "agents": {"$$$$x": "first", "$$x": "second"}}]})
    assert agent.dry_run(text).steps == ({"command": "true", "agents": {"$$x": "first"}},)


def test_the_model_interpolates_as_the_agent_does(agent: Agent) -> None:
    """On every text that the model does not find fatal, of all that the traps make with what may follow them."""
    tails = (
        "",
        "$",
        "\\$A",
        "${A}",
        "$A$B",
        "}",
        "\\",
        "${A:2:3}",
        "${A: -4}",
        "${UNSET:-\\}$$",
        "${B-x}${UNSET-$A}",
        "$(A)",
    )
    texts = [text + tail for text in (*DOLLARS, *UNCARRIABLE, "a", "\ufffd$A\ufffd", "${ÉTÉ}$Aé") for tail in tails]
    expected: list[tuple[str, str]] = []
    for text in texts:
        try:
            expected.append((text, interpolate(text, ENV)))
        except FatalInterpolationError:
            continue
    assert len(expected) > 300
    steps: Plain = [{"command": text} for text, _ in expected]
    run = agent.dry_run(to_json({"steps": steps}), env=ENV)
    assert run.status == 0, run.stderr
    assert list(run.steps) == [{"command": value} for _, value in expected]


@pytest.mark.parametrize(
    "text", ["${A", "${}", "${_A}", "${A:?m}", "${A:+x}", "${#A}", "${A%.*}", "${UNSET?}", "${A:x}"]
)
def test_fatal_interpolations(agent: Agent, text: str) -> None:
    """The model is as strict as the agent; escaped, each of them arrives."""
    with pytest.raises(FatalInterpolationError):
        interpolate(text, ENV)
    run = agent.dry_run(to_json({"steps": [{"command": text}]}), env=ENV)
    assert run.status == 1
    assert 'pipeline interpolation of "(stdin)" failed' in run.stderr
    escaped = agent.dry_run(to_json({"steps": [{"command": escape(text)}]}), env=ENV)
    assert escaped.steps == ({"command": text},)


def plain_settings(texts: Sequence[str]) -> str:
    """A pipeline with plugin settings as an author would write them, without quotes."""
    items = "".join(f"\n            - {text}" for text in texts)
    return f"steps:\n  - command: x\n    plugins:\n      - ./settings:\n          values:{items}\n"


@both_modes
def test_plain_scalars_are_read_as_the_agent_reads_them(agent: Agent, interpolation: bool) -> None:
    run = agent.dry_run(plain_settings([text for text, _ in SCALARS]), interpolation=interpolation)
    assert run.status == 0, run.stderr
    expected: Plain = [value for _, value in SCALARS]
    assert run.steps == ({"command": "x", "plugins": [{"./settings": {"values": shown(expected)}}]},)
    assert isinstance(run.steps[0], Mapping)
    assert same(in_order(run.steps[0]["plugins"]), shown([{"./settings": {"values": expected}}]))


@pytest.mark.parametrize(
    ("text", "arrives_as"),
    [
        ("2024-01-02", "2024-01-02T00:00:00Z"),
        ("2024-1-2 3:4:5", "2024-01-02T03:04:05Z"),
        ("18446744073709551616", 18446744073709552000),
        ("0899999999999999999", 900000000000000000),
    ],
)
def test_refused_scalars_do_arrive_as_something_else(agent: Agent, text: str, arrives_as: Plain) -> None:
    with pytest.raises(NotPlainData):
        read_scalar(text)
    run = agent.dry_run(plain_settings([text]))
    assert run.steps == ({"command": "x", "plugins": [{"./settings": {"values": [arrives_as]}}]},)


@pytest.mark.parametrize("text", [".inf", "-.INF", ".nan"])
def test_refused_numbers_cannot_be_sent(agent: Agent, text: str) -> None:
    with pytest.raises(NotPlainData):
        read_scalar(text)
    run = agent.dry_run(plain_settings([text]))
    assert run.status == 1
    assert "unsupported value" in run.stderr


def test_why_not_json_dumps(agent: Agent) -> None:
    """The agent refuses the escapes that Python writes for an emoji; pipegen writes none."""
    run = agent.dry_run('{"steps": [{"command": "\\ud83d\\ude80"}]}')
    assert run.status == 1
    assert "invalid Unicode character escape code" in run.stderr
    assert agent.dry_run(to_json({"steps": [{"command": "🚀"}]})).steps == ({"command": "🚀"},)
