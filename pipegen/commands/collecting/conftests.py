"""What the `conftest.py` files of a repository keep pytest from collecting: `collect_ignore` and `collect_ignore_glob`.

For each path pytest asks the nearest `conftest.py` above it that sets such a name, and no other.
"""

import ast
import posixpath
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from fnmatch import fnmatchcase
from typing import Final

from pipegen.dataclass import dataclass

_PATHS: Final = "collect_ignore"
_GLOBS: Final = "collect_ignore_glob"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConftestIgnores:
    """By folder, the paths that its conftest ignores, from the repository's root, and the patterns of paths."""

    paths: Mapping[str, frozenset[str]] = field(default_factory=dict)
    globs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether any of them ignores something."""
        return bool(self.paths or self.globs)

    def by(self, path: str) -> str | None:
        """The conftest that ignores a file or folder itself, whatever is said of folders above it; None for none."""
        above = posixpath.dirname(path)
        folder = _nearest(above, self.paths)
        if folder is not None and path in self.paths[folder]:
            return posixpath.join(folder, "conftest.py")
        folder = _nearest(above, self.globs)
        if folder is not None and any(fnmatchcase(path, glob) for glob in self.globs[folder]):
            return posixpath.join(folder, "conftest.py")
        return None


def conftest_ignores(content: Callable[[str], str | None], paths: Iterable[str]) -> ConftestIgnores:
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
            ignored[folder] = frozenset(posixpath.normpath(posixpath.join(folder, one)) for one in said[_PATHS])
        if _GLOBS in said:
            globs[folder] = tuple(posixpath.join(folder, one) for one in said[_GLOBS])
    return ConftestIgnores(paths=ignored, globs=globs)


def _nearest(folder: str, known: Mapping[str, object]) -> str | None:
    while folder not in known:
        if not folder:
            return None
        folder = posixpath.dirname(folder)
    return folder


def _lists(text: str) -> Mapping[str, list[str]]:
    """The lists of texts that a module is sure to have under the two names at its end."""
    try:
        with warnings.catch_warnings(action="ignore"):
            module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[str, list[str]] = {}
    for statement in module.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                _set(found, name, value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                _set(found, name, value)
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value) if name in found:
                found[name] += _texts(value)
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=[value], keywords=[])
            ) if name in found:
                found[name] += _texts(value) if method == "extend" else _texts(ast.List(elts=[value]))
            case _:
                pass
    return found


def _set(found: dict[str, list[str]], name: str, value: ast.expr) -> None:
    if name in {_PATHS, _GLOBS}:
        found[name] = _texts(value)


def _texts(value: ast.expr) -> list[str]:
    """The texts of a list, without what is no text as it stands."""
    if not isinstance(value, ast.List | ast.Tuple | ast.Set):
        return []
    return [one.value for one in value.elts if isinstance(one, ast.Constant) and isinstance(one.value, str)]
