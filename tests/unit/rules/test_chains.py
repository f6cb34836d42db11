"""The layers that rules look at are those that expansion lays."""

from pipegen import app
from pipegen.manifest.inheritance import lay
from pipegen.manifest.located import Node, Report
from pipegen.rules.chains import Chains
from tests.support.bases import Base, every_golden, fleet_files

APART = frozenset({"k", "m", "depends_on"})
"""What a part narrows, and what hardware puts in front, is not laid layer by layer."""


def differing(plan: app.Plan) -> list[str]:
    """The jobs whose attributes are not what their chain says."""
    chains = Chains.of(plan.catalogue)
    jobs = plan.expansion.jobs
    return [job.key for job in jobs if kept({**lay(chains.chain(job).layers, Report())}) != kept({**job.nodes})]


def kept(nodes: dict[str, Node]) -> dict[str, Node]:
    return {name: node for name, node in nodes.items() if name not in APART}


def test_in_the_fleet() -> None:
    plan = Base(name="fleet", files=fleet_files(), authored=()).sound_plan()
    assert any(job.origin.mirror for job in plan.expansion.jobs)
    assert differing(plan) == []


def test_in_every_golden_of_the_language() -> None:
    jobs = 0
    for base in every_golden():
        plan = base.plan() if base.name.startswith("language/") and "pipelines" not in base.name else ()
        if isinstance(plan, app.Plan):
            jobs += len(plan.expansion.jobs)
            assert differing(plan) == [], base.name
    assert jobs > 100
