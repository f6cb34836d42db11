"""Which of a repository's own settings of pytest hold for a run, and what they leave out of it."""

import posixpath
from collections.abc import Sequence
from fnmatch import fnmatchcase

from pipegen.commands.reading import TestRun
from pipegen.dataclass import replace


def is_configured(run: TestRun) -> bool:
    """Whether anything of a run stands in pytest's own settings and not in its command."""
    spots = (*run.ignores, *run.ignore_globs, *run.deselects)
    return any(one is not None and one.configured is not None for one in (*spots, run.k, run.m))


def unconfigured(run: TestRun) -> TestRun:
    """The run by its command alone, for where other settings hold than those that were read."""
    return replace(
        run,
        ignores=tuple(spot for spot in run.ignores if spot.configured is None),
        ignore_globs=tuple(spot for spot in run.ignore_globs if spot.configured is None),
        deselects=tuple(spot for spot in run.deselects if spot.configured is None),
        k=None if run.k is None or run.k.configured is not None else run.k,
        m=None if run.m is None or run.m.configured is not None else run.m,
    )


def conftests_from(run: TestRun, settings_folder: str, checkout: str) -> str | None:
    """The folder above which pytest loads no conftest for a run (see its `--confcutdir`); None where it loads none."""
    if "--noconftest" in run.rest:
        return None
    top = settings_folder
    root = checkout.rstrip("/") + "/"
    for at, option in enumerate(run.rest[:-1]):
        if option == "--confcutdir":
            place = posixpath.normpath(posixpath.join(root, run.folder or "", run.rest[at + 1]))
            top = place.removeprefix(root) if place.startswith(root) else ""  # outside: nothing in there is above it
    return top


def left_out_by(path: str, run: TestRun, globbed: Sequence[str]) -> str | None:
    """The file of settings that ignores a file, where no command does; patterns are held to the paths `globbed`."""
    ignores = [spot for spot in run.ignores if path == spot.path or path.startswith(f"{spot.path}/")]
    globs = [spot for spot in run.ignore_globs if any(fnmatchcase(one, spot.path) for one in globbed)]
    by = [spot.configured for spot in (*ignores, *globs)]
    return by[0] if by and None not in by else None
