"""From the tree of an expression back to text."""

import enum

from pipegen.expression.nodes import And, Call, Expression, Name, Not, Or, Value


class _Strength(enum.IntEnum):
    """How tightly an operator binds: an operand needs parentheses where its own is weaker than its place's."""

    OR = 0
    AND = 1
    NOT = 2


def render(expression: Expression) -> str:
    """The expression as text that `parse` reads back as the same tree, flattened.

    Parentheses stand only where they change the meaning, spaces as an author would type them. Texts in
    arguments get single quotes, so that the whole fits in double quotes on a command line, unless they hold one.
    """
    return _render(expression, _Strength.OR)


def _render(expression: Expression, place: _Strength) -> str:
    match expression:
        case Name(text=text):
            return text
        case Call(name=name, arguments=arguments):
            return f"{name}({', '.join(f'{key}={_value(value)}' for key, value in arguments)})"
        case Not(operand=operand):
            return f"not {_render(operand, _Strength.NOT)}"
        case And(operands=operands):
            text = " and ".join(_render(operand, _Strength.AND) for operand in operands)
            return f"({text})" if place > _Strength.AND else text
        case Or(operands=operands):
            text = " or ".join(_render(operand, _Strength.OR) for operand in operands)
            return f"({text})" if place > _Strength.OR else text


def _value(value: Value) -> str:
    if isinstance(value, str):
        return f'"{value}"' if "'" in value else f"'{value}'"
    return str(value)
