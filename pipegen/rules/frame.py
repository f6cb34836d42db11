"""What a rule is. Each stands in a file of its own, whose docstring is its page: why, and what to do about it."""

from collections.abc import Callable, Iterable

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Code, Diagnostic
from pipegen.rules.facts import Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A check of a whole workspace.

    `codes` are all that it reports, the one that it is named after first. `check` is pure, and what it finds never
    depends on the order of files. `reads_content` says that it looks into files of the repository: over a listing it
    is not run, and `lint` says so once.
    """

    codes: tuple[Code, ...]
    check: Callable[[Facts], Iterable[Diagnostic]]
    reads_content: bool = False

    @property
    def name(self) -> str:
        """The rule's kebab name."""
        return self.codes[0].name
