"""The real agent takes the whole pipeline of an imported fleet."""

from pathlib import Path

import pytest

from tests.conformance.fleet import VARIABLES, Fleet
from tests.support.agent import Agent
from tests.support.workspaces import run

pytestmark = [pytest.mark.agent, pytest.mark.corpus]


JOBS = {".buildkite/ci_config.yaml": 310, ".buildkite/ci_config_intel.yaml": 44}


@pytest.mark.parametrize("config", JOBS)
@pytest.mark.parametrize("branch", ["main", "user:feature"])
def test_it_uploads_everything(agent: Agent, corpus: Path, tmp_path: Path, config: str, branch: str) -> None:
    root, ran = Fleet(corpus=corpus, folder=tmp_path).imported(config)
    assert ran.status == 0, ran.stderr
    generated = run("generate", "--all", *VARIABLES, cwd=root, env={"BUILDKITE_BRANCH": branch})
    assert generated.status == 0, generated.stderr
    uploaded = agent.dry_run(generated.stdout)
    assert uploaded.status == 0, uploaded.stderr
    groups = [group for group in uploaded.steps if isinstance(group, dict)]
    assert sum(len(group["steps"]) for group in groups if isinstance(group["steps"], list)) == JOBS[config]
