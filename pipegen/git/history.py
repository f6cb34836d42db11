"""Which numbered changes have landed."""

import re
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.git.command import Git, GitError

_LANDED: Final = re.compile(rb"\((#[0-9]+)\)\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The changes that HEAD contains, as `#N`: a commit's subject ends in `(#N)`.

    `unknown` is None where that is all of them; else it says why a number that is not in there may have landed all the
    same.
    """

    landed: frozenset[str]
    unknown: str | None


def landed_changes(git: Git) -> History:
    """Read the subjects of all commits reachable from HEAD. What goes wrong makes history unknown, and is no error."""
    try:
        head = git.object_id("HEAD", "commit")
        if head is None:
            return History(landed=frozenset(), unknown=None)
        # One line for each commit, between lines with their ids.
        subjects = git.run("rev-list", "--encoding=UTF-8", "--format=%s", "--end-of-options", head)
        shallow = bool(git.shallow_commits())
    except GitError as error:
        return History(landed=frozenset(), unknown=str(error))
    unknown = "the clone is shallow: run git fetch --unshallow" if shallow else None
    return History(landed=frozenset(number.decode() for number in _LANDED.findall(subjects)), unknown=unknown)
