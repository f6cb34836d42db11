"""pipegen as it is installed: where its own templates are, and what tells it from another one."""

import hashlib
import os
import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).parents[1]  # `importlib.resources` would say the same, after 10 ms of imports
_LIBRARIES: Final = ("click", "git", "jinja2", "markupsafe", "pathspec", "yaml")


def packaged_templates() -> Path:
    """The reference fleet's templates: in the wheel beside this module, in a checkout at its top."""
    inside = _PACKAGE / "_fleet" / "templates"
    return inside if inside.is_dir() else _PACKAGE.parent / "templates"


def fingerprint() -> str | None:
    """What changes when pipegen does, or its templates, a library that it uses, or Python itself. None: nobody knows.

    Files are told by size and times: a run that read them all would have to wait for it.
    """
    digest = hashlib.sha256()
    try:
        for line in (*_python(), *_files(_PACKAGE), *_files(packaged_templates()), *_libraries()):
            digest.update(f"{line}\n".encode("utf-8", "surrogatepass"))
    except (OSError, ValueError, ImportError):
        return None
    return digest.hexdigest()


def _python() -> Iterator[str]:
    """Python, and what its caller told it: warnings may be errors."""
    yield f"{sys.version} {sys.flags} {sys.warnoptions} {sys.get_int_max_str_digits()}"


def _files(top: Path) -> Iterator[str]:
    """Every file of a folder. Links are followed, round in circles once."""
    pending, seen = [str(top)], set()
    while pending:
        folder = pending.pop()
        found = os.stat(folder)  # noqa: PTH116 - a path for each of them takes longer than all else
        if (found.st_dev, found.st_ino) in seen:
            continue
        seen.add((found.st_dev, found.st_ino))
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.is_dir():
                    pending += [] if entry.name == "__pycache__" else [entry.path]
                else:
                    yield f"{entry.path} {_told(entry.stat(follow_symlinks=entry.is_file()))}"


def _told(found: os.stat_result) -> str:
    """What tells a file from another one in its place: a change of its permissions counts."""
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"


def _libraries() -> Iterator[str]:
    """What is installed where Python looks, a folder for each whose name holds the version; and what would be imported.

    Something else of the same name may stand in front of what is installed.
    """
    for place in sys.path:
        try:
            names = sorted(os.listdir(place or "."))  # noqa: PTH208 - names are all that is asked for
        except OSError:
            continue
        yield from (f"{place} {name}" for name in names if name.endswith((".dist-info", ".egg-info")))
    for name in _LIBRARIES:
        spec = PathFinder.find_spec(name)
        if spec is not None and spec.origin is not None:
            yield f"{spec.origin} {_told(Path(spec.origin).stat())}"
