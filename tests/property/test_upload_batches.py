"""Laws of cutting a pipeline into batches: nothing is lost, nothing waits for what is not there yet."""

import functools
import json
from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipegen import app
from pipegen.plain import Plain, PlainMap
from pipegen.upload.batches import Batch, UndividableError, divide, steps_of
from pipegen.validate.limits import job_count
from tests.support.bases import Base, fleet_files


@st.composite
def pipelines(draw: st.DrawFn) -> tuple[PlainMap, ...]:
    """Groups of jobs, some behind gates, with dependencies that point anywhere but in a circle."""
    count = draw(st.integers(1, 24))
    rank = draw(st.permutations(range(count)))  # a job may wait for those of a lower rank
    gated = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    steps: list[list[PlainMap]] = []
    for job in range(count):
        lower = [other for other in range(count) if rank[other] < rank[job]]
        needs = draw(st.lists(st.sampled_from(lower), max_size=3, unique=True)) if lower else []
        waits: list[Plain] = [f"job-{other}" for other in needs]
        lenient = draw(st.booleans())
        if waits and lenient:
            waits[0] = {"step": waits[0], "allow_failure": True}
        step: dict[str, Plain] = {"command": "true", "key": f"job-{job}", "depends_on": [*waits, "elsewhere"]}
        if draw(st.integers(0, 3)) == 0:
            step["parallelism"] = draw(st.integers(2, 5))
        elif draw(st.integers(0, 5)) == 0:
            step["matrix"] = ["a", "b", "c"][: draw(st.integers(1, 3))]
        gate: list[PlainMap] = []
        if gated[job]:
            step["depends_on"] = [f"block-job-{job}", *waits]
            gate = [{"block": "Run", "key": f"block-job-{job}", "depends_on": waits[:1]}]
        elif draw(st.integers(0, 7)) == 0 and not waits and not any(gated):
            del step["depends_on"]
        steps.append([*gate, step])
    groups: list[PlainMap] = []
    while steps:
        size = draw(st.integers(1, len(steps)))
        groups.append({"group": f"Group {len(groups)}", "steps": [step for job in steps[:size] for step in job]})
        steps = steps[size:]
    return tuple(groups)


LIMITS = st.integers(8, 40)


def waits_of(step: PlainMap) -> list[str]:
    listed = step.get("depends_on", [])
    assert isinstance(listed, Sequence)
    return [str(item["step"] if isinstance(item, Mapping) else item) for item in listed]


def keys_of(batch: Batch) -> list[str]:
    return [str(step["key"]) for group in batch.groups for step in steps_of(group)]


@given(pipelines(), LIMITS)
@settings(max_examples=50)
def test_every_step_goes_up_once_and_as_it_was(groups: tuple[PlainMap, ...], limit: int) -> None:
    batches = divide(groups, limit)
    before = {str(step["key"]): step for group in groups for step in steps_of(group)}
    after = [(str(step["key"]), step) for batch in batches for group in batch.groups for step in steps_of(group)]
    assert len(after) == len(before)
    assert {key: {"depends_on": [], **step} for key, step in before.items()} == dict(after) or len(batches) == 1
    names = {str(step["key"]): group["group"] for group in groups for step in steps_of(group)}
    for batch in batches:
        for group in batch.groups:
            assert {names[str(step["key"])] for step in steps_of(group)} == {group["group"]}


@given(pipelines(), LIMITS)
@settings(max_examples=50)
def test_no_batch_is_too_large_and_none_is_empty(groups: tuple[PlainMap, ...], limit: int) -> None:
    batches = divide(groups, limit)
    for batch in batches:
        assert 0 < batch.jobs == job_count(batch.groups) <= limit
        assert all(steps_of(group) for group in batch.groups)
    for batch, following in pairwise(batches):
        assert batch.jobs + following.jobs > limit, "a batch was closed for no reason"


@given(pipelines(), LIMITS)
@settings(max_examples=50)
def test_nothing_waits_for_a_later_batch(groups: tuple[PlainMap, ...], limit: int) -> None:
    everything = {str(step["key"]) for group in groups for step in steps_of(group)}
    there: set[str] = set()
    for batch in divide(groups, limit):
        there.update(keys_of(batch))
        for group in batch.groups:
            for step in steps_of(group):
                assert {key for key in waits_of(step) if key in everything} <= there


@given(pipelines(), LIMITS)
@settings(max_examples=50)
def test_steps_keep_their_order_within_a_batch(groups: tuple[PlainMap, ...], limit: int) -> None:
    order = {str(step["key"]): at for at, step in enumerate(step for group in groups for step in steps_of(group))}
    for batch in divide(groups, limit):
        places = [order[key] for key in keys_of(batch)]
        assert places == sorted(places)
        assert len({str(group["group"]) for group in batch.groups}) == len(batch.groups)


@given(pipelines(), LIMITS)
@settings(max_examples=50)
def test_groups_stay_whole_where_they_fit(groups: tuple[PlainMap, ...], limit: int) -> None:
    """Unless groups wait for each other and are too large together: then no order of whole groups is valid."""
    batches = divide(groups, limit)
    tangled = _tangled(groups)
    for group in groups:
        if job_count([group]) <= limit and str(group["group"]) not in tangled:
            holding = [batch for batch in batches if group["group"] in {one["group"] for one in batch.groups}]
            assert len(holding) == 1


@given(pipelines(), LIMITS)
@settings(max_examples=25)
def test_the_same_pipeline_is_cut_the_same(groups: tuple[PlainMap, ...], limit: int) -> None:
    assert divide(groups, limit) == divide([dict(group) for group in groups], limit)


