"""The codes of what Buildkite accepts, PG701 and up: one per rule, numbers never reused.

PG750 to PG752 and PG763 are not here but in `pipegen.codes`.
An error is what the server or the agent rejects, or takes for something else without a word; a warning is what works
but seldom as meant.
"""

from typing import Final

from pipegen.diagnostics import Code, Severity


def _error(number: int, name: str, summary: str) -> Code:
    return Code(code=f"PG{number}", name=name, summary=summary)


def _warning(number: int, name: str, summary: str) -> Code:
    return Code(code=f"PG{number}", name=name, summary=summary, severity=Severity.WARNING)


# Shape of any step.
UNKNOWN_ATTRIBUTE: Final = _error(
    701, "unknown-attribute", "Buildkite does not know this attribute at this place and rejects the upload."
)
STEP_TYPE: Final = _error(702, "step-type", "A step has exactly one type key, and the type is command, block or group.")
ALIAS_TWICE: Final = _error(
    703, "alias-twice", "An attribute is given under two of its names, of which one is silently lost."
)
WRONG_TYPE: Final = _error(704, "attribute-type", "A value is not of the type that its attribute takes.")
OUT_OF_RANGE: Final = _error(705, "out-of-range", "A number lies outside the range that Buildkite accepts.")
UNKNOWN_WORD: Final = _error(706, "unknown-word", "A word is not one of those that its attribute takes.")
MISSING_ATTRIBUTE: Final = _error(707, "missing-attribute", "An attribute that must be there is missing.")
NOT_PLAIN: Final = _error(
    708, "not-plain-data", "A step holds something that JSON cannot carry: a date, a key that is no text, no end."
)
LONG_MAPPING_KEY: Final = _error(
    709, "long-mapping-key", "A mapping key has more than 1,000 characters, which the agent's parser refuses."
)
INVALID_CHARACTER: Final = _error(
    710, "invalid-character", "A text holds a NUL or half of a surrogate pair, which no environment can carry."
)
UPLOAD_REFERENCE: Final = _error(
    711, "upload-reference-place", "A value that only the agent knows at upload stands where none is filled in."
)

# Attributes of one step.
INVALID_KEY: Final = _error(
    712, "invalid-step-key", "A step key has 1 to 100 letters, digits, `_`, `-`, `:`, `.`, `,`, and is no UUID."
)
LONG_LABEL: Final = _warning(713, "long-label", "A label is longer than 255 characters, more than any page shows.")
NO_COMMAND: Final = _error(714, "no-command", "A command step has a command or plugins.")
CONCURRENCY_INCOMPLETE: Final = _error(
    715, "incomplete-concurrency", "`concurrency` and `concurrency_group` need each other, the method needs both."
)
LONG_CONCURRENCY_GROUP: Final = _error(
    716, "long-concurrency-group", "The name of a concurrency group has at most 200 characters."
)
LONG_SKIP: Final = _error(717, "long-skip-reason", "The reason given to `skip` has at most 70 characters.")
BRANCHES_WITH_IF: Final = _error(718, "branches-with-if", "`branches` and `if` exclude each other on one step.")
SIGNATURE: Final = _error(719, "signature", "The agent signs steps at upload; a signature is never written by hand.")
PLUGIN_KEYS: Final = _error(720, "plugin-keys", "A plugin is text or a mapping with one key, its source.")
PLUGINS_AS_MAPPING: Final = _warning(721, "plugins-as-mapping", "Plugins written as one mapping are a deprecated form.")
ENV_NAME: Final = _error(722, "invalid-env-name", "An environment variable's name is not empty and has no `=`.")
ENV_VALUE: Final = _error(
    723, "env-value-not-text", "An environment variable that is not text reaches the job as other text."
)
SECRET_IN_ENV: Final = _error(
    724, "secret-in-env", "A variable named like a secret has a literal value, which agents from v4 on reject."
)
SECRET_AT_UPLOAD: Final = _warning(
    725, "secret-at-upload", "A variable named like a secret is filled in at upload, where anyone can read it."
)
SECRET_NAME: Final = _error(
    726, "invalid-secret-name", "The name of a Buildkite secret or of its variable is not valid."
)
SPARSE_PATH: Final = _error(727, "sparse-path", "A path of a sparse checkout has no comma and does not begin with `-`.")
NOTIFY_SERVICE: Final = _error(
    728, "notify-service", "An entry of `notify` names exactly one service, one that exists at that level."
)
QUEUE_NAME: Final = _warning(
    729, "queue-name", "A queue's key has 1 to 100 letters, digits, `-` and `_`; no agent serves another."
)

# Matrix.
MATRIX_LIMIT: Final = _error(
    730, "matrix-limit", "A matrix is larger than 6 dimensions, 25 elements, 12 adjustments, 50 jobs or 128 bytes."
)
MATRIX_ELEMENT: Final = _error(731, "matrix-element", "An element of a matrix is text, a whole number or a boolean.")
MATRIX_DIMENSION: Final = _error(732, "matrix-dimension", "The name of a dimension has letters, digits and `_` only.")
MATRIX_ADJUSTMENT: Final = _error(
    733, "matrix-adjustment", "The `with` of an adjustment names every dimension of its matrix, and no other."
)
MATRIX_REFERENCE: Final = _error(
    734, "matrix-reference", "A `{{matrix}}` reference names a dimension that its step does not have."
)
MATRIX_PLACE: Final = _error(
    735, "matrix-place", "Buildkite rejects `{{matrix}}` in keys, dependencies, concurrency groups and env names."
)
MATRIX_LITERAL: Final = _warning(
    736, "matrix-literal", "`{{matrix}}` is filled in only in commands, labels, env, plugins and agents."
)
MATRIX_PARALLELISM: Final = _error(737, "matrix-with-parallelism", "A step has a matrix or parallelism, never both.")

