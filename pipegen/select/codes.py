"""The kinds of diagnostics that selection reports."""

from typing import Final

from pipegen.diagnostics import Code, Severity

RUNS_EVERYTHING: Final = Code(
    code="PG410",
    name="runs-everything",
    summary="What changed, or which entries did, is not known, so every job that changes can select runs.",
    severity=Severity.WARNING,
)
NO_CHANGES: Final = Code(
    code="PG413",
    name="no-changes",
    summary="The change set is empty, so that no change selects anything.",
    severity=Severity.WARNING,
)
UNCLASSIFIED_FILE: Final = Code(
    code="PG411",
    name="unclassified-file",
    summary="A file changed that no job runs or guards, and that nothing ignores or runs everything for.",
    severity=Severity.WARNING,
)
SELECTION_CASE: Final = Code(
    code="PG412",
    name="selection-case",
    summary="A selection case does not hold: its changes select other jobs than it says.",
    severity=Severity.FINDING,
)
