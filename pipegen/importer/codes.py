"""What is wrong in step files of another tool, as kinds of diagnostics of their own: PG9, moving in.

A warning says what the old file gets wrong and what was made of it. An error says that something of it is not in the
new workspace.
"""

from typing import Final

from pipegen.diagnostics import Code, Severity

BROKEN_FILE: Final = Code(
    code="PG901", name="broken-file", summary="A file of the old pipeline cannot be read as what it should be."
)
NO_STEP: Final = Code(
    code="PG902", name="no-step", summary="Something stands in the place of a step and cannot become one."
)
UNKNOWN_FIELD: Final = Code(
    code="PG903",
    name="unknown-field",
    summary="A field that nothing reads; it is left behind.",
    severity=Severity.WARNING,
)
IGNORED_FIELD: Final = Code(
    code="PG904",
    name="ignored-field",
    summary="A field that has no effect where it stands; it is left behind.",
    severity=Severity.WARNING,
)
DEAD_PATH: Final = Code(
    code="PG905",
    name="dead-path",
    summary="A source or a command names a path that is not in the repository.",
    severity=Severity.WARNING,
)
MISSING_DEPENDENCY: Final = Code(
    code="PG906",
    name="missing-dependency",
    summary="A step waits for a key that no step of the pipeline has.",
    severity=Severity.WARNING,
)
BROKEN_QUOTING: Final = Code(
    code="PG907",
    name="broken-quoting",
    summary="A command's quotes do not mean what they seem to mean.",
    severity=Severity.WARNING,
)
UNKNOWN_MACHINE: Final = Code(
    code="PG908",
    name="unknown-machine",
    summary="A step names a machine that the catalogue does not know; it gets an entry by guess.",
    severity=Severity.WARNING,
)
NOT_CARRIED: Final = Code(
    code="PG909",
    name="not-carried",
    summary="A value that the new workspace cannot hold as it is; the message says what stands there instead.",
    severity=Severity.WARNING,
)
COMMENTED_OUT: Final = Code(
    code="PG910",
    name="commented-out-step",
    summary="A step that is commented out; it is left behind.",
    severity=Severity.WARNING,
)
REQUOTED: Final = Code(
    code="PG914",
    name="requoted",
    summary="A wrapper would quote an expression a second time; its tests travel in the wrapper's variable instead.",
    severity=Severity.WARNING,
)
NO_OWNER: Final = Code(
    code="PG911",
    name="no-owner",
    summary="Step files say nothing about owners; every area has the same one for now.",
    severity=Severity.WARNING,
)
LEFT_OVER: Final = Code(
    code="PG912",
    name="left-over-file",
    summary="The folder holds a manifest that this import did not write.",
    severity=Severity.WARNING,
)
REDUNDANT_KEY: Final = Code(
    code="PG913", name="key-twice", summary="Two steps of one pipeline have one key; one of them gets another."
)
