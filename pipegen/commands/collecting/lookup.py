"""What globs and searches find among the files of a repository."""

import posixpath
import re

from pipegen.commands.collecting.files import Files, below, names_in
from pipegen.commands.finds import AllOf, AnyOf, FindTest, Glob, Kind, KindIs, NameIs, Negation, Root, Search
from pipegen.commands.globs import path_names, pattern_source


def expand(files: Files, glob: Glob) -> tuple[str, ...]:
    """The files and folders that a shell makes of a pattern, sorted; none if it leaves the pattern as it is."""
    found = [""]
    names = path_names(glob.pattern.rstrip("/"))
    for index, name in enumerate(names):
        if isinstance(name, str):
            found = [posixpath.join(folder, name) for folder in found]
            found = [path for path in found if files.exists(path)]
            continue
        if name is None and glob.recursive:
            last = index == len(names) - 1
            found = [path for folder in found for path in _all_below(files, folder, with_files=last)]
            continue
        pattern = re.compile(r"(?!\.).*", re.DOTALL) if name is None else name
        found = [path for folder in found for path in _children(files, folder) if pattern.fullmatch(_base(path))]
    if glob.pattern.endswith("/"):
        found = [path for path in found if path in files.folders]
    return tuple(sorted(set(found) - {""}))


def _base(path: str) -> str:
    return posixpath.basename(path)


def _children(files: Files, folder: str) -> list[str]:
    """Files and folders right in a folder."""
    return [posixpath.join(folder, name) for name in names_in(files.paths, folder)]


def _all_below(files: Files, folder: str, *, with_files: bool) -> list[str]:
    """A folder and everything below it that has no hidden name on the way, as `**` finds it."""
    prefix = folder + "/" if folder else ""
    found = [folder]
    found += [path for path in files.folders if path.startswith(prefix) and path != folder]
    if with_files:
        start, end = below(files.paths, folder)
        found += files.paths[start:end]
    return [path for path in found if not any(name.startswith(".") for name in path[len(prefix) :].split("/"))]


def search(files: Files, wanted: Search) -> tuple[str, ...]:
    """The files and folders that `find` prints, sorted."""
    found: set[str] = set()
    for root in wanted.roots:
        candidates = [root.path] if files.exists(root.path) else []
        start, end = below(files.paths, root.path)
        candidates += files.paths[start:end] if root.path in files.folders else ()
        prefix = root.path + "/" if root.path else ""
        candidates += [folder for folder in files.folders if folder.startswith(prefix) and folder != root.path]
        found |= {
            path for path in candidates if _at_depth(path, root, wanted) and _passes(files, path, root, wanted.test)
        }
    return tuple(sorted(found))


def _at_depth(path: str, root: Root, wanted: Search) -> bool:
    rest = path[len(root.path) :].strip("/")
    depth = rest.count("/") + 1 if rest else 0
    return wanted.min_depth <= depth and (wanted.max_depth is None or depth <= wanted.max_depth)


def _passes(files: Files, path: str, root: Root, test: FindTest) -> bool:
    match test:
        case NameIs():
            flags = re.DOTALL | (re.IGNORECASE if test.ignores_case else 0)
            text = _printed(path, root) if test.whole else _base(_printed(path, root).rstrip("/"))
            return re.fullmatch(pattern_source(test.pattern), text, flags) is not None
        case KindIs():
            return path in files.folders if test.kind is Kind.FOLDER else path in files.known
        case Negation():
            return not _passes(files, path, root, test.test)
        case AllOf():
            return all(_passes(files, path, root, inner) for inner in test.tests)
        case AnyOf():
            return any(_passes(files, path, root, inner) for inner in test.tests)


def _printed(path: str, root: Root) -> str:
    """A path as find prints it: the root as it was written, and what lies below it."""
    rest = path[len(root.path) :].strip("/")
    if not rest:
        return root.written
    return root.written + rest if root.written.endswith("/") else f"{root.written}/{rest}"
