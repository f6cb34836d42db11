"""Every word counts: whatever is accepted changes the pipeline, or what a command says, or is known to be read later.

The tables are in `tests.support.conservation`; a field of the language that stands in none of them fails, and so does
a row that is no longer true.
"""

import functools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pipegen import app, listing
from pipegen.app.cases import check_selection_cases
from pipegen.app.checking import check
from pipegen.app.checking import facts_of as facts_of_plans
from pipegen.app.explain import explain
from pipegen.app.prepared import Prepared, prepare
from pipegen.diagnostics import PipegenError
from pipegen.plain import Plain, PlainMap
from tests.support.bases import Base, fleet_files
from tests.support.conservation import (
    AREAS,
    CASES,
    CHANGED,
    EDITED,
    EXPLAIN,
    FILES,
    GATED,
    HARDWARE,
    JOBS,
    LATER,
    LINTED,
    MACHINES,
    NIGHTLY,
    PENDING,
    PIPELINE,
    SAYS,
    SAYS_ITSELF,
    STEP,
    TOGGLES,
    TOUCHED_TEST,
    UPLOAD,
    Change,
    FileChange,
    Json,
)
from tests.support.fields import every_field
from tests.support.rules import BASE as RULE_BASE
from tests.support.rules import Case, facts_of, found_in, printed
from tests.support.workspaces import FILES as SMALL

TOKEN = re.compile("a[0-9]{4}", re.IGNORECASE)
CHANGED_FILES: Mapping[str, bytes] = {
    GATED: b"unrelated.c\n",
    NIGHTLY: b"unrelated.c\n",
    CHANGED: b"src/engine/a.py\n",
    TOUCHED_TEST: b"tests/engine/test_core.py\ntests/elsewhere/test_that.py\n",
    EDITED: b"areas/engine.yaml\n",
}
ELSEWHERE: Json = {
    "key": "elsewhere",
    "hardware": "cpu",
    "timeout_in_minutes": 5,
    "depends_on": [],
    "commands": ["true"],
}


def steps_of_the_language() -> set[str]:
    """The fields that the tables must have: a pipeline's own are those of the workspace."""
    return {name for name in every_field() if not name.startswith("pipeline.")}


def test_every_field_is_accounted_for_once() -> None:
    tables = [*STEP, *FILES, *PENDING, *SAYS_ITSELF]
    assert sorted(tables) == sorted(steps_of_the_language())


# --- Attributes of a step, on every kind of machine ---------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A field on a machine: the areas in which it is written one way and the other."""

    name: str
    machine: str
    before: str
    after: str


def area(token: str, machine: str, overlay: Json) -> dict[str, object]:
    """An area of one machine with an overlay; AREA stands for its name in there, and None takes a key out."""
    base: dict[str, object] = {
        "tests": ["AREA/"],
        "timeout_in_minutes": 30,
        "depends_on": [],
        "sources": ["src/engine/"],
    }
    laid = {**base, **MACHINES[machine], **overlay}
    text = json.dumps({name: value for name, value in laid.items() if value is not None})
    found: dict[str, object] = json.loads(text.replace("AREA", token))
    return found


def rows() -> Iterator[tuple[str, Change]]:
    yield from STEP.items()
    yield from ((name, row.change) for name, row in PENDING.items() if isinstance(row.change, Change))


@functools.cache
def laid_out() -> tuple[tuple[Trial, ...], Base]:
    """One workspace with every field on every machine that takes it, each in areas of its own."""
    areas: dict[str, object] = {}
    trials = []

    def add(machine: str, overlay: Json) -> str:
        token = f"a{len(areas):04}"
        areas[token] = area(token, machine, overlay)
        return token

    for machine in MACHINES:
        bare = add(machine, {})
        for name, change in rows():
            if machine not in change.refused:
                before = bare if not change.before else add(machine, change.before)
                trials.append(Trial(name=name, machine=machine, before=before, after=add(machine, change.after)))
    return tuple(trials), fleet_with(areas)


def fleet_with(areas: Mapping[str, object]) -> Base:
    """The reference fleet with these areas and no others."""
    manifest = {"group": "Conserved", "owner": "core", "areas": areas, "steps": [ELSEWHERE]}
    files = {path: content for path, content in fleet_files().items() if not path.startswith("areas/")}
    files |= {
        "areas/engine.yaml": json.dumps(manifest).encode(),
        "areas/images.yaml": fleet_files()["areas/images.yaml"],
    }
    return Base(name="conserved", files=files, authored=())


