"""Options that a repository's own `conftest.py` files add to pytest: whether each takes a value."""

import ast
import posixpath
from collections.abc import Iterable, Iterator

from pipegen.commands.programs.tables import PytestOptions
from pipegen.commands.running.machine import Call, Machine, from_root, on_machine
from pipegen.commands.running.values import Field, known
from pipegen.dataclass import replace
from pipegen.python_text import parsed

_FLAGS = frozenset({"store_true", "store_false", "store_const", "append_const", "count", "help", "version"})


def with_own_options(machine: Machine, call: Call, words: tuple[Field, ...]) -> PytestOptions:
    """The options that a call may have: where one is not in the table, those of the conftest files that pytest loads.

    pytest loads those of the folders that it is given and of every folder above them before it reads its options.
    """
    options = machine.tables.pytest
    texts = [text for text in map(known, words) if text is not None]
    named = {text.partition("=")[0] for text in texts if text.startswith("--") and text != "--"}
    if named <= options.every:
        return options
    for folder in _folders(machine, call, texts):
        content = machine.content(posixpath.join(folder, "conftest.py"))
        if content is not None:
            options = _added(options, content)
    return options


def _folders(machine: Machine, call: Call, texts: Iterable[str]) -> list[str]:
    """The folders of a call and of its words, where they are some, and all above them; the innermost first."""
    found: dict[str, None] = {}
    for text in ("", *texts):
        if text.startswith("-"):
            continue
        place = on_machine(call.state, text.partition("::")[0])
        folder = from_root(machine.checkout, place) if place is not None else None
        while folder is not None and folder not in found:
            found[folder] = None
            folder = posixpath.dirname(folder) if folder else None
    return sorted(found, key=lambda folder: -folder.count("/"))


def _added(options: PytestOptions, content: str) -> PytestOptions:
    """The options with those that a conftest file adds by name."""
    kinds: dict[str, set[str]] = {"flags": set(), "valued": set(), "optional": set(), "many": set()}
    for names, kind in added_options(content):
        kinds[kind] |= names
    return replace(
        options,
        flags=options.flags | kinds["flags"],
        valued=options.valued | kinds["valued"],
        optional=options.optional | kinds["optional"],
        many=options.many | kinds["many"],
    )


def added_options(content: str) -> Iterator[tuple[frozenset[str], str]]:
    """Every `addoption("--name", …)` of a file: its names, and the kind of option that it adds."""
    module = parsed(content)
    if module is None:
        return
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "addoption":
            names = frozenset(name for name in map(_text, node.args) if name is not None)
            kind = _kind({keyword.arg: keyword.value for keyword in node.keywords})
            if names and kind is not None:
                yield names, kind


def _text(expression: ast.expr) -> str | None:
    match expression:
        case ast.Constant(value=str() as text):
            return text
        case _:
            return None


def _kind(keywords: dict[str | None, ast.expr]) -> str | None:
    """What kind of option the keywords of `addoption` make, None where they do not say it plainly."""
    if None in keywords:
        return None
    if "nargs" in keywords:
        match keywords["nargs"]:
            case ast.Constant(value="?"):
                return "optional"
            case ast.Constant(value="*" | "+"):
                return "many"
            case ast.Constant(value=1 | None):
                return "valued"
            case _:
                return None
    if "action" not in keywords:
        return "valued"
    action = _text(keywords["action"])
    if action is None:
        return None
    return "flags" if action in _FLAGS else "valued" if action in {"store", "append", "extend"} else None
