"""`pipegen upload` with the real agent: values of secret variables are neither uploaded nor shown."""

from pathlib import Path

import pytest

from tests.support.agent import Agent
from tests.support.loopback import LoopbackServer, Operation, Status
from tests.support.uploads import SECRET, Job
from tests.support.workspaces import ENGINE, TEMPLATE, WORKSPACE, workspace

pytestmark = pytest.mark.agent


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return workspace(tmp_path / "checkout", {"templates/plain.yaml.j2": TEMPLATE})


@pytest.fixture
def job(agent: Agent, root: Path) -> Job:
    return Job.of(agent, root)


def test_refused_by_the_agent_before_anything_is_kept(job: Job, loopback: LoopbackServer, root: Path) -> None:
    """A secret of the job's environment is in a command; neither it nor the rest is printed or uploaded."""
    workspace(
        root, {"areas/engine.yaml": ENGINE + f"    args: [--password={SECRET}]\n", "templates/plain.yaml.j2": TEMPLATE}
    )
    ran = job.upload(loopback, "--all", env={"DEPLOY_TOKEN": SECRET})
    assert ran.status == 1
    assert "buildkite-agent refuses part 1 of 1: " in ran.stderr
    assert "DEPLOY_TOKEN" in ran.stderr
    assert SECRET not in ran.stderr + ran.stdout
    assert {request.operation for request in loopback.build.requests} == {Operation.META_DATA_EXISTS}


def test_what_would_be_uploaded_is_shown_without_secrets(job: Job, loopback: LoopbackServer, root: Path) -> None:
    workspace(
        root,
        {
            "areas/engine.yaml": ENGINE + "    env: {A: '{{ upload.DEPLOY_TOKEN }}'}\n",
            "templates/plain.yaml.j2": TEMPLATE,
        },
    )
    ran = job.upload(loopback, "--all", "--dry-run", env={"DEPLOY_TOKEN": SECRET})
    assert ran.status == 0, ran.stderr
    assert '"A": "[REDACTED]"' in ran.stdout
    assert SECRET not in ran.stdout + ran.stderr


def test_secrets_of_several_lines_are_not_shown_either(job: Job, loopback: LoopbackServer, root: Path) -> None:
    """The agent refuses them in a real upload, and a dry run spells them as JSON does."""
    with_key = ENGINE + "    env: {A: '{{ upload.DEPLOY_PRIVATE_KEY }}'}\n"
    workspace(root, {"areas/engine.yaml": with_key, "templates/plain.yaml.j2": TEMPLATE})
    key = {"DEPLOY_PRIVATE_KEY": f'BEGIN "{SECRET}"\nand {SECRET}\nEND'}
    ran = job.upload(loopback, "--all", "--dry-run", env=key)
    assert ran.status == 0, ran.stderr
    assert '"A": "[REDACTED]"' in ran.stdout
    assert SECRET not in ran.stdout + ran.stderr
    ran = job.upload(loopback, "--all", env=key)
    assert ran.status == 1
    assert SECRET not in ran.stdout + ran.stderr
    assert loopback.build.uploads == ()


def test_mistakes_are_shown_without_secrets(job: Job, loopback: LoopbackServer, root: Path) -> None:
    """A message quotes what an expression came to, and cuts it where it is long."""
    queue = "agents: {queue: '{{ vars.SECRET }} {{ vars.SECRET }}'}\n" + "retry: '{{ vars.SECRET }}'\n"
    variables = "environment: [TORCH_NIGHTLY, DEPLOY_TOKEN]\nvariables:\n  SECRET: '{{ env.DEPLOY_TOKEN }}'\n"
    settings = WORKSPACE.replace("environment: [TORCH_NIGHTLY]\nvariables:\n", variables)
    workspace(root, {".buildkite/pipegen.yaml": settings, "templates/plain.yaml.j2": TEMPLATE + queue})
    for secret in (SECRET, SECRET * 10):
        ran = job.upload(loopback, "--all", env={"DEPLOY_TOKEN": secret})
        assert ran.status == 1
        assert 'queue "[REDACTED]' in ran.stderr
        assert "hunter2" not in ran.stdout + ran.stderr


def test_what_buildkite_says_is_shown_without_secrets(job: Job) -> None:
    with LoopbackServer(faults=[Status(status=422, message=f"no {SECRET} \x1b[31m here")]) as server:
        ran = job.upload(server, "--all", env={"DEPLOY_TOKEN": SECRET})
        assert ran.status == 1
        assert "refuses part 1 of 1: no [REDACTED] " in ran.stderr
        assert SECRET not in ran.stderr
        assert "\x1b" not in ran.stderr
        assert all(SECRET not in note.body for note in server.build.annotations)