@functools.cache
def seen(command: str) -> Mapping[str, str]:
    """What a command shows of each area."""
    base = laid_out()[1]
    others = {AREAS: listed, EXPLAIN: explained, TOGGLES: toggled}
    if command in others:
        return others[command](base)
    asked = app.Asked(changed_files=CHANGED_FILES.get(command), every=command == PIPELINE)
    request = replace(base.request(), environment={"NIGHTLY": "1"} if command == NIGHTLY else {})
    product = app.generate(request, app.Output(format="json"), asked)
    assert product.document is not None, [f"{one.span} {one.message}" for one in product.diagnostics][:10]
    found: dict[str, list[str]] = {}
    for group in json.loads(product.document)["steps"]:
        for step in group["steps"]:
            for token in TOKEN.findall(step["key"]):
                found.setdefault(token, []).append(TOKEN.sub("AREA", json.dumps(step, sort_keys=True)))
    return {token: "\n".join(steps) for token, steps in found.items()}


def listed(base: Base) -> Mapping[str, str]:
    plan = base.sound_plan()
    return {str(row["area"]): without_place(row) for row in listing.areas(plan.catalogue, plan.expansion)}


def toggles_of(base: Base) -> tuple[PlainMap, ...]:
    """What `list toggles` prints as JSON."""
    plan = base.sound_plan()
    return listing.toggles(facts_of_plans(base.request(), [plan], "2026-11-30"))


def toggled(base: Base) -> Mapping[str, str]:
    """What is said of each job that sets a toggle."""
    found: dict[str, list[str]] = {}
    for row in json.loads(json.dumps(toggles_of(base), default=list)):
        for setting in row["set"]:
            for token in {token for key in setting["jobs"] for token in TOKEN.findall(key)}:
                found.setdefault(token, []).append(without_place(setting))
    return {token: "\n".join(rows) for token, rows in found.items()}


def without_place(row: Mapping[str, Plain]) -> str:
    shown = {name: value for name, value in row.items() if name != "place"}
    return TOKEN.sub("AREA", json.dumps(shown, sort_keys=True, default=list))


def explained(base: Base) -> Mapping[str, str]:
    """What is said of a key that an area's job may have had before."""
    plan = base.sound_plan()
    found = {}
    for token in sorted({token for trial in laid_out()[0] for token in (trial.before, trial.after)}):
        try:
            explain(base.request(), plan, app.Asked(every=True), f"old-{token}", Path("/nowhere"))
        except PipegenError as error:
            found[token] = re.sub("did you mean .*", "", TOKEN.sub("AREA", str(error)))
    return found


def shown(command: str, token: str) -> str:
    return seen(command).get(token, "")


@pytest.mark.parametrize("name", STEP)
def test_a_field_of_a_step_changes_what_is_made_of_it(name: str) -> None:
    """On every machine that takes the field; where another command shows it, the pipeline does not."""
    change = STEP[name]
    trials = [trial for trial in laid_out()[0] if trial.name == name]
    assert {trial.machine for trial in trials} == set(MACHINES) - change.refused
    for trial in trials:
        command = change.command(trial.machine)
        assert shown(command, trial.before) != shown(command, trial.after), trial.machine
        if command != PIPELINE:
            assert shown(PIPELINE, trial.before) == shown(PIPELINE, trial.after), "stale: the pipeline itself shows it"


@pytest.mark.parametrize(
    ("name", "machine"), [(name, machine) for name, change in STEP.items() for machine in sorted(change.refused)]
)
def test_a_field_that_a_machine_cannot_heed_is_told(name: str, machine: str) -> None:
    """It is refused, or a finding says at its place that the machine's template does not look at it."""
    base = fleet_with({"a0001": area("a0001", machine, STEP[name].after)})
    product = base.generate()
    told = [one for one in product.diagnostics if one.span.path == "areas/engine.yaml"]
    assert told
    assert product.document is None or {one.code.name for one in told} == {"replaced-by-template"}


# --- Fields of files ------------------------------------------------------------------------------------------------


