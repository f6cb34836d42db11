"""`fields` of a block step: what is asked of whoever unblocks it."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.plain import Path, Plain
from pipegen.validate.codes import FIELD, FIELD_KEY, FIELD_TWICE, OUT_OF_RANGE
from pipegen.validate.problem import Problem
from pipegen.validate.shape import (
    Record,
    check_boolean,
    check_filled_text,
    check_record,
    check_text,
    check_texts,
    entries,
    upload_reference,
    wrong_type,
)
from pipegen.validate.upload import has_reference, shown

_KEY: Final = re.compile(r"[A-Za-z0-9_/-]+")


def check_fields(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """A list of text and select fields, each of which stores its answer under a key of its own."""
    items = entries(value)
    if items is None:
        hint = 'put "- " before each field to make it a list' if isinstance(value, Mapping) else ""
        yield wrong_type(value, path, name, "a list of fields", hint)
        return
    for index, item in enumerate(items):
        yield from _check_field(item, (*path, index), f"field {index + 1}")
    yield from _check_unique(items, path, "key", "field")


def _check_field(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    if not isinstance(value, Mapping):
        yield wrong_type(value, path, name, 'a mapping with "text" or "select"')
    elif ("text" in value) == ("select" in value):
        found = 'both "text" and "select"' if "text" in value else 'neither "text" nor "select"'
        message = f"{name} has {found}: expected one of them, the question that it asks"
        yield Problem(code=FIELD, path=path, message=message, help="" if "text" in value else 'add "text"')
    else:
        yield from check_record(value, path, name, _TEXT_FIELD if "text" in value else _SELECT_FIELD)


def _check_key(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    if not isinstance(value, str):
        yield wrong_type(value, path, name, "text")
    elif has_reference(value):
        yield upload_reference(value, path, name)
    elif not _KEY.fullmatch(value):
        fixed = re.sub(r"[^A-Za-z0-9_/-]+", "-", value).strip("-")
        message = f'{name} {shown(value)} is no key of a field: expected letters, digits, "-", "_" and "/"'
        yield Problem(code=FIELD_KEY, path=path, message=message, help=f'write "{fixed}"' if fixed else "")


def _check_options(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    items = entries(value)
    if not items:
        yield wrong_type(value, path, name, "a list of at least one option")
        return
    for index, item in enumerate(items):
        yield from check_record(item, (*path, index), f"option {index + 1}", _OPTION)
    yield from _check_unique(items, path, "value", "option")


def _check_unique(items: tuple[Plain, ...], path: Path, name: str, what: str) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, item in enumerate(items):
        value = item.get(name) if isinstance(item, Mapping) else None
        if isinstance(value, str):
            if value in first:
                message = f"{what} {index + 1} has the {name} {shown(value)} of {what} {first[value] + 1}"
                yield Problem(
                    code=FIELD_TWICE, path=(*path, index, name), message=message, help=f"give each {what} its own"
                )
            else:
                first[value] = index


def check_allowed_teams(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """One team or a list of at most 100."""
    yield from check_texts(value, path, name)
    count = len(entries(value) or ())
    if count > _TEAMS:
        message = f"{name} has {count} entries: expected at most {_TEAMS}"
        yield Problem(code=OUT_OF_RANGE, path=path, message=message, help="make a team of them")


_TEAMS: Final = 100
_COMMON: Final = {"key": _check_key, "hint": check_text, "required": check_boolean}
_TEXT_FIELD: Final = Record(
    owner="a text field",
    checks={"text": check_filled_text, **_COMMON, "default": check_text, "format": check_filled_text},
    required=("key",),
)
_SELECT_FIELD: Final = Record(
    owner="a select field",
    checks={
        "select": check_filled_text,
        **_COMMON,
        "default": check_texts,
        "multiple": check_boolean,
        "options": _check_options,
    },
    required=("key", "options"),
)
_OPTION: Final = Record(
    owner="an option",
    checks={"label": check_filled_text, "value": check_text, "hint": check_text, "required": check_boolean},
    required=("label", "value"),
)
