"""The goldens of the language, each laid over one workspace: the design's own, with templates that hide nothing.

Its lanes, owners, switches and toggles are those of the worked example; its catalogue has every kind of choice that
an entry can offer. The templates show what a job is handed, and no executor.
"""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.support.workspaces import Content, Ran, run, write

BASE: Final = Path(__file__).parents[1] / "golden" / "language_base"
CASES: Final = Path(__file__).parents[1] / "golden" / "language"
APART: Final = frozenset({"expected.yaml", "expected.txt", "arguments.txt", "environment.txt"})
"""Files of a case that are not files of its workspace."""


def names() -> list[str]:
    """All cases."""
    return sorted(folder.name for folder in CASES.iterdir() if folder.is_dir())


def lay_out(name: str, root: Path) -> Path:
    """The workspace of a case, below `root`."""
    return write(root, {**_files(BASE), **_files(CASES / name)})


def _files(folder: Path) -> Mapping[str, Content]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in APART
    }


def generated(name: str, root: Path) -> Ran:
    """What `pipegen generate` makes of a case: everything, unless `arguments.txt` says otherwise."""
    lay_out(name, root)
    case = CASES / name
    words, settings = case / "arguments.txt", case / "environment.txt"
    arguments = shlex.split(words.read_text(encoding="utf-8")) if words.is_file() else ["--all"]
    pairs = settings.read_text(encoding="utf-8").splitlines() if settings.is_file() else []
    return run("generate", *arguments, cwd=root, env=dict(pair.split("=", 1) for pair in pairs))
