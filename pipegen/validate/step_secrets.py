"""`secrets`: Buildkite secrets that become variables of the job."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.plain import Path, Plain
from pipegen.validate.codes import SECRET_NAME
from pipegen.validate.environment import check_env_name
from pipegen.validate.problem import Problem
from pipegen.validate.shape import Record, check_record, entries, upload_reference, wrong_type
from pipegen.validate.upload import has_reference, shown, spelled

_SECRET: Final = re.compile(r"[A-Za-z0-9_]{1,255}")
_RESERVED_SECRET: Final = ("buildkite", "bk")
_RESERVED_VARIABLE: Final = ("BUILDKITE", "BK")
_ALLOWED_VARIABLES: Final = frozenset({"BUILDKITE_API_TOKEN", "BUILDKITE_ANALYTICS_TOKEN"})


def check_secrets(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """A list of secrets, or a mapping of variables to secrets; none of it is filled in at upload."""
    items = entries(value)
    if items is not None:
        for index, item in enumerate(items):
            where = (*path, index)
            if isinstance(item, Mapping):
                yield from check_record(item, where, f"{name} entry {index + 1}", _ENTRY)
            else:
                yield from check_secret_name(item, where, f"{name} entry {index + 1}")
    elif isinstance(value, Mapping):
        for variable, secret in value.items():
            yield from _check_variable(variable, (*path, variable), f"{name} variable")
            yield from check_secret_name(secret, (*path, variable), f"{name} {spelled(variable)}")
    else:
        hint = f"write [{spelled(value)}]" if isinstance(value, str) and value else ""
        yield wrong_type(value, path, name, "a list of secrets or a mapping of variables to secrets", hint)


def check_secret_name(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """Buildkite: 1 to 255 letters, digits and `_`, not beginning with `buildkite` or `bk` in any case."""
    if not isinstance(value, str):
        yield wrong_type(value, path, name, "the name of a secret")
    elif has_reference(value):
        yield upload_reference(value, path, name)
    elif not _SECRET.fullmatch(value):
        message = f'{name} {shown(value)} is no name of a secret: expected 1 to 255 letters, digits and "_"'
        yield Problem(code=SECRET_NAME, path=path, message=message)
    elif value.lower().startswith(_RESERVED_SECRET):
        message = (
            f'{name} {shown(value)} is no name of a secret: names that begin with "buildkite" or "bk" are reserved'
        )
        yield Problem(code=SECRET_NAME, path=path, message=message)


def _check_variable(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    if not isinstance(value, str):
        yield wrong_type(value, path, name, "the text of a name")
        return
    yield from check_env_name(value, path, name)
    if value.startswith(_RESERVED_VARIABLE) and value not in _ALLOWED_VARIABLES:
        message = (
            f'{name} {shown(value)} cannot be set from a secret: names that begin with "BUILDKITE" or "BK" are reserved'
        )
        yield Problem(code=SECRET_NAME, path=path, message=message)


_ENTRY: Final = Record(
    owner="a secret",
    checks={"key": check_secret_name, "environment_variable": _check_variable},
    required=("key",),
)
