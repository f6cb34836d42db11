"""pytest's `-k` and `-m` expressions: read, written, negated, combined, compared and evaluated.

The language is that of pytest 9, whose own parser is private to it and answers only with a compiled function.
"""

from pipegen.expression.logic import MAX_ATOMS, Coverage, complement, covers, disjoint
from pipegen.expression.matching import matches_keyword, matches_marks
from pipegen.expression.nodes import (
    And,
    Call,
    Expression,
    Kind,
    Name,
    Not,
    Or,
    Value,
    conjunction,
    disjunction,
)
from pipegen.expression.parser import MAX_DEPTH, MAX_OPERANDS, parse
from pipegen.expression.printer import render
from pipegen.expression.tokens import ExpressionError

__all__ = [
    "MAX_ATOMS",
    "MAX_DEPTH",
    "MAX_OPERANDS",
    "And",
    "Call",
    "Coverage",
    "Expression",
    "ExpressionError",
    "Kind",
    "Name",
    "Not",
    "Or",
    "Value",
    "complement",
    "conjunction",
    "covers",
    "disjoint",
    "disjunction",
    "matches_keyword",
    "matches_marks",
    "parse",
    "render",
]
