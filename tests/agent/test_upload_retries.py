"""A lost agent: wherever an attempt of `pipegen upload` ends, the next one leaves the same jobs in the build."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from pipegen.diagnostics import PipegenError
from tests.support.agent import Agent
from tests.support.loopback import Hang, LoopbackServer, Normal, Operation, Stuck, Undocumented, UploadState
from tests.support.lost_uploads import attempt
from tests.support.uploads import Job, applied, check_dependencies, fleet, jobs_of

pytestmark = pytest.mark.agent

JOBS: Final = (*(f"g{group:02}-a{job:03}" for group in range(4) for job in range(3)), "image-build")
STRANGE: Final = Undocumented(names_last_key=True)
STRANGER: Final = Undocumented(names_last_key=True, groups_are_steps=False)


def retried(server: LoopbackServer, job: Job) -> tuple[str, ...]:
    """The jobs of the build once the job was tried again."""
    server.retry_job()
    attempt(job, server)
    build = server.build
    check_dependencies(build)
    assert len(set(jobs_of(build.steps))) == len(jobs_of(build.steps)), "a job is there twice"
    assert "Uploaded in 3 parts." in build.annotations[0].body
    return tuple(sorted(jobs_of(build.steps)))


def undisturbed(job: Job) -> tuple[list[tuple[str, ...]], list[Operation], tuple[str, ...]]:
    """The calls and requests of an attempt that nothing happens to, and the jobs that it leaves."""
    with LoopbackServer() as server:
        calls = attempt(job, server)
        build = server.build
        operations = [request.operation for request in build.requests if request.operation is not None]
        return calls, operations, tuple(sorted(jobs_of(build.steps)))


def small(agent: Agent, folder: Path) -> Job:
    return Job.of(agent, fleet(folder / "fleet", groups=4, jobs=3, jobs_per_upload=8))


def large(agent: Agent, folder: Path) -> Job:
    return Job.of(agent, fleet(folder / "fleet", groups=12, jobs=100))


def test_an_attempt_is_these_calls(agent: Agent, tmp_path: Path) -> None:
    """So that what follows cuts at each of them."""
    calls, operations, jobs = undisturbed(small(agent, tmp_path))
    part = [("pipeline", "upload"), ("meta-data", "set")]
    checks = [("pipeline", "upload")] * 3
    kept = [("artifact", "upload"), ("meta-data", "set")]
    assert calls == [("meta-data", "exists"), *checks, *kept, *part, *part, *part, ("annotate", "--context")]
    assert jobs == JOBS
    assert operations == OPERATIONS


PART: Final = [Operation.UPLOAD, Operation.POLL, Operation.SET_META_DATA]
OPERATIONS: Final = [
    Operation.META_DATA_EXISTS,
    *(Operation.CREATE_ARTIFACTS, Operation.STORE_ARTIFACT, Operation.UPDATE_ARTIFACTS),
    Operation.SET_META_DATA,
    *(*PART, *PART, *PART),
    Operation.ANNOTATE,
]
"""The requests of an attempt."""


def every_cut(job: Job, undocumented: Undocumented) -> None:
    """Behind each call, which is in front of the next one."""
    calls, _, jobs = undisturbed(job)
    for last in range(1, len(calls) + 1):
        with LoopbackServer(undocumented=undocumented) as server:
            attempt(job, server, last=last, behind=True)
            assert retried(server, job) == jobs, last


@pytest.mark.parametrize("last", range(1, 14))
def test_lost_behind_a_call(agent: Agent, tmp_path: Path, last: int) -> None:
    """Which is in front of the next one as well."""
    job = small(agent, tmp_path)
    with LoopbackServer() as server:
        attempt(job, server, last=last, behind=True)
        assert retried(server, job) == JOBS


def test_a_twin_that_was_thought_lost_changes_nothing(agent: Agent, tmp_path: Path) -> None:
    """The network was gone, not the machine: the first attempt goes on while, or after, the second did all of it."""
    job = small(agent, tmp_path)
    with LoopbackServer() as server:
        attempt(job, server)
        with server._desk.lock:
            notes = server._desk.api.notes.meta_data
            notes.update({key: "0" for key in notes if key.endswith(":uploaded")})
        attempt(job, server)
        assert tuple(sorted(jobs_of(server.build.steps))) == JOBS
        assert len(applied(server.build)) == 3


@pytest.mark.parametrize("undocumented", [STRANGE, STRANGER], ids=["names-last-key", "tells-of-no-group"])
@pytest.mark.parametrize("last", [7, 9, 11])
def test_accepted_and_not_noted_whatever_key_is_named(
    agent: Agent, tmp_path: Path, last: int, undocumented: Undocumented
) -> None:
    job = small(agent, tmp_path)
    with LoopbackServer(undocumented=undocumented) as server:
        attempt(job, server, last=last, behind=True)
        there = len(applied(server.build))
        assert len(retried(server, job)) == 13
        asked = server.build.asked(Operation.EXPORT_STEP)
        assert len(asked) >= 1
        assert len(applied(server.build)) == 3
        assert there == (last - 5) // 2


@pytest.mark.parametrize("undocumented", [Undocumented(), STRANGE, STRANGER], ids=["first", "last", "no-groups"])
def test_a_key_of_others_is_never_taken_for_ours(agent: Agent, tmp_path: Path, undocumented: Undocumented) -> None:
    """Even where an attempt was lost right behind the refusal, and the next one cannot know of it."""
    job = small(agent, tmp_path)
    with LoopbackServer(running=[{"command": "a", "key": "g01-a001"}], undocumented=undocumented) as server:
        environment = job.environment(server)
        ran = job.upload(server, "--all")
        assert ran.status == 1
        server.retry_job()
        ran = job.upload(server, "--all")
        assert ran.status == 1
        assert 'The key "g01-a001" has already been used' in ran.stderr
        assert environment["BUILDKITE_STEP_ID"] == job.environment(server)["BUILDKITE_STEP_ID"]


@pytest.mark.parametrize("cut", [4, 5, 6, 7, 13])
def test_killed_while_a_request_has_no_answer(agent: Agent, tmp_path: Path, cut: int) -> None:
    killed(small(agent, tmp_path), cut, applied_first=True)


def killed(job: Job, cut: int, *, applied_first: bool) -> tuple[str, ...]:
    """Kill pipegen and its agent where a request, counted from 0, was received and not answered; try again."""
    operation = OPERATIONS[cut]
    before = [Normal(on=operation) for _ in range(OPERATIONS[:cut].count(operation))]
    with LoopbackServer(faults=[*before, Hang(on=operation, applied=applied_first)]) as server:
        job.lose(server, "--all")
        assert [one.operation for one in server.build.requests] == OPERATIONS[: cut + 1]
        return retried(server, job)


def test_a_lost_plan_is_made_again(agent: Agent, tmp_path: Path) -> None:
    """The artifact cannot be had: the same workspace makes the same plan, and another one is refused."""
    job = small(agent, tmp_path)
    with LoopbackServer() as server:
        attempt(job, server, last=7, behind=False)
        lose_artifacts(server)
        assert len(retried(server, job)) == 13
    with LoopbackServer() as server:
        attempt(job, server, last=7, behind=False)
        lose_artifacts(server)
        (job.root / "areas/g01.yaml").unlink()
        server.retry_job()
        with pytest.raises(PipegenError, match="the plan of the earlier attempt is lost"):
            attempt(job, server)
        assert len(applied(server.build)) == 0


def test_a_damaged_plan_is_made_again(agent: Agent, tmp_path: Path) -> None:
    job = small(agent, tmp_path)
    with LoopbackServer() as server:
        attempt(job, server, last=7, behind=False)
        with server._desk.lock:
            kept = server._desk.api.artifacts._artifacts
            kept.update({name: replace(one, content=b"{}") for name, one in kept.items()})
        assert len(retried(server, job)) == 13


@pytest.mark.parametrize("counted", ["4", "999", "-1", "1.0", "\u0663", "9" * 5_000], ids=lambda text: text[:4])
def test_what_is_no_count_of_ours_counts_nothing(agent: Agent, tmp_path: Path, counted: str) -> None:
    """Whoever wrote it: all parts go up, and those that are there are found to be there."""
    job = small(agent, tmp_path)
    with LoopbackServer() as server:
        attempt(job, server, last=9, behind=False)
        with server._desk.lock:
            notes = server._desk.api.notes.meta_data
            notes.update({key: counted for key in notes if key.endswith(":uploaded")})
        assert retried(server, job) == JOBS


def lose_artifacts(server: LoopbackServer) -> None:
    with server._desk.lock:
        server._desk.api.artifacts._artifacts.clear()


def test_another_plan_is_not_made_where_the_first_is_there(agent: Agent, tmp_path: Path) -> None:
    """Between the attempts the base moved on: what was decided stands."""
    job = small(agent, tmp_path)
    with LoopbackServer() as server:
        attempt(job, server, last=8, behind=False)
        (job.root / "areas/g01.yaml").unlink()
        assert len(retried(server, job)) == 13


def test_a_note_of_another_pipegen(agent: Agent, tmp_path: Path) -> None:
    job = small(agent, tmp_path)
    with LoopbackServer() as server:
        attempt(job, server, last=7, behind=False)
        (key,) = server.build.meta_data
        with server._desk.lock:
            server._desk.api.notes.meta_data[key] = '{"format": 99}'
        ran = job.upload(server, "--all")
        assert ran.status == 3
        assert "is not of format 1: start a new build" in ran.stderr


def test_accepted_and_never_applied(agent: Agent, tmp_path: Path) -> None:
    """The agent gives up; the next attempt uploads the part again, and the first copy would be refused then."""
    job = small(agent, tmp_path)
    with LoopbackServer(faults=[Normal(), Stuck()]) as server:
        ran = job.upload(server, "--all")
        assert ran.status == 3
        assert "not yet applied: processing; 1 of 3 parts are uploaded, retry this job to go on" in ran.stderr
        assert len(retried(server, job)) == 13
        states = [one.state for one in server.build.uploads]
        assert states.count(UploadState.APPLIED) == 3


def test_the_deadline(agent: Agent, tmp_path: Path) -> None:
    job = small(agent, tmp_path)
    with LoopbackServer(faults=[Normal(), Hang()]) as server:
        started = time.monotonic()
        ran = job.upload(server, "--all", "--deadline", "0.04")
        assert time.monotonic() - started < 4
        assert ran.status == 3
        assert "pipeline upload did not end before the deadline; 1 of 3 parts are uploaded" in ran.stderr
        assert server.build.annotations[0].style == "error"
        assert len(retried(server, job)) == 13


@pytest.mark.slow
@pytest.mark.parametrize("cut", range(len(OPERATIONS)))
def test_1200_jobs_killed_once_a_request_took_effect(agent: Agent, tmp_path: Path, cut: int) -> None:
    """Whatever of it was accepted, nobody has heard."""
    assert len(killed(large(agent, tmp_path), cut, applied_first=True)) == 1201


@pytest.mark.slow
@pytest.mark.parametrize("cut", [at for at, operation in enumerate(OPERATIONS) if operation is Operation.UPLOAD])
def test_1200_jobs_killed_before_an_upload_took_effect(agent: Agent, tmp_path: Path, cut: int) -> None:
    assert len(killed(large(agent, tmp_path), cut, applied_first=False)) == 1201


@pytest.mark.slow
def test_1200_jobs_lost_at_every_call(agent: Agent, tmp_path: Path) -> None:
    every_cut(large(agent, tmp_path), Undocumented())


@pytest.mark.slow
@pytest.mark.parametrize("undocumented", [STRANGE, STRANGER], ids=["last", "no-groups"])
def test_lost_at_every_call_whatever_key_is_named(agent: Agent, tmp_path: Path, undocumented: Undocumented) -> None:
    every_cut(small(agent, tmp_path), undocumented)
