"""The rules on ownership, on a real fleet as it is imported: what they find there, and the tests that run nowhere."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from pipegen import app
from pipegen.app.checking import facts_of
from pipegen.diagnostics import Diagnostic
from pipegen.manifest.load import load_workspaces
from pipegen.rules.facts import Facts
from pipegen.rules.orphans import orphans
from tests.conformance.fleet import Fleet
from tests.support.rules import TODAY, found_in

pytestmark = pytest.mark.corpus

CI = ".buildkite/ci_config.yaml"
INTEL = ".buildkite/ci_config_intel.yaml"
ROCM = ".buildkite/ci_config_rocm.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Linted:
    """The imported fleet, and what the rules on ownership say of it."""

    facts: Facts
    found: tuple[Diagnostic, ...]

    @property
    def by_code(self) -> Mapping[str, int]:
        """How often each code stands there."""
        return Counter(one.code.code for one in self.found)


@pytest.fixture(scope="module")
def linted(fleet: Fleet) -> Linted:
    root, _ = fleet.imported(CI, INTEL, ROCM, into="linted")
    place = app.Place(root=root, path=app.DEFAULT_WORKSPACE)
    workspaces, _ = load_workspaces(place.tree, place.path)
    plans = [app.make_plan(app.Request(place=place, pipeline=workspace.pipeline)) for workspace in workspaces]
    facts = facts_of(app.Request(place=place), [plan for plan in plans if isinstance(plan, app.Plan)], TODAY)
    found = tuple(one for one in found_in(facts) if one.code.code.startswith("PG2"))
    return Linted(facts=facts, found=found)


def test_what_is_found(linted: Linted) -> None:
    """Each was read, and is right. Paths that are gone were told by the import, which left them behind."""
    assert linted.by_code == {
        "PG201": 3,
        "PG202": 38,
        "PG206": 13,
        "PG208": 59,
        "PG210": 1,
        "PG212": 1,
        "PG214": 13,
    }


def test_what_runs_nowhere_is_told(linted: Linted) -> None:
    """Of 60 files that no job collects 50 are told; scripts run the other ten, whose content a listing does not hold.

    Another tool found 48: it could read the scripts, which leave one of the ten out, and one more pipeline, which runs
    three of the 50.
    """
    collected = {path for job in linted.facts.jobs for path in job.collected}
    nowhere = {path for path in linted.facts.inventory.tests if path not in collected}
    loose = orphans(linted.facts)
    unowned = {*(path for path, _ in loose.files), *(path for _, inside, _ in loose.folders for path in inside)}
    unrun = " ".join(one.message for one in linted.found if one.code.code == "PG206")
    told = {path for path in nowhere if path in unowned or f'"{path.removeprefix("tests/")}"' in unrun}
    by_scripts = {path for path in nowhere - told if path.split("/")[-2].endswith("_integration")}
    assert (len(nowhere), len(unowned), len(told)) == (60, 47, 50)
    assert {path.rpartition("/")[2] for path in nowhere - told - by_scripts} == {"test_weight_loading.py"}
    assert len(by_scripts) == 9
    assert len({path for path in told if "rocm" in path or "quick" in path}) == 3


def test_what_is_unowned_lies_where_the_finding_says(linted: Linted) -> None:
    tests = set(linted.facts.inventory.tests)
    assert all(one.span.path in tests for one in linted.found if one.code.code in ("PG201", "PG202"))
