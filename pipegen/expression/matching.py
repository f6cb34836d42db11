"""Which tests an expression takes, by pytest's own rules."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from pipegen.expression.nodes import And, Call, Expression, Name, Not, Or

_ABSENT: Final = object()


def matches_keyword(expression: Expression, names: Collection[str]) -> bool:
    """Whether `-k` takes a test with these keywords: each name has to be inside one of them, in any letter case.

    pytest's keywords of a test are its own name with its parameters, the names of its class, module and
    directories below the root, of its marks, and the attributes set on its function.

    Raises:
        ValueError: The expression holds a call, which `-k` does not take.
    """
    lowered = tuple(name.lower() for name in names)

    def holds(atom: Name | Call) -> bool:
        match atom:
            case Name(text=text):
                wanted = text.lower()
                return any(wanted in name for name in lowered)
            case Call(name=name):
                raise ValueError(f'expected a "-k" expression, found arguments after "{name}"')

    return _evaluate(expression, holds)


def matches_marks(expression: Expression, marks: Mapping[str, Sequence[Mapping[str, object]]]) -> bool:
    """Whether `-m` takes a test with these marks: name → the keyword arguments of each mark of that name."""

    def holds(atom: Name | Call) -> bool:
        match atom:
            case Name(text=text):
                return bool(marks.get(text))
            case Call(name=name, arguments=wanted):
                return any(
                    all(given.get(key, _ABSENT) == value for key, value in wanted) for given in marks.get(name, ())
                )

    return _evaluate(expression, holds)


def _evaluate(expression: Expression, holds: Callable[[Name | Call], bool]) -> bool:
    match expression:
        case Name() | Call():
            return holds(expression)
        case Not(operand=operand):
            return not _evaluate(operand, holds)
        case And(operands=operands):
            return all(_evaluate(operand, holds) for operand in operands)
        case Or(operands=operands):
            return any(_evaluate(operand, holds) for operand in operands)
