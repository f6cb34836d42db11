"""Jinja's sandbox with what it lacks against strangers: budgets, no formatting, few filters and methods."""

from typing import Any, Final, TypeVar

import jinja2
from jinja2 import nodes
from jinja2.parser import Parser
from jinja2.runtime import Context, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

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


class _Parser(Parser):
    """Jinja's parser, which bounds what it reads while it reads it: a walk over each finished tree costs as much again.

    Both bounds are filters rather than functions, since Jinja calls those without asking the sandbox.
    """

    def parse_concat(self) -> nodes.Expr:
        """`a ~ b` through a filter of ours, which looks at the length before it joins."""
        node = super().parse_concat()
        if not isinstance(node, nodes.Concat):
            return node
        first, *rest = node.nodes
        return nodes.Filter(first, "pipegen_text", rest, [], None, None, lineno=node.lineno)

    def parse_for(self) -> nodes.For:
        """A loop that counts its turns."""
        return _counted(super().parse_for())

    def parse_macro(self) -> nodes.Macro:
        """A macro that counts its calls."""
        return _counted(super().parse_macro())

    def parse_call_block(self) -> nodes.CallBlock:
        """A block for a macro that counts how often that asks for it."""
        return _counted(super().parse_call_block())


_Body = TypeVar("_Body", nodes.For, nodes.Macro, nodes.CallBlock)


def _counted(node: _Body) -> _Body:
    line = node.lineno
    step = nodes.Filter(nodes.Const(None, lineno=line), "pipegen_step", [], [], None, None, lineno=line)
    node.body.insert(0, nodes.ExprStmt(step, lineno=line))
    return node


def _text(*pieces: object) -> str:
    return joined(str(measured(piece)) for piece in pieces)


_AS_THEY_ARE: Final = frozenset({str, int, bool, list, tuple, dict, type(None)})
"""Types of values that a namespace may give away unseen: no function that somebody could call is among them."""
_OF_MAPPINGS: Final = frozenset(dir(dict))


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment of one set of templates or expressions; `start` begins a rendering with a full budget."""

    intercepted_binops = frozenset({"*", "**", "%", "+"})
    concat = staticmethod(joined)  # type: ignore[mutable-override]  # nobody sets it on an instance

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - Jinja's own options
        super().__init__(
            undefined=jinja2.StrictUndefined,
            autoescape=False,
            keep_trailing_newline=True,
            finalize=shown,
            optimized=False,  # to look for constants costs more than they would save: few templates have any
            **options,
        )
        self.filters = {**FILTERS, "pipegen_step": self._step, "pipegen_text": _text}
        self.tests = {name: self.tests[name] for name in _TESTS}
        self.globals = {
            "range": self._range,
            "namespace": Namespace,
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

    @jinja2.pass_context
    def _step(self, _context: Context, _nothing: None) -> None:
        """Count one turn or call. A filter that takes the context is one that Jinja cannot work out beforehand."""
        self._spend(1)

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
        return _Parser(self, source, name, filename).parse()

    def getattr(self, obj: Any, attribute: str) -> Any:  # noqa: ANN401 - Jinja's own signature
        """Read `obj.attribute`; of names only what is among them, never what Python has of them.

        Entries of mappings and of namespaces, nine of ten values that templates read, need no look at what Python has.
        """
        if Names in type(obj).__mro__:  # as `isinstance`, which asks all of `Mapping`'s relatives first
            try:
                return obj[attribute]
            except KeyError:
                return self.undefined(hint=f'"{obj.what}.{attribute}" is not defined')
        if type(obj) is dict and attribute in obj and attribute not in _OF_MAPPINGS:
            return obj[attribute]
        if type(obj) is Namespace and not attribute.startswith("_"):
            value = getattr(obj, attribute, None)
            if value is not None and type(value) in _AS_THEY_ARE:
                return value
        return super().getattr(obj, attribute)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:  # noqa: ANN401 - Jinja's own signature
        """Whether an attribute may be read; of text and collections a few methods may."""
        if isinstance(obj, Reference):
            raise unknown_until_upload(str(obj))
        if isinstance(obj, str | list | tuple | dict) and callable(value) and attr not in _METHODS:
            return False
        return super().is_safe_attribute(obj, attr, value)

    def call(__self, __context: Any, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401, N805
        """Call something, Jinja's own way; only the one method that makes long text of short is ours.

        A macro is what Jinja would call at the end of ten questions that are about other things.
        """
        if type(__obj) is Macro:
            kwargs.pop("_block_vars", None)
            kwargs.pop("_loop_vars", None)
            return __obj(__context.eval_ctx, *args, **kwargs)
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
