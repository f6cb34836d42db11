"""Selection does what selection/truth_table.md says, which is written by hand: no flag regenerates it."""

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from pipegen.model import Outcome, Unselected
from pipegen.select import ChangedFiles, Circumstances, Edit, Edits, Everything, select
from pipegen.select.reach import Reach
from tests.support.selection import Fleet, fleet

PAGE: Final = Path(__file__).parent / "selection" / "truth_table.md"
DIMENSIONS: Final = ("trigger", "switch", "when", "label", "lane")

WORKSPACE: Final = """\
version: 1
owners: {core: {github: "@org/core"}}
selection: {run_all: [setup.py], ignored: [docs/]}
schedules: {nightly: {environment: {NIGHTLY: "1"}}}
switches:
  - {environment: {RUN_ALL: "1"}, does: run_all}
  - {environment: {NOAUTO: "1"}, does: gate_all}
  - {environment: ONLY_KEYS, does: only}
  - {environment: {PRIORITY: HIGH}, does: {priority: 1000}}
  - {label: ready, does: [run_all, schedule: nightly]}
lanes: {cuda: {}, amd: {}}
"""
HARDWARE: Final = """\
hardware:
  gpu: {lane: cuda, queue: gpu, gpus: 1, template: plain, depends_on: []}
  mi: {lane: amd, queue: mi, gpus: 1, template: plain, depends_on: []}
"""
WHENS: Final = ("changed", "sources", "nightly", "manual", "always")
AREAS: Final = "group: Table\nowner: core\nhardware: gpu\ntimeout_in_minutes: 5\nareas:\n" + "".join(
    f"  {when}: {{when: {when}, tests: [{when}/], sources: [src/],"
    " mirrors: {amd: {hardware: mi, timeout_in_minutes: 5, sources: [+, rocm/]}}}\n"
    for when in WHENS
)

TEMPLATE: Final = Edit(what="changed", file="templates/plain.yaml.j2")
CATALOGUE: Final = Edit(what="changed", file=".buildkite/hardware.yaml")
JOBS: Final = {prefix + when: Edit(what="is new", file="areas/a.yaml") for prefix in ("", "amd-") for when in WHENS}


def _changed(*paths: str, edits: Edits | None = None) -> Circumstances:
    return Circumstances(changes=ChangedFiles(paths=paths), edits=edits or Edits())


TRIGGERS: Final[Mapping[str, Circumstances]] = {
    "nothing": _changed(),
    "source": _changed("src/a.py"),
    "amd source": _changed("rocm/a.py"),
    "test": _changed(*(f"tests/{when}/test_a.py" for when in WHENS)),
    "other": _changed("other/a.py"),
    "run_all": _changed("setup.py"),
    "ignored": _changed("docs/a.md"),
    "ignored + source": _changed("docs/a.md", "src/a.py"),
    "entry": _changed("areas/a.yaml", edits=Edits(jobs=JOBS)),
    "template": _changed("templates/plain.yaml.j2", edits=Edits(templates={"plain": TEMPLATE})),
    "hardware": _changed(".buildkite/hardware.yaml", edits=Edits(hardware=dict.fromkeys(("gpu", "mi"), CATALOGUE))),
    "unknown": Circumstances(changes=Everything(cause="git is gone")),
}
SWITCHES: Final[Mapping[str, Mapping[str, str]]] = {
    "-": {},
    "RUN_ALL": {"RUN_ALL": "1"},
    "NOAUTO": {"NOAUTO": "1"},
    "ONLY it": {"ONLY_KEYS": '["changed", "sources", "nightly", "manual", "always"]'},
    "ONLY others": {"ONLY_KEYS": '["other"]'},
    "NIGHTLY": {"NIGHTLY": "1"},
    "PRIORITY": {"PRIORITY": "HIGH"},
    "--all": {},
}
LABELS: Final[Mapping[str, tuple[str, ...]]] = {"none": (), "ready": ("ready",)}
KEYS: Final = {"cuda": "{}", "amd": "amd-{}"}
OUTCOMES: Final = {Outcome.RUN: "run", Outcome.GATED: "gate", Outcome.OMITTED: "out", Outcome.SKIPPED: "skip"}
VALUES: Final[Mapping[str, tuple[str, ...]]] = {
    "trigger": tuple(TRIGGERS),
    "switch": tuple(SWITCHES),
    "when": WHENS,
    "label": tuple(LABELS),
    "lane": tuple(KEYS),
    "unselected": ("block", "skip", "omit"),
}

Row = dict[str, str]


