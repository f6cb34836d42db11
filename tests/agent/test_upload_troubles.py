"""`pipegen upload` where something around it fails: the agent, the log, the annotation, one of the calls."""

import os
import subprocess
from pathlib import Path
from typing import BinaryIO

import pytest

from tests.support.agent import Agent
from tests.support.loopback import LoopbackServer, Normal, Operation, Status
from tests.support.uploads import Job, applied, check_dependencies, fleet, jobs_of
from tests.support.workspaces import TEMPLATE, command, process_environment, workspace

pytestmark = pytest.mark.agent


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return workspace(tmp_path / "checkout", {"templates/plain.yaml.j2": TEMPLATE})


@pytest.fixture
def job(agent: Agent, root: Path) -> Job:
    return Job.of(agent, root)


def test_without_an_agent_or_a_job(job: Job, loopback: LoopbackServer) -> None:
    ran = job.upload(loopback, "--all", env={"PATH": ""})
    assert ran.status == 3
    assert "there is no buildkite-agent on PATH" in ran.stderr
    ran = job.upload(loopback, "--all", env={"BUILDKITE_JOB_ID": ""})
    assert ran.status == 3
    assert "BUILDKITE_JOB_ID is not set" in ran.stderr
    assert loopback.build.requests == ()


def test_an_agent_of_a_folder_beside(job: Job, loopback: LoopbackServer) -> None:
    """Artifacts are uploaded from another folder."""
    (job.root / "bin").symlink_to(job.path.split(os.pathsep)[0])
    ran = job.upload(loopback, "--all", env={"PATH": f"bin{os.pathsep}{job.path}"})
    assert (ran.status, ran.stderr) == (0, "")


@pytest.mark.parametrize(
    "words", ["--version", "meta-data exists", "pipeline upload --dry-run", "pipeline upload --no"]
)
def test_an_agent_that_is_killed_has_refused_nothing(agent: Agent, root: Path, words: str) -> None:
    """Out of memory, say: another attempt may go on, whichever call it was."""
    job = Job.of(agent, root)
    killed = Path(job.path.split(os.pathsep)[0], "buildkite-agent")
    killed.unlink()
    script = f'#!/bin/sh\ncase "$*" in "{words}"*) kill -9 $$;; esac\nexec "{agent.binary}" "$@"\n'
    killed.write_text(script, encoding="utf-8")
    killed.chmod(0o755)
    with LoopbackServer() as server:
        ran = job.upload(server, "--all")
        if words == "--version":
            assert (ran.status, ran.stderr.count("names no version")) == (0, 1)
        else:
            assert ran.status == 3
            assert "it ended with status -9 and said nothing" in ran.stderr
            assert server.build.uploads == ()


@pytest.mark.parametrize("how", ["gone", "closed", "full"])
def test_a_log_that_nobody_can_write_stops_no_upload(agent: Agent, tmp_path: Path, how: str) -> None:
    """Neither the first attempt nor one that goes on."""
    job = Job.of(agent, fleet(tmp_path / "fleet", groups=4, jobs=3, jobs_per_upload=8))
    words = command("upload", "--all")
    redirected = {"closed": ["sh", "-c", 'exec "$@" >&-', "sh", *words], "full": words, "gone": words}[how]
    with LoopbackServer(faults=[Normal(), Status(status=404, message="gone")]) as server:
        for status in (3, 0):
            with output_that_is(how) as output:
                done = subprocess.run(
                    redirected,
                    cwd=job.root,
                    env=process_environment(job.environment(server)),
                    stdout=output,
                    stderr=subprocess.PIPE,
                    text=True,
                    check=False,
                    timeout=60,
                )
            assert (done.returncode, "Traceback" in done.stderr) == (status, False), done.stderr
            server.retry_job()
        assert len(applied(server.build)) == 3
        assert [note.style for note in server.build.annotations] == ["info"]


def output_that_is(how: str) -> BinaryIO:
    """A file that nobody reads, or that takes nothing."""
    if how == "full":
        return Path("/dev/full").open("wb", buffering=0)
    reading, writing = os.pipe()
    os.close(reading)
    return os.fdopen(writing, "wb", buffering=0)


@pytest.mark.parametrize("minutes", ["nan", "inf", "1e300", "0", "-1", "1441", "soon"])
def test_no_deadline(job: Job, loopback: LoopbackServer, minutes: str) -> None:
    ran = job.upload(loopback, "--all", "--deadline", minutes)
    assert ran.status == 2
    assert "--deadline" in ran.stderr
    assert loopback.build.requests == ()


def test_no_annotation_stops_no_upload(job: Job) -> None:
    with LoopbackServer(faults=[Status(status=422, message="too long", on=Operation.ANNOTATE)]) as server:
        ran = job.upload(server, "--all")
        assert ran.status == 0
        assert "the build has no annotation" in ran.stdout
        assert jobs_of(server.build.steps) == ("engine-core", "image-build")


@pytest.mark.parametrize("status", [401, 404])
def test_not_let_in_is_no_fault_of_the_document(job: Job, status: int) -> None:
    with LoopbackServer(faults=[Status(status=status, message="not today")]) as server:
        ran = job.upload(server, "--all")
        assert ran.status == 3
        assert "not today; 0 of 1 parts are uploaded, retry this job to go on" in ran.stderr
        server.retry_job()
        assert job.upload(server, "--all").status == 0
        assert jobs_of(server.build.steps) == ("engine-core", "image-build")


def test_a_fault_between_the_parts(agent: Agent, tmp_path: Path) -> None:
    job = Job.of(agent, fleet(tmp_path / "fleet", groups=4, jobs=3, jobs_per_upload=8))
    with LoopbackServer(faults=[Normal(), Status(status=404, message="gone")]) as server:
        ran = job.upload(server, "--all")
        assert ran.status == 3
        assert "1 of 3 parts are uploaded, retry this job to go on" in ran.stderr
        assert server.build.annotations[0].style == "error"
        server.retry_job()
        ran = job.upload(server, "--all")
        assert ran.status == 0, ran.stderr
        assert ran.stdout.startswith("an earlier attempt of this job uploaded 1 of 3 parts: its plan is used\n")
        assert len(server.build.uploads) == 4 - 1
        check_dependencies(server.build)
        assert [note.style for note in server.build.annotations] == ["info"]
