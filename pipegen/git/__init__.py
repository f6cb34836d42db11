"""git: what changed, which files there are, and what stood in another revision. Nothing else in pipegen touches it.

Change sets, lists of files and history come from plain calls of git; revisions are read through GitPython, which is
imported only then, since that alone costs as much as everything a lint does.
"""

from pipegen.git.causes import Everything
from pipegen.git.changed_files import listed_names, parse_changed_files
from pipegen.git.changes import ChangeSet, Comparison, base_commit, change_set
from pipegen.git.command import Git, GitError, GitFailedError, GitMissingError, NotARepositoryError
from pipegen.git.files import changed_on_disk, repository_root, tracked_files
from pipegen.git.history import History, landed_changes
from pipegen.git.renames import moved_on_disk, renamed_files
from pipegen.git.revisions import RevisionTree

__all__ = [
    "ChangeSet",
    "Comparison",
    "Everything",
    "Git",
    "GitError",
    "GitFailedError",
    "GitMissingError",
    "History",
    "NotARepositoryError",
    "RevisionTree",
    "base_commit",
    "change_set",
    "changed_on_disk",
    "landed_changes",
    "listed_names",
    "moved_on_disk",
    "parse_changed_files",
    "renamed_files",
    "repository_root",
    "tracked_files",
]
