"""`notify`: who hears of a step, a group or a build."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.diagnostics import closest, listing
from pipegen.plain import Path, Plain, PlainMap
from pipegen.validate.codes import NOTIFY_SERVICE
from pipegen.validate.conditional import check_notify_condition
from pipegen.validate.problem import Problem
from pipegen.validate.shape import (
    NamedCheck,
    Record,
    check_boolean,
    check_filled_text,
    check_record,
    check_text,
    check_word,
    entries,
    record_check,
    wrong_type,
)
from pipegen.validate.upload import listed, shown

_CHANNEL: Final = re.compile(r"[^ \t\n\v\f\r]+")
_BARE_SERVICES: Final = ("github_check", "github_commit_status")
_LEVELS: Final = ("notice", "warning", "failure")


def check_step_notify(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """`notify` of a step or group: Basecamp, Slack, GitHub commit statuses and checks."""
    yield from _check_entries(value, path, name, _STEP_SERVICES)


def check_build_notify(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """`notify` of a build, which also has mail, webhooks and PagerDuty."""
    yield from _check_entries(value, path, name, _BUILD_SERVICES)


def _check_entries(value: Plain, path: Path, name: str, services: Mapping[str, NamedCheck]) -> Iterator[Problem]:
    items = entries(value)
    if items is None:
        hint = 'put "- " before it to make it a list' if isinstance(value, Mapping) else ""
        yield wrong_type(value, path, name, "a list of services", hint)
        return
    for index, item in enumerate(items):
        where = (*path, index)
        if isinstance(item, Mapping):
            yield from _check_service(item, where, f"{name} entry {index + 1}", services)
        elif isinstance(item, str):
            if item not in _BARE_SERVICES:
                yield _no_service(f"{name} entry {index + 1} is {shown(item)}", where, item, services)
        else:
            yield wrong_type(item, where, f"{name} entry {index + 1}", "a mapping with one service")


def _check_service(entry: PlainMap, path: Path, name: str, services: Mapping[str, NamedCheck]) -> Iterator[Problem]:
    named = [service for service in entry if service != "if"]
    if len(named) != 1:
        found = f"names {listed(named)}" if named else "names no service"
        message = f"{name} {found}: expected exactly one of {listing(services)}"
        hint = "make an entry of each" if named else ""
        yield Problem(code=NOTIFY_SERVICE, path=path, message=message, help=hint)
    for service in named:
        check = services.get(service)
        if check is None:
            yield _no_service(f"{name} names {shown(service)}", (*path, service), service, services)
        else:
            yield from check(entry[service], (*path, service), f"notify {service}")
    if "if" in entry:
        yield from check_notify_condition(entry["if"], (*path, "if"), f"{name} if")


def _no_service(found: str, path: Path, service: str, services: Mapping[str, NamedCheck]) -> Problem:
    near = closest(service, services)
    hint = f'did you mean "{near}"?' if near is not None else ""
    if service in _BUILD_SERVICES:
        hint = "move it to the notify of the whole build" if service not in services else f"write {{{service}: ...}}"
    message = f"{found}: expected one of {listing(services)}"
    return Problem(code=NOTIFY_SERVICE, path=path, message=message, help=hint)


def _check_slack(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    if isinstance(value, Mapping):
        yield from check_record(value, path, name, _SLACK)
    elif isinstance(value, str):
        yield from _check_channel(value, path, name)
    else:
        hint = 'quote a channel: "#name"' if value is None else ""
        yield wrong_type(value, path, name, 'a channel or a mapping of "channels" and "message"', hint)


def _check_channels(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    items = entries(value)
    if not items:
        yield wrong_type(value, path, name, "a list of at least one channel")
        return
    for index, item in enumerate(items):
        yield from _check_channel(item, (*path, index), f"{name} entry {index + 1}")


def _check_channel(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    if not isinstance(value, str) or not _CHANNEL.fullmatch(value):
        hint = 'quote a channel: "#name"' if value is None else ""
        yield wrong_type(value, path, name, 'a channel or user without spaces, like "#ci"', hint)


def _check_annotations(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """Annotations of a GitHub check: their members are GitHub's, only the level is looked at."""
    items = entries(value)
    if items is None:
        yield wrong_type(value, path, name, "a list of annotations")
        return
    for index, item in enumerate(items):
        where = (*path, index)
        if not isinstance(item, Mapping):
            yield wrong_type(item, where, f"{name} entry {index + 1}", "a mapping")
        elif "annotation_level" in item:
            yield from check_word(item["annotation_level"], (*where, "annotation_level"), "annotation_level", _LEVELS)


_SLACK: Final = Record(
    owner="notify by Slack",
    checks={"channels": _check_channels, "message": check_text},
    required=("channels",),
)
_STEP_STATUS: Final = Record(owner="a commit status", checks={"context": check_filled_text})
_BUILD_STATUS: Final = Record(
    owner="a commit status of a build",
    checks={"context": check_filled_text, "blocked_builds_as_pending": check_boolean},
)
_OUTPUT: Final = Record(
    owner="the output of a GitHub check",
    checks={"title": check_text, "summary": check_text, "text": check_text, "annotations": _check_annotations},
)
_GITHUB_CHECK: Final = Record(
    owner="a GitHub check",
    checks={"name": check_filled_text, "context": check_filled_text, "output": record_check(_OUTPUT)},
)
_STEP_SERVICES: Final[Mapping[str, NamedCheck]] = {
    "basecamp_campfire": check_filled_text,
    "slack": _check_slack,
    "github_commit_status": record_check(_STEP_STATUS),
    "github_check": record_check(_GITHUB_CHECK),
}
_BUILD_SERVICES: Final[Mapping[str, NamedCheck]] = {
    **_STEP_SERVICES,
    "github_commit_status": record_check(_BUILD_STATUS),
    "email": check_filled_text,
    "webhook": check_filled_text,
    "pagerduty_change_event": check_filled_text,
}
