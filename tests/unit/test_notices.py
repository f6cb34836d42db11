"""`notify` of a workspace: in which builds, and on which steps, owners hear of failures."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from pipegen import app
from pipegen.plain import PlainMap
from tests.support.bases import Base
from tests.support.workspaces import ENGINE, FILES, TEMPLATE, WORKSPACE

NOTIFY = "notify: {slack: owners, schedules: [nightly], branches: [main, 'release/*']}\n"
FAILED = {"slack": "#core", "if": 'step.outcome == "hard_failed" || step.outcome == "errored"'}
CHANGED = b"src/engine/a.py\n"


def steps(
    environment: Mapping[str, str],
    *,
    engine: str = ENGINE,
    template: str = TEMPLATE,
    changed: bytes = CHANGED,
    more: str = "",
) -> dict[str, PlainMap]:
    """The steps of a build by their keys."""
    texts = {
        **FILES,
        ".buildkite/pipegen.yaml": WORKSPACE + NOTIFY + more,
        "areas/engine.yaml": engine,
        "templates/plain.yaml.j2": template,
    }
    base = Base(name="small", files={path: text.encode() for path, text in texts.items()}, authored=())
    request = replace(base.request(), environment=environment)
    product = app.generate(request, app.Output(format="json"), app.Asked(changed_files=changed))
    assert product.document is not None, product.diagnostics
    groups = json.loads(product.document)["steps"]
    return {step["key"]: step for group in groups for step in group["steps"]}


@pytest.mark.parametrize(
    ("environment", "heard"),
    [
        ({}, False),
        ({"NIGHTLY": "1"}, True),
        ({"BUILDKITE_BRANCH": "main"}, True),
        ({"BUILDKITE_BRANCH": "main", "BUILDKITE_PULL_REQUEST": "false"}, True),
        ({"BUILDKITE_BRANCH": "main", "BUILDKITE_PULL_REQUEST": "17"}, False),
        ({"BUILDKITE_BRANCH": "main", "BUILDKITE_PULL_REQUEST": "17", "NIGHTLY": "1"}, True),
        ({"BUILDKITE_BRANCH": "release/1.2/b"}, True),
        ({"BUILDKITE_BRANCH": "release"}, False),
        ({"BUILDKITE_BRANCH": "my-main"}, False),
        ({"BUILDKITE_BRANCH": "somebody:main"}, False),
    ],
)
def test_in_which_builds(environment: Mapping[str, str], heard: bool) -> None:
    assert steps(environment)["engine-core"].get("notify") == ([FAILED] if heard else None)


def test_only_jobs_whose_owner_slack_reaches() -> None:
    found = steps({"NIGHTLY": "1"}, engine=ENGINE.replace("owner: core", "owner: kernels"))
    assert all("notify" not in step for step in found.values())


def test_behind_what_the_job_says_itself() -> None:
    found = steps({"NIGHTLY": "1"}, engine=ENGINE + "    notify: [github_check]\n")
    assert found["engine-core"]["notify"] == ["github_check", FAILED]


def test_a_template_cannot_take_it_away() -> None:
    found = steps({"NIGHTLY": "1"}, template=TEMPLATE + "notify: null\n")
    assert found["engine-core"]["notify"] == [FAILED]


def test_a_gated_job_but_not_its_gate() -> None:
    found = steps({"NIGHTLY": "1"}, changed=b"other.c\n")
    assert found["engine-core"]["notify"] == [FAILED]
    assert "notify" not in found["block-engine-core"]


def test_no_job_that_is_skipped() -> None:
    found = steps({"NIGHTLY": "1"}, changed=b"other.c\n", more="selection: {unselected: skip}\n")
    assert found["engine-core"]["skip"]
    assert "notify" not in found["engine-core"]
