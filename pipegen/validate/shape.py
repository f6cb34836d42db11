"""The shapes that many attributes share: text, booleans, numbers, lists of texts, words, mappings.

Every check takes the value, its path and the name that a message calls it by.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final, TypeAlias

from pipegen.dataclass import dataclass
from pipegen.diagnostics import closest, did_you_mean, listing
from pipegen.plain import Path, Plain, PlainMap
from pipegen.validate.codes import (
    MISSING_ATTRIBUTE,
    OUT_OF_RANGE,
    UNKNOWN_ATTRIBUTE,
    UNKNOWN_WORD,
    UPLOAD_REFERENCE,
    WRONG_TYPE,
)
from pipegen.validate.problem import Problem
from pipegen.validate.upload import has_reference, shown

NamedCheck: TypeAlias = Callable[[Plain, Path, str], Iterator[Problem]]
"""A check of one value that is told what to call it."""

TEXT_OR_TEXTS: Final = "text or a list of texts"
BOOLEAN: Final = "true or false"

_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_YES_NO: Final = frozenset({"yes", "no", "on", "off", "y", "n", "true", "false"})


def wrong_type(value: Plain, path: Path, name: str, expected: str, hint: str = "") -> Problem:
    """The problem of a value that is not what `expected` says. `hint` is the help where no better one is known."""
    if isinstance(value, str) and has_reference(value):
        return upload_reference(value, path, name)
    return Problem(
        code=WRONG_TYPE,
        path=path,
        message=f"{name} is {shown(value)}: expected {expected}",
        help=_unquote_or_quote(value, expected) or hint,
    )


def upload_reference(value: str, path: Path, name: str) -> Problem:
    """The problem of a text that waits for the upload where nothing is filled in."""
    return Problem(
        code=UPLOAD_REFERENCE,
        path=path,
        message=f"{name} is {shown(value)}: a value that is known only at upload cannot stand here",
        help="write the value itself, or take it from a variable that pipegen knows",
    )


def _unquote_or_quote(value: Plain, expected: str) -> str:
    """What to type where only the quotes of a scalar are wrong, or a boolean has another language's name."""
    match value:
        case str() if "number" in expected and _INTEGER.fullmatch(value):
            return f"write {int(value)} without quotes" if len(value) < 20 else ""
        case str() if expected.startswith(BOOLEAN) and value.lower() in _YES_NO:
            return f"write {'true' if value.lower() in {'yes', 'on', 'y', 'true'} else 'false'} without quotes"
        case bool() | int() | float() if "text" in expected:
            return f'quote it: "{shown(value)}"'
        case _:
            return ""


def entries(value: Plain) -> tuple[Plain, ...] | None:
    """The items of a list, or None for anything else."""
    return tuple(value) if isinstance(value, (list, tuple)) else None


def is_integer(value: Plain) -> bool:
    """Whether this is a whole number; booleans, which Python counts among them, are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def check_text(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """Any text, the empty one included."""
    if not isinstance(value, str):
        yield wrong_type(value, path, name, "text")


def check_filled_text(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """Text that is not blank."""
    if not isinstance(value, str) or not value.strip():
        yield wrong_type(value, path, name, "text that is not empty")


def check_texts(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """Text, or a list of texts."""
    items = entries(value)
    if items is None:
        if not isinstance(value, str):
            yield wrong_type(value, path, name, TEXT_OR_TEXTS)
        return
    for index, item in enumerate(items):
        if not isinstance(item, str):
            hint = (
                "quote it: an unquoted colon followed by a space makes a mapping" if isinstance(item, Mapping) else ""
            )
            yield wrong_type(item, (*path, index), f"{name} entry {index + 1}", "text", hint)


def check_boolean(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """A boolean, or its name as text: Buildkite takes `"true"` and `"false"` for booleans almost everywhere."""
    if not isinstance(value, bool) and value not in ("true", "false"):
        yield wrong_type(value, path, name, BOOLEAN)


def check_strict_boolean(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """A boolean where its name as text will not do."""
    if not isinstance(value, bool):
        yield wrong_type(value, path, name, BOOLEAN)


def check_integer(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """Any whole number."""
    if not is_integer(value):
        yield wrong_type(value, path, name, "a whole number")


def check_positive(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """A whole number of at least 1."""
    if not isinstance(value, int) or isinstance(value, bool):
        yield wrong_type(value, path, name, "a whole number of at least 1")
    elif value < 1:
        yield out_of_range(value, path, name, "1 or more")


def check_between(value: Plain, path: Path, name: str, bounds: tuple[int, int]) -> Iterator[Problem]:
    """A whole number within bounds, both included."""
    low, high = bounds
    if not isinstance(value, int) or isinstance(value, bool):
        yield wrong_type(value, path, name, f"a whole number from {low} to {high}")
    elif not low <= value <= high:
        yield out_of_range(value, path, name, f"{low} to {high}")


def out_of_range(value: int, path: Path, name: str, expected: str) -> Problem:
    """The problem of a number beyond its bounds."""
    message = f"{name} {value} is out of range: expected {expected}"
    return Problem(code=OUT_OF_RANGE, path=path, message=message)


def check_word(value: Plain, path: Path, name: str, words: Collection[str]) -> Iterator[Problem]:
    """One of a few words. What is filled in at upload is taken on trust."""
    expected = f"one of {listing(words)}"
    if not isinstance(value, str):
        yield wrong_type(value, path, name, expected)
    elif value not in words and not has_reference(value):
        near = closest(value, words)
        yield Problem(
            code=UNKNOWN_WORD,
            path=path,
            message=f"{name} is {shown(value)}: expected {expected}",
            help=f'did you mean "{near}"?' if near is not None else "",
        )


def check_known(mapping: PlainMap, known: Collection[str], path: Path, owner: str) -> Iterator[Problem]:
    """No attribute but the known ones. `owner` completes "is not an attribute of ..."."""
    for name in mapping:
        if name not in known:
            yield Problem(
                code=UNKNOWN_ATTRIBUTE,
                path=(*path, name),
                message=f"{shown(name)} is not an attribute of {owner}",
                help=did_you_mean(name, known),
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A mapping whose members are known. `owner` completes "... is not an attribute of" and begins "... needs"."""

    owner: str
    checks: Mapping[str, NamedCheck]
    required: tuple[str, ...] = ()


def check_record(value: Plain, path: Path, name: str, record: Record) -> Iterator[Problem]:
    """A mapping with known members, each by its own check, in the order written."""
    if not isinstance(value, Mapping):
        yield wrong_type(value, path, name, f"a mapping of {listing(record.checks)}")
        return
    yield from check_known(value, record.checks, path, record.owner)
    for member in record.required:
        if member not in value:
            message = f'{record.owner} needs "{member}"'
            yield Problem(code=MISSING_ATTRIBUTE, path=path, message=message, help=f'add "{member}"')
    for member, content in value.items():
        check = record.checks.get(member)
        if check is not None:
            yield from check(content, (*path, member), f"{name} {member}")


def record_check(record: Record) -> NamedCheck:
    """The check of a record, for the table of another."""

    def check(value: Plain, path: Path, name: str) -> Iterator[Problem]:
        yield from check_record(value, path, name, record)

    return check
