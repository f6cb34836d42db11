"""The functions of conditions: `build.env("NAME")` and `env("NAME")`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pipegen.diagnostics import closest
from pipegen.validate.codes import IF_ENV, IF_NAME, IF_TYPE
from pipegen.validate.conditional_tokens import Fault
from pipegen.validate.conditional_types import Kind, Operand
from pipegen.validate.upload import shown

FUNCTIONS: Final = ("build.env", "env")
"""Both take the name of a variable and give its text; where it is not set, null and the empty text."""

_PREFIX: Final = "BUILDKITE_"

READABLE: Final = frozenset(
    f"{_PREFIX}{name}"
    for name in (
        "BRANCH",
        "COMMIT",
        "GITHUB_ACTION",
        "GITHUB_CHECK_RUN_CONCLUSION",
        "GITHUB_CHECK_RUN_NAME",
        "GITHUB_COMMENT_ID",
        "GITHUB_DEPLOYMENT_ENVIRONMENT",
        "GITHUB_DEPLOYMENT_ID",
        "GITHUB_DEPLOYMENT_PAYLOAD",
        "GITHUB_DEPLOYMENT_STATUS_ENVIRONMENT",
        "GITHUB_DEPLOYMENT_STATUS_STATE",
        "GITHUB_DEPLOYMENT_TASK",
        "GITHUB_EVENT",
        "GITHUB_RELEASE_DRAFT",
        "GITHUB_RELEASE_PRERELEASE",
        "GITHUB_RELEASE_TAG",
        "GITHUB_REVIEW_ID",
        "GITHUB_REVIEW_STATE",
        "GIT_DIFF_BASE",
        "MERGE_QUEUE_BASE_BRANCH",
        "MERGE_QUEUE_BASE_COMMIT",
        "MESSAGE",
        "ORGANIZATION_SLUG",
        "PIPELINE_ID",
        "PIPELINE_NAME",
        "PIPELINE_SLUG",
        "PULL_REQUEST",
        "PULL_REQUEST_BASE_BRANCH",
        "PULL_REQUEST_LABELS",
        "PULL_REQUEST_REPO",
        "PULL_REQUEST_USING_MERGE_REFSPEC",
        "REBUILT_FROM_BUILD_ID",
        "REBUILT_FROM_BUILD_NUMBER",
        "REPO",
        "TAG",
        "TRIGGERED_FROM_BUILD_ID",
        "TRIGGERED_FROM_BUILD_JOB_ID",
        "TRIGGERED_FROM_BUILD_NUMBER",
        "TRIGGERED_FROM_BUILD_PIPELINE_SLUG",
    )
)
"""The variables of Buildkite that a condition can read: those known before any job exists."""

_BETTER: Final[Mapping[str, str]] = {
    "BUILDKITE_BUILD_AUTHOR": "build.author.name",
    "BUILDKITE_BUILD_AUTHOR_EMAIL": "build.author.email",
    "BUILDKITE_BUILD_CREATOR": "build.creator.name",
    "BUILDKITE_BUILD_CREATOR_EMAIL": "build.creator.email",
    "BUILDKITE_BUILD_ID": "build.id",
    "BUILDKITE_BUILD_NUMBER": "build.number",
    "BUILDKITE_PIPELINE_DEFAULT_BRANCH": "pipeline.default_branch",
    "BUILDKITE_SOURCE": "build.source",
}
_NAME: Final = re.compile(r"[A-Za-z0-9_]+")


def check_call(name: str, start: int, arguments: Sequence[Operand]) -> Iterator[Fault]:
    """A call: a known function, and one text that names a variable which can be read."""
    if name not in FUNCTIONS:
        near = closest(name, FUNCTIONS)
        if name.rsplit(".", maxsplit=1)[-1].replace("-", "_") in {"meta_data", "metadata"}:
            hint = "conditions cannot read meta-data: they are decided before any job runs"
        else:
            hint = f'did you mean "{near}"?' if near is not None else 'write build.env("NAME")'
        yield Fault(code=IF_NAME, start=start, message=f"{shown(name)} is no function of conditions", help=hint)
    elif len(arguments) != 1:
        message = f"{name} takes one name, not {len(arguments)}"
        yield Fault(code=IF_TYPE, start=start, message=message, help=f'write {name}("NAME")')
    else:
        yield from _check_variable(name, arguments[0])


def _check_variable(function: str, argument: Operand) -> Iterator[Fault]:
    if argument.kind not in (Kind.TEXT, Kind.UNKNOWN):
        message = f"{function} needs the text of a name, but {argument.described()}"
        yield Fault(code=IF_TYPE, start=argument.start, message=message, help=f'write {function}("NAME")')
    variable = argument.literal
    if variable is None:
        return
    if not _NAME.fullmatch(variable):
        bare = variable.strip("${}")
        hint = f'write {function}("{bare}")' if _NAME.fullmatch(bare) else ""
        message = f'{shown(variable)} is no name of a variable: expected letters, digits and "_"'
        yield Fault(code=IF_ENV, start=argument.start, message=message, help=hint)
    elif variable.startswith(_PREFIX) and variable not in READABLE:
        message = f"{shown(variable)} cannot be read in a condition"
        yield Fault(code=IF_ENV, start=argument.start, message=message, help=_readable(variable))


def _readable(variable: str) -> str:
    if variable in _BETTER:
        return f"write {_BETTER[variable]}"
    near = closest(variable.removeprefix(_PREFIX), (name.removeprefix(_PREFIX) for name in READABLE))
    return (
        f'did you mean "{_PREFIX}{near}"?'
        if near is not None
        else "only what is known before any job exists can be read"
    )
