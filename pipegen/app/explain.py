"""What a caller means by a key or a path, and the answer."""

import posixpath
from collections.abc import Iterable
from pathlib import Path
from typing import Final, TypeAlias

from pipegen.app.changes import Asked, Known
from pipegen.app.expansion import Plan
from pipegen.app.generating import choose
from pipegen.app.place import from_root
from pipegen.app.request import Request
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Diagnostic, WrongUsageError, closest
from pipegen.git import GitError, listed_names, tracked_files
from pipegen.select.edits import Entries
from pipegen.select.explain import JobExplained, PathExplained, explain_job, explain_path
from pipegen.select.unclassified import is_own, own_files
from pipegen.source import UnreadableError

MAX_LISTING_BYTES: Final = 1 << 26


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsAnswer:
    """The answer to a key or an area's name: its jobs in this build, and what is known of that."""

    jobs: tuple[JobExplained, ...]
    known: Known
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PathAnswer:
    """The answer to a path. `exists` is None where nobody can tell; `meant` is a file that may be meant instead."""

    path: PathExplained
    exists: bool
    meant: str | None


Answer: TypeAlias = JobsAnswer | PathAnswer


def explain(request: Request, plan: Plan, asked: Asked, what: str, start: Path) -> Answer:
    """Why a job runs, or what a file means. A path is relative to the folder `start`, if that is in the workspace.

    Raises:
        WrongUsageError: there is no such key, area or file.
    """
    keys = _keys(plan, what)
    if keys:
        chosen = choose(request, plan, asked)
        jobs = (explain_job(plan.expansion, chosen.plan, key) for key in keys)
        return JobsAnswer(
            jobs=tuple(job for job in jobs if job is not None),
            known=chosen.known,
            diagnostics=chosen.known.diagnostics,
        )
    path, _, test = what.partition("::")
    path = from_root(path, request.place.root, start)
    files = _files(request, plan)
    exists = path in files or any(file.startswith(f"{path}/") for file in files) or _is_own(request, plan, path)
    if not exists and not _looks_like_a_path(what):
        raise WrongUsageError(f'"{what}" is no key, area or file: {_meant(what, plan, files)}')
    entries = Entries.of(plan.expansion, plan.catalogue.hardware, plan.templates.sources)
    found = explain_path(plan.expansion, plan.workspace, entries, path, test or None)
    return PathAnswer(path=found, exists=exists, meant=None if exists else _nearest(path, files))


def _keys(plan: Plan, what: str) -> tuple[str, ...]:
    """The jobs that a key, a gate's key or an area's name stands for; a key wins."""
    jobs = plan.expansion.jobs
    exact = tuple(job.key for job in jobs if what in (job.key, job.gate.key))
    return exact[:1] or tuple(job.key for job in jobs if job.origin.area == what)


def _files(request: Request, plan: Plan) -> frozenset[str]:
    """Every file that the areas can be about: those of the listing, or of the repository."""
    tree, listing = request.place.tree, plan.workspace.listing
    if listing is not None:
        try:
            return frozenset(listed_names(tree.read(listing.text, limit=MAX_LISTING_BYTES)))
        except UnreadableError:
            return frozenset()
    try:
        return frozenset(tracked_files(request.place.git(request.environment), untracked=True))
    except GitError:
        return frozenset(tree.under("."))


def _is_own(request: Request, plan: Plan, path: str) -> bool:
    """Whether it is one of the workspace's own files, which a listing of another repository does not name."""
    return is_own(path, own_files(plan.workspace)) and bool(request.place.tree.under(path))


def _looks_like_a_path(what: str) -> bool:
    """Whether it can be meant for a file that is gone; `area/of/tests` is what areas are called."""
    return "." in posixpath.basename(what) or "::" in what or what.endswith("/") or what.startswith("/")


def _nearest(path: str, files: Iterable[str]) -> str | None:
    """The file that may be meant: one of the same name elsewhere, or of a similar name in the same folder."""
    folder, name = posixpath.split(path)
    known = sorted(files)
    same = [file for file in known if posixpath.basename(file) == name]
    if same:
        return closest(path, same) or same[0]
    beside = [file for file in known if posixpath.dirname(file) == folder]
    return closest(path, beside)


def _meant(what: str, plan: Plan, files: Iterable[str]) -> str:
    jobs = plan.expansion.jobs
    renamed = next((job.key for job in jobs if what in job.was), None)
    if renamed is not None:
        return f'the job is "{renamed}" now'
    near = closest(what, [*(job.key for job in jobs), *(job.origin.area for job in jobs if job.origin.area)])
    near = near or _nearest(what, files)
    return f'did you mean "{near}"?' if near else "pipegen list jobs shows the keys"
