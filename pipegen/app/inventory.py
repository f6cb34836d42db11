"""The repository that the areas are about: which files it has, what they hold, and where those went that are gone."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from pipegen.app.commit import Commit, committed
from pipegen.app.place import Place
from pipegen.commands import Files, test_files
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span
from pipegen.git import (
    Git,
    GitFailedError,
    GitMissingError,
    NotARepositoryError,
    listed_names,
    moved_on_disk,
    renamed_files,
    tracked_files,
)
from pipegen.model import Located, Workspace
from pipegen.rules.facts import Inventory
from pipegen.source import OverlaidTree, Tree, UnreadableError

MAX_LISTING_BYTES: Final = 1 << 26
MAX_CONTENT_BYTES: Final = 1 << 20
"""Of a file that a rule looks into: what is longer has no content for it."""


def inventory(place: Place, workspaces: tuple[Workspace, ...], environment: Mapping[str, str]) -> Inventory:
    """The files of a workspace's repository, from the workspace's folder, and which of them are tests.

    They are the lines of its listing; or those of the tree that the place holds; or, in the hook of a commit
    (GIT_INDEX_FILE), those of that commit; or what git tracks or would track, as it is on disk; or, where there is no
    repository, all that the folder holds.

    Raises:
        GitError: git refuses the repository, or it is missing and there is one.
    """
    first = workspaces[0]
    listed = next((workspace.listing for workspace in workspaces if workspace.listing is not None), None)
    if listed is not None:
        found = _Found(paths=_lines(place.tree, listed), tree=None)
        at = listed.span
    else:
        found = _found(committed(place, environment), environment)
        at = Span(path=first.path)
    files = Files.of(found.paths)
    tests = {path for workspace in workspaces for path in test_files(files, workspace.tests)}
    bases = [workspace.selection.base for workspace in workspaces if workspace.selection.base is not None]
    return Inventory(
        files=files,
        tests=tuple(sorted(tests)),
        content=_reader(found.tree),
        readable=found.tree is not None,
        renames=_Renames(find=_finder(found, tuple(dict.fromkeys(bases)), files)),
        at=at,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Paths, where their contents are (None: nowhere), and the repository that may know of renames."""

    paths: tuple[str, ...]
    tree: Tree | None
    git: Git | None = None
    index_file: str | None = None


def _found(place: Place, environment: Mapping[str, str]) -> _Found:
    git = place.git(environment)
    match place.held:
        case Commit() as commit:
            return _Found(paths=commit.paths, tree=commit, git=git, index_file=commit.index_file)
        case None | OverlaidTree():
            folder = place.tree
        case tree:
            return _Found(paths=tree.under("."), tree=tree)
    try:
        return _Found(paths=tracked_files(git, untracked=True, on_disk=True), tree=folder, git=git)
    except NotARepositoryError:
        pass
    except GitMissingError:
        if _has_repository(place.root):
            raise
    return _Found(paths=folder.under("."), tree=folder)


def _has_repository(folder: Path) -> bool:
    return any((above / ".git").exists() for above in (folder, *folder.parents))


def _lines(tree: Tree, listing: Located) -> tuple[str, ...]:
    """The names in a listing; none where it cannot be read, which is reported where it is named."""
    try:
        return listed_names(tree.read(listing.text, limit=MAX_LISTING_BYTES))
    except UnreadableError:
        return ()


def _reader(tree: Tree | None) -> Callable[[str], str | None]:
    @cache
    def content(path: str) -> str | None:
        try:
            text = b"" if tree is None else tree.read(path, limit=MAX_CONTENT_BYTES)
        except UnreadableError:
            return None
        return None if tree is None or len(text) > MAX_CONTENT_BYTES else text.decode("utf-8", "replace")

    return content


class _Renames(Mapping[str, str]):
    """New names by old ones. git is asked when somebody looks: where nothing is wrong, nobody does."""

    def __init__(self, *, find: Callable[[], Mapping[str, str]]) -> None:
        self._find = cache(find)

    def __getitem__(self, path: str) -> str:
        return self._find()[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._find())

    def __len__(self) -> int:
        return len(self._find())


def _finder(found: _Found, bases: tuple[str, ...], files: Files) -> Callable[[], Mapping[str, str]]:
    """What was renamed since HEAD, since its first parent, and since the branches that it is for; the nearest wins."""

    def find() -> Mapping[str, str]:
        git = found.git
        if git is None:
            return {}
        renames: dict[str, str] = {}
        if found.index_file is None and found.tree is not None:
            renames |= moved_on_disk(git, found.tree)
        for revision in ("HEAD", "HEAD^1", *bases):
            for old, new in _renamed(git, revision, found.index_file).items():
                renames.setdefault(old, renames.get(new, new))
        return {old: new for old, new in renames.items() if old not in files.known and new in files.known}

    return find


def _renamed(git: Git, revision: str, index_file: str | None) -> Mapping[str, str]:
    """What was renamed since a revision; nothing where git cannot tell: then no rule can name the new place."""
    try:
        return renamed_files(git, revision, index_file=index_file)
    except GitFailedError:
        return {}
