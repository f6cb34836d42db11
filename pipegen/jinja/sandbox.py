"""Jinja's sandbox with what it lacks against strangers: budgets, no formatting, few filters and methods."""

from typing import Any, Final

import jinja2
from jinja2 import nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from pipegen.jinja.filters import FILTERS, MAX_ALL_OUTPUT, bounded, joined, measured, replaced, shown
from pipegen.jinja.names import JinjaError, Names, Reference, unknown_until_upload

MAX_STEPS: Final = 100_000
"""Turns of loops and calls of macros that one rendering may take."""
MAX_ALL_STEPS: Final = 10_000_000
"""The same of all renderings of one kind together: of a pipeline's values, or of its templates."""
MAX_RANGE: Final = 10_000
"""Numbers that one range may give."""
_ITEMS_A_STEP: Final = 8
_MAX_BITS: Final = 4_096

_TESTS: Final = frozenset(
    """boolean defined divisibleby eq equalto even false float ge greaterthan gt in integer iterable le lessthan lower
    lt mapping ne none number odd sequence string true undefined upper""".split()
)
_METHODS: Final = frozenset(
    """count endswith find get index items keys lower lstrip partition removeprefix removesuffix replace rpartition
    rsplit rstrip split splitlines startswith strip title upper values""".split()
)


class _Bounds(NodeTransformer):
    """`a ~ b` through a function of ours, which looks at the length before it joins."""

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - the name that the visitor looks for
        self.generic_visit(node)
        return _call("pipegen_text", node.nodes, node.lineno)


def _call(name: str, arguments: list[nodes.Expr], line: int) -> nodes.Call:
    return nodes.Call(nodes.Name(name, "load", lineno=line), arguments, [], None, None, lineno=line)


def _text(*pieces: object) -> str:
    return joined(str(measured(piece)) for piece in pieces)


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment of one set of templates or expressions; `start` begins a rendering with a full budget."""

    intercepted_binops = frozenset({"*", "**", "%", "+"})
    concat = staticmethod(joined)  # type: ignore[mutable-override]  # nobody sets it on an instance

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - Jinja's own options
        super().__init__(
            undefined=jinja2.StrictUndefined, autoescape=False, keep_trailing_newline=True, finalize=shown, **options
        )
        self.filters = dict(FILTERS)
        self.tests = {name: self.tests[name] for name in _TESTS}
        self.globals = {
            "range": self._range,
            "namespace": jinja2.utils.Namespace,
            "pipegen_step": self._step,
            "pipegen_text": _text,
        }
        self._steps = 0
        self._all_steps = 0
        self._written = 0

    def start(self) -> None:
        """Begin a rendering with a full budget.

        Raises:
            JinjaError: all renderings together have taken too long, or written too much, before.
        """
        self._all_steps += self._steps
        self._steps = 0
        if self._all_steps > MAX_ALL_STEPS:
            raise JinjaError(f"all of the pipeline takes more than {MAX_ALL_STEPS:,} steps")
        if self._written > MAX_ALL_OUTPUT:
            raise JinjaError(f"all of the pipeline has more than {MAX_ALL_OUTPUT:,} characters")

    def wrote(self, text: str) -> str:
        """Count what a rendering made, and give it back."""
        self._written += len(text)
        return text

    def _step(self) -> str:
        self._spend(1)
        return ""

    def _spend(self, steps: int) -> None:
        self._steps += steps
        if self._steps > MAX_STEPS:
            raise JinjaError(f"it takes more than {MAX_STEPS:,} steps", hint="let its loops have fewer turns")

    def _range(self, *bounds: int) -> range:
        result = range(*bounds)
        if result[MAX_RANGE:]:
            raise JinjaError(f"range() gives more than {MAX_RANGE:,} numbers", hint="count in the job's own commands")
        return result

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """Count the turns of every loop and the calls of every macro, from inside of the template."""
        tree = super()._parse(source, name, filename)
        bodies = [(node.body, node.lineno) for node in tree.find_all(nodes.For)]
        bodies += [(node.body, node.lineno) for node in tree.find_all(nodes.Macro)]
        bodies += [(node.body, node.lineno) for node in tree.find_all(nodes.CallBlock)]
        for body, line in bodies:
            body.insert(0, nodes.Output([_call("pipegen_step", [], line)], lineno=line))
        _Bounds().visit(tree)
        return tree

    def getattr(self, obj: Any, attribute: str) -> Any:  # noqa: ANN401 - Jinja's own signature
        """Read `obj.attribute`; of names only what is among them, never what Python has of them."""
        if not isinstance(obj, Names):
            return super().getattr(obj, attribute)
        try:
            return obj[attribute]
        except KeyError:
            return self.undefined(hint=f'"{obj.what}.{attribute}" is not defined')

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:  # noqa: ANN401 - Jinja's own signature
        """Whether an attribute may be read; of text and collections a few methods may."""
        if isinstance(obj, Reference):
            raise unknown_until_upload(str(obj))
        if isinstance(obj, str | list | tuple | dict) and callable(value) and attr not in _METHODS:
            return False
        return super().is_safe_attribute(obj, attr, value)

    def call(__self, __context: Any, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401, N805
        """Call something, Jinja's own way; only the one method that makes long text of short is ours."""
        owner = getattr(__obj, "__self__", None)
        if isinstance(owner, str) and getattr(__obj, "__name__", "") == "replace":
            return replaced(owner, *args)  # what else there is are variables of blocks and loops around it
        return super().call(__context, __obj, *args, **kwargs)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:  # noqa: ANN401
        """Compute what may grow without end, within bounds."""
        if operator == "+" and not isinstance(left, int | float):
            result = _added(left, right)
            if isinstance(result, list | tuple):
                self._spend(len(result) // _ITEMS_A_STEP)  # a list that grows in a loop is copied at each turn
            return result
        if not all(isinstance(side, int | float) for side in (left, right)):
            raise JinjaError(f'"{operator}" is for numbers', hint="join text with ~")
        if operator == "**" and (abs(left) > 1_000_000 or abs(right) > 64):
            raise JinjaError('"**" is for small numbers')
        result = super().call_binop(context, operator, left, right)
        if isinstance(result, int) and result.bit_length() > _MAX_BITS:
            raise JinjaError("a number grows without end")
        return result


def _added(left: Any, right: Any) -> Any:  # noqa: ANN401 - whatever a template adds
    """Texts and lists put together, within bounds."""
    result = left + right
    if isinstance(result, str):
        return bounded(result)
    return measured(result) if isinstance(result, list | tuple) else result
