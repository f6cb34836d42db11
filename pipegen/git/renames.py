"""Where files went that are no longer where they were."""

import hashlib
from collections.abc import Mapping
from typing import Final

from pipegen.git.command import Git, shown_name
from pipegen.source import Tree, UnreadableError

_MOST: Final = "-l2000"
"""Beyond so many candidates git compares no contents that are merely alike."""
_MAX_MOVED: Final = 2_000
_MAX_BYTES: Final = 1 << 20


def renamed_files(git: Git, revision: str, *, index_file: str | None = None) -> Mapping[str, str]:
    """The new names of files below the folder that were renamed between a revision and the index, by the old ones.

    Empty if the revision is not in this clone.

    Raises:
        GitError: there is no git or no repository, or git fails.
    """
    found = git.object_id(revision, "commit")
    if found is None:
        return {}
    start = (git.ask("merge-base", "HEAD", found) or found.encode()).decode().strip()
    options = ("-z", "-M", _MOST, "--diff-filter=R", "--name-status", "--relative", "--ignore-submodules=all")
    listed = git.run("diff-index", "--cached", *options, "--no-ext-diff", "--no-textconv", start, index_file=index_file)
    words = shown_name(listed).split("\0")
    return dict(zip(words[1::3], words[2::3], strict=False))


def moved_on_disk(git: Git, folder: Tree) -> Mapping[str, str]:
    """The new names of files that were moved and not changed, where git was told of neither name.

    `folder` is git's own, as it is on disk.

    Raises:
        GitError: there is no git or no repository, or git fails.
    """
    gone = _deleted(git)
    if not gone:
        return {}
    listed = git.run("ls-files", "-z", "--others", "--exclude-standard")
    new: dict[str, list[str]] = {}
    for name in [name for name in shown_name(listed).split("\0") if name and not name.endswith("/")][:_MAX_MOVED]:
        try:
            content = folder.read(name, limit=_MAX_BYTES)
        except UnreadableError:
            continue
        for kind in ("sha1", "sha256"):
            new.setdefault(_object_id(content, kind), []).append(name)
    return {old: new[object_id][0] for old, object_id in gone.items() if len(new.get(object_id, ())) == 1}


def _deleted(git: Git) -> Mapping[str, str]:
    """The ids of files that the index has and the disk does not."""
    listed = shown_name(git.run("ls-files", "-z", "--deleted", "--stage"))
    found = {}
    for line in listed.split("\0"):
        if line:
            facts, _, name = line.partition("\t")
            found[name] = facts.split(" ")[1]
    return found


def _object_id(content: bytes, kind: str) -> str:
    return hashlib.new(kind, b"blob %d\0%s" % (len(content), content), usedforsecurity=False).hexdigest()
