"""Laws of the checks: any data is only ever told apart, never a crash; what passes is what it should be."""

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipegen.dollar import references
from pipegen.plain import Path, Plain, PlainMap
from pipegen.validate.block_step import BLOCK_STEP, check_block_step
from pipegen.validate.codes import ALL_CODES, DEPENDENCY_CYCLE, MISSING_DEPENDENCY, SELF_DEPENDENCY, UNKNOWN_ATTRIBUTE
from pipegen.validate.command_step import COMMAND_STEP, check_command_step
from pipegen.validate.conditional import check_condition
from pipegen.validate.graph import GraphNode, check_graph
from pipegen.validate.limits import job_count
from pipegen.validate.matrix import matrix_jobs
from pipegen.validate.path_glob import check_changed_glob, check_glob_syntax
from pipegen.validate.pipeline import check_pipeline
from pipegen.validate.problem import Problem
from pipegen.validate.step import TYPE_KEYS
from tests.unit.validate.test_tables import ALL

LAW = settings(deadline=None)

ODD_TEXTS = st.sampled_from(
    [
        "",
        " ",
        "*",
        "true",
        "yes",
        "5",
        "a/b",
        "\ufdd0NAME\ufdd1",
        "{{matrix}}",
        "{{ matrix.os }}",
        "a\nb",
        "\0",
        "$X",
        "{",
        "[!a]",
    ]
)
TEXTS = st.text(st.characters(exclude_characters="\ufdd0\ufdd1"), max_size=12) | ODD_TEXTS  # no half references
SCALARS = st.none() | st.booleans() | st.integers(-300, 300) | st.floats() | TEXTS
KNOWN_NAMES = sorted({*COMMAND_STEP.checks, *BLOCK_STEP.checks, *TYPE_KEYS, "type"})
INNER_NAMES = [
    "automatic",
    "manual",
    "limit",
    "exit_status",
    "setup",
    "adjustments",
    "with",
    "include",
    "slack",
    "channels",
]
INNER_NAMES += [
    "if",
    "key",
    "options",
    "text",
    "select",
    "paths",
    "sparse",
    "step",
    "allow_failure",
    "output",
    "annotations",
]
NAMES = st.sampled_from([*KNOWN_NAMES, *INNER_NAMES]) | TEXTS
PLAIN: st.SearchStrategy[Plain] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
STEPS = st.dictionaries(st.sampled_from(KNOWN_NAMES) | TEXTS, PLAIN, max_size=6)
PIPELINES = st.dictionaries(
    st.sampled_from(["steps", "env", "agents", "notify", "secrets", "checkout", "priority", "image"]) | TEXTS,
    PLAIN | st.lists(STEPS | STEPS.map(lambda step: {"group": "G", "steps": [step]}), max_size=3),
    max_size=4,
)


def is_there(value: Plain, path: Path) -> bool:
    """Whether a path leads to something."""
    for part in path:
        if isinstance(part, str):
            if not isinstance(value, Mapping) or part not in value:
                return False
            value = value[part]
        else:
            if not isinstance(value, (list, tuple)) or part >= len(value):
                return False
            value = value[part]
    return True


def expect_sound(problems: Sequence[Problem], step: PlainMap) -> None:
    """What holds of the problems of anything."""
    for problem in problems:
        assert problem.code in ALL_CODES
        assert is_there(step, problem.path), problem
        for line in (problem.message, problem.help):
            assert "\n" not in line
            assert references(line) == ()
        assert problem.message


@LAW
@given(STEPS)
def test_any_command_step(step: PlainMap) -> None:
    expect_sound(list(check_command_step(step)), step)


@LAW
@given(STEPS)
def test_any_block_step(step: PlainMap) -> None:
    expect_sound(list(check_block_step(step)), step)


@LAW
@given(PIPELINES)
def test_any_pipeline(pipeline: PlainMap) -> None:
    problems = list(check_pipeline(pipeline))
    expect_sound([problem for problem in problems if problem.path != ("steps",)], pipeline)
    assert job_count(steps if isinstance(steps := pipeline.get("steps"), list) else [pipeline]) >= 0


GOOD_STEPS: Sequence[PlainMap] = [case.good for case in ALL if case.check is check_command_step]
GOOD_VALUES: Mapping[str, Sequence[Plain]] = {
    name: [step[name] for step in GOOD_STEPS if name in step] for name in COMMAND_STEP.checks
}


def places(value: Plain, path: Path = ()) -> Iterator[Path]:
    """All paths into a value."""
    yield path
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from places(inner, (*path, name))
    elif isinstance(value, (list, tuple)):
        for index, inner in enumerate(value):
            yield from places(inner, (*path, index))