@functools.cache
def fleet_groups(asked: app.Asked) -> tuple[PlainMap, ...]:
    base = Base(name="fleet", files=fleet_files(), authored=())
    product = app.generate(base.request(), app.Output(format="json"), asked)
    assert product.document is not None, product.diagnostics
    return tuple(json.loads(product.document)["steps"])


@pytest.mark.parametrize("limit", [45, 60, 500])
@pytest.mark.parametrize(
    "asked", [app.Asked(every=True), app.Asked(changed_files=b"unrelated.c\n")], ids=["all", "gated"]
)
def test_the_reference_fleet(asked: app.Asked, limit: int) -> None:
    """With its gates and images, in more parts than it needs."""
    groups = fleet_groups(asked)
    batches = divide(groups, limit)
    there: set[str] = set()
    for batch in batches:
        assert batch.jobs <= limit
        there.update(keys_of(batch))
        waits = {key for group in batch.groups for step in steps_of(group) for key in waits_of(step)}
        assert waits <= there
    assert len(there) == sum(len(steps_of(group)) for group in groups)
    if limit < job_count(groups):
        assert len(batches) > 1
        whole = [group for group in groups if job_count([group]) <= limit]
        held = [group for batch in batches for group in batch.groups]
        assert [group for group in whole if group not in held] == []


def _tangled(groups: Sequence[PlainMap]) -> set[str]:
    """The groups that reach themselves through others, by trying all paths."""
    home = {str(step["key"]): str(group["group"]) for group in groups for step in steps_of(group)}
    needs = {
        str(group["group"]): {home[key] for step in steps_of(group) for key in waits_of(step) if key in home}
        - {str(group["group"])}
        for group in groups
    }
    reach = {name: set(direct) for name, direct in needs.items()}
    for _ in groups:
        reach = {name: found.union(*(needs[other] for other in found)) for name, found in reach.items()}
    return {name for name, found in reach.items() if name in found}


def job(key: str, *needs: str, **more: Plain) -> PlainMap:
    return {"command": "true", "key": key, "depends_on": list(needs), **more}


def gate(key: str) -> PlainMap:
    return {"block": "Run", "key": key, "depends_on": []}


def cut(limit: int, *groups: tuple[str, list[PlainMap]]) -> list[list[tuple[object, list[str]]]]:
    batches = divide([{"group": name, "steps": steps} for name, steps in groups], limit)
    return [[(group["group"], [str(step["key"]) for step in steps_of(group)]) for group in b.groups] for b in batches]


def test_what_is_needed_moves_forward_and_nothing_else() -> None:
    assert cut(
        3,
        ("A", [job("a", "c")]),
        ("B", [job("b")]),
        ("C", [job("c")]),
    ) == [[("C", ["c"])], [("A", ["a"])], [("B", ["b"])]]


def test_a_gate_stays_with_its_job() -> None:
    steps = [job("a"), gate("block-b"), job("b", "block-b"), gate("block-c"), job("c", "block-c")]
    assert cut(4, ("A", steps)) == [[("A", ["a", "block-b", "b"])], [("A", ["block-c", "c"])]]
    assert cut(3, ("A", steps)) == [[("A", ["a"])], [("A", ["block-b", "b"])], [("A", ["block-c", "c"])]]
    assert cut(2, ("A", steps))[1:3] == [[("A", ["block-b"])], [("A", ["b"])]]


def test_groups_that_wait_for_each_other() -> None:
    groups = [("A", [job("a"), job("b", "c")]), ("B", [job("c"), job("d", "a")])]
    assert cut(6, *groups) == [[("A", ["a", "b"]), ("B", ["c", "d"])]]
    assert cut(4, *groups, ("C", [job("e")])) == [
        [("A", ["a"]), ("B", ["c"])],
        [("A", ["b"]), ("B", ["d"])],
        [("C", ["e"])],
    ]


def test_what_states_no_dependencies_waits_for_the_gates_in_front_of_it() -> None:
    bare: PlainMap = {"command": "true", "key": "bare"}
    groups: list[PlainMap] = [
        {"group": "A", "steps": [gate("block-a"), job("a", "block-a")]},
        {"group": "B", "steps": [bare]},
        {"group": "C", "steps": [gate("block-c"), job("c", "block-c")]},
    ]
    assert divide(groups, 100)[0].groups == tuple(groups)
    batches = divide(groups, 4)
    assert [keys_of(batch) for batch in batches] == [["block-a", "a"], ["bare"], ["block-c", "c"]]
    assert steps_of(batches[1].groups[0]) == ({**bare, "depends_on": ["block-a"]},)


def test_a_long_chain_is_no_matter() -> None:
    steps = [job("j0"), *(job(f"j{at}", f"j{at - 1}") for at in range(1, 3000))]
    batches = divide([{"group": "A", "steps": list(reversed(steps))}], 500)
    assert sum(len(keys_of(batch)) for batch in batches) == 3000
    assert len(batches) == 7


def test_shards_and_matrices_count() -> None:
    shards = job("a", parallelism=4)
    matrix = job("b", matrix={"setup": {"x": ["1", "2"], "y": ["1", "2"]}})
    assert [batch.jobs for batch in divide([{"group": "A", "steps": [shards, matrix]}], 8)] == [5, 5]


@pytest.mark.parametrize("steps", [[job("a", parallelism=5)], [job("a", "b"), job("b", "a"), job("c", "a")]])
def test_what_cannot_be_cut_is_named(steps: list[PlainMap]) -> None:
    with pytest.raises(UndividableError, match=r'^"a".* cannot be cut'):
        divide([{"group": "A", "steps": steps}], 2)


def test_nothing_is_no_batch() -> None:
    assert divide([], 5) == ()
