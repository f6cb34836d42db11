"""What a build is compared with: which revision, where it is found, and the history that both share."""

import re
from collections.abc import Iterator
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.git.causes import BAD_BASE, NO_BASE, NO_MERGE_BASE, SHALLOW_CLONE, UNKNOWN_BASE, fail_wide
from pipegen.git.command import Git, GitFailedError, is_unusable

_OBJECT_ID: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_DEEPEN: Final = ("--deepen=100", "--deepen=1000", "--unshallow")
_FETCH: Final = (
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-auto-gc",
    "--no-recurse-submodules",
    "--no-write-fetch-head",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What a build says about what it is to be compared with; None or empty where it says nothing.

    `base` is a revision that the user names and wins. `merge_queue_base` is the commit that a merge queue builds upon,
    `pull_request_base` the name of the branch that a pull request goes to, without a remote's name.
    `configured_base` is the workspace's revision for all other builds.
    """

    base: str | None = None
    merge_queue_base: str | None = None
    pull_request_base: str | None = None
    configured_base: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The revision to compare with: its name, who names it, and the revisions that it may be, in order."""

    name: str
    named_by: str
    revisions: tuple[str, ...]
    is_branch: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The commit to compare with, and the name that it was found by."""

    commit: str
    name: str


def named_base(comparison: Comparison) -> Base:
    """The base that a build names.

    Raises:
        FailWideError: it names none, or one that git would take for an option.
    """
    if comparison.base:
        base = Base(name=comparison.base, named_by="--base", revisions=(comparison.base,))
    elif comparison.merge_queue_base:
        name = comparison.merge_queue_base
        base = Base(name=name, named_by="the merge queue", revisions=(name,))
    elif comparison.pull_request_base:
        name = comparison.pull_request_base
        places = (f"refs/remotes/origin/{name}", f"refs/heads/{name}")
        base = Base(name=name, named_by="the pull request", revisions=places, is_branch=True)
    elif comparison.configured_base:
        name = comparison.configured_base
        base = Base(name=name, named_by="selection.base", revisions=(name,))
    else:
        raise fail_wide(
            NO_BASE,
            "nothing says what to compare with: no pull request, no merge queue, no --base, no selection.base",
            "set selection.base in the workspace file, for example to origin/main",
        )
    if is_unusable(base.name):
        shown = base.name.encode("unicode_escape").decode()
        raise fail_wide(
            BAD_BASE,
            f'"{shown}", which {base.named_by} names as the base, is not the name of a revision',
            "name a branch, tag or commit, for example origin/main",
        )
    return base


def find_base(git: Git, base: Base, *, fetch: bool) -> Found:
    """The base's commit. A base that is not in this clone is fetched once.

    Raises:
        FailWideError: it is not in this clone and cannot be fetched.
        GitError: git fails.
    """
    found = _look(git, base.revisions)
    if found is not None:
        return found
    problem = "fetching is off"
    if fetch:
        problem = "no remote has a branch or commit of this name"
        source = _source(git, base)
        if source is not None:
            try:
                git.run(*_FETCH, "--end-of-options", source.remote, source.refspec, seconds=git.network_seconds)
            except GitFailedError as error:
                problem = str(error)
            found = _look(git, (source.revision,))
    if found is None:
        raise fail_wide(
            UNKNOWN_BASE,
            f'"{base.name}", which {base.named_by} names as the base, is not in this clone: {problem}',
            f"fetch it before pipegen runs: git fetch origin {base.name.removeprefix('origin/')}",
        )
    return found


def _look(git: Git, revisions: tuple[str, ...]) -> Found | None:
    for revision in revisions:
        try:
            commit = git.object_id(revision, "commit")
        except GitFailedError:  # it is there and is no commit, or is no name that git can parse
            commit = None
        if commit is not None:
            return Found(commit=commit, name=revision.removeprefix("refs/remotes/").removeprefix("refs/heads/"))
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """Where a base can be fetched from, and the revision that it then is."""

    remote: str
    refspec: str
    revision: str


def _source(git: Git, base: Base) -> _Source | None:
    remotes = _remotes(git)
    if not remotes:
        return None
    if _OBJECT_ID.fullmatch(base.name):
        return _Source(remote=remotes[0], refspec=base.name, revision=base.name)
    name = base.name.removeprefix("refs/remotes/").removeprefix("refs/heads/")
    remote, branch = remotes[0], name
    if not base.is_branch:
        for candidate in sorted(remotes, key=len):  # a remote's name may hold "/": the longest that fits is meant
            if name.startswith(candidate + "/"):
                remote, branch = candidate, name.removeprefix(candidate + "/")
    if git.ask("check-ref-format", f"refs/heads/{branch}") is None:  # "main~3", or worse: a refspec in disguise
        return None
    tracking = f"refs/remotes/{remote}/{branch}"
    return _Source(remote=remote, refspec=f"+refs/heads/{branch}:{tracking}", revision=tracking)


def _remotes(git: Git) -> tuple[str, ...]:
    """The names of all remotes, `origin` first."""
    names = git.run("remote").decode("utf-8", "surrogateescape").splitlines()
    usable = (name for name in names if not is_unusable(name))
    return tuple(sorted(usable, key=lambda name: (name != "origin", name)))


def shared_history(git: Git, head: str, found: Found, *, fetch: bool) -> tuple[str, ...]:
    """All merge bases of HEAD and the base, git's favourite first; a shallow clone is deepened until they are certain.

    Raises:
        FailWideError: there is none, or the clone is shallow and cannot be deepened.
        GitError: git fails.
    """
    for _ in _deeper(git, (head, found.commit), fetch=fetch):
        bases = _merge_bases(git, head, found.commit)
        hidden = git.shallow_commits()
        if not hidden and not bases:
            raise fail_wide(
                NO_MERGE_BASE,
                f'HEAD and "{found.name}" share no history',
                "rebase onto the base branch, or name another base with --base",
            )
        if bases and (not hidden or _are_certain(git, bases, (head, found.commit), hidden)):
            return bases
    raise AssertionError("deepening ends with an answer or an error")


def first_parent(git: Git, head: str, *, fetch: bool) -> str | None:
    """HEAD's first parent; None for a commit that has none. A shallow clone is deepened where it leaves the parent out.

    Raises:
        FailWideError: the clone is shallow and cannot be deepened.
        GitError: git fails.
    """
    for _ in _deeper(git, (head,), fetch=fetch):
        parent = git.object_id(f"{head}^1", "commit")
        if parent is not None or head not in git.shallow_commits():
            return parent
    raise AssertionError("deepening ends with an answer or an error")


def _merge_bases(git: Git, head: str, base: str) -> tuple[str, ...]:
    printed = git.ask("merge-base", "--all", head, base)
    return () if printed is None else tuple(printed.decode().split())


def _are_certain(git: Git, bases: tuple[str, ...], tips: tuple[str, str], hidden: frozenset[str]) -> bool:
    """Whether history that a shallow clone leaves out cannot hold a better merge base.

    It cannot where one tip is the merge base, or where no commit on the way from a tip to a merge base lacks parents.
    """
    if bases[0] in tips:
        return True
    way = git.run("rev-list", *tips, "--not", *bases).decode().split()
    return hidden.isdisjoint(way)


def _deeper(git: Git, tips: tuple[str, ...], *, fetch: bool) -> Iterator[None]:
    """Once with the clone as it is, then once with each step of more history.

    Raises:
        FailWideError: there is no more to be had.
    """
    yield
    problem = "fetching is off"
    remotes = _remotes(git) if fetch else ()
    if fetch:
        problem = f'"{remotes[0]}" has no more of it' if remotes else "it has no remote to fetch the rest from"
    for step in _DEEPEN if remotes else ():
        try:
            _deepen(git, step, remotes[0], tips)
        except GitFailedError as error:
            problem = str(error)
            break
        yield
    raise fail_wide(
        SHALLOW_CLONE,
        f"the clone is shallow and its history does not reach far enough: {problem}",
        "clone without --depth, or run git fetch --unshallow before pipegen",
    )


def _deepen(git: Git, step: str, remote: str, tips: tuple[str, ...]) -> None:
    """Fetch more history of the tips by their ids: the remote's refspec would bring all other branches as well."""
    try:
        git.run(*_FETCH, step, "--end-of-options", remote, *tips, seconds=git.network_seconds)
    except GitFailedError as error:
        if error.status is None:
            raise
        # A server may give out branches only.
        git.run(*_FETCH, step, "--end-of-options", remote, seconds=git.network_seconds)
