"""The change set of a build: the files that differ between a commit and what it is compared with."""

from collections.abc import Callable
from typing import TypeVar

from pipegen.dataclass import dataclass
from pipegen.git.bases import Comparison, Found, find_base, first_parent, named_base, shared_history
from pipegen.git.causes import (
    EMPTY_DIFF,
    GIT_FAILED,
    GIT_MISSING,
    NO_COMMIT,
    NOT_A_REPOSITORY,
    Everything,
    FailWideError,
    fail_wide,
)
from pipegen.git.command import Git, GitFailedError, GitMissingError, NotARepositoryError, shown_name

__all__ = ["ChangeSet", "Comparison", "base_commit", "change_set"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSet:
    """The files that a build is about: added, deleted, changed in content or mode, and both names of a renamed one.

    `files` are paths from the repository's root (not the workspace's, where that lies below), sorted; a submodule is
    one path. `base` and `head` are full commit ids; `base` is None where all of HEAD is new, both where no commits were
    compared. `why` is one sentence that says what was compared.
    """

    files: tuple[str, ...]
    base: str | None
    head: str | None
    why: str


def change_set(git: Git, comparison: Comparison, *, fetch: bool) -> ChangeSet | Everything:
    """The files that differ between HEAD and its merge base with the base, from commits alone: not the working tree.

    Where HEAD is part of the base's history (a build of the base branch), they are those that differ from HEAD's first
    parent; a first commit consists of changes. Of several merge bases each counts. With `fetch`, a base that is missing
    and history that a shallow clone lacks are fetched from a remote, if one answers.

    `files` is empty in two cases, in which HEAD really changes nothing: a commit in the base's history that leaves
    every file as its first parent has it (made with --allow-empty, or a merge that keeps one side), and a first commit
    without files. Where HEAD is ahead of its base, an empty difference is suspicious and answered with `Everything`.
    """
    return _or_everything(git, lambda: _compared(git, comparison, fetch=fetch))


def base_commit(git: Git, comparison: Comparison, *, fetch: bool, uncommitted: bool) -> str | Everything | None:
    """The id of the commit that a change set would start from: the first merge base of HEAD and the base.

    Where HEAD is part of the base's history it is HEAD's first parent, None for a first commit; with `uncommitted`, for
    what is about to become a commit on top of HEAD, it is HEAD itself.
    """

    def start() -> str | None:
        head = _head(git)
        bases = shared_history(git, head, find_base(git, named_base(comparison), fetch=fetch), fetch=fetch)
        if head in bases and not uncommitted:
            return first_parent(git, head, fetch=fetch)
        return bases[0]

    return _or_everything(git, start)


def _or_everything(git: Git, ask: Callable[[], T]) -> T | Everything:
    """An answer of git, or why there is none."""
    try:
        return ask()
    except FailWideError as error:
        return error.everything
    except GitMissingError as error:
        return Everything(code=GIT_MISSING, why=str(error), help="install git, or hand over --changed-files")
    except NotARepositoryError as error:
        return Everything(code=NOT_A_REPOSITORY, why=str(error), help="run in a clone, or hand over --changed-files")
    except GitFailedError as error:
        return Everything(code=GIT_FAILED, why=str(error), help=_advice(git, str(error)))


def _advice(git: Git, problem: str) -> str:
    if "dubious ownership" in problem:
        return f"trust the folder: git config --global --add safe.directory {git.folder}"
    return "see that git works in this folder, or hand over --changed-files"


def _head(git: Git) -> str:
    head = git.object_id("HEAD", "commit")
    if head is None:
        raise fail_wide(NO_COMMIT, "HEAD has no commit yet", "commit, or hand over --changed-files")
    return head


def _compared(git: Git, comparison: Comparison, *, fetch: bool) -> ChangeSet:
    head = _head(git)
    found = find_base(git, named_base(comparison), fetch=fetch)
    bases = shared_history(git, head, found, fetch=fetch)
    if head in bases:
        return _own_changes(git, head, found, first_parent(git, head, fetch=fetch))
    files = sorted({file for base in bases for file in _differing(git, base, head)})
    shown = " and ".join(_short(base) for base in bases)
    why = f"merge base{'' if len(bases) == 1 else 's'} {shown} of {found.name} and HEAD"
    if not files:
        raise fail_wide(
            EMPTY_DIFF,
            f"HEAD is ahead of the {why}, and no file differs",
            "nothing, if a commit without changes was meant to run everything",
        )
    return ChangeSet(files=tuple(files), base=bases[0], head=head, why=why)


def _own_changes(git: Git, head: str, found: Found, parent: str | None) -> ChangeSet:
    if parent is None:
        listed = git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", head)
        return ChangeSet(files=_names(listed), base=None, head=head, why="HEAD is a first commit: all of it is new")
    files = _differing(git, parent, head)
    why = f"HEAD is part of {found.name}: compared with its first parent {_short(parent)}"
    return ChangeSet(files=files, base=parent, head=head, why=why)


def _differing(git: Git, old: str, new: str) -> tuple[str, ...]:
    """The files that differ between two commits.

    `diff-tree` and not `diff`: no setting of the user's or the repository's narrows what it lists. A submodule's
    `ignore` in .gitmodules would; hence the option.
    """
    return _names(
        git.run(
            "diff-tree",
            "-r",
            "-z",
            "--name-only",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules=none",
            "--end-of-options",
            old,
            new,
        )
    )


def _names(listed: bytes) -> tuple[str, ...]:
    return tuple(sorted(shown_name(name) for name in listed.split(b"\0") if name))


def _short(commit: str) -> str:
    return commit[:12]