def _tables(*columns: str) -> Iterator[list[Row]]:
    """Every table of the page with these columns, as rows of cells by column."""
    heading = "| " + " | ".join(columns) + " |"
    for block in re.findall(r"(?:^\|.*\|\n)+", PAGE.read_text(encoding="utf-8"), re.M):
        lines = block.splitlines()
        if lines[0] == heading:
            cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
            yield [dict(zip(columns, row, strict=True)) for row in cells]


def _means(column: str, cell: str) -> frozenset[str]:
    """The words that a cell stands for."""
    words = VALUES[column]
    but = cell.removeprefix("any but ") if cell.startswith("any but ") else "" if cell == "any" else None
    named = {word.strip() for word in (cell if but is None else but).split(",") if word.strip()}
    assert named <= set(words), f'"{cell}" in column {column} names a word that the page does not define'
    return frozenset(named if but is None else set(words) - named)


ROWS: Final = [row for table in _tables(*DIMENSIONS, "becomes") for row in table]


def test_the_page_defines_every_word() -> None:
    defined = [tuple(row["word"] for row in table) for table in _tables("word", "meaning")]
    assert defined == [VALUES[column] for column in DIMENSIONS]
    assert {row["becomes"] for row in ROWS} == {"run", "gate", "out"}


def test_each_combination_is_in_exactly_one_row() -> None:
    rows = [tuple(_means(column, row[column]) for column in DIMENSIONS) for row in ROWS]
    used = set()
    for combination in itertools.product(*(VALUES[column] for column in DIMENSIONS)):
        matching = [
            number
            for number, row in enumerate(rows)
            if all(word in cell for word, cell in zip(combination, row, strict=True))
        ]
        assert len(matching) == 1, f"{combination} is in rows {[ROWS[number] for number in matching]}"
        used.add(matching[0])
    assert used == set(range(len(rows))), "a row speaks of no combination"


@pytest.fixture(scope="module")
def table() -> Fleet:
    other = "group: Other\nsteps: [{key: other, hardware: gpu, timeout_in_minutes: 5, commands: [make]}]\n"
    return fleet(
        {
            ".buildkite/pipegen.yaml": WORKSPACE,
            ".buildkite/hardware.yaml": HARDWARE,
            "areas/engine.yaml": AREAS,
            "areas/images.yaml": other,
        }
    )


def _outcomes(given: Fleet, trigger: str, switch: str, label: str) -> Mapping[str, str]:
    """What each job becomes, by key."""
    circumstances = replace(
        TRIGGERS[trigger], environment=SWITCHES[switch], labels=LABELS[label], every=switch == "--all"
    )
    plan = select(given.expansion, given.workspace, circumstances, Reach.of(given.expansion))
    return {one.job.key: OUTCOMES[one.outcome] for one in plan.planned}


def _expected(trigger: str, switch: str, when: str, label: str, lane: str) -> str:
    words = dict(zip(DIMENSIONS, (trigger, switch, when, label, lane), strict=True))
    (row,) = (row for row in ROWS if all(word in _means(column, row[column]) for column, word in words.items()))
    return row["becomes"]


@pytest.mark.parametrize("trigger", TRIGGERS)
def test_selection_does_what_the_page_says(table: Fleet, trigger: str) -> None:
    wrong = []
    for switch, label in itertools.product(SWITCHES, LABELS):
        found = _outcomes(table, trigger, switch, label)
        for when, lane in itertools.product(WHENS, KEYS):
            becomes = found[KEYS[lane].format(when)]
            expected = _expected(trigger, switch, when, label, lane)
            if becomes != expected:
                wrong.append(f"{trigger} | {switch} | {when} | {label} | {lane}: {becomes}, not {expected}")
    assert wrong == []


def test_gates_become_what_the_workspace_says(table: Fleet) -> None:
    (rows,) = _tables("unselected", "switch", "becomes")
    for unselected, trigger, switch in itertools.product(VALUES["unselected"], ("other", "source"), SWITCHES):
        (row,) = (
            row
            for row in rows
            if unselected in _means("unselected", row["unselected"]) and switch in _means("switch", row["switch"])
        )
        found = _outcomes(table.selecting(unselected=Unselected(unselected)), trigger, switch, "none")
        for when, lane in itertools.product(WHENS, KEYS):
            expected = _expected(trigger, switch, when, "none", lane)
            wanted = row["becomes"] if expected == "gate" else expected
            assert found[KEYS[lane].format(when)] == wanted, (unselected, trigger, switch, when, lane)
