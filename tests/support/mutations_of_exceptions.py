"""What goes wrong with toggles, mirrors and quarantine, done to the fleet as `tests.support.mutations` does it."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from pipegen.diagnostics import Edit, Span
from pipegen.manifest.layers import Layer
from pipegen.manifest.located import Items, Scalar
from pipegen.model import Step
from pipegen.rules.facts import JobFacts
from tests.support.bases import FLEET
from tests.support.mutations import Clean, Kind, Mutation

TOGGLE: Final = "VLLM_USE_DEEP_GEMM"
LONG: Final = "{value: 0, because: it hangs, until: 2099-12-31}"
PAST: Final = "2026-01-01"


def _areas(fleet: Clean) -> Iterator[tuple[Step, Layer]]:
    """Every area that says nothing of variables itself, with its first step."""
    told: set[Span] = set()
    for pipeline in fleet.facts.pipelines:
        for step in pipeline.catalogue.steps:
            if step.area is not None and step.layers[1].span not in told:
                told.add(step.layers[1].span)
                if "env" not in step.layers[1].nodes:
                    yield step, step.layers[1]


def _said(fleet: Clean, layer: Layer, words: str) -> Edit | None:
    """One more attribute, in front of the first one of a place."""
    span = layer.span
    line = fleet.text(span.path).split("\n")[span.line - 1]
    here = replace(span, end_line=span.line, end_column=span.column)
    if line[: span.column - 1].strip() == "":
        return Edit(span=here, text=f"{words}\n{line[: span.column - 1]}")
    if line[span.column - 1] == "{":
        inside = replace(here, column=span.column + 1, end_column=span.column + 1)
        return Edit(span=inside, text=f"{words}, ")
    return None


def _set(fleet: Clean, value: str, name: str = TOGGLE) -> Iterator[Mutation]:
    for step, layer in _areas(fleet):
        edit = _said(fleet, layer, f"env: {{{name}: {value}}}")
        if edit is not None:
            yield fleet.edited(f"{step.area} sets {name} to {value}", edit)


def toggle_without_reason(fleet: Clean) -> Iterator[Mutation]:
    yield from _set(fleet, "0")


def toggle_of_no_value(fleet: Clean) -> Iterator[Mutation]:
    yield from _set(fleet, '"off"')


def toggle_at_default(fleet: Clean) -> Iterator[Mutation]:
    yield from _set(fleet, "1")


def toggle_that_ended(fleet: Clean) -> Iterator[Mutation]:
    yield from _set(fleet, LONG.replace("2099-12-31", PAST))


def undeclared_toggle(fleet: Clean) -> Iterator[Mutation]:
    yield from _set(fleet, LONG, f"{TOGGLE}S")


def _commands(fleet: Clean) -> Iterator[tuple[JobFacts, Scalar]]:
    """Every command that is a plain item of a list, each place once."""
    told: set[Span] = set()
    for one in fleet.facts.jobs:
        node = one.job.nodes.get("commands")
        for item in node.items if isinstance(node, Items) else ():
            if isinstance(item, Scalar) and item.plain and item.span not in told and "pytest" in item.text:
                told.add(item.span)
                yield one, item


def export_toggle(fleet: Clean) -> Iterator[Mutation]:
    for one, item in _commands(fleet):
        start = replace(item.span, end_line=item.span.line, end_column=item.span.column)
        yield fleet.edited(f"{one.job.key} exports {TOGGLE}", Edit(span=start, text=f"export {TOGGLE}=0; "))


def end_a_none(fleet: Clean) -> Iterator[Mutation]:
    told: set[Span] = set()
    for pipeline in fleet.facts.pipelines:
        for absence in pipeline.expansion.absences:
            if absence.until is not None and absence.until.span not in told:
                told.add(absence.until.span)
                yield fleet.edited("the end of a none has passed", Edit(span=absence.until.span, text=PAST))


def _mirrors(fleet: Clean) -> Iterator[tuple[JobFacts, Layer]]:
    """Every mirror that makes jobs, each place once."""
    told: set[Span] = set()
    for one in fleet.facts.jobs:
        mirror = None if one.job.origin.mirror is None else fleet.facts.chain(one).mirror
        if mirror is not None and mirror.span not in told:
            told.add(mirror.span)
            yield one, mirror


def repeat_in_mirror(fleet: Clean) -> Iterator[Mutation]:
    for one, mirror in _mirrors(fleet):
        edit = _said(fleet, mirror, f"owner: {one.job.owner}")
        if edit is not None and "owner" not in mirror.nodes:
            yield fleet.edited(f"mirror {mirror.name} says its owner again", edit)


def drop_toggle_in_mirror(fleet: Clean) -> Iterator[Mutation]:
    areas = {step.area: layer for step, layer in _areas(fleet)}
    for one, mirror in _mirrors(fleet):
        layer = areas.get(one.job.origin.area)
        own = next((two for two in fleet.facts.jobs if _original(two, one)), None)
        if layer is None or own is None or own.job.lane == one.job.lane or "env" in mirror.nodes:
            continue
        edits = (
            _said(fleet, layer, f"env: {{{TOGGLE}: {LONG}}}"),
            _said(fleet, mirror, f"env: {{{TOGGLE}: null}}"),
        )
        made = [edit for edit in edits if edit is not None]
        if len(made) == 2:
            yield fleet.edited(f"mirror {mirror.name} drops {TOGGLE}", *made)


def _original(two: JobFacts, one: JobFacts) -> bool:
    return two.job.origin == replace(one.job.origin, mirror=None)


# --- Quarantine -------------------------------------------------------------------------------------------------------


def _quarantined(fleet: Clean, path: str, until: str = "2099-12-31") -> Mutation:
    entry = f'{{test: "//{path}", reason: flaky, owner: {_owner(fleet)}, until: {until}, runs: {{schedules: nightly}}}}'
    text = fleet.text(FLEET) + f"quarantine: [{entry}]\n"
    return Mutation(what=f"{path} is in quarantine until {until}", files={FLEET: text.encode()})


def _owner(fleet: Clean) -> str:
    return min(fleet.facts.pipelines[0].workspace.owners)


def quarantine_what_is_gone(fleet: Clean) -> Iterator[Mutation]:
    for path in fleet.facts.inventory.tests:
        yield _quarantined(fleet, path.removesuffix(".py") + "_gone.py")


def quarantine_for_too_long(fleet: Clean) -> Iterator[Mutation]:
    for path in sorted({path for one in fleet.facts.jobs if one.generated for path in one.collected}):
        yield _quarantined(fleet, path, PAST)


def quarantine_in_commands(fleet: Clean) -> Iterator[Mutation]:
    by_path: dict[str, list[JobFacts]] = {}
    for one in fleet.facts.jobs:
        for path in one.collected if not one.generated else ():
            by_path.setdefault(path, []).append(one)
    for path, jobs in sorted(by_path.items()):
        alone = all({word.text for word in one.job.when} <= {"nightly"} for one in jobs)
        yield replace(_quarantined(fleet, path), harmless="those jobs run at night alone" if alone else "")


EXCEPTIONS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "toggle-without-reason": Kind(mutations=toggle_without_reason),
        "toggle-of-no-value": Kind(mutations=toggle_of_no_value),
        "toggle-at-default": Kind(mutations=toggle_at_default),
        "toggle-that-ended": Kind(mutations=toggle_that_ended),
        "undeclared-toggle": Kind(mutations=undeclared_toggle),
        "export-toggle": Kind(mutations=export_toggle),
        "end-a-none": Kind(mutations=end_a_none),
        "repeat-in-mirror": Kind(mutations=repeat_in_mirror),
        "drop-toggle-in-mirror": Kind(mutations=drop_toggle_in_mirror),
        "quarantine-what-is-gone": Kind(mutations=quarantine_what_is_gone),
        "quarantine-for-too-long": Kind(mutations=quarantine_for_too_long),
        "quarantine-in-commands": Kind(mutations=quarantine_in_commands),
    }
)
"""All kinds, by name."""
