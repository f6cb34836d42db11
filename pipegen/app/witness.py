"""What a run asked the world, and what it heard: with the same answers it would come to the same result."""

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from pipegen.dataclass import dataclass
from pipegen.git import Git, GitError, GitFailedError, GitMissingError
from pipegen.git.command import LOCAL_SECONDS
from pipegen.source import FolderTree, LostError, Tree, UnreadableError

Question: TypeAlias = tuple[str, ...]
"""What was asked, as words: who was asked (a constant of `Witness`), and for what."""

_REPEATABLE: Final = frozenset(
    {"diff-files", "diff-index", "ls-files", "ls-tree", "merge-base", "remote", "rev-list", "rev-parse"}
)
"""Commands of git that only look, and only at this clone."""
_Answer = TypeVar("_Answer")


class Witness:
    """Disk, environment and git as a run sees them. All that is asked of them is heard, with a digest of each answer.

    A result is a function of the answers only if it got nothing from anywhere else. Where something cannot be asked
    again with the same sense (a fetch, a git that is not there, two answers to one question), `settles` is False.
    """

    READ: Final = "read"
    UNDER: Final = "under"
    VARIABLE: Final = "variable"
    ENVIRONMENT: Final = "environment"
    GIT: Final = "git"
    SHALLOW: Final = "shallow"

    def __init__(self, *, root: Path, environment: Mapping[str, str], disk: Tree | None = None) -> None:
        self.settles = True
        self._heard: dict[Question, str] = {}
        self.tree: Final[Tree] = _Disk(witness=self, tree=FolderTree(root=root) if disk is None else disk)
        self.environment: Final[Mapping[str, str]] = _Environment(self, environment)
        self.git: Final[Git] = _HeardGit(folder=root, environment=environment, witness=self)

    @property
    def questions(self) -> tuple[Question, ...]:
        """Everything that was asked, in the order in which it first was."""
        return tuple(self._heard)

    @property
    def answers(self) -> str:
        """One digest of all answers. Single ones would say too much: the value of a variable may be a secret."""
        return _digest(json.dumps(list(self._heard.items())).encode())

    def ask(self, questions: Iterable[Question]) -> None:
        """Ask again what was asked before.

        Raises:
            ValueError: that is nothing which can be asked.
        """
        for question in questions:
            with contextlib.suppress(UnreadableError, GitError, KeyError):  # answers like others, which are heard
                self._ask(question)

    def _ask(self, question: Question) -> None:
        match question:
            case (self.READ, path, limit):
                self.tree.read(path, limit=int(limit))
            case (self.UNDER, folder):
                self.tree.under(folder)
            case (self.VARIABLE, name):
                self.environment[name]
            case (self.ENVIRONMENT,):
                list(self.environment)
            case (self.GIT, index_file, *words) if words and words[0] in _REPEATABLE:
                self.git.run(*words, index_file=index_file or None)
            case (self.SHALLOW,):
                self.git.shallow_commits()
            case _:
                raise ValueError(f"{question} cannot be asked")

    def hear(self, question: Question, look: Callable[[], _Answer], written: Callable[[_Answer], bytes]) -> _Answer:
        """The answer, which is heard; one that is an error as well."""
        try:
            answer = look()
        except (UnreadableError, GitError, KeyError) as error:
            self._note(question, f"{type(error).__name__} {error}".encode("utf-8", "surrogatepass"))
            if isinstance(error, GitMissingError) or (isinstance(error, GitFailedError) and error.status is None):
                self.settles = False
            raise
        self._note(question, b"=" + written(answer))
        return answer

    def _note(self, question: Question, answer: bytes) -> None:
        digest = _digest(answer)
        if self._heard.setdefault(question, digest) != digest:
            self.settles = False

    def settled(self, tree: Tree) -> Tree:
        """A tree that never changes, so that nobody has to ask it again, unless it could not answer."""
        return _Settled(witness=self, tree=tree)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _joined(words: Iterable[str]) -> bytes:
    return "\0".join(words).encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Disk:
    """The workspace's folder."""

    witness: Witness = field(repr=False)
    tree: Tree

    def under(self, folder: str) -> tuple[str, ...]:
        """See `Tree.under`."""
        return self.witness.hear((Witness.UNDER, folder), lambda: self.tree.under(folder), _joined)

    def read(self, path: str, *, limit: int) -> bytes:
        """See `Tree.read`."""
        return self.witness.hear(
            (Witness.READ, path, str(limit)), lambda: self.tree.read(path, limit=limit), lambda content: content
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settled:
    """The files of a commit. What a clone does not have of it may come later."""

    witness: Witness = field(repr=False)
    tree: Tree

    def under(self, folder: str) -> tuple[str, ...]:
        """See `Tree.under`."""
        return self._asked(lambda: self.tree.under(folder))

    def read(self, path: str, *, limit: int) -> bytes:
        """See `Tree.read`."""
        return self._asked(lambda: self.tree.read(path, limit=limit))

    def _asked(self, look: Callable[[], _Answer]) -> _Answer:
        try:
            return look()
        except LostError:
            self.witness.settles = False
            raise


class _Environment(Mapping[str, str]):
    """The variables of the process. Whoever counts them has asked for them all."""

    def __init__(self, witness: Witness, variables: Mapping[str, str]) -> None:
        self._witness = witness
        self._variables = variables

    def __getitem__(self, name: str) -> str:
        question = (Witness.VARIABLE, name)
        return self._witness.hear(question, lambda: self._variables[name], lambda value: _joined([value]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> Mapping[str, str]:
        def written(variables: Mapping[str, str]) -> bytes:
            return _joined(word for pair in sorted(variables.items()) for word in pair)

        return self._witness.hear((Witness.ENVIRONMENT,), lambda: self._variables, written)


@dataclass(frozen=True, slots=True, kw_only=True)
class _HeardGit(Git):
    """git in the workspace's repository."""

    witness: Witness = field(repr=False)

    def run(self, *arguments: str, seconds: float = LOCAL_SECONDS, index_file: str | None = None) -> bytes:
        """See `Git.run`."""
        if arguments[0] not in _REPEATABLE:
            self.witness.settles = False
        return self.witness.hear(
            (Witness.GIT, index_file or "", *arguments),
            lambda: Git.run(self, *arguments, seconds=seconds, index_file=index_file),
            lambda printed: printed,
        )

    def shallow_commits(self) -> frozenset[str]:
        """See `Git.shallow_commits`."""
        return self.witness.hear(
            (Witness.SHALLOW,), lambda: Git.shallow_commits(self), lambda ids: _joined(sorted(ids))
        )