def replaced(value: Plain, path: Path, new: Plain) -> Plain:
    """The value with another one at a path."""
    if not path:
        return new
    part, rest = path[0], path[1:]
    if isinstance(value, Mapping) and isinstance(part, str):
        return {**value, part: replaced(value[part], rest, new)}
    assert isinstance(value, (list, tuple))
    assert isinstance(part, int)
    return [*value[:part], replaced(value[part], rest, new), *value[part + 1 :]]


@LAW
@given(st.data())
def test_a_good_step_with_anything_anywhere(data: st.DataObject) -> None:
    step = data.draw(st.sampled_from(GOOD_STEPS))
    path = data.draw(st.sampled_from([path for path in places(step) if path]))
    broken = replaced(step, path, data.draw(PLAIN))
    assert isinstance(broken, Mapping)
    expect_sound(list(check_command_step(broken)), broken)


@LAW
@given(st.data())
def test_what_passes_is_sound(data: st.DataObject) -> None:
    """Good attributes in any combination: those that pass hold all that is promised of a step."""
    names = data.draw(st.sets(st.sampled_from([name for name, values in GOOD_VALUES.items() if values]), max_size=7))
    step = {name: data.draw(st.sampled_from(GOOD_VALUES[name])) for name in sorted(names)}
    if not list(check_command_step(step)):
        expect_passed(step)


def expect_passed(step: PlainMap) -> None:
    """What Buildkite wants, said once more and in another way than the checks say it."""
    assert step.keys() <= COMMAND_STEP.checks.keys() - {"signature"}
    assert step.get("command") or step.get("commands") or step.get("plugins")
    for pair in (("key", "id"), ("label", "name"), ("command", "commands"), ("timeout", "timeout_in_minutes")):
        assert len(step.keys() & set(pair)) < 2
    assert not step.keys() >= {"matrix", "parallelism"}
    assert not step.keys() >= {"branches", "if"}
    assert ("concurrency" in step) == ("concurrency_group" in step)
    for name in ("key", "id", "identifier"):
        key = step.get(name, "x")
        assert isinstance(key, str)
        assert re.fullmatch(r"[\w:.,-]{1,100}", key, re.ASCII)
    for name in ("parallelism", "timeout", "timeout_in_minutes", "concurrency"):
        number = step.get(name, 1)
        assert type(number) is int
        assert number >= 1
    environment = step.get("env", {})
    assert isinstance(environment, Mapping)
    assert all(type(value) is str for value in environment.values())
    assert job_count([step]) <= 50
    assert json.loads(json.dumps(step)) == step


@LAW
@given(st.sampled_from(GOOD_STEPS), st.text(min_size=1, max_size=20), PLAIN)
def test_an_unknown_attribute_is_always_told(step: PlainMap, name: str, value: Plain) -> None:
    if name in COMMAND_STEP.checks or name in TYPE_KEYS or name == "type":
        return
    problems = list(check_command_step({**step, name: value}))
    assert any(problem.path[:1] == (name,) or problem.path == () for problem in problems)
    told = [problem for problem in problems if problem.code is UNKNOWN_ATTRIBUTE]
    assert told or any(problem.code.name == "not-plain-data" for problem in problems)


ATTRIBUTES = [name for name in (*COMMAND_STEP.checks, *BLOCK_STEP.checks) if len(name) >= 5 and name != "signature"]


@pytest.mark.parametrize("name", sorted(set(ATTRIBUTES)))
@pytest.mark.parametrize("slip", ["one letter too few", "one too many", "two exchanged", "a hyphen", "capitals"])
def test_a_slip_is_told_what_was_meant(name: str, slip: str) -> None:
    middle = len(name) // 2
    slips = {
        "one letter too few": name[:middle] + name[middle + 1 :],
        "one too many": name[:middle] + name[middle] + name[middle:],
        "two exchanged": name[: middle - 1] + name[middle] + name[middle - 1] + name[middle + 1 :],
        "a hyphen": name.replace("_", "-"),
        "capitals": name.title(),
    }
    check, known = (check_command_step, COMMAND_STEP) if name in COMMAND_STEP.checks else (check_block_step, BLOCK_STEP)
    if slips[slip] in known.checks:
        return
    base: PlainMap = {"command": "make"} if known is COMMAND_STEP else {"block": "Run"}
    (problem,) = check({**base, slips[slip]: 1})
    assert problem.help == f'did you mean "{name}"?'


# Conditions: a generator of well-typed ones.

