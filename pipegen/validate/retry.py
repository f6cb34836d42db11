"""`retry`: when a failed job runs again, by itself or by hand."""

from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.plain import Path, Plain
from pipegen.validate.problem import Problem
from pipegen.validate.shape import (
    Record,
    check_between,
    check_boolean,
    check_filled_text,
    check_record,
    check_text,
    check_word,
    entries,
    is_integer,
    wrong_type,
)

SIGNAL_REASONS: Final = (
    "*",
    "none",
    "agent_incompatible",
    "agent_refused",
    "agent_stop",
    "cancel",
    "process_run_error",
    "signature_rejected",
    "stack_error",
)
_LIMIT: Final = (0, 10)
_EXIT_STATUS: Final = (-255, 255)  # -1: the agent was lost; agent-stack-k8s reports others below zero (-7, -10)
_ANY_STATUS: Final = '"*" or a whole number'


def check_retry(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """`retry`: a mapping of `automatic` and `manual`, each of them optional."""
    if isinstance(value, Mapping):
        yield from check_record(value, path, name, _RETRY)
    else:
        yield wrong_type(
            value, path, name, 'a mapping of "automatic" and "manual"', "write {automatic: true} or {manual: false}"
        )


def _check_automatic(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    rules = entries(value)
    if rules is not None:
        for index, rule in enumerate(rules):
            yield from check_record(rule, (*path, index), "retry", _RULE)
    elif isinstance(value, Mapping):
        yield from check_record(value, path, "retry", _RULE)
    elif not isinstance(value, bool) and value not in ("true", "false"):
        yield wrong_type(value, path, name, "true or false, a rule or a list of rules")


def _check_limit(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    yield from check_between(value, path, name, _LIMIT)


def _check_exit_status(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    statuses = entries(value)
    if statuses is not None:
        if not statuses:
            yield wrong_type(value, path, name, f"{_ANY_STATUS}, or a list that is not empty")
        for index, status in enumerate(statuses):
            yield from check_between(status, (*path, index), name, _EXIT_STATUS)
    elif is_integer(value):
        yield from check_between(value, path, name, _EXIT_STATUS)
    elif value != "*":
        yield wrong_type(value, path, name, f"{_ANY_STATUS}, or a list of whole numbers")


def _check_signal(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    for signal, where in _one_or_many(value, path):
        yield from check_filled_text(signal, where, name)


def _check_signal_reason(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    for reason, where in _one_or_many(value, path):
        yield from check_word(reason, where, name, SIGNAL_REASONS)


def _one_or_many(value: Plain, path: Path) -> Iterator[tuple[Plain, Path]]:
    items = entries(value)
    if items is None:
        yield value, path
    else:
        for index, item in enumerate(items):
            yield item, (*path, index)


def _check_manual(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    if isinstance(value, Mapping):
        yield from check_record(value, path, name, _MANUAL)
    elif not isinstance(value, bool) and value not in ("true", "false"):
        yield wrong_type(value, path, name, 'true or false, or a mapping of "allowed", "permit_on_passed" and "reason"')


_RULE: Final = Record(
    owner="a rule of automatic retries",
    checks={
        "exit_status": _check_exit_status,
        "signal": _check_signal,
        "signal_reason": _check_signal_reason,
        "limit": _check_limit,
    },
)
_MANUAL: Final = Record(
    owner="a manual retry",
    checks={"allowed": check_boolean, "permit_on_passed": check_boolean, "reason": check_text},
)
_RETRY: Final = Record(owner="retry", checks={"automatic": _check_automatic, "manual": _check_manual})
