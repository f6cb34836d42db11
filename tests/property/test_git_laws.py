"""Laws of change sets and revisions, on random real repositories."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from pipegen.git import Comparison, Everything, RevisionTree, causes, change_set
from pipegen.git.command import shown_name
from pipegen.source import FolderTree, Tree, UnreadableError
from tests.support.repositories import Repository

NAMES: tuple[bytes, ...] = (
    b"a.py",
    b"dir/b.py",
    b"dir/deep/c.py",
    b"dir.py",
    b" spaced name ",
    b"-n",
    b'tab\t"quoted"\\\n.md',
    "größe/日本.py".encode(),
    b"caf\xe9.md",
)
Files: TypeAlias = Mapping[bytes, tuple[str, str]]
"""Mode and content (the commit, for a submodule) by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit of a model of history: parents by their position, and all of its files."""

    parents: tuple[int, ...]
    files: Files


_ENTRIES = st.one_of(
    st.tuples(st.sampled_from(("100644", "100755", "120000")), st.sampled_from("xyz")),
    st.tuples(st.just("160000"), st.sampled_from(("1" * 40, "2" * 40))),
)


@st.composite
def histories(draw: st.DrawFn) -> tuple[Commit, ...]:
    """Commits in the order in which they are made: first ones, lines, merges, some that change nothing."""
    commits: list[Commit] = []
    for position in range(draw(st.integers(min_value=1, max_value=12))):
        fewest = 0 if position == 0 or draw(st.integers(0, 9)) == 0 else 1
        recent = st.integers(min_value=max(0, position - 4), max_value=position - 1)
        parents = draw(st.lists(recent, unique=True, min_size=fewest, max_size=3)) if position else []
        files = dict(commits[parents[0]].files) if parents else {}
        for name in draw(st.lists(st.sampled_from(NAMES), max_size=3)):
            files.pop(name, None)
            if draw(st.booleans()):
                files[name] = draw(_ENTRIES)
        commits.append(Commit(parents=tuple(parents), files=files))
    return tuple(commits)


@contextmanager
def repository_of(history: tuple[Commit, ...]) -> Iterator[tuple[Repository, tuple[str, ...]]]:
    """The real repository of a model, and the ids of its commits."""
    with tempfile.TemporaryDirectory() as folder:
        made = Repository.create(Path(folder) / "repository")
        made.git("fast-import", "--quiet", content=b"".join(_imported(n, commit) for n, commit in enumerate(history)))
        ids = made.git("rev-parse", *(f"refs/heads/c{position}" for position in range(len(history)))).split()
        yield made, tuple(ids)


def _imported(position: int, commit: Commit) -> bytes:
    lines = [f"commit refs/heads/c{position}", f"mark :{position + 1}"]
    lines += [f"committer Tests <tests@pipegen.invalid> {1_000_000_000 + position} +0000", "data 0"]
    lines += [f"{'merge' if n else 'from'} :{parent + 1}" for n, parent in enumerate(commit.parents)]
    lines.append("deleteall")
    for name, (mode, content) in commit.files.items():
        quoted = "".join(f"\\{byte:03o}" for byte in name)
        lines.append(f'M {mode} {content if mode == "160000" else "inline"} "{quoted}"')
        if mode != "160000":
            lines.append(f"data {len(content)}\n{content}")
    return "\n".join(lines).encode() + b"\n\n"


def _ancestors(history: tuple[Commit, ...], tip: int) -> frozenset[int]:
    seen: set[int] = set()
    pending = [tip]
    while pending:
        position = pending.pop()
        if position not in seen:
            seen.add(position)
            pending += history[position].parents
    return frozenset(seen)


def _differing(old: Files, new: Files) -> set[str]:
    return {shown_name(name) for name in {*old, *new} if old.get(name) != new.get(name)}


def expected(history: tuple[Commit, ...], head: int, base: int) -> set[str] | str:
    """The files of the change set, or the code of the cause that there is none."""
    common = _ancestors(history, head) & _ancestors(history, base)
    best = {one for one in common if not any(one in _ancestors(history, other) for other in common - {one})}
    if not best:
        return causes.NO_MERGE_BASE.code
    own = history[head]
    if head in best:
        return _differing(history[own.parents[0]].files if own.parents else {}, own.files)
    files = set().union(*(_differing(history[one].files, own.files) for one in best))
    return files or causes.EMPTY_DIFF.code


def answer(repository: Repository, base: str, *, fetch: bool = False) -> set[str] | str:
    found = change_set(repository.command, Comparison(base=base), fetch=fetch)
    if isinstance(found, Everything):
        return found.code.code
    assert found.files == tuple(sorted(set(found.files)))
    return set(found.files)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(histories(), st.data())
def test_change_sets_are_what_the_model_says(history: tuple[Commit, ...], data: st.DataObject) -> None:
    positions = st.integers(min_value=0, max_value=len(history) - 1)
    pairs = data.draw(st.lists(st.tuples(positions, positions), min_size=1, max_size=5, unique=True))
    with repository_of(history) as (repository, ids):
        for head, base in pairs:
            repository.git("update-ref", "--no-deref", "HEAD", ids[head])
            (repository.path / ".git/HEAD").write_text(ids[head] + "\n")
            event("everything" if isinstance(expected(history, head, base), str) else "change set")
            assert answer(repository, ids[base]) == expected(history, head, base)


@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(histories(), st.data())
def test_a_shallow_clone_says_the_same_or_everything(history: tuple[Commit, ...], data: st.DataObject) -> None:
    """With a remote it is deepened until it says the same; without, it never says something else."""
    positions = st.integers(min_value=0, max_value=len(history) - 1)
    head, base, depth = data.draw(positions), data.draw(positions), data.draw(st.integers(1, 4))
    with repository_of(history) as (upstream, ids), tempfile.TemporaryDirectory() as folder:
        clone = Repository.create(Path(folder) / "clone")
        clone.git("remote", "add", "origin", upstream.url)
        clone.git("fetch", "--quiet", f"--depth={depth}", "origin", ids[head], ids[base])
        (clone.path / ".git/HEAD").write_text(ids[head] + "\n")
        whole = expected(history, head, base)
        alone = answer(clone, ids[base])
        event("certain" if alone != causes.SHALLOW_CLONE.code else "uncertain")
        assert alone in (whole, causes.SHALLOW_CLONE.code)
        assert answer(clone, ids[base], fetch=True) == whole


_STEPS = st.sampled_from(("a", "b", "c", "..", "."))
_PATHS = st.lists(_STEPS, min_size=1, max_size=4).map("/".join)
_PLACES = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map("/".join)


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(
    files=st.dictionaries(_PLACES, st.one_of(st.just(None), _PATHS), min_size=1, max_size=7),
    paths=st.lists(_PATHS, max_size=12),
)
def test_a_revision_reads_as_the_folder_that_it_was_committed_from(
    files: Mapping[str, str | None], paths: list[str]
) -> None:
    """Files (None) and symbolic links (their target) of every kind: dangling, circular, to folders, out of the tree."""
    with tempfile.TemporaryDirectory() as folder:
        made = Repository.create(Path(folder) / "repository")
        for name, target in files.items():
            place = made.path / name
            if any(above.is_symlink() or above.is_file() for above in (place, *place.parents)) or place.exists():
                continue  # the first to claim a name keeps it, and nothing is made behind a link
            if target is None:
                made.write(name, f"content of {name}")
            else:
                made.link(name, target)
        made.commit()
        on_disk, committed = FolderTree(root=made.path), RevisionTree.of(made.command, "HEAD")
        for path in ("", *files, *paths):
            assert reading(committed, path) == reading(on_disk, path), path
            assert listing(committed, path, made.path) == listing(on_disk, path, made.path), path


def reading(tree: Tree, path: str) -> bytes | None:
    try:
        return tree.read(path, limit=100)
    except UnreadableError:
        return None


def listing(tree: Tree, path: str, root: Path) -> tuple[str, ...]:
    """What a tree lists, but for links that lead out of it: a revision cannot know whether to a file or a folder."""
    try:
        names = tree.under(path)
    except UnreadableError:
        return ()
    top = os.path.realpath(root)
    return tuple(name for name in names if os.path.commonpath((top, os.path.realpath(root / name))) == top)
