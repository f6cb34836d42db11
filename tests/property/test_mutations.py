"""What goes wrong with tests, patterns and commands is caught: a few of each kind. `bench.mutations` does all."""

import random

import pytest

from tests.support.mutations import KINDS, Clean, caught_by, clean
from tests.support.mutations_of_exceptions import EXCEPTIONS
from tests.support.mutations_of_selection import MORE_KINDS

SOME = 2
EVERY = {**KINDS, **MORE_KINDS, **EXCEPTIONS}


@pytest.fixture(scope="module")
def fleet() -> Clean:
    return clean()


def test_the_clean_fleet_has_no_finding_of_ownership(fleet: Clean) -> None:
    assert [told for told in sorted(fleet.found) if told[0].startswith("PG2")] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_a_mistake_is_caught(fleet: Clean, name: str) -> None:
    """Every one that does harm, but of a kind that is not for the lint to see."""
    kind = EVERY[name]
    every = list(kind.mutations(fleet))
    assert every
    some = random.Random(0).sample(every, min(SOME, len(every)))
    missed = [mutation.what for mutation in some if not mutation.harmless and not caught_by(fleet, mutation)]
    assert missed == [] or kind.excuse
