"""Why a build runs everything instead of what changed: each cause with a code of its own.

Never fewer jobs because something went wrong: where git cannot say what changed, all that a change can select runs,
and a warning names the cause.
"""

from typing import Final

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Code, Severity


def _cause(number: int, name: str, summary: str) -> Code:
    return Code(code=f"PG{number}", name=name, summary=summary, severity=Severity.WARNING)


GIT_MISSING: Final = _cause(450, "git-missing", "There is no git to say what changed: everything runs.")
GIT_FAILED: Final = _cause(451, "git-failed", "git could not say what changed: everything runs.")
NOT_A_REPOSITORY: Final = _cause(
    452, "not-a-repository", "The workspace lies in no git repository, so nothing says what changed: everything runs."
)
NO_COMMIT: Final = _cause(453, "no-commit", "The repository has no commit yet: everything runs.")
NO_BASE: Final = _cause(454, "no-base", "Nothing says what to compare with: everything runs.")
BAD_BASE: Final = _cause(455, "bad-base", "The name of what to compare with is no revision's: everything runs.")
UNKNOWN_BASE: Final = _cause(456, "unknown-base", "What to compare with is not in this clone: everything runs.")
NO_MERGE_BASE: Final = _cause(
    457, "no-merge-base", "The commit shares no history with what it is compared with: everything runs."
)
SHALLOW_CLONE: Final = _cause(
    458, "shallow-clone", "The clone lacks the history that would say what changed: everything runs."
)
EMPTY_DIFF: Final = _cause(
    459, "empty-diff", "The commit is ahead of what it is compared with, and no file differs: everything runs."
)

CAUSES: Final = (
    GIT_MISSING,
    GIT_FAILED,
    NOT_A_REPOSITORY,
    NO_COMMIT,
    NO_BASE,
    BAD_BASE,
    UNKNOWN_BASE,
    NO_MERGE_BASE,
    SHALLOW_CLONE,
    EMPTY_DIFF,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Everything:
    """No change set: the build is about all files. `why` is one sentence in lower case, `help` says what to do."""

    why: str
    code: Code
    help: str


class FailWideError(Exception):
    """Ends the search for a change set with its outcome; `change_set` turns it into the value that it returns."""

    def __init__(self, everything: Everything) -> None:
        super().__init__(everything.why)
        self.everything = everything


def fail_wide(code: Code, why: str, help_line: str) -> FailWideError:
    """The error that ends the search with this cause."""
    return FailWideError(Everything(why=why, code=code, help=help_line))
