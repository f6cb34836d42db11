"""`env`: names that a process can carry, values that are text, and no secrets in the open."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.plain import Path, Plain
from pipegen.validate.codes import ENV_NAME, ENV_VALUE, SECRET_AT_UPLOAD, SECRET_IN_ENV
from pipegen.validate.problem import Problem
from pipegen.validate.shape import upload_reference, wrong_type
from pipegen.validate.upload import has_reference, is_one_reference, shown, spelled

SECRET_ENDINGS: Final = (
    "_PASSWORD",
    "_SECRET",
    "_TOKEN",
    "_PRIVATE_KEY",
    "_SSH_KEY",
    "_ACCESS_KEY",
    "_SECRET_KEY",
    "_CONNECTION_STRING",
    "_API_KEY",
)
"""How the names end that an agent redacts unless it is told otherwise."""

SHORTEST_SECRET: Final = 6
"""Bytes below which an agent takes a value for no secret."""

_VARIABLES: Final = re.compile(r"(\$[^\W\d_]\w*|\$\{[^\W\d_]\w*(:?-)?\})+")
"""Nothing but names that the job's shell expands: no secret by itself."""


def check_env(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """A mapping of names to texts."""
    if not isinstance(value, Mapping):
        yield wrong_type(value, path, name, "a mapping of names to texts", "write {NAME: value}")
        return
    for variable, content in value.items():
        where = (*path, variable)
        yield from check_env_name(variable, where, "the name of an environment variable")
        if isinstance(content, str):
            yield from _check_secret(variable, content, where)
        else:
            yield Problem(
                code=ENV_VALUE,
                path=where,
                message=f"{name} {spelled(variable)} is {shown(content)}: expected text",
                help=_as_text(content),
            )


def check_env_name(value: str, path: Path, name: str) -> Iterator[Problem]:
    """A name that a process environment can carry: not empty, no `=`, known before the upload."""
    if has_reference(value):
        yield upload_reference(value, path, name)
    elif not value or "=" in value:
        message = f'{name} is {shown(value)}: expected at least one character and no "="'
        variable, _, content = value.partition("=")
        yield Problem(
            code=ENV_NAME,
            path=path,
            message=message,
            help=f'write {spelled(variable)}: "{spelled(content)}"' if variable and content else "",
        )


def _as_text(value: Plain) -> str:
    match value:
        case None:
            return 'write "" for an empty value, or leave the variable out'
        case bool() | int() | float():
            return f'quote it: "{shown(value)}"'
        case _:
            return "an environment variable holds one text: write JSON in quotes if the job reads JSON"


def _check_secret(name: str, value: str, path: Path) -> Iterator[Problem]:
    """A literal value under the name of a secret.

    Buildkite agent: names by the patterns of `redacted-vars`, values of 6 bytes and more, nothing but `$NAME` exempt.
    The scan comes after the upload's own substitution, so it sees what was filled in.
    """
    if not name.endswith(SECRET_ENDINGS) or "/" in name:
        return
    if is_one_reference(value):
        message = (
            f"{spelled(name)} is filled in at upload with {shown(value)}, which agents from v4 on reject as a secret"
        )
        yield Problem(code=SECRET_AT_UPLOAD, path=path, message=message, help=_safer(name))
    elif len(value.encode(errors="replace")) >= SHORTEST_SECRET and not _VARIABLES.fullmatch(value):
        message = f"{spelled(name)} has a literal value under the name of a secret, which agents from v4 on reject"
        yield Problem(code=SECRET_IN_ENV, path=path, message=message, help=_safer(name))


def _safer(name: str) -> str:
    ending = max((ending for ending in SECRET_ENDINGS if name.endswith(ending)), key=len)
    return f'take it from "secrets" or from the agent; if it is no secret, choose a name without "{ending}" at its end'