TEXT_OPERANDS = st.sampled_from(
    [
        "build.branch",
        "build.tag",
        "build.author.email",
        '"main"',
        "'it'",
        'build.env("A")',
        "env('B')",
        "build.pull_request.id",
    ]
)
LIST_OPERANDS = st.sampled_from(["build.creator.teams", "build.pull_request.labels", '["a", "b"]', "[build.branch]"])
NUMBER_OPERANDS = st.sampled_from(["build.number", "5", "0x1F", "010"])
REGEXES = st.sampled_from(["/main/", "/^v[0-9]+$/i", "/a|b/", r"/x\/y/", "/(?:a)(?!b)/"])


def comparison(
    left: st.SearchStrategy[str], operators: list[str], right: st.SearchStrategy[str]
) -> st.SearchStrategy[str]:
    """Two operands with an operator between them."""
    return st.tuples(left, st.sampled_from(operators), right).map(" ".join)


NULL = st.just("null")
SIMPLE = st.one_of(
    st.sampled_from(["true", "false", "build.fixed", "build.pull_request.draft", 'build.source == "ui"']),
    comparison(TEXT_OPERANDS, ["==", "!="], TEXT_OPERANDS | NULL),
    comparison(NULL, ["==", "!="], TEXT_OPERANDS),
    comparison(NUMBER_OPERANDS, ["==", "!="], NUMBER_OPERANDS),
    comparison(TEXT_OPERANDS, ["=~", "!~"], REGEXES),
    comparison(LIST_OPERANDS, ["includes"], TEXT_OPERANDS | REGEXES),
)
CONDITIONS: st.SearchStrategy[str] = st.recursive(
    SIMPLE,
    lambda inner: st.one_of(
        inner.map(lambda condition: f"!({condition})"),
        inner.map(lambda condition: f"(\n{condition} // why\n)"),
        st.tuples(inner, st.sampled_from([" && ", " || "]), inner).map("".join),
        st.tuples(inner, inner, inner).map(lambda three: f"({three[0]}) ? ({three[1]}) : ({three[2]})"),
    ),
    max_leaves=8,
)


def faults(condition: str) -> list[tuple[str, str]]:
    """The faults of a condition, without their places."""
    return [
        (problem.code.name, problem.message.rpartition(" (")[0]) for problem in check_condition(condition, (), "if")
    ]


@LAW
@given(CONDITIONS)
def test_well_typed_conditions_pass(condition: str) -> None:
    assert faults(condition) == []


@LAW
@given(CONDITIONS, TEXT_OPERANDS | NUMBER_OPERANDS | LIST_OPERANDS | REGEXES | NULL, st.sampled_from(["&&", "||"]))
def test_only_booleans_are_booleans(condition: str, operand: str, operator: str) -> None:
    for spelled in (f"({condition}) {operator} {operand}", f"{operand} {operator} ({condition})", f"!{operand}"):
        assert [name for name, _ in faults(spelled)] == ["condition-type"]


@LAW
@given(CONDITIONS, st.sampled_from(["build.brunch", "nope", "step.key", 'build.envy("A")']))
def test_an_unknown_name_is_told_wherever_it_stands(condition: str, name: str) -> None:
    for spelled in (f"({condition}) && {name} == 'x'", f"'x' != {name} || ({condition})", f"[{name}] includes 'x'"):
        assert [code for code, _ in faults(spelled)] == ["condition-name"]


@LAW
@given(
    st.text(max_size=60)
    | st.lists(
        st.sampled_from(
            [
                '"',
                "'",
                "/",
                "(",
                ")",
                "[",
                "]",
                "!",
                "==",
                "=~",
                "?",
                ":",
                ",",
                "&&",
                "//",
                "\n",
                " ",
                "a",
                "env",
                "5",
                "$",
                "${",
                "}",
                "\\",
                "null",
                "includes",
                "(?<",
                "\ufdd0A\ufdd1",
            ]
        ),
        max_size=20,
    ).map("".join)
)
def test_any_text_as_a_condition(text: str) -> None:
    for problem in check_condition(text, ("if",), "if"):
        place = re.search(r"character (\d+) of the condition\)$", problem.message)
        assert problem.code.name == "blank-condition" or (place and 1 <= int(place[1]) <= len(text) + 1)


@LAW
@given(CONDITIONS)
def test_parentheses_around_change_nothing(condition: str) -> None:
    for text in (condition, f"{condition} && build.nope", f"!build.tag || {condition}"):
        assert faults(f"({text})") == faults(text)


# Globs.


