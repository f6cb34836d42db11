"""`lint --fix`: what has one safe fix is fixed, in memory first, and then in the files."""

import contextlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Final

from pipegen.app.linting import Linted, lint
from pipegen.app.request import Request, Wanted
from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import Diagnostic, Edit, PipegenError, Severity
from pipegen.rules.edits import applied
from pipegen.rules.fixing import fitting, with_breaks_of
from pipegen.source import FolderTree, OverlaidTree, UnreadableError

MAX_ROUNDS: Final = 20
"""Fixes that wait for one another: one round for each of the longest row of them."""
MAX_TRIALS: Final = 100
"""How often fixes are tried: once for each round, and about 15 times more for each one of 200 that makes an error."""
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

    Where fixes make an error together, as many are made as make none; one that makes an error by itself is not made,
    and keeps no other from being made. Fixes are for the files on disk, in a hook as well.

    Raises:
        PipegenError: see `lint`.
    """
    disk = FolderTree(root=request.place.root)
    on_disk = request.outside_of_a_hook
    done = _State(files={}, linted=lint(on_disk, wanted))
    trials = _Trials(request=on_disk, wanted=wanted, disk=disk)
    for _ in range(MAX_ROUNDS):
        then = _next(trials, done)
        if then is done:
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


@dataclass(slots=True, kw_only=True)
class _Trials:
    """Tries fixes out. What was refused is known, and when `left` is used up, everything else is refused."""

    request: Request
    wanted: Wanted
    disk: FolderTree
    left: int = MAX_TRIALS
    refused: set[frozenset[tuple[str, bytes]]] = field(default_factory=set)

    def after(self, state: _State, fixes: Sequence[Diagnostic], *, apart: bool = False) -> _State | None:
        """The state after fixes, which is that before if they change nothing; None if they make an error."""
        changed = _round(state, self.disk, fixes, apart=apart)
        if not changed:
            return state
        content = frozenset(changed.items())
        if content in self.refused or not self.left:
            return None
        self.left -= 1
        files = {**state.files, **changed}
        place = replace(self.request.place, held=OverlaidTree(tree=self.disk, files=files))
        then = _State(files=files, linted=lint(replace(self.request, place=place), self.wanted))
        if then.errors <= state.errors:
            return then
        self.refused.add(content)
        return None


def _next(trials: _Trials, state: _State) -> _State:
    """The state after one more round of fixes; the same one if there is none that makes no error.

    Only files of the workspace are changed: those that `lint` reads.
    """
    trials.refused.clear()  # what was refused then was for other files
    known = state.linted.texts
    offered = (d for d in state.linted.diagnostics if d.fix and all(edit.span.path in known for edit in d.fix))
    fixes = [one for one in offered if _has_its_places(state, trials.disk, one)]
    for apart in (False, True):
        then = trials.after(state, fixes, apart=apart)
        if then is not None:
            return then
    return _most(trials, state, _Taken(fixes=(), then=state), fixes).then


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    """Fixes that make no error together, and the state after them."""

    fixes: tuple[Diagnostic, ...]
    then: _State


def _most(trials: _Trials, state: _State, taken: _Taken, fixes: Sequence[Diagnostic]) -> _Taken:
    """As many more fixes as make no error, found by halves: a few trials for each one that makes one."""
    every = (*taken.fixes, *fixes)
    then = trials.after(state, every)
    if then is not None:
        return _Taken(fixes=every, then=then)
    if len(fixes) < 2:
        return taken
    half = len(fixes) // 2
    return _most(trials, state, _most(trials, state, taken, fixes[:half]), fixes[half:])


def _round(state: _State, disk: FolderTree, fixes: Sequence[Diagnostic], *, apart: bool) -> Mapping[str, bytes]:
    """The files that one round of fixes changes, as many of them as go together."""
    result = {}
    for path, edits in fitting(fixes, apart=apart).items():
        before = _now(state, disk, path)
        after = _edited(before, edits)
        if after is not None and after != before:
            result[path] = after
    return result


def _has_its_places(state: _State, disk: FolderTree, fix: Diagnostic) -> bool:
    """Whether a fix can be made at all: one whose places are not there would keep others from the same file."""
    return all(_edited(_now(state, disk, path), edits) is not None for path, edits in fitting((fix,)).items())


def _edited(content: bytes, edits: Sequence[Edit]) -> bytes | None:
    """A file with edits made; None where it is not UTF-8, or a place is not there."""
    mark = _BOM if content.startswith(_BOM) else b""
    try:
        text = content.removeprefix(_BOM).decode("utf-8")
        return mark + applied(text, with_breaks_of(text, edits)).encode("utf-8")
    except (ValueError, IndexError):
        return None


def _now(state: _State, disk: FolderTree, path: str) -> bytes:
    return state.files[path] if path in state.files else _content(disk, path)


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
