"""A typo cannot pass: misspell a word that pipegen knows, and it is named where it stands, with the right word first.

A sample that is drawn anew for nobody: the same every time. `python -m bench.typos` tries all of them.
"""

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.support.bases import Base, fleet_pieces, goldens, own_ci, selection_cases
from tests.support.typos import Exempt, Place, ambiguous, distinct, exempt, misspellings
from tests.support.typostrial import places_of, trial

SAMPLE = 150
PIECES = (
    "areas/acceptance_rates.yaml",
    "areas/lora.yaml",
    "areas/platform.yaml",
    ".buildkite/hardware.yaml",
    ".buildkite/pipegen.yaml",
)


def bases() -> Iterator[Base]:
    yield from (piece for piece in fleet_pieces() if piece.authored[0] in PIECES)
    yield own_ci()
    yield from goldens(step=9)


@pytest.fixture(scope="module")
def where() -> list[tuple[Base, Place]]:
    """One place of each kind and word, of some of the workspaces."""
    found = [(base, place) for base in bases() for place in places_of(base)]
    kept = {id(place) for place in distinct(place for _, place in found)}
    return [(base, place) for base, place in found if id(place) in kept]


def small(base: Base) -> bool:
    """Whether all that `generate` does with it takes no time."""
    return not base.name.startswith("fleet")


def sample(where: list[tuple[Base, Place]], size: int) -> list[tuple[Base, Place, str]]:
    """Misspellings of places of every kind in turn, so that no kind is left out."""
    chance = random.Random(0)
    by_sort: dict[str, list[tuple[Base, Place, str]]] = {}
    for base, place in where:
        by_sort.setdefault(place.sort, []).extend((base, place, word) for word in misspellings(place.word))
    for some in by_sort.values():
        chance.shuffle(some)
    chosen: list[tuple[Base, Place, str]] = []
    while len(chosen) < size and any(by_sort.values()):
        chosen += [some.pop() for some in by_sort.values() if some]
    return chosen[:size]


def test_a_sample_of_typos_is_found(where: list[tuple[Base, Place]]) -> None:
    chosen = sample(where, SAMPLE)
    assert len(chosen) == SAMPLE
    outcomes = [
        (base.name, place.name, word, trial(base, place, word, whole=small(base))) for base, place, word in chosen
    ]
    assert [outcome for outcome in outcomes if isinstance(outcome[-1], str)] == []


def test_every_kind_of_place_is_looked_at(where: list[tuple[Base, Place]]) -> None:
    """What a workspace is made of: if the walk no longer saw some of it, the sample would pass all the same."""
    sorts = {place.sort for _, place in where}
    assert {
        "alias",
        "key of area",
        "key of catalogue",
        "key of hardware entry",
        "key of lane",
        "key of lane.retry.automatic",
        "key of manifest",
        "key of mirror",
        "key of part",
        "key of step",
        "key of variant",
        "key of workspace",
        "key of workspace.selection",
        "key of workspace.toggles.*",
        "mirror that is none",
        "name in lane.label",
        "name in workspace.variables.*",
        "name removed from env",
        "reference in area.hardware",
        "reference in area.owner",
        "reference in area.when",
        "reference in hardware entry.depends_on",
        "reference in hardware entry.lane",
        "reference in hardware entry.template",
        "reference in lane.gate.depends_on",
        "reference in mirror.hardware",
        "reference in step.depends_on",
        "reference in workspace.areas",
        "reference in workspace.hardware",
        "reference in workspace.listing",
        "reference in workspace.selection.cases",
        "reference in workspace.switches.does.schedule",
        "tag of hardware",
        "word of part.rest",
        "word of workspace.selection.unselected",
        "word of workspace.switches.does",
    } <= sorts


def test_exceptions_are_few(where: list[tuple[Base, Place]]) -> None:
    every = [(place, word) for _, place in where for word in misspellings(place.word)]
    excused = Counter(exempt(place, word) for place, word in every)
    unclear = sum(ambiguous(place, word) for place, word in every if exempt(place, word) is None)
    share = {reason: excused[reason] / len(every) for reason in Exempt}
    assert share[Exempt.VALID] < 0.02, excused
    assert share[Exempt.MEANS_MORE] < 0.002, excused
    assert share[Exempt.NO_WORD] < 0.01, excused
    assert unclear / len(every) < 0.02


def test_selection_cases() -> None:
    base = selection_cases()
    found = distinct(places_of(base))
    chosen = sample([(base, place) for place in found], 12)
    outcomes = [(place.name, word, trial(base, place, word)) for base, place, word in chosen]
    assert [outcome for outcome in outcomes if isinstance(outcome[-1], str)] == []


@pytest.mark.parametrize(
    ("word", "some"),
    [
        ("env", {"ev", "en", "envv", "nev", "wnv", "emv", "enc", "ENV", "Env"}),
        ("depends_on", {"depends-on", "dependson", "dpeends_on", "deepends_on", "Depends_On", "depends_in"}),
        ("k", {"kk", "K", "j", "l", "m"}),
    ],
)
def test_misspellings_are_what_fingers_do(word: str, some: set[str]) -> None:
    made = misspellings(word)
    assert some <= set(made)
    assert word not in made
    assert "" not in made
    assert len(made) == len(set(made))
