"""Real git repositories for tests, built step by step. conftest.py keeps the caller's settings out of them."""

import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pipegen.git import Git


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A repository with a working tree at `path`."""

    path: Path

    @classmethod
    def create(cls, path: Path, *options: str) -> "Repository":
        """An empty repository whose unborn branch is `main`."""
        path.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "init", "--quiet", *options, str(path)], check=True)
        return cls(path=path)

    @property
    def command(self) -> Git:
        """What the code under test is given."""
        return self.command_in("")

    @property
    def url(self) -> str:
        """An address that makes git speak its protocol, where a plain path would be copied."""
        return f"file://{self.path}"

    def command_in(self, folder: str, extra: Mapping[str, str] | None = None) -> Git:
        """The same, in a folder below and with more environment."""
        return Git(folder=self.path / folder, environment={**os.environ, **(extra or {})})

    def git(self, *arguments: str, content: bytes | None = None, extra: Mapping[str, str] | None = None) -> str:
        """Run git here; its output without white space around it."""
        done = subprocess.run(
            ["git", "-C", str(self.path), *arguments],
            input=content,
            capture_output=True,
            env={**os.environ, **(extra or {})},
            check=False,
        )
        assert done.returncode == 0, f"git {arguments}: {done.stderr.decode(errors='replace')}"
        return done.stdout.decode(errors="backslashreplace").strip()

    def write(self, name: str | bytes, content: str | bytes = "content\n", *, executable: bool = False) -> None:
        """Write a file of the working tree, and the folders above it."""
        place = self.path / os.fsdecode(name)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        place.chmod(0o755 if executable else 0o644)

    def link(self, name: str, target: str) -> None:
        """Make a symbolic link in the working tree."""
        place = self.path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)

    def remove(self, name: str) -> None:
        """Delete a file of the working tree."""
        (self.path / name).unlink()

    def rename(self, old: str, new: str) -> None:
        """Move a file or folder, as `git mv` does."""
        (self.path / new).parent.mkdir(parents=True, exist_ok=True)
        self.git("mv", old, new)

    def submodule(self, name: str, commit: str) -> None:
        """Record a submodule without one on disk, and commit that."""
        self.git("update-index", "--add", "--cacheinfo", f"160000,{commit},{name}")
        self.git("commit", "--quiet", "-m", f"submodule {name}")

    def commit(self, message: str = "change") -> str:
        """Commit all of the working tree, even if nothing changed; the commit's id."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        return self.head

    def commit_files(self, *names: str, message: str = "change") -> str:
        """Write each file with a content of its own for this commit, and commit."""
        for name in names:
            self.write(name, f"{message} {name}\n")
        return self.commit(message)

    def branch(self, name: str, at: str = "HEAD") -> None:
        """Make a branch and switch to it."""
        self.git("switch", "--quiet", "--create", name, at)

    def switch(self, name: str) -> None:
        """Switch to a branch."""
        self.git("switch", "--quiet", name)

    def detach(self, revision: str) -> None:
        """Check a commit out without a branch."""
        self.git("switch", "--quiet", "--detach", revision)

    def merge(self, *names: str, options: Iterable[str] = ()) -> str:
        """Merge branches with a merge commit; its id."""
        self.git("merge", "--quiet", "--no-ff", "-m", "merge", *options, *names)
        return self.head

    @property
    def head(self) -> str:
        """The id of the commit that is checked out."""
        return self.id_of("HEAD")

    def id_of(self, revision: str) -> str:
        """The full id of a revision."""
        return self.git("rev-parse", "--verify", revision)

    def clone(self, path: Path, *options: str) -> "Repository":
        """Clone this repository over git's protocol."""
        subprocess.run(["git", "clone", "--quiet", *options, self.url, str(path)], check=True)
        return Repository(path=path)

    def worktree(self, path: Path, branch: str) -> "Repository":
        """A linked working tree on a new branch."""
        self.git("worktree", "add", "--quiet", "-b", branch, str(path))
        return Repository(path=path)


def script(path: Path, text: str) -> Path:
    """An executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path
