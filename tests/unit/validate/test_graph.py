"""Keys and dependencies of whole pipelines."""

import pytest

from pipegen.validate.codes import DEPENDENCY_CYCLE, MISSING_DEPENDENCY
from pipegen.validate.graph import GraphNode, check_graph
from tests.unit.validate.tables.graph import EXTERNAL, GRAPHS, Graph


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


class Counted(str):
    """A key that counts how often any of them is looked up."""

    __slots__ = ()
    looked_up = 0

    def __hash__(self) -> int:
        Counted.looked_up += 1
        return super().__hash__()


def test_work_grows_with_steps_and_dependencies() -> None:
    def work(size: int) -> int:
        keys = [Counted(f"k{index}") for index in range(size)]
        nodes = [
            GraphNode(key=key, depends_on=tuple(keys[max(index - 10, 0) : index])) for index, key in enumerate(keys)
        ]
        Counted.looked_up = 0
        assert list(check_graph(nodes, ())) == []
        return Counted.looked_up

    small = work(500)
    assert small > 5000  # every dependency is looked at
    assert work(4000) < small * 8 * 1.1


def test_only_the_first_missing_keys_are_compared_with_all_others() -> None:
    nodes = [GraphNode(key=f"job-{index}", depends_on=(f"jobb-{index}",)) for index in range(300)]
    problems = list(check_graph(nodes, ()))
    assert [problem.code for problem in problems] == [MISSING_DEPENDENCY] * 300
    assert {problem.help for problem in problems[10:]} == {EXTERNAL}
    assert [problem.help for problem in problems[:2]] == ['did you mean "job-0"?', 'did you mean "job-1"?']
