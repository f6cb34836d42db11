"""Keys and dependencies of a whole pipeline: every key once, every target there, no circles.

All of it in one pass over steps and dependencies, without recursion: a chain of 4,000 jobs is nothing special.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Code, closest
from pipegen.plain import show
from pipegen.validate.codes import DEPENDENCY_CYCLE, DUPLICATE_KEY, MISSING_DEPENDENCY, SELF_DEPENDENCY

_Targets: TypeAlias = Mapping[str, Mapping[str, None]]

_SHOWN: Final = 12  # keys of a circle in a message
_SUGGESTED: Final = 10  # missing keys that are compared with all others, which takes long


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """A step with a key, and the keys that it waits for."""

    key: str
    depends_on: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphProblem:
    """What is wrong with the key of a step, or with its dependency on `other`."""

    code: Code
    key: str
    other: str | None
    message: str
    help: str = ""


def check_graph(nodes: Sequence[GraphNode], external_keys: Collection[str]) -> Iterator[GraphProblem]:
    """Check the keys and dependencies of all steps of a build.

    `external_keys` are keys of steps that something else uploads: targets, and taken. Every circle is found by the
    dependency that closes it and reported once, at its first step; problems come in the order of the nodes.
    """
    external = frozenset(external_keys)
    first: dict[str, int] = {}
    targets: dict[str, dict[str, None]] = {}  # of all steps with a key, each once, in order
    for index, node in enumerate(nodes):
        if node.key in first or node.key in external:
            yield _duplicate(node.key, index, first.get(node.key))
        first.setdefault(node.key, index)
        targets.setdefault(node.key, {}).update(dict.fromkeys(node.depends_on))
    yield from _check_targets(targets, external)
    yield from _check_circles(targets)


def _duplicate(key: str, index: int, before: int | None) -> GraphProblem:
    taken = "a step outside this pipeline" if before is None else f"step {before + 1}"
    return GraphProblem(
        code=DUPLICATE_KEY,
        key=key,
        other=key,
        message=f"the key {show(key)} of step {index + 1} is the key of {taken} as well",
        help="a key is unique in the whole build: rename one of them",
    )


def _check_targets(targets: _Targets, external: Collection[str]) -> Iterator[GraphProblem]:
    suggestions: dict[str, str | None] = {}
    for key, wanted in targets.items():
        for target in wanted:
            if target == key:
                yield GraphProblem(
                    code=SELF_DEPENDENCY,
                    key=key,
                    other=key,
                    message=f"{show(key)} depends on itself and never runs",
                    help=f'take {show(key)} out of "depends_on"',
                )
            elif target not in targets and target not in external:
                if target not in suggestions and len(suggestions) < _SUGGESTED:
                    suggestions[target] = closest(target, (*targets, *external))
                yield _missing(key, target, suggestions.get(target))


def _missing(key: str, target: str, near: str | None) -> GraphProblem:
    hint = 'if something else uploads that step, list its key in "external_keys"'
    return GraphProblem(
        code=MISSING_DEPENDENCY,
        key=key,
        other=target,
        message=f"{show(key)} depends on {show(target)}, which is no key of this pipeline: it would never run",
        help=f'did you mean "{near}"?' if near is not None else hint,
    )


def _check_circles(targets: _Targets) -> Iterator[GraphProblem]:
    """Depth first with a stack of its own; a dependency on a node that is still open closes a circle."""
    depth: dict[str, int] = {}  # of the nodes on the way from the root
    closed: set[str] = set()
    for root in targets:
        if root in closed:
            continue
        way = [root]
        depth[root] = 0
        pending = [iter(targets[root])]
        while pending:
            target = next(pending[-1], None)
            if target is None:
                pending.pop()
                done = way.pop()
                del depth[done]
                closed.add(done)
            elif target in depth:
                if target != way[-1]:
                    yield _circle(way, depth[target])
            elif target not in closed and target in targets:
                depth[target] = len(way)
                way.append(target)
                pending.append(iter(targets[target]))


def _circle(way: Sequence[str], start: int) -> GraphProblem:
    """The circle from `way[start]` to the end of the way and back; a long one is shortened in the middle."""
    length = len(way) - start
    if length <= _SHOWN:
        keys = list(way[start:])
    else:
        keys = [*way[start : start + _SHOWN - 2], f"({length - _SHOWN + 1} more)", way[-1]]
    following = way[start + 1]
    return GraphProblem(
        code=DEPENDENCY_CYCLE,
        key=way[start],
        other=following,
        message=f"these steps wait for each other: {' -> '.join((*keys, way[start]))}",
        help=f"take one of these dependencies out, such as {show(following)} of {show(way[start])}",
    )
