"""Waivers and quarantine of the workspace file, decoded."""

from collections.abc import Iterable, Mapping
from typing import Final

from pipegen import codes
from pipegen.diagnostics import Related
from pipegen.manifest import workspace_fields as wf
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.located import Node, Report, Scalar
from pipegen.manifest.record import Values
from pipegen.manifest.values import located
from pipegen.model import Located, Owner, Quarantined, Waiver
from pipegen.patterns import PatternError, Patterns

_WAIVER: Final = ("rule", "at", "reason", "owner", "until")
_QUARANTINED: Final = ("test", "reason", "owner", "until", "runs")


def waivers_of(values: Values, owners: Mapping[str, Owner], report: Report) -> tuple[Waiver, ...]:
    """The waivers of a workspace; those with mistakes are left out."""
    result = []
    for waiver in values.get(wf.WAIVERS) or ():
        _known_owner(waiver, owners, report, sure="owners" not in values.faulty)
        texts = _texts(waiver, _WAIVER)
        if texts is None or not _is_pattern(texts["at"], report):
            continue
        result.append(
            Waiver(
                rule=texts["rule"],
                at=texts["at"],
                reason=texts["reason"].text,
                owner=texts["owner"].text,
                tracking=_tracking(waiver),
                until=texts["until"],
                span=waiver.node.span,
            )
        )
    return tuple(result)


def quarantine_of(
    values: Values, owners: Mapping[str, Owner], places: Mapping[str, Iterable[str]], report: Report
) -> tuple[Quarantined, ...]:
    """The tests in quarantine; those with mistakes are left out, so that they run.

    `places` has the names that `runs` may list, by its key: lanes and schedules.
    """
    result: list[Quarantined] = []
    for entry in values.get(wf.QUARANTINE) or ():
        _known_owner(entry, owners, report, sure="owners" not in values.faulty)
        runs = _still_runs(entry, places, values.faulty, report)
        texts = _texts(entry, _QUARANTINED)
        if texts is None or runs is None or not _is_test(texts["test"], report):
            continue
        earlier = next((one for one in result if one.test.text == texts["test"].text), None)
        if earlier is not None:
            report.add(
                codes.DUPLICATE_NAME,
                texts["test"].span,
                f'"{earlier.test.text}" is in quarantine twice',
                hint="keep one of them",
                related=(Related(span=earlier.test.span, note="first here"),),
            )
            continue
        result.append(
            Quarantined(
                test=texts["test"],
                reason=texts["reason"].text,
                owner=texts["owner"].text,
                tracking=_tracking(entry),
                until=texts["until"],
                lanes=runs["lanes"],
                schedules=runs["schedules"],
                span=entry.node.span,
            )
        )
    return tuple(result)


def _texts(values: Values, names: Iterable[str]) -> Mapping[str, Located] | None:
    """The keys that hold text, with their places; None if a mistake is in one of those that must be there."""
    if values.faulty & {*names}:
        return None
    found = {entry.key.text: entry.value for entry in values.node.entries if isinstance(entry.value, Scalar)}
    return {name: Located(text=node.text, span=node.span) for name, node in found.items()}


def _tracking(values: Values) -> str | None:
    node = values.node.get("tracking")
    return node.text if isinstance(node, Scalar) and "tracking" not in values.faulty else None


def _known_owner(values: Values, owners: Mapping[str, Owner], report: Report, *, sure: bool) -> None:
    node = values.node.get("owner")
    if sure and isinstance(node, Scalar) and "owner" not in values.faulty and node.text not in owners:
        hint = report.did_you_mean(node.text, owners) or "declare it under owners"
        report.add(codes.UNKNOWN_REFERENCE, node.span, f'unknown owner "{node.text}"', hint=hint)


def _is_pattern(at: Located, report: Report) -> bool:
    try:
        Patterns.compile([at.text])
    except PatternError as error:
        report.add(codes.BAD_PATTERN, at.span, f"at: {error}", hint=error.help)
        return False
    if at.text.startswith("!"):
        found = f'at: expected what the waiver is about, found "{at.text}"'
        report.add(codes.BAD_PATTERN, at.span, found, hint="leave out the !: a waiver excludes nothing else")
        return False
    return True


def _is_test(test: Located, report: Report) -> bool:
    """Whether it can be one file or one node; what is wrong with such a path otherwise is found with all others."""
    if not any(character in test.text.partition("::")[0] for character in "*?[") and not test.text.endswith("/"):
        return True
    found = f'test: expected a file or a node id, found "{test.text}"'
    report.add(codes.BAD_PATTERN, test.span, found, hint="write FILE, FILE::CLASS or FILE::TEST")
    return False


def _still_runs(
    values: Values, places: Mapping[str, Iterable[str]], faulty: frozenset[str], report: Report
) -> Mapping[str, tuple[str, ...]] | None:
    """The lanes and schedules, each known; None where a mistake was reported."""
    node = values.node.get("runs")
    if not isinstance(node, MappingNode) or "runs" in values.faulty:
        return None
    before = len(report.found)
    if not node.entries:
        message = "runs names neither lanes nor schedules"
        report.add(codes.MISSING_KEY, node.span, message, hint="add schedules: [NAME] or lanes: [NAME]")
    for key, known in places.items():
        for place in _located(node.get(key)):
            if place.text not in known and key not in faulty:
                message = f'unknown {key.removesuffix("s")} "{place.text}" in runs'
                hint = report.did_you_mean(place.text, tuple(known)) or f"declare it under {key}"
                report.add(codes.UNKNOWN_REFERENCE, place.span, message, hint=hint)
    if len(report.found) > before:
        return None
    return {key: tuple(place.text for place in _located(node.get(key))) for key in places}


def _located(node: Node | None) -> tuple[Located, ...]:
    return () if node is None else located(node)
