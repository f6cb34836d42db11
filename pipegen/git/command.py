"""Running git so that it runs nothing of the repository's: no hook, filter, fsmonitor, diff driver, pager or prompt."""

import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.diagnostics import PipegenError

SETTINGS: Final = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.ext.allow=never",  # a remote helper that runs whatever the address says
)
"""Settings that win over those of the repository, as `NAME=VALUE`."""

FLAGS: Final = ("--no-pager", "--no-optional-locks", "--no-replace-objects", "--literal-pathspecs")
"""Options of git itself. History is what the commits say: replacement objects would let two clones disagree."""

_REPOSITORY_VARIABLES: Final = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_ATTR_SOURCE",
        "GIT_COMMON_DIR",
        "GIT_DIFF_OPTS",
        "GIT_DIR",
        "GIT_EXTERNAL_DIFF",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_NAMESPACE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PAGER",
        "GIT_PREFIX",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
        "GIT_GLOB_PATHSPECS",
        "GIT_ICASE_PATHSPECS",
        "GIT_NOGLOB_PATHSPECS",
    }
)
"""What a hook's environment says about the hook's repository, which need not be the workspace's, and what would change
git's answers. GIT_CONFIG_* stay: they are the caller's, and `safe.directory` is often set there; so does the system's
configuration, for the same reason."""

LOCAL_SECONDS: Final = 120.0
"""How long a call may take that needs no network."""


class GitError(PipegenError):
    """git could not answer; the text says why in one line."""


class GitMissingError(GitError):
    """There is no git to run."""


class NotARepositoryError(GitError):
    """The folder lies in no repository's working tree."""


class GitFailedError(GitError):
    """git ended with an error or took too long. `status` is its exit status, None if it was stopped."""

    def __init__(self, text: str, *, status: int | None) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """git, run in a folder of a repository. The folder may lie below the repository's root.

    `environment` is that of the process; what it says about another repository is left out. `network_seconds` bounds
    every call that talks to a remote.
    """

    folder: Path
    environment: Mapping[str, str] = field(repr=False)
    network_seconds: float = 120.0

    def clean_environment(self) -> dict[str, str]:
        """The environment that git runs in: it asks no one, speaks English, and finds the repository by the folder."""
        kept = {name: value for name, value in self.environment.items() if name not in _REPOSITORY_VARIABLES}
        # A caller's GIT_ASKPASS answers by itself in CI; empty, it keeps git from turning to SSH_ASKPASS.
        return {
            "GIT_ASKPASS": "",
            **kept,
            "GIT_TERMINAL_PROMPT": "0",
            "SSH_ASKPASS_REQUIRE": "never",
            "LC_ALL": "C",
            "LANGUAGE": "C",
        }

    def run(self, *arguments: str, seconds: float = LOCAL_SECONDS, index_file: str | None = None) -> bytes:
        """What git prints.

        Raises:
            GitMissingError: git cannot be started.
            NotARepositoryError: the folder lies in no repository.
            GitFailedError: git fails, or takes longer than `seconds`.
        """
        options = [part for setting in SETTINGS for part in ("-c", setting)]
        environment = self.clean_environment()
        if index_file is not None:
            environment["GIT_INDEX_FILE"] = index_file
        try:
            # A session of its own has no terminal to ask at, and can be stopped with all that it started.
            process = subprocess.Popen(  # noqa: S603 - words, no shell
                ["git", *options, *FLAGS, "-C", str(self.folder), *arguments],  # noqa: S607 - the caller's PATH says which
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise GitMissingError(f"git cannot be run: {(error.strerror or str(error)).lower()}") from error
        output, complaint = _finished(process, arguments[0], seconds)
        if process.returncode:
            raise failure(arguments[0], process.returncode, complaint)
        return output

    def ask(self, *arguments: str) -> bytes | None:
        """What git prints, or None where it answers no (exit status 1). Raises as `run` does."""
        try:
            return self.run(*arguments)
        except GitFailedError as error:
            if error.status == 1:
                return None
            raise

    def object_id(self, revision: str, kind: str) -> str | None:
        """The full id of the commit or tree that a revision names, or None if it names none here.

        Raises as `run` does; a damaged repository is not an unknown revision.
        """
        if is_unusable(revision):
            return None
        found = self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{{kind}}}")
        return None if found is None else found.decode().strip()

    def shallow_commits(self) -> frozenset[str]:
        """The commits whose parents a shallow clone leaves out; empty in a whole one. Raises as `run` does."""
        place = self.run("rev-parse", "--git-path", "shallow").removesuffix(b"\n")
        try:
            content = (self.folder / os.fsdecode(place)).read_bytes()
        except FileNotFoundError:
            return frozenset()
        except OSError as error:
            raise GitFailedError(f"cannot read which commits are shallow: {error.strerror}", status=None) from error
        return frozenset(content.decode("ascii", "replace").split())

    def git_folder(self) -> Path:
        """The repository's own folder, or that of a linked working tree, without links. Raises as `run` does."""
        printed = self.run("rev-parse", "--absolute-git-dir").removesuffix(b"\n")
        return Path(os.path.realpath(os.fsdecode(printed)))

    def prefix(self) -> str:
        """The folder's path from the repository's root with `/` at its end, or empty text. Raises as `run` does."""
        return os.fsdecode(self.run("rev-parse", "--show-prefix").removesuffix(b"\n"))


def _finished(process: subprocess.Popen[bytes], command: str, seconds: float) -> tuple[bytes, bytes]:
    with process:
        try:
            return process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as error:
            _stop(process)
            raise GitFailedError(f"git {command} took more than {seconds:g} seconds", status=None) from error
        except BaseException:
            _stop(process)
            raise


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End git and all that it started: a transport that outlives it would keep its pipes open."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()


def failure(command: str, status: int, complaint: bytes) -> GitError:
    """The error for a call that ended with `status` and wrote `complaint` to standard error."""
    lines = [line.strip() for line in complaint.decode("utf-8", "replace").splitlines() if line.strip()]
    fatal = next((line for line in lines if line.startswith("fatal:")), lines[0] if lines else f"exit status {status}")
    reason = fatal.removeprefix("fatal:").removeprefix("error:").strip()
    if reason.startswith(("not a git repository", "this operation must be run in a work tree")):
        return NotARepositoryError("not in the working tree of a git repository")
    return GitFailedError(f"git {command} failed: {reason}", status=status)


def is_unusable(revision: str) -> bool:
    """Whether a name could be read as an option, or cannot be handed to git at all."""
    return not revision or revision.startswith("-") or any(ord(character) < 32 for character in revision)


def shown_name(name: bytes) -> str:
    r"""A file's name as text. A byte that is not UTF-8 is written `\xNN`, so that it can be matched, sorted and shown.

    Such a name opens no file on disk; that the file changed, and in which folder, still counts.
    """
    return name.decode("utf-8", "backslashreplace")