# Conditions and globs.
IF_BLANK: Final = _warning(738, "blank-condition", "A blank `if` is no condition: the step always runs.")
IF_SYNTAX: Final = _error(739, "condition-syntax", "A condition cannot be read, and the server rejects the upload.")
IF_NAME: Final = _error(740, "condition-name", "A condition names a variable or function that does not exist there.")
IF_TYPE: Final = _error(741, "condition-type", "A condition compares what cannot be compared, or is no boolean.")
IF_REGEX: Final = _error(742, "condition-regex", "A regular expression uses what conditions do not support.")
IF_ENV: Final = _error(743, "condition-env", "A condition reads a Buildkite variable that conditions cannot read.")
GLOB_SYNTAX: Final = _error(744, "glob-syntax", "A glob has no end: a `{` or `[` is never closed.")
GLOB_SUSPECT: Final = _warning(
    745, "suspicious-glob", "A glob means something else than it seems to, or matches nothing."
)

# Block steps, groups, the pipeline.
FIELD: Final = _error(746, "block-field", "A field of a block step is a text field or a select field.")
FIELD_KEY: Final = _error(747, "block-field-key", "A field's key has letters, digits, `-`, `_` and `/` only.")
FIELD_TWICE: Final = _error(748, "block-field-twice", "Two fields of a step, or options of a field, store the same.")
GROUP_NESTED: Final = _error(749, "nested-group", "A group inside a group is rejected.")
GROUP_EMPTY: Final = _error(760, "empty-group", "A group has at least one step.")
PIPELINE_EMPTY: Final = _error(761, "empty-pipeline", "A pipeline without steps must not be uploaded.")
PIPELINE_ENV: Final = _warning(
    762, "pipeline-env", "Top-level `env` changes every step of the build that has not started yet."
)
PIPELINE_ATTRIBUTE: Final = _warning(
    753, "pipeline-attribute", "Buildkite ignores attributes of a pipeline that it does not know."
)

# Keys and dependencies.
DUPLICATE_KEY: Final = _error(754, "duplicate-step-key", "A step key is unique in the whole build, over all uploads.")
MISSING_DEPENDENCY: Final = _error(
    755, "missing-dependency", "A step that depends on a key which never comes does not run, without any message."
)
SELF_DEPENDENCY: Final = _error(756, "self-dependency", "A step that depends on itself never runs.")
DEPENDENCY_CYCLE: Final = _error(757, "dependency-cycle", "Steps that wait for each other never run.")

# Limits.
JOBS_PER_UPLOAD: Final = _warning(
    758, "jobs-per-upload", "The pipeline creates more jobs than one upload may: it must be uploaded in parts."
)
JOBS_PER_BUILD: Final = _error(759, "jobs-per-build", "The pipeline creates more jobs than one build may have.")
JOBS_PER_STEP: Final = _error(
    764, "jobs-per-step", "One step creates more jobs than an upload may, and nothing can divide a step."
)

ALL_CODES: Final = (
    UNKNOWN_ATTRIBUTE,
    STEP_TYPE,
    ALIAS_TWICE,
    WRONG_TYPE,
    OUT_OF_RANGE,
    UNKNOWN_WORD,
    MISSING_ATTRIBUTE,
    NOT_PLAIN,
    LONG_MAPPING_KEY,
    INVALID_CHARACTER,
    UPLOAD_REFERENCE,
    INVALID_KEY,
    LONG_LABEL,
    NO_COMMAND,
    CONCURRENCY_INCOMPLETE,
    LONG_CONCURRENCY_GROUP,
    LONG_SKIP,
    BRANCHES_WITH_IF,
    SIGNATURE,
    PLUGIN_KEYS,
    PLUGINS_AS_MAPPING,
    ENV_NAME,
    ENV_VALUE,
    SECRET_IN_ENV,
    SECRET_AT_UPLOAD,
    SECRET_NAME,
    SPARSE_PATH,
    NOTIFY_SERVICE,
    QUEUE_NAME,
    MATRIX_LIMIT,
    MATRIX_ELEMENT,
    MATRIX_DIMENSION,
    MATRIX_ADJUSTMENT,
    MATRIX_REFERENCE,
    MATRIX_PLACE,
    MATRIX_LITERAL,
    MATRIX_PARALLELISM,
    IF_BLANK,
    IF_SYNTAX,
    IF_NAME,
    IF_TYPE,
    IF_REGEX,
    IF_ENV,
    GLOB_SYNTAX,
    GLOB_SUSPECT,
    FIELD,
    FIELD_KEY,
    FIELD_TWICE,
    GROUP_NESTED,
    GROUP_EMPTY,
    PIPELINE_EMPTY,
    PIPELINE_ENV,
    PIPELINE_ATTRIBUTE,
    DUPLICATE_KEY,
    MISSING_DEPENDENCY,
    SELF_DEPENDENCY,
    DEPENDENCY_CYCLE,
    JOBS_PER_UPLOAD,
    JOBS_PER_BUILD,
    JOBS_PER_STEP,
)
