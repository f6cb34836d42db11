"""pipegen as it is installed: where its own templates are, and what tells it from another one."""

import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).parents[1]  # `importlib.resources` would say the same, after 10 ms of imports


def packaged_templates() -> Path:
    """The reference fleet's templates: in the wheel beside this module, in a checkout at its top."""
    inside = _PACKAGE / "_fleet" / "templates"
    return inside if inside.is_dir() else _PACKAGE.parent / "templates"


def fingerprint() -> str:
    """What changes when pipegen does, or its templates, a library that it may use, or Python itself.

    Files are told by size and time: a run that read them all would have to wait for it.
    """
    digest = hashlib.sha256(sys.version.encode())
    for folder in (_PACKAGE, packaged_templates()):
        for line in _files(folder):
            digest.update(f"{line}\n".encode("utf-8", "surrogatepass"))
    for line in _libraries():
        digest.update(f"{line}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _files(folder: Path) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _files(Path(entry.path))
            else:
                found = entry.stat()
                yield f"{entry.path} {found.st_size} {found.st_mtime_ns}"


def _libraries() -> Iterator[str]:
    """What is installed where Python looks: a folder for each, whose name holds the version."""
    for place in sys.path:
        try:
            names = sorted(os.listdir(place or "."))  # noqa: PTH208 - names are all that is asked for
        except OSError:
            continue
        yield from (f"{place} {name}" for name in names if name.endswith((".dist-info", ".egg-info")))