def small(change: FileChange, text: str) -> Base:
    """The small workspace with one way to write a field."""
    files = {**{path: str(content) for path, content in SMALL.items()}, **change.laid}
    for path, old, new in (*change.edits, (change.path, change.at, text)):
        assert not old or old in files[path], f"{path} does not hold {old!r}"
        files[path] = files[path].replace(old, new) if old else files[path] + ("" if not new else new.rstrip() + "\n")
    encoded = {path: content.encode() for path, content in files.items()}
    return Base(name="small", files=encoded, authored=(), pipeline=change.pipeline)


def says(change: FileChange, text: str, command: str) -> str:
    """What a command says of a workspace."""
    base = small(change, text)
    request = replace(
        base.request(), environment={**change.environment, **({"NIGHTLY": "1"} if command == NIGHTLY else {})}
    )
    if command in (AREAS, JOBS, HARDWARE, CASES, EXPLAIN):
        return catalogued(request, command)
    if command == TOGGLES:
        return "\n".join(without_place(row) for row in toggles_of(base))
    if command == LATER:
        checked = check(request, "2027-12-31")
        found = [f"{one.code.code} {one.message}" for one in (*checked.diagnostics, *checked.waived)]
        return "\n".join([*found, f"{len(checked.waived)} waived"])
    if command == LINTED:
        linted = Case(files={**RULE_BASE, **base.files})
        return printed(linted, found_in(facts_of(linted)))
    if command == UPLOAD:
        prepared = prepare(request, app.Asked(every=True))
        assert isinstance(prepared, Prepared), prepared
        return prepared.preview
    asked = app.Asked(changed_files=CHANGED_FILES.get(command), every=command not in CHANGED_FILES)
    product = app.generate(request, app.Output(), asked)
    if command == SAYS:
        return "\n".join(f"{one.code.code} {one.message}" for one in product.diagnostics)
    assert product.document is not None, [f"{one.span} {one.message}" for one in product.diagnostics]
    return product.document


def catalogued(request: app.Request, command: str) -> str:
    plan = app.make_plan(request)
    assert isinstance(plan, app.Plan), plan
    if command == CASES:
        return "\n".join(one.message for one in check_selection_cases(request, plan))
    if command == EXPLAIN:
        return answered(request, plan)
    makers = {
        AREAS: lambda: listing.areas(plan.catalogue, plan.expansion),
        HARDWARE: lambda: listing.hardware(plan.catalogue, plan.expansion),
        JOBS: lambda: listing.jobs(plan.expansion),
    }
    return "\n".join(without_place(row) for row in makers[command]())


def answered(request: app.Request, plan: app.Plan) -> str:
    """What is said of a test file, which is there or not."""
    try:
        return repr(explain(request, plan, app.Asked(every=True), "tests/engine/test_core.py", Path("/nowhere")))
    except PipegenError as error:
        return str(error)


@pytest.mark.parametrize("name", FILES)
def test_a_field_of_a_file_changes_what_is_made_of_it(name: str) -> None:
    change = FILES[name]
    before, after = (says(change, text, change.seen_in) for text in (change.before, change.after))
    assert before != after
    if change.seen_in not in (PIPELINE, SAYS):
        documents = [says(change, text, PIPELINE) for text in (change.before, change.after)]
        assert documents[0] == documents[1], "stale: the pipeline itself shows it"


# --- What nothing reads yet -------------------------------------------------------------------------------------------

COMMANDS = (PIPELINE, GATED, CHANGED, AREAS, EXPLAIN)


@pytest.mark.parametrize("name", PENDING)
def test_what_is_pending_shows_nowhere_yet(name: str) -> None:
    change = PENDING[name].change
    match change:
        case Change():
            for trial in (trial for trial in laid_out()[0] if trial.name == name):
                for command in COMMANDS:
                    assert shown(command, trial.before) == shown(command, trial.after), f"stale: {command} shows it"
        case FileChange():
            for command in (PIPELINE, SAYS, AREAS, JOBS, HARDWARE):
                before, after = (says(change, text, command) for text in (change.before, change.after))
                assert before == after, f"stale: {command} shows it"


def test_pending_names_what_is_to_come() -> None:
    """A capability is named in words; it is not for the table to outlive what they say."""
    assert {row.capability for row in PENDING.values()} <= {
        "The rest of the rules, and waivers that end",
        "Every test has an owner and a job: the ownership lint and the pre-commit hook",
    }
