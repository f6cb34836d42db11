"""Small graphs of keys, and all that is wrong with them."""

from dataclasses import dataclass

from pipegen.diagnostics import Code
from pipegen.validate.codes import DEPENDENCY_CYCLE, DUPLICATE_KEY, MISSING_DEPENDENCY, SELF_DEPENDENCY
from pipegen.validate.graph import GraphNode, GraphProblem


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Nodes, written as `key: dependencies`, and their problems in order."""

    name: str
    text: str
    problems: tuple[GraphProblem, ...]
    external: tuple[str, ...] = ()

    @property
    def nodes(self) -> tuple[GraphNode, ...]:
        """The nodes, one for each line."""
        lines = (line.partition(":") for line in self.text.split("\n") if line)
        return tuple(GraphNode(key=key, depends_on=tuple(after.split())) for key, _, after in lines)

    @property
    def codes(self) -> tuple[Code, ...]:
        """What is wrong, by code."""
        return tuple(problem.code for problem in self.problems)


def missing(key: str, other: str, hint: str) -> GraphProblem:
    """`key` waits for `other`, which is not there."""
    return GraphProblem(
        code=MISSING_DEPENDENCY,
        key=key,
        other=other,
        message=f'"{key}" depends on "{other}", which is no key of this pipeline: it would never run',
        help=hint,
    )


def circle(*keys: str) -> GraphProblem:
    """Steps that wait for each other, from the first one to itself."""
    return GraphProblem(
        code=DEPENDENCY_CYCLE,
        key=keys[0],
        other=keys[1],
        message=f"these steps wait for each other: {' -> '.join(keys)}",
        help=f'take one of these dependencies out, such as "{keys[1]}" of "{keys[0]}"',
    )


def itself(key: str) -> GraphProblem:
    """A step that waits for itself."""
    return GraphProblem(
        code=SELF_DEPENDENCY,
        key=key,
        other=key,
        message=f'"{key}" depends on itself and never runs',
        help=f'take "{key}" out of "depends_on"',
    )


def twice(key: str, step: int, before: str) -> GraphProblem:
    """A key that is taken."""
    return GraphProblem(
        code=DUPLICATE_KEY,
        key=key,
        other=key,
        message=f'the key "{key}" of step {step} is the key of {before} as well',
        help="a key is unique in the whole build: rename one of them",
    )


EXTERNAL = 'if something else uploads that step, list its key in "external_keys"'

GRAPHS = (
    Graph(name="nothing", text="", problems=()),
    Graph(name="a diamond", text="image:\na: image\nb: image\nend: a b\n", problems=()),
    Graph(name="later steps", text="a: b\nb: c\nc:\n", problems=()),
    Graph(name="the same target twice", text="a:\nb: a a\n", problems=()),
    Graph(name="from elsewhere", text="a: image\n", external=("image",), problems=()),
    Graph(
        name="mistyped",
        text="image-build:\na: image_buld\n",
        problems=(missing("a", "image_buld", 'did you mean "image-build"?'),),
    ),
    Graph(
        name="mistyped, from elsewhere",
        text="a: imagee\n",
        external=("image",),
        problems=(missing("a", "imagee", 'did you mean "image"?'),),
    ),
    Graph(name="missing", text="a: zzz zzz\n", problems=(missing("a", "zzz", EXTERNAL),)),
    Graph(name="itself", text="a: a\n", problems=(itself("a"),)),
    Graph(name="two in a circle", text="a: b\nb: a\n", problems=(circle("a", "b", "a"),)),
    Graph(
        name="entered from outside",
        text="x: a\na: b\nb: c\nc: a\n",
        problems=(circle("a", "b", "c", "a"),),
    ),
    Graph(
        name="two circles through one step",
        text="a: b c\nb: a\nc: a\n",
        problems=(circle("a", "b", "a"), circle("a", "c", "a")),
    ),
    Graph(
        name="two circles apart",
        text="a: b\nb: a\nc: d\nd: c\n",
        problems=(circle("a", "b", "a"), circle("c", "d", "c")),
    ),
    Graph(
        name="all at once",
        text="a: a zzz b\nb: a\n",
        problems=(itself("a"), missing("a", "zzz", EXTERNAL), circle("a", "b", "a")),
    ),
    Graph(name="a key twice", text="a:\nb:\na:\n", problems=(twice("a", 3, "step 1"),)),
    Graph(
        name="a key three times",
        text="a:\na:\na:\n",
        problems=(twice("a", 2, "step 1"), twice("a", 3, "step 1")),
    ),
    Graph(
        name="a key from elsewhere",
        text="image:\n",
        external=("image",),
        problems=(twice("image", 1, "a step outside this pipeline"),),
    ),
    Graph(
        name="the circle of a second step with a key",
        text="a:\nb: a\na: b\n",
        problems=(twice("a", 3, "step 1"), circle("a", "b", "a")),
    ),
)
