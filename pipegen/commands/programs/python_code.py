"""What running a Python file as a program does with the tests in it: its main guard, or the lack of one."""

import ast
import enum
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from pipegen.dataclass import dataclass
from pipegen.python_text import parsed

_PASSIVE: Final = (
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Pass,
    ast.Delete,
    ast.Global,
)
# Calls that set a module up for its definitions. What they return is not used, and no test runs through them.
_SET_UP: Final = ("pytest.importorskip", "sys.path.", "os.environ.", "logging.", "warnings.", "random.seed")


class Program(enum.Enum):
    """What the program does, where it does not call a test runner."""

    ONLY_DEFINES = "only defines"
    """It defines things and ends: no test runs, and the status is 0."""
    RUNS = "runs"
    """It has code that runs."""
    BROKEN = "broken"
    """It is no Python."""
    FOREIGN = "foreign"
    """It calls a test runner with arguments that it makes itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsPytest:
    """It calls `pytest.main` with these arguments; None is the file itself. `own`: those of the program as well."""

    arguments: tuple[str | None, ...]
    own: bool


Behaviour: TypeAlias = Program | RunsPytest


def behaviour(content: str) -> Behaviour:
    """What a Python file does when it is run as a program."""
    module = parsed(content)
    if module is None:
        return Program.BROKEN
    active = [statement for statement in module.body if _is_active(statement)]
    if not active:
        return Program.ONLY_DEFINES
    for call in _calls(module):
        name = ast.unparse(call.func)
        if name == "pytest.main":
            return _pytest_main(call)
        if name == "unittest.main":
            return RunsPytest(arguments=(None,), own=False)
    return Program.RUNS


def _calls(module: ast.Module) -> Iterator[ast.Call]:
    return (node for node in ast.walk(module) if isinstance(node, ast.Call))


def _is_active(statement: ast.stmt) -> bool:
    """Whether a statement does something when the file is run; a main guard does what is in it."""
    if isinstance(statement, _PASSIVE):
        return False
    match statement:
        case ast.Expr(value=ast.Constant()):
            return False
        case ast.Expr(value=ast.Call(func=function)):
            return not ast.unparse(function).startswith(_SET_UP)
        case ast.If():
            return _any_active([*statement.body, *statement.orelse])
        case ast.Try():
            handlers = [inner for handler in statement.handlers for inner in handler.body]
            return _any_active([*statement.body, *handlers, *statement.orelse, *statement.finalbody])
        case _:
            return True


def _any_active(statements: Sequence[ast.stmt]) -> bool:
    return any(_is_active(statement) for statement in statements)


def _pytest_main(call: ast.Call) -> Behaviour:
    given = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "args"), None)
    if given is None:
        return RunsPytest(arguments=(), own=True)
    return _list(given) or Program.FOREIGN


def _list(given: ast.expr) -> RunsPytest | None:
    """A list of texts and `__file__`, to which the program's own arguments may be added."""
    match given:
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return _joined([_element(element) for element in elements])
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _joined([_list(left), _list(right)])
        case _ if ast.unparse(given) == "sys.argv[1:]":
            return RunsPytest(arguments=(), own=True)
        case _:
            return None


def _element(element: ast.expr) -> RunsPytest | None:
    match element:
        case ast.Constant(value=str() as text):
            return RunsPytest(arguments=(text,), own=False)
        case ast.Name(id="__file__"):
            return RunsPytest(arguments=(None,), own=False)
        case ast.Starred(value=value):
            return _list(value)
        case _:
            return None


def _joined(pieces: Sequence[RunsPytest | None]) -> RunsPytest | None:
    """Lists one behind the other, None where one of them is not known."""
    arguments: list[str | None] = []
    own = False
    for piece in pieces:
        if piece is None:
            return None
        arguments += piece.arguments
        own = own or piece.own
    return RunsPytest(arguments=tuple(arguments), own=own)
