"""The objects of a repository, read through GitPython's command object."""

import contextlib
import os
from subprocess import PIPE
from typing import TYPE_CHECKING, cast

from pipegen.dataclass import dataclass
from pipegen.git.command import FLAGS, SETTINGS, Git, GitError, GitMissingError
from pipegen.source import LostError

if TYPE_CHECKING:
    from git import Git as Command


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where a repository's parts are on disk, and where the folder lies in it (`a/b`, or empty text at its root)."""

    git_folder: str
    objects: str
    common_folder: str
    prefix: str


def places_of(git: Git) -> Places:
    """Ask git for them all at once.

    Raises:
        GitError: there is no git or no repository.
    """
    printed = git.run(
        "rev-parse", "--absolute-git-dir", "--git-path", "objects", "--git-common-dir", "--show-prefix"
    ).split(b"\n", 3)
    if len(printed) != 4 or not printed[3].endswith(b"\n"):
        raise GitError(f'the path of the repository at "{git.folder}" holds a line break')
    at = [os.path.join(git.folder, os.fsdecode(line)) for line in printed[:3]]  # noqa: PTH118 - a variable is text
    prefix = os.fsdecode(printed[3][:-1]).removesuffix("/")
    return Places(git_folder=at[0], objects=at[1], common_folder=at[2], prefix=prefix)


def command(git: Git, places: Places) -> "Command":
    """GitPython's git for the repository that the folder lies in, under the rules of `pipegen.git.command`.

    GitPython starts from the process's own environment, in which a hook may find another repository named; so every
    place is named here.

    Raises:
        GitMissingError: there is no git.
    """
    try:
        from git import Git as Command  # noqa: PLC0415 - it takes longer to import than a lint may last
    except ImportError as error:
        raise GitMissingError("git cannot be run") from error
    result = Command(str(git.folder))
    result.update_environment(
        **git.clean_environment(),
        GIT_DIR=places.git_folder,
        GIT_COMMON_DIR=places.common_folder,
        GIT_OBJECT_DIRECTORY=places.objects,
        GIT_ALTERNATE_OBJECT_DIRECTORIES="",
    )
    flags = {flag.removeprefix("--").replace("-", "_"): True for flag in FLAGS}
    result.set_persistent_git_options(c=SETTINGS, **flags)
    return result


class Blobs:
    """Contents of files by their object's id, from one `git cat-file --batch` that runs as long as this is in use.

    GitPython's own reader of that protocol knows SHA-1 repositories only.
    """

    def __init__(self, git: "Command") -> None:
        self._process = cast("Command.AutoInterrupt", git.cat_file("--batch", as_process=True, istream=PIPE))

    def read(self, object_id: str, *, limit: int) -> bytes:
        """At most `limit + 1` bytes of the object.

        Raises:
            LostError: this clone does not have it, or git has ended.
        """
        try:
            self._process.stdin.write(object_id.encode("ascii") + b"\n")
            self._process.stdin.flush()
            header: bytes = self._process.stdout.readline()
            words = header.split()
            if len(words) != 3:
                raise LostError("this clone does not have its content")
            size = int(words[2])
            content: bytes = self._process.stdout.read(min(size, limit + 1))
            self._skip(size - len(content) + 1)
        except OSError as error:
            raise LostError(f"git ended: {(error.strerror or str(error)).lower()}") from error
        return content

    def close(self) -> None:
        """End the process. GitPython would leave its pipes open where it has ended by itself."""
        process = self._process.proc
        if process is not None:
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    with contextlib.suppress(OSError):  # git may have gone first
                        pipe.close()
            process.wait()

    def _skip(self, count: int) -> None:
        """Pass over the rest of an object and the newline behind it, so that the next answer is the next to be read."""
        while count > 0:
            passed = len(self._process.stdout.read(min(count, 1 << 20)))
            if not passed:
                raise LostError("git ended in the middle of it")
            count -= passed
