"""`skip` and `soft_fail`: not running, and not failing."""

from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.plain import Path, Plain
from pipegen.validate.codes import LONG_SKIP
from pipegen.validate.problem import Problem
from pipegen.validate.shape import Record, check_record, entries, is_integer, wrong_type
from pipegen.validate.upload import without_references

LONGEST_SKIP: Final = 70
_ANY_STATUS: Final = '"*" or a whole number'


def check_skip(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """`skip`: a boolean, or a reason of at most 70 characters; the empty reason skips nothing."""
    if isinstance(value, str):
        length = len(without_references(value))
        if length > LONGEST_SKIP:
            message = f"the reason for {name} has {length} characters: expected at most {LONGEST_SKIP}"
            yield Problem(code=LONG_SKIP, path=path, message=message, help="shorten it")
    elif not isinstance(value, bool):
        yield wrong_type(value, path, name, "true or false, or the text of a reason")


def check_soft_fail(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """`soft_fail`: a boolean, or a list of `{exit_status: NUMBER | "*"}`."""
    rules = entries(value)
    if rules is not None:
        for index, rule in enumerate(rules):
            yield from check_record(rule, (*path, index), name, _SOFT_FAIL_RULE)
    elif not isinstance(value, bool) and value not in ("true", "false"):
        hint = "make it a list with one entry" if isinstance(value, Mapping) else ""
        yield wrong_type(value, path, name, "true or false, or a list of {exit_status: ...}", hint)


def _check_soft_fail_status(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    if isinstance(value, str) and value == "*":
        return
    if entries(value) is not None:
        yield wrong_type(value, path, name, _ANY_STATUS, "write one entry of soft_fail for each exit status")
    elif not is_integer(value):
        yield wrong_type(value, path, name, _ANY_STATUS)


_SOFT_FAIL_RULE: Final = Record(
    owner="a rule of soft_fail",
    checks={"exit_status": _check_soft_fail_status},
    required=("exit_status",),
)
