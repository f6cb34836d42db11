"""The kinds of diagnostics that loading, resolving, expanding and rendering report; the other stages keep their own.

Codes by hundreds: 1 syntax and references, 2 ownership and collection, 3 lanes and hardware, 4 sources and
selection, 5 environment and toggles, 6 commands, 7 what Buildkite accepts, 8 waivers.
"""

from typing import Final

from pipegen.diagnostics import Code, Severity

UNREADABLE_FILE: Final = Code(
    code="PG101", name="unreadable-file", summary="A file of the workspace is missing or cannot be read."
)
NOT_UTF8: Final = Code(code="PG102", name="not-utf8", summary="A file is not UTF-8 text.")
EMPTY_FILE: Final = Code(code="PG103", name="empty-file", summary="A file holds nothing.")
YAML_SYNTAX: Final = Code(code="PG104", name="yaml-syntax", summary="A file is not YAML.")
DUPLICATE_KEY: Final = Code(
    code="PG105",
    name="duplicate-key",
    summary="A mapping names a key twice; YAML readers silently keep the last.",
)
YAML_FEATURE: Final = Code(
    code="PG106",
    name="yaml-feature",
    summary="A file uses what manifests do without: tags, recursive aliases, keys that are no text, several documents.",
)
TOO_LARGE: Final = Code(
    code="PG107",
    name="too-large",
    summary="A file, or what its aliases expand to, is larger than a manifest can reasonably be.",
)
UNKNOWN_KEY: Final = Code(code="PG108", name="unknown-key", summary="A mapping names a key that nothing reads.")
WRONG_TYPE: Final = Code(code="PG109", name="wrong-type", summary="A value has the wrong type or shape.")
MISSING_KEY: Final = Code(code="PG110", name="missing-key", summary="A mapping lacks a key that it must have.")
EMPTY_VALUE: Final = Code(
    code="PG111",
    name="empty-value",
    summary="A key stands without a value, which could mean nothing, null or empty text.",
)
UNQUOTED_JINJA: Final = Code(
    code="PG112",
    name="unquoted-jinja",
    summary="A value begins with {{ and is not quoted, so that YAML reads a mapping.",
)
UNKNOWN_REFERENCE: Final = Code(
    code="PG113", name="unknown-reference", summary="A name refers to something that is not there."
)
BAD_NAME: Final = Code(code="PG114", name="bad-name", summary="A name holds characters that its uses cannot carry.")
CONTRADICTION: Final = Code(
    code="PG115", name="contradiction", summary="Two keys that stand together exclude each other."
)
NOTHING_INHERITED: Final = Code(
    code="PG116",
    name="nothing-inherited",
    summary="A + stands for inherited items and there are none, or null removes what is not there.",
)
JINJA_ERROR: Final = Code(code="PG117", name="jinja-error", summary="An expression in {{ … }} cannot be evaluated.")
JINJA_NOT_HERE: Final = Code(
    code="PG118",
    name="jinja-not-here",
    summary="An expression stands in a value that must be the same in every build.",
)
UNCARRIABLE_TEXT: Final = Code(
    code="PG119",
    name="uncarriable-text",
    summary="Text that no escaping can bring through an upload that interpolates variables.",
)
DUPLICATE_NAME: Final = Code(
    code="PG120", name="duplicate-name", summary="Two areas, hardware entries or steps have one name."
)
BAD_EXPRESSION: Final = Code(
    code="PG121", name="bad-expression", summary="A pytest -k or -m expression that pytest would refuse."
)
BAD_PATTERN: Final = Code(code="PG122", name="bad-pattern", summary="A pattern or test path that cannot be matched.")
FORBIDDEN_CHARACTER: Final = Code(
    code="PG123",
    name="forbidden-character",
    summary="Text holds a character that no shell, environment or pipeline can carry.",
)

OWNED_TWICE: Final = Code(code="PG203", name="owned-twice", summary="Two areas own one test path on one lane.")
CANNOT_EXCLUDE: Final = Code(
    code="PG204",
    name="cannot-exclude",
    summary="An area owns something inside another area's path that pytest cannot be told to leave out exactly.",
)
UNPROVEN_PARTS: Final = Code(
    code="PG205",
    name="unproven-parts",
    summary="Parts without a rest are not proven to cover all tests.",
    severity=Severity.FINDING,
)

UNKNOWN_HARDWARE: Final = Code(
    code="PG301", name="unknown-hardware", summary="A step names hardware that the catalogue does not have."
)
NOT_OFFERED: Final = Code(
    code="PG302",
    name="not-offered",
    summary="A step asks for GPUs, nodes or tags that its hardware does not offer.",
)
NO_HARDWARE: Final = Code(code="PG303", name="no-hardware", summary="A step or mirror names no hardware.")
TIMEOUT_ABOVE_CAP: Final = Code(
    code="PG304", name="timeout-above-cap", summary="A timeout is above what the hardware entry allows."
)
NO_SHARD_ARGUMENTS: Final = Code(
    code="PG305",
    name="no-shard-arguments",
    summary="A step is sharded and nothing tells its jobs which shard they are.",
)
NO_TIMEOUT: Final = Code(code="PG306", name="no-timeout", summary="A job has no timeout.", severity=Severity.FINDING)
IMPLICIT_DEPENDENCIES: Final = Code(
    code="PG307",
    name="implicit-dependencies",
    summary="A job states no dependencies and so waits for every gate before it.",
    severity=Severity.FINDING,
)

UNDECLARED_TOGGLE: Final = Code(
    code="PG501", name="undeclared-toggle", summary="A variable has a reason and an end, and is no declared toggle."
)

RUNS_NOTHING: Final = Code(code="PG601", name="runs-nothing", summary="A step has neither tests nor commands.")
TEMPLATE_ERROR: Final = Code(
    code="PG750",
    name="template-error",
    summary="A template cannot be rendered, or renders no Buildkite step.",
)
UNDELIVERED: Final = Code(
    code="PG751", name="undelivered", summary="A template never reads the job's commands or environment."
)
REPLACED: Final = Code(
    code="PG763",
    name="replaced-by-template",
    summary="A template sets an attribute that the job has, and does not look at what the job says.",
    severity=Severity.FINDING,
)
KEY_COLLISION: Final = Code(code="PG752", name="key-collision", summary="Two jobs or gates have one key.")

INEXACT_QUARANTINE: Final = Code(
    code="PG820",
    name="inexact-quarantine",
    summary="A test is in quarantine that pytest cannot be told to leave out exactly.",
)
NOTHING_BUT_QUARANTINE: Final = Code(
    code="PG821", name="nothing-but-quarantine", summary="All tests of a job are in quarantine where it runs."
)
