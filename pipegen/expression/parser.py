"""From the text of a `-k` or `-m` expression to its tree: pytest 9's language, nothing more and nothing less."""

import keyword
from collections.abc import Callable
from typing import Final

from pipegen.expression.nodes import And, Call, Expression, Kind, Name, Not, Or, Value, conjuncts, disjuncts
from pipegen.expression.tokens import ExpressionError, Token, TokenKind, tokenize
from pipegen.plain import show

MAX_DEPTH: Final = 50
"""How deep parentheses and `not` may nest. pytest 9 overflows the interpreter's stack near 300 of them."""

MAX_OPERANDS: Final = 500
"""How many operands one `and` or `or` may join. pytest 9 nests them and overflows below 1,000."""

_CONSTANTS: dict[str, Value] = {"True": True, "False": False, "None": None}


def parse(text: str, kind: Kind) -> Expression:
    """Read an expression; `a or (b or c)` is one `Or` of three, and nothing else is rearranged.

    Raises:
        ExpressionError: pytest would refuse the text, would take it for "no expression at all" (it is empty),
            or would overflow its stack (`MAX_DEPTH`, `MAX_OPERANDS`).
    """
    cursor = _Cursor(tuple(tokenize(text, kind)), kind)
    if cursor.current.kind is TokenKind.END:
        raise ExpressionError("expected an expression, found nothing", column=1)
    expression = _disjunction(cursor, 0)
    cursor.take(TokenKind.END, expected='"and", "or" or the end of the expression')
    return expression


class _Cursor:
    """The tokens of one text and how many of them have been read."""

    def __init__(self, tokens: tuple[Token, ...], kind: Kind) -> None:
        self.tokens = tokens
        self.kind = kind
        self.read = 0

    @property
    def current(self) -> Token:
        return self.tokens[self.read]

    def accept(self, kind: TokenKind) -> Token | None:
        token = self.current
        if token.kind is not kind:
            return None
        if kind is not TokenKind.END:
            self.read += 1
        return token

    def take(self, kind: TokenKind, *, expected: str) -> Token:
        token = self.accept(kind)
        if token is None:
            raise _unexpected(self.current, expected)
        return token


def _unexpected(token: Token, expected: str) -> ExpressionError:
    suggestion = ""
    if token.kind is TokenKind.NAME and token.text.lower() in {"and", "or", "not"}:
        suggestion = f'write "{token.text.lower()}"'
    elif token.kind is TokenKind.TEXT:
        suggestion = "write names without quotes"
    elif token.kind is TokenKind.COMMA:
        suggestion = 'write "or"'
    elif token.kind is TokenKind.END:
        suggestion = "write what is missing, or take out the last word"
    else:
        suggestion = 'write names joined with "and", "or" and "not"'
    message = f"expected {expected}, found {token.shown}"
    return ExpressionError(message, column=token.column, help=suggestion)


def _disjunction(cursor: _Cursor, depth: int) -> Expression:
    parts = _operands(cursor, depth, TokenKind.OR, _conjunction, disjuncts)
    return parts[0] if len(parts) == 1 else Or(operands=parts, column=parts[0].column)


def _conjunction(cursor: _Cursor, depth: int) -> Expression:
    parts = _operands(cursor, depth, TokenKind.AND, _negation, conjuncts)
    return parts[0] if len(parts) == 1 else And(operands=parts, column=parts[0].column)


def _operands(
    cursor: _Cursor,
    depth: int,
    operator: TokenKind,
    operand: Callable[[_Cursor, int], Expression],
    flat: Callable[[Expression], tuple[Expression, ...]],
) -> tuple[Expression, ...]:
    """One or more operands with the operator between them; an operand that is such a row itself joins this one."""
    column = cursor.current.column
    first = operand(cursor, depth)
    if cursor.current.kind is not operator:
        return (first,)
    parts = list(flat(first))
    while cursor.accept(operator):
        parts.extend(flat(operand(cursor, depth)))
    if len(parts) > MAX_OPERANDS:
        message = f"expected at most {MAX_OPERANDS} operands of one {operator.value}, found {len(parts)}"
        raise ExpressionError(message, column=column)
    return tuple(parts)


def _negation(cursor: _Cursor, depth: int) -> Expression:
    if depth > MAX_DEPTH:
        message = f"expected at most {MAX_DEPTH} levels, found more"
        raise ExpressionError(message, column=cursor.current.column)
    if token := cursor.accept(TokenKind.NOT):
        return Not(operand=_negation(cursor, depth + 1), column=token.column)
    if cursor.accept(TokenKind.OPEN):
        inner = _disjunction(cursor, depth + 1)
        cursor.take(TokenKind.CLOSE, expected='"and", "or" or ")"')
        return inner
    name = cursor.take(TokenKind.NAME, expected='a name, "not" or "("')
    if cursor.current.kind is not TokenKind.OPEN:
        return Name(text=name.text, column=name.column)
    return _call(cursor, name)


def _call(cursor: _Cursor, name: Token) -> Call:
    opening = cursor.take(TokenKind.OPEN, expected='"("')
    if cursor.kind is Kind.KEYWORD:
        # pytest compiles such a -k expression and then stops with a usage error at the first test it asks about.
        message = f'expected "and", "or" or the end of the expression, found "(" after {show(name.text)}'
        raise ExpressionError(message, column=opening.column, help='only "m" takes arguments of marks')
    arguments: dict[str, Value] = {}
    while True:
        argument = _argument_name(cursor, taken=frozenset(arguments))
        cursor.take(TokenKind.EQUAL, expected=f'"=" after {show(argument)}')
        arguments[argument] = _value(cursor)
        if not cursor.accept(TokenKind.COMMA):
            break
    cursor.take(TokenKind.CLOSE, expected='"," or ")"')
    return Call(name=name.text, arguments=tuple(arguments.items()), column=name.column)


def _argument_name(cursor: _Cursor, *, taken: frozenset[str]) -> str:
    token = cursor.take(TokenKind.NAME, expected="the name of an argument")
    name = token.text
    # Python itself keeps `__debug__` from being an argument.
    if not name.isidentifier() or keyword.iskeyword(name) or name == "__debug__":
        message = f"expected a Python name for the argument, found {show(name)}"
        raise ExpressionError(message, column=token.column)
    if name in taken:
        message = f"expected each argument once, found {show(name)} again"
        raise ExpressionError(message, column=token.column)
    return name


def _value(cursor: _Cursor) -> Value:
    expected = "a quoted text, an integer, True, False or None"
    if quoted := cursor.accept(TokenKind.TEXT):
        return quoted.text[1:-1]
    token = cursor.take(TokenKind.NAME, expected=expected)
    if token.text in _CONSTANTS:
        return _CONSTANTS[token.text]
    if token.text.removeprefix("-").isdecimal():
        try:
            return int(token.text)
        except ValueError:  # more digits than Python converts
            message = f"expected an integer of a reasonable size, found {show(token.text)}"
            raise ExpressionError(message, column=token.column) from None
    suggestion = f"write '{token.text}'" if token.text.isidentifier() else ""
    message = f"expected {expected}, found {show(token.text)}"
    raise ExpressionError(message, column=token.column, help=suggestion)
