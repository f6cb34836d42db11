"""What the `conftest.py` files of a repository keep pytest from collecting: `collect_ignore` and `collect_ignore_glob`.

For each path pytest asks the nearest `conftest.py` above it that sets such a name, and no other.
"""

import ast
import posixpath
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from fnmatch import fnmatchcase
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.python_text import parsed

_PATHS: Final = "collect_ignore"
_GLOBS: Final = "collect_ignore_glob"


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectIgnores:
    """By folder, the paths that its conftest ignores, from the repository's root, and the patterns of paths."""

    paths: Mapping[str, frozenset[str]] = field(default_factory=dict)
    globs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether any of them ignores something."""
        return bool(self.paths or self.globs)

    def by(self, path: str, top: str = "") -> str | None:
        """The conftest that ignores a file or folder itself, whatever is said of folders above it; None for none.

        Those above `top` are not loaded (pytest's `--confcutdir`).
        """
        above = posixpath.dirname(path)
        folder = _nearest(above, self.paths, top)
        if folder is not None and path in self.paths[folder]:
            return posixpath.join(folder, "conftest.py")
        folder = _nearest(above, self.globs, top)
        if folder is not None and any(fnmatchcase(path, glob) for glob in self.globs[folder]):
            return posixpath.join(folder, "conftest.py")
        return None


def collect_ignores(content: Callable[[str], str | None], paths: Iterable[str]) -> CollectIgnores:
    """What the conftest files among these paths ignore. `content` gives their texts.

    Only lists of texts at the top of a file are read. What a condition decides, or a call, is taken to ignore nothing:
    nobody knows here what it would be on a job's machine.
    """
    ignored: dict[str, frozenset[str]] = {}
    globs: dict[str, tuple[str, ...]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        text = content(path) if name == "conftest.py" else None
        if text is None or _PATHS not in text:
            continue
        said = _lists(text)
        if _PATHS in said:
            ignored[folder] = frozenset(_from_root(folder, one) for one in said[_PATHS])
        if _GLOBS in said:
            globs[folder] = tuple(_from_root(folder, one) for one in said[_GLOBS])
    return CollectIgnores(paths=ignored, globs=globs)


def _from_root(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path))


def _nearest(folder: str, known: Mapping[str, object], top: str) -> str | None:
    while folder not in known:
        if not folder:
            return None
        folder = posixpath.dirname(folder)
    is_above_top = folder != top and (not folder or top.startswith(f"{folder}/"))
    return None if is_above_top else folder


def _lists(text: str) -> Mapping[str, list[str]]:
    """The lists of texts that a module has under the two names at its end, as far as that is sure."""
    module = parsed(text)
    found: dict[str, list[str]] = {}
    for statement in () if module is None else module.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if name in _NAMES:
                found[name] = _texts(value)
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value) if name in found:
                found[name] += _texts(value)
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="append" | "extend" as method), args=[value]
                )
            ) if name in found:
                found[name] += _texts(value if method == "extend" else ast.List(elts=[value]))
            case _:
                _forget(found, statement)
    return found


_NAMES: Final = frozenset({_PATHS, _GLOBS})


def _forget(found: dict[str, list[str]], statement: ast.stmt) -> None:
    """Know nothing of a list any more that a statement may have made shorter or another one."""
    nodes = [*ast.walk(statement)]
    added = [node.target for node in nodes if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add)]
    for node in nodes:
        match node:
            case ast.Name() if node in added:
                pass
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) if name in found:
                found[name] = []
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in found and attribute not in _ADDING:
                found[name] = []
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()) if name in found:
                found[name] = []
            case _:
                pass


_ADDING: Final = frozenset({"append", "extend", "insert", "copy", "count", "index", "sort", "reverse"})
"""Methods of a list after which it still has what it had."""


def _texts(value: ast.expr) -> list[str]:
    """The texts of a list, without what is no text as it stands."""
    if not isinstance(value, ast.List | ast.Tuple | ast.Set):
        return []
    return [one.value for one in value.elts if isinstance(one, ast.Constant) and isinstance(one.value, str)]
