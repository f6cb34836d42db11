"""The tree of a `-k` or `-m` expression, and the ways to build one that keep it flat."""

import enum
from collections.abc import Iterable
from dataclasses import field
from typing import TypeAlias

from pipegen.dataclass import dataclass

Value: TypeAlias = str | int | bool | None
"""What an argument in `name(argument=value)` can be compared with."""


class Kind(enum.Enum):
    """Which of pytest's two options an expression is for; the value is the option's letter.

    `-k` looks for names inside a test's keywords, `-m` for whole names of marks, with or without arguments.
    """

    KEYWORD = "k"
    MARK = "m"


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A name by itself. Columns count from 1 and never make two nodes differ; 0 is a node nobody typed."""

    text: str
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A mark with arguments, `distributed(num_gpus=2)`.

    `True` and `1` are the same value here, as they are to pytest, which compares them with `==`.
    """

    name: str
    arguments: tuple[tuple[str, Value], ...]
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    """The opposite of an expression."""

    operand: "Expression"
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class And:
    """All of two or more expressions."""

    operands: tuple["Expression", ...]
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Or:
    """At least one of two or more expressions."""

    operands: tuple["Expression", ...]
    column: int = field(default=0, compare=False)


Expression: TypeAlias = Name | Call | Not | And | Or
"""An expression of pytest's `-k` and `-m` language."""


def conjuncts(expression: Expression) -> tuple[Expression, ...]:
    """The expressions of which it says that all hold: itself alone unless it is an `and`."""
    match expression:
        case And(operands=operands):
            return tuple(part for operand in operands for part in conjuncts(operand))
        case _:
            return (expression,)


def disjuncts(expression: Expression) -> tuple[Expression, ...]:
    """The expressions of which it says that one holds: itself alone unless it is an `or`."""
    match expression:
        case Or(operands=operands):
            return tuple(part for operand in operands for part in disjuncts(operand))
        case _:
            return (expression,)


def conjunction(*expressions: Expression) -> Expression:
    """All of these, each once and in this order, without `and` nested in `and`.

    Raises:
        ValueError: There is no expression; pytest has no word for "every test".
    """
    parts = _unique(part for expression in expressions for part in conjuncts(expression))
    return parts[0] if len(parts) == 1 else And(operands=parts)


def disjunction(*expressions: Expression) -> Expression:
    """At least one of these, each once and in this order, without `or` nested in `or`.

    Raises:
        ValueError: There is no expression; pytest has no word for "no test".
    """
    parts = _unique(part for expression in expressions for part in disjuncts(expression))
    return parts[0] if len(parts) == 1 else Or(operands=parts)


def _unique(expressions: Iterable[Expression]) -> tuple[Expression, ...]:
    unique = tuple(dict.fromkeys(expressions))
    if not unique:
        raise ValueError("expected at least one expression, found none")
    return unique
