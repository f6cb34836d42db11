"""Where the repository is, and which files it has."""

import os
from pathlib import Path
from typing import Final

from pipegen.git.command import Git, NotARepositoryError, shown_name


def repository_root(git: Git) -> Path | None:
    """The top of the working tree that the folder lies in; None where it lies in none (a bare repository has none).

    Raises:
        GitError: there is no git, or it refuses the repository (one that belongs to someone else).
    """
    try:
        top = git.run("rev-parse", "--show-toplevel")
    except NotARepositoryError:
        return None
    return Path(os.fsdecode(top.removesuffix(b"\n")))


def tracked_files(
    git: Git, *, index_file: str | None = None, untracked: bool = False, on_disk: bool = False
) -> tuple[str, ...]:
    """The files that git tracks below the folder, as paths from there, sorted.

    A file in conflict counts once, one that is deleted on disk counts until the index says so, a submodule is one path.
    With `untracked` also those that are neither tracked nor ignored, as before a first commit. With `on_disk` none that
    is deleted there; what a sparse checkout leaves out is not. `index_file` is the index that a commit is being made
    from (GIT_INDEX_FILE in a hook), which is not always the repository's.

    Raises:
        GitError: there is no git or no repository, or git fails.
    """
    others = ["--others", "--exclude-standard"] if untracked else []
    gone = ["--deleted"] if on_disk else []
    listed = git.run("ls-files", "-z", "-t", "--cached", *others, *gone, index_file=index_file)
    # A name with "/" at its end is a repository inside this one: a folder that is not this repository's to read.
    lines = [line for line in listed.split(b"\0") if line and not line.endswith(b"/")]
    deleted = {line[2:] for line in lines if line.startswith(_DELETED)}
    return tuple(sorted({shown_name(line[2:]) for line in lines if line[2:] not in deleted}))


_DELETED: Final = b"R "


def changed_on_disk(git: Git, *, index_file: str | None = None) -> frozenset[str]:
    """The tracked files below the folder that are not, or may not be, on disk as they are in the index.

    Contents are not compared: a file that was touched counts.

    Raises:
        GitError: there is no git or no repository, or git fails.
    """
    options = ("-z", "--name-only", "--relative", "--ignore-submodules=all", "--no-ext-diff")
    listed = git.run("diff-files", *options, index_file=index_file)
    return frozenset(shown_name(name) for name in listed.split(b"\0") if name)
