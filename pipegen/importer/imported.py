"""What an import gives back."""

from collections.abc import Mapping

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Diagnostic
from pipegen.importer.summary import Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The files of the new workspace by path, what was found in the old ones, and the summary (None: nothing read)."""

    files: Mapping[str, bytes]
    diagnostics: tuple[Diagnostic, ...]
    summary: Summary | None
