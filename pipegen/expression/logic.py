"""What expressions mean together: what none of them takes, whether they leave nothing out, whether two overlap."""

import enum
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from pipegen.expression.nodes import (
    And,
    Call,
    Expression,
    Name,
    Not,
    Or,
    Value,
    conjunction,
    conjuncts,
    disjunction,
    disjuncts,
)

MAX_ATOMS: Final = 16
"""Up to so many different names and calls the answer of `covers` is complete: a truth table of 2 ** 16 rows."""


class Coverage(enum.Enum):
    """What logic alone can say. UNPROVEN is no "no": the tests that there are may still make it true."""

    PROVEN = "proven"
    UNPROVEN = "unproven"


def complement(expressions: Sequence[Expression]) -> Expression:
    """Exactly what none of the expressions takes, written as a person would.

    `or` and a double `not` are taken apart, and so is an `and` of negations only; any other `and` stays
    whole, because `not (a and b)` reads better than `not a or not b`.

    Raises:
        ValueError: There is no expression; pytest has no word for "every test".
    """
    return conjunction(*(part for expression in expressions for part in _denied(expression)))


def _denied(expression: Expression) -> tuple[Expression, ...]:
    """Expressions that hold together exactly where this one does not."""
    match expression:
        case Or(operands=operands):
            return tuple(part for operand in operands for part in _denied(operand))
        case Not(operand=operand):
            return (_affirmed(operand),)
        case And() if all(isinstance(part, Not) for part in conjuncts(expression)):
            return (disjunction(*(part for inner in conjuncts(expression) for part in _denied(inner))),)
        case And() | Name() | Call():
            return (Not(operand=expression),)


def _affirmed(expression: Expression) -> Expression:
    match expression:
        case Not(operand=Not(operand=operand)):
            return _affirmed(operand)
        case _:
            return expression


def covers(expressions: Iterable[Expression]) -> Coverage:
    """Whether every test there could be is taken by at least one of the expressions.

    Names and calls are free: any of them may hold for a test or not, except that a mark with some arguments
    is also there with fewer of them or none. PROVEN is always true. UNPROVEN means that some combination
    of names is taken by none, or that there are more than `MAX_ATOMS` and no expression is, in negation
    normal form, the complement of others.
    """
    parts = tuple(part for expression in expressions for part in disjuncts(_normal(expression)))
    atoms = tuple(dict.fromkeys(atom for part in parts for atom in _atoms(part)))
    proven = _always_true(parts, atoms) if len(atoms) <= MAX_ATOMS else _has_complement(parts)
    return Coverage.PROVEN if proven else Coverage.UNPROVEN


def disjoint(first: Expression, second: Expression) -> Coverage:
    """Whether no test there could be is taken by both expressions; says and bounds as in `covers`."""
    return covers((Not(operand=first), Not(operand=second)))


def _normal(expression: Expression) -> Expression:
    """Negation normal form, flattened: `not` stands in front of names and calls only."""
    match expression:
        case Name() | Call():
            return expression
        case And(operands=operands):
            return conjunction(*(_normal(operand) for operand in operands))
        case Or(operands=operands):
            return disjunction(*(_normal(operand) for operand in operands))
        case Not(operand=operand):
            return _normal_denied(operand)


def _normal_denied(expression: Expression) -> Expression:
    match expression:
        case Name() | Call():
            return Not(operand=expression)
        case And(operands=operands):
            return disjunction(*(_normal_denied(operand) for operand in operands))
        case Or(operands=operands):
            return conjunction(*(_normal_denied(operand) for operand in operands))
        case Not(operand=operand):
            return _normal(operand)


def _has_complement(parts: tuple[Expression, ...]) -> bool:
    """Whether one part is false only where another is true: the opposite of each of its conjuncts is there."""
    present = frozenset(parts)
    return any(all(_normal_denied(conjunct) in present for conjunct in conjuncts(part)) for part in parts)


_Atom: TypeAlias = tuple[str, frozenset[tuple[str, Value]]]
"""A name and the arguments asked of it; a mark that is there with arguments is there without."""


def _atoms(expression: Expression) -> tuple[_Atom, ...]:
    match expression:
        case Name() | Call():
            return (_atom(expression),)
        case Not(operand=operand):
            return _atoms(operand)
        case And(operands=operands) | Or(operands=operands):
            return tuple(atom for operand in operands for atom in _atoms(operand))


def _atom(expression: Name | Call) -> _Atom:
    match expression:
        case Name(text=text):
            return (text, frozenset())
        case Call(name=name, arguments=arguments):
            return (name, frozenset(arguments))


def _always_true(parts: tuple[Expression, ...], atoms: tuple[_Atom, ...]) -> bool:
    """The truth table of the whole disjunction at once: one bit per row, one integer per column."""
    every = (1 << (1 << len(atoms))) - 1
    # Dividing 11111111 by 11, 101, 10001 gives 01010101, 00110011, 00001111: the columns of the table.
    columns = {atom: every // ((1 << (1 << place)) + 1) for place, atom in enumerate(atoms)}
    left = every
    for narrow, narrow_rows in columns.items():
        for wide, wide_rows in columns.items():
            if narrow[0] == wide[0] and narrow[1] > wide[1]:
                left &= ~(narrow_rows & ~wide_rows)
    for part in parts:
        left &= ~_rows(part, columns, every)
    return left == 0


def _rows(expression: Expression, columns: dict[_Atom, int], every: int) -> int:
    match expression:
        case Name() | Call():
            return columns[_atom(expression)]
        case Not(operand=operand):
            return every & ~_rows(operand, columns, every)
        case And(operands=operands):
            rows = every
            for operand in operands:
                rows &= _rows(operand, columns, every)
            return rows
        case Or(operands=operands):
            rows = 0
            for operand in operands:
                rows |= _rows(operand, columns, every)
            return rows
