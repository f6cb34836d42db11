"""`pipegen upload` through faults of the network and of Buildkite: what the agent repeats, and what is left to say."""

from pathlib import Path
from typing import Final

import pytest

from tests.support.agent import Agent
from tests.support.loopback import Fault, Hang, Late, LoopbackServer, Operation, Reset, Status
from tests.support.uploads import Job, applied, check_dependencies, fleet, jobs_of

pytestmark = pytest.mark.agent

JOBS: Final = ("image-build", *(f"g{group:02}-a{job:03}" for group in (2, 0, 1) for job in range(3)))


@pytest.fixture
def job(agent: Agent, tmp_path: Path) -> Job:
    """A pipeline of two parts."""
    return Job.of(agent, fleet(tmp_path / "fleet", groups=3, jobs=3, jobs_per_upload=10))


def goes_up(job: Job, server: LoopbackServer, *words: str) -> None:
    ran = job.upload(server, "--all", *words)
    assert ran.status == 0, ran.stderr
    build = server.build
    assert sorted(jobs_of(build.steps)) == sorted(JOBS)
    assert len(applied(build)) == 2
    check_dependencies(build)
    assert [note.style for note in build.annotations] == ["info"]


@pytest.mark.parametrize(
    "fault",
    [
        Late(polls=3),
        Status(status=500, on=Operation.CREATE_ARTIFACTS),
        Status(status=500, on=Operation.ANNOTATE),
        Status(status=429, on=Operation.ANNOTATE),
        Reset(on=Operation.ANNOTATE, applied=True),
        Status(status=503, on=Operation.SET_META_DATA, applied=True),
        Reset(on=Operation.SET_META_DATA),
    ],
    ids=["late", "artifact-500", "annotate-500", "annotate-429", "annotate-reset", "note-503", "note-reset"],
)
def test_one_fault_costs_a_moment(job: Job, fault: Fault) -> None:
    with LoopbackServer(faults=[fault]) as server:
        goes_up(job, server)


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [
        Status(status=429),
        Status(status=500),
        Status(status=500, applied=True),
        Reset(),
        Reset(applied=True),
        Reset(on=Operation.POLL),
        Status(status=502, on=Operation.POLL),
        Status(status=500, on=Operation.META_DATA_EXISTS),
        Reset(on=Operation.STORE_ARTIFACT),
        Status(status=500, on=Operation.UPDATE_ARTIFACTS),
    ],
    ids=lambda fault: f"{type(fault).__name__}-{fault.on.name}-{getattr(fault, 'applied', '')}",
)
def test_one_fault_costs_a_few_seconds(job: Job, fault: Fault) -> None:
    with LoopbackServer(faults=[fault]) as server:
        goes_up(job, server)


@pytest.mark.slow
@pytest.mark.parametrize("applied_first", [False, True], ids=["lost", "applied"])
def test_no_answer_for_a_minute(job: Job, applied_first: bool) -> None:
    """The agent gives up on the request, not on the upload."""
    with LoopbackServer(faults=[Hang(applied=applied_first)]) as server:
        goes_up(job, server)


@pytest.mark.parametrize("on", [Operation.META_DATA_EXISTS, Operation.STORE_ARTIFACT, Operation.SET_META_DATA])
def test_what_cannot_be_kept_is_not_begun(job: Job, on: Operation) -> None:
    """Without the note a retry could not know the plan: nothing is uploaded, and the next attempt starts afresh."""
    with LoopbackServer(faults=[Hang(on=on)]) as server:
        ran = job.upload(server, "--all", "--deadline", "0.03")
        assert ran.status == 3
        assert "did not end before the deadline" in ran.stderr
        assert server.build.uploads == ()
        server.retry_job()
        goes_up(job, server)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_buildkite_is_down_for_longer_than_the_agent_tries(job: Job) -> None:
    """Sixty tries of the agent, five seconds apart: 295 seconds. Nothing is lost, and nothing is there twice."""
    faults = [Status(status=503, message="maintenance") for _ in range(60)]
    with LoopbackServer(faults=faults) as server:
        ran = job.upload(server, "--all")
        assert ran.status == 3
        assert "503 Service Unavailable: maintenance; 0 of 2 parts are uploaded, retry this job to go on" in ran.stderr
        assert server.build.uploads == ()
        assert [note.style for note in server.build.annotations] == ["error"]
        server.retry_job()
        goes_up(job, server)
