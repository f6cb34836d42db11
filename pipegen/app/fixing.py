"""`lint --fix`: what has one safe fix is fixed, in memory first, and then in the files."""

import contextlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pipegen.app.linting import Linted, lint
from pipegen.app.request import Request, Wanted
from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import PipegenError, Severity
from pipegen.rules.edits import applied
from pipegen.rules.fixing import fitting, with_breaks_of
from pipegen.source import FolderTree, OverlaidTree, UnreadableError

MAX_ROUNDS: Final = 20
"""Fixes that wait for one another: one round for each of the longest row of them."""
_MAX_BYTES: Final = 1 << 24
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A file before and after."""

    before: bytes
    after: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """The files that fixes change, by path, and what `lint` finds then."""

    changes: Mapping[str, Change]
    linted: Linted


def fix(request: Request, wanted: Wanted) -> Fixed:
    """Make the fixes of everything that `lint` reports until nothing changes, without writing a file.

    Fixes that make an error together are made one by one, and one that makes an error by itself is not made. Fixes are
    for the files on disk, in a hook as well.

    Raises:
        PipegenError: see `lint`.
    """
    environment = {name: value for name, value in request.environment.items() if name != "GIT_INDEX_FILE"}
    disk = FolderTree(root=request.place.root)
    on_disk = replace(request, environment=environment)
    done = _State(files={}, linted=lint(on_disk, wanted))
    for _ in range(MAX_ROUNDS):
        then = _next(on_disk, wanted, disk, done)
        if then is None:
            break
        done = then
    changes = {path: Change(before=_content(disk, path), after=after) for path, after in sorted(done.files.items())}
    return Fixed(changes={path: one for path, one in changes.items() if one.before != one.after}, linted=done.linted)


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """Files that differ from those on disk, and what `lint` finds with them."""

    files: Mapping[str, bytes]
    linted: Linted

    @property
    def errors(self) -> int:
        """How many errors there are."""
        return sum(1 for diagnostic in self.linted.diagnostics if diagnostic.severity is Severity.ERROR)


def _next(request: Request, wanted: Wanted, disk: FolderTree, state: _State) -> _State | None:
    """The state after one more round of fixes; None if there is none that makes no error."""
    for apart in (False, True):
        after = _round(state, disk, apart=apart)
        if not after:
            return None
        files = {**state.files, **after}
        place = replace(request.place, held=OverlaidTree(tree=disk, files=files))
        then = _State(files=files, linted=lint(replace(request, place=place), wanted))
        if then.errors <= state.errors:
            return then
    return None


def _round(state: _State, disk: FolderTree, *, apart: bool) -> Mapping[str, bytes]:
    """The files that one round of fixes changes. Only files of the workspace are: those that `lint` reads."""
    known = state.linted.texts
    fixable = [d for d in state.linted.diagnostics if all(edit.span.path in known for edit in d.fix)]
    result = {}
    for path, edits in fitting(fixable, apart=apart).items():
        before = state.files[path] if path in state.files else _content(disk, path)
        mark = _BOM if before.startswith(_BOM) else b""
        try:
            text = before.removeprefix(_BOM).decode("utf-8")
            after = mark + applied(text, with_breaks_of(text, edits)).encode("utf-8")
        except (ValueError, IndexError):  # text that is not UTF-8, or a place that is not there
            continue
        if after != before:
            result[path] = after
    return result


def _content(disk: FolderTree, path: str) -> bytes:
    try:
        content = disk.read(path, limit=_MAX_BYTES)
    except UnreadableError as error:
        raise PipegenError(f'cannot fix "{path}": {error}') from error
    if len(content) > _MAX_BYTES:
        raise PipegenError(f'cannot fix "{path}": it is larger than {_MAX_BYTES:,} bytes')
    return content


def write_changes(root: Path, changes: Mapping[str, Change]) -> None:
    """Write changed files, each whole or not at all. A link stays one: the file that it leads to is written.

    Raises:
        PipegenError: one lies outside the workspace, is not what it was, or cannot be written.
    """
    disk = FolderTree(root=root)
    for path, change in changes.items():
        if _content(disk, path) != change.before:
            raise PipegenError(f'cannot fix "{path}": somebody else has changed it meanwhile')
        place = Path(os.path.realpath(root / path))
        try:
            _replace(place, change.after)
        except OSError as error:
            raise PipegenError(f'cannot fix "{path}": {(error.strerror or str(error)).lower()}') from error


def _replace(place: Path, content: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        Path(name).chmod(place.stat().st_mode & 0o7777)
        Path(name).replace(place)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
