"""Keys and dependencies of whole pipelines."""

import time

import pytest

from pipegen.validate.codes import DEPENDENCY_CYCLE, MISSING_DEPENDENCY
from pipegen.validate.graph import GraphNode, check_graph
from tests.unit.validate.tables.graph import GRAPHS, Graph


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
def test_graphs(graph: Graph) -> None:
    assert tuple(check_graph(graph.nodes, graph.external)) == graph.problems


def chain(length: int, *, closed: bool) -> tuple[GraphNode, ...]:
    """Each waits for the next; the last one, if closed, for the first."""
    ends = (f"k{0}",) if closed else ()
    return tuple(
        GraphNode(key=f"k{index}", depends_on=(f"k{index + 1}",) if index + 1 < length else ends)
        for index in range(length)
    )


def test_a_chain_of_4000_is_no_depth() -> None:
    assert list(check_graph(chain(4000, closed=False), ())) == []


def test_a_circle_of_4000_is_one_short_message() -> None:
    (problem,) = check_graph(chain(4000, closed=True), ())
    assert (problem.code, problem.key, problem.other) == (DEPENDENCY_CYCLE, "k0", "k1")
    expected = " -> ".join([*(f"k{index}" for index in range(10)), "(3989 more)", "k3999", "k0"])
    assert problem.message == f"these steps wait for each other: {expected}"


@pytest.mark.parametrize("length", [12, 13])
def test_a_circle_is_shown_whole_up_to_12_keys(length: int) -> None:
    (problem,) = check_graph(chain(length, closed=True), ())
    assert ("more)" in problem.message) == (length > 12)


def test_time_grows_with_steps_and_dependencies() -> None:
    def seconds(size: int) -> float:
        nodes = [
            GraphNode(key=f"k{index}", depends_on=tuple(f"k{index - back}" for back in range(1, 11) if back <= index))
            for index in range(size)
        ]
        begin = time.perf_counter()
        assert list(check_graph(nodes, ())) == []
        return time.perf_counter() - begin

    small = min(seconds(1000) for _ in range(5))
    large = min(seconds(8000) for _ in range(3))
    assert large < small * 8 * 4  # 64 times as much if it were quadratic


def test_many_missing_keys_are_all_told_soon() -> None:
    nodes = [GraphNode(key=f"job-{index}", depends_on=(f"nope-{index}",)) for index in range(2000)]
    begin = time.perf_counter()
    problems = list(check_graph(nodes, ()))
    assert time.perf_counter() - begin < 10
    assert [problem.code for problem in problems] == [MISSING_DEPENDENCY] * 2000
