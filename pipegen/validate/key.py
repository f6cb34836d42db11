"""Step keys, labels, and dependencies as they are written; whether targets exist is the graph's question."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.plain import Path, Plain
from pipegen.validate.codes import INVALID_KEY, LONG_LABEL, MISSING_ATTRIBUTE
from pipegen.validate.matrix_reference import REFERENCE
from pipegen.validate.problem import Problem
from pipegen.validate.shape import (
    check_boolean,
    check_known,
    check_text,
    entries,
    upload_reference,
    wrong_type,
)
from pipegen.validate.upload import has_reference, shown

LONGEST_KEY: Final = 100
LONGEST_LABEL: Final = 255  # Buildkite documents no limit; no page shows more

_KEY: Final = re.compile(r"[A-Za-z0-9_:.,-]+")
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_DEPENDENCY: Final = ("step", "allow_failure")


def check_key(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """A step key, as the step's own name and as a dependency's target.

    Buildkite: 1 to 100 letters, digits, `_`, `-`, `:`, `.` and `,`; never the pattern of a UUID.
    """
    if not isinstance(value, str):
        yield wrong_type(value, path, name, "text")
        return
    if has_reference(value):
        yield upload_reference(value, path, name)
        return
    fault, hint = _key_fault(value)
    if fault:
        yield Problem(code=INVALID_KEY, path=path, message=f"{name} {shown(value)} {fault}", help=hint)


def _key_fault(key: str) -> tuple[str, str]:
    """What is wrong with a key and what to type instead; both empty if nothing is."""
    if not key:
        return "is empty: expected 1 to 100 characters", "name the step or leave the attribute out"
    if len(key) > LONGEST_KEY:
        return f"has {len(key)} characters: expected at most {LONGEST_KEY}", "shorten it"
    if _UUID.fullmatch(key):
        return "has the pattern of a UUID, which names jobs, never steps", f'write "step-{key}"'
    known = REFERENCE.sub("", key)  # a reference to the matrix has its own rule
    if known and not _KEY.fullmatch(known):
        strange = next(character for character in known if not _KEY.fullmatch(character))
        fixed = re.sub(r"[^A-Za-z0-9_:.,-]+", "-", key).strip("-")
        hint = f'write "{fixed}"' if fixed else ""
        return f'has the character {shown(strange)}: expected letters, digits and any of "_-:.,"', hint
    return "", ""


def check_label(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """A label: any text, within reason."""
    yield from check_text(value, path, name)
    if isinstance(value, str) and len(value) > LONGEST_LABEL:
        message = f"{name} has {len(value)} characters: expected at most {LONGEST_LABEL}"
        yield Problem(code=LONG_LABEL, path=path, message=message, help="shorten it")


def check_depends_on(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """The dependencies of a step: null or `[]` for none at all, one key, or a list.

    An item of the list is a key or `{step, allow_failure}`. A mapping outside a list is not among the forms.
    """
    items = entries(value)
    if value is None:
        return
    if items is None:
        if isinstance(value, str):
            yield from check_key(value, path, name)
        else:
            hint = "make it a list with one entry" if isinstance(value, Mapping) else ""
            yield wrong_type(value, path, name, "a key, a list or null", hint)
        return
    for index, item in enumerate(items):
        yield from _check_dependency(item, (*path, index), f"{name} entry {index + 1}")


def _check_dependency(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    if isinstance(value, str):
        yield from check_key(value, path, name)
    elif not isinstance(value, Mapping):
        yield wrong_type(value, path, name, "the text of a key or a mapping with a step")
    else:
        yield from check_known(value, _DEPENDENCY, path, "a dependency")
        if "step" in value:
            yield from check_key(value["step"], (*path, "step"), name)
        else:
            message = f'{name} needs "step", the key of the step to wait for'
            yield Problem(code=MISSING_ATTRIBUTE, path=path, message=message, help='add "step"')
        if "allow_failure" in value:
            yield from check_boolean(value["allow_failure"], (*path, "allow_failure"), f"{name} allow_failure")
