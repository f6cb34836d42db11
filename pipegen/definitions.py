"""What tests a Python file may define, by name: enough to know which node ids begin like another.

    definitions_of(content).longer("test_start")     # ("test_start_slow",)
    definitions_of(content).has("TestEngine::test_start")

pytest makes a node id of a test's file, class and name, with `[…]` behind for its parameters.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.python_text import parsed

_HARMLESS: Final = frozenset({"object", "TestCase", "IsolatedAsyncioTestCase", "ABC", "Generic", "Protocol"})
"""Classes of Python itself that bring no tests with them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definitions:
    """The names that a module or class may have, with those of the classes in it.

    `open` says that it may have others: names come from another file, or are made while it runs.
    """

    names: frozenset[str] = frozenset()
    classes: "Mapping[str, Definitions]" = field(default_factory=dict)
    open: bool = False

    def has(self, node: str) -> bool | None:
        """Whether there is such a test or class; None where that cannot be told. Parameters are not looked at."""
        scope, name = self._scope(node)
        if scope is None:
            return None
        return True if name in scope.names else None if scope.open else False

    def is_class(self, node: str) -> bool:
        """Whether a node is known to be a class."""
        scope, name = self._scope(node)
        return scope is not None and name in scope.classes

    def longer(self, node: str) -> tuple[str, ...] | None:
        """Other names beside it that begin with its own, sorted; None where there may be some that nobody can see."""
        scope, name = self._scope(node)
        if scope is None or scope.open:
            return None
        return tuple(sorted(other for other in scope.names if other != name and other.startswith(name)))

    def _scope(self, node: str) -> "tuple[Definitions | None, str]":
        """Where a node lies, None where that cannot be seen, and its own name."""
        *outer, last = node.split("::")
        scope: Definitions | None = self
        for name in outer:
            if scope is None:
                break
            known = scope.classes.get(name)
            scope = known if known is not None or name in scope.names or scope.open else Definitions()
        return scope, last.partition("[")[0]


def definitions_of(content: str) -> Definitions:
    """Read a file; one that is no Python of this version may define anything."""
    module = parsed(content)
    try:
        return Definitions(open=True) if module is None else _definitions(module.body, {})
    except RecursionError:
        return Definitions(open=True)


def _definitions(body: Sequence[ast.stmt], known: Mapping[str, Definitions]) -> Definitions:
    """The definitions of a body; `known` are classes further out that a class in it may inherit from."""
    names: set[str] = set()
    classes: dict[str, Definitions] = {}
    is_open = False
    for statement in _flat(body):
        found = _bound(statement)
        is_open |= "*" in found
        names |= found - {"*"}
        if isinstance(statement, ast.ClassDef):
            classes[statement.name] = _class(statement, {**known, **classes})
    return Definitions(names=frozenset(names), classes=classes, open=is_open)


def _flat(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body, with those inside of conditions, loops and the like."""
    for statement in body:
        yield statement
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for child in ast.iter_child_nodes(statement):
                if isinstance(child, ast.ExceptHandler | ast.match_case):
                    yield from _flat(child.body)
                elif isinstance(child, ast.stmt):
                    yield from _flat([child])


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a statement itself gives a meaning to; `*` for any."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {statement.name}
        case ast.Import() | ast.ImportFrom():
            return {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
        case _:
            inner = [child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt)]
            found = {
                node.id
                for child in inner
                for node in ast.walk(child)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
            return found | ({"*"} if any(_makes_names(child) for child in inner) else set())


def _makes_names(node: ast.AST) -> bool:
    """Whether an expression reaches for the table of names itself."""
    return any(
        isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in _TABLES
        for call in ast.walk(node)
    )


_TABLES: Final = frozenset({"globals", "locals", "vars", "setattr", "exec"})


def _class(node: ast.ClassDef, known: Mapping[str, Definitions]) -> Definitions:
    own = _definitions(node.body, known)
    names, classes = set(own.names), dict(own.classes)
    is_open = own.open or any(not _is_mark(decorator) for decorator in node.decorator_list)
    for base in node.bases:
        inherited = known.get(base.id) if isinstance(base, ast.Name) else None
        if inherited is not None:
            names |= inherited.names
            classes = {**inherited.classes, **classes}
            is_open |= inherited.open
        else:
            is_open |= _last_name(base) not in _HARMLESS
    return Definitions(names=frozenset(names), classes=classes, open=is_open)


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return node.attr
        case ast.Subscript():
            return _last_name(node.value)
        case _:
            return ""


def _is_mark(decorator: ast.expr) -> bool:
    """Whether a class's decorator is one of pytest's marks, which add no tests."""
    return ast.unparse(decorator).startswith("pytest.mark.")