@LAW
@given(st.text(max_size=30))
def test_an_escaped_text_is_a_good_glob(text: str) -> None:
    escaped = re.sub(r"([\\{}\[\],*?!])", r"\\\1", text)
    assert list(check_glob_syntax(escaped, (), "glob")) == []


@LAW
@given(
    st.recursive(
        st.sampled_from(["a", "*", "**", "?", "[ab]", "[^{]", r"\{", "/"]),
        lambda inner: (
            st.lists(inner, min_size=1, max_size=4).map(lambda parts: "{" + ",".join(parts) + "}")
            | st.lists(inner, min_size=1, max_size=4).map("".join)
        ),
        max_leaves=10,
    )
)
def test_balanced_globs_pass_and_lose_their_end(glob: str) -> None:
    assert list(check_glob_syntax(glob, (), "glob")) == []
    assert list(check_glob_syntax(glob + "{", (), "glob")) != []
    assert list(check_glob_syntax("{" + glob, (), "glob")) != []


@LAW
@given(st.text(max_size=30))
def test_any_text_as_a_glob(glob: str) -> None:
    for problem in check_changed_glob(glob, ("x",), "glob"):
        assert problem.path == ("x",)


# Graphs.

KEYS = ["a", "b", "c", "d", "e"]
GRAPHS = st.lists(
    st.tuples(st.sampled_from(KEYS), st.lists(st.sampled_from([*KEYS, "lost", "far"]), max_size=4)),
    max_size=6,
    unique_by=lambda node: node[0],
).map(lambda nodes: [GraphNode(key=key, depends_on=tuple(targets)) for key, targets in nodes])


@LAW
@given(GRAPHS)
def test_graphs_by_brute_force(nodes: list[GraphNode]) -> None:
    problems = list(check_graph(nodes, {"far"}))
    keys = {node.key for node in nodes}
    edges = {(node.key, target) for node in nodes for target in node.depends_on}
    assert [(p.key, p.other) for p in problems if p.code is SELF_DEPENDENCY] == [
        (node.key, node.key) for node in nodes if node.key in node.depends_on
    ]
    missing = [(p.key, p.other) for p in problems if p.code is MISSING_DEPENDENCY]
    assert len(missing) == len(set(missing))
    assert set(missing) == {(key, target) for key, target in edges if target not in keys | {"far"}}
    circles = [tuple(p.message.partition(": ")[2].split(" -> ")) for p in problems if p.code is DEPENDENCY_CYCLE]
    assert len(circles) == len(set(circles))
    for circle in circles:
        assert circle[0] == circle[-1]
        assert len(set(circle)) == len(circle) - 1
        assert all(pair in edges for pair in itertools.pairwise(circle))
    assert bool(circles) == has_circle({(key, target) for key, target in edges if key != target})
    closing = {(circle[-2], circle[-1]) for circle in circles}
    assert not has_circle({edge for edge in edges if edge not in closing and edge[0] != edge[1]})


def has_circle(edges: set[tuple[str, str]]) -> bool:
    """What the standard library thinks of the graph."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for key, target in edges:
        sorter.add(key, target)
    try:
        sorter.prepare()
    except CycleError:
        return True
    return False


# Counting.

ELEMENTS: st.SearchStrategy[Plain] = st.sampled_from(["a", "b", "c", 1, 2, True])


@LAW
@given(
    st.dictionaries(st.sampled_from(["os", "arch", "py"]), st.lists(ELEMENTS, max_size=3, unique_by=str), min_size=1),
    st.data(),
)
def test_jobs_of_a_matrix_by_brute_force(setup: dict[str, list[Plain]], data: st.DataObject) -> None:
    combination = st.fixed_dictionaries(dict.fromkeys(setup, ELEMENTS))
    chosen = data.draw(st.lists(combination, max_size=4))
    matrix: Plain = {"setup": setup, "adjustments": [{"with": one, "skip": True} for one in chosen]}

    def spelled(values: Sequence[Plain]) -> tuple[str, ...]:
        return tuple(str(value).replace("True", "true") for value in values)

    product = {spelled(values) for values in itertools.product(*setup.values())}
    added = {spelled([one[name] for name in setup]) for one in chosen}
    assert matrix_jobs(matrix) == max(1, len(product | added))


@LAW
@given(st.lists(STEPS, max_size=3), st.lists(STEPS, max_size=3))
def test_counting_adds_up(left: list[PlainMap], right: list[PlainMap]) -> None:
    assert job_count([*left, *right]) == job_count(left) + job_count(right)
    assert job_count(left) >= len(left)
    assert job_count([{"group": "G", "steps": left}]) == 1 + job_count(left)
