"""A Buildkite for one build on the loopback interface, for the real agent to talk to.

It speaks the agent's protocol (uploads, annotations, meta-data, artifacts), rejects pipelines for the reasons and with
the words that Buildkite is known for, and fails on demand. Example::

    with LoopbackServer(faults=[Status(status=500)]) as server:
        agent.upload("steps: [{command: a, key: a}]", server=server)
        assert server.build.keys == ("a",)
"""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from pipegen.plain import Plain, PlainMap
from tests.support.buildkite import rules
from tests.support.buildkite.api import Api, Identity, Undocumented
from tests.support.buildkite.artifacts import Artifact
from tests.support.buildkite.faults import Fault, Hang, Late, Normal, Operation, Reset, Status, Stuck
from tests.support.buildkite.messages import Received
from tests.support.buildkite.notes import Annotation
from tests.support.buildkite.pipelines import Upload, UploadState
from tests.support.buildkite.transport import Server

__all__ = [
    "Annotation",
    "Artifact",
    "Build",
    "Fault",
    "Hang",
    "Late",
    "LoopbackServer",
    "Normal",
    "Operation",
    "Received",
    "Reset",
    "Status",
    "Stuck",
    "Undocumented",
    "Upload",
    "UploadState",
]

JOB_ID = "0197c2d4-5e6f-4a8b-9c0d-1e2f3a4b5c6d"
STEP_ID = "0197c2d4-1111-4a8b-9c0d-1e2f3a4b5c6d"
BUILD_ID = "0197c2d4-0000-4a8b-9c0d-1e2f3a4b5c6d"
TOKEN = "loopback-access-token"  # longer than the 6 bytes below which the agent warns


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """What the server holds at one moment."""

    steps: tuple[Plain, ...]
    uploads: tuple[Upload, ...]
    annotations: tuple[Annotation, ...]
    meta_data: Mapping[str, str]
    artifacts: tuple[Artifact, ...]
    requests: tuple[Received, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all steps and groups of the build, in order."""
        return rules.keys(self.steps)

    def asked(self, operation: Operation) -> tuple[Received, ...]:
        """The requests for one kind of thing, in order."""
        return tuple(request for request in self.requests if request.operation is operation)


class LoopbackServer:
    """A context manager: listens while entered.

    `asynchronous` answers uploads with 202 and tells the outcome on polls, as Buildkite does; otherwise with 200 or
    422. `running` are steps that the build has already, such as the one that uploads. Each of `faults` spoils one
    request, the first that it is meant for (`on`) and that no earlier fault spoiled. Leaving raises AssertionError if
    a fault was never met, and the server's own exception if it had one.
    """

    def __init__(
        self,
        *,
        asynchronous: bool = True,
        faults: Iterable[Fault] = (),
        running: Iterable[PlainMap] = (),
        jobs_per_upload: int = 500,
        undocumented: Undocumented | None = None,
    ) -> None:
        def api(origin: str) -> Api:
            identity = Identity(origin=origin, job_id=JOB_ID, build_id=BUILD_ID, token=TOKEN)
            return Api(
                identity,
                asynchronous=asynchronous,
                running=running,
                jobs_per_upload=jobs_per_upload,
                undocumented=undocumented or Undocumented(),
            )

        self._server = Server(api)
        self.origin = self._server.origin
        self._desk = self._server.desk
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self.plan(*faults)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.stopping.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        if problem is not None:
            return
        if self._server.bugs:
            raise self._server.bugs[0]
        if self._desk.planned:
            raise AssertionError(f"faults that no request met: {self._desk.planned}")

    @property
    def environment(self) -> dict[str, str]:
        """The variables under which an agent talks to this server, as the last attempt of a job of the build."""
        with self._desk.lock:
            jobs = tuple(self._desk.api.jobs)
        return {
            "BUILDKITE_AGENT_ENDPOINT": f"{self.origin}/v3",
            "BUILDKITE_AGENT_ACCESS_TOKEN": TOKEN,
            "BUILDKITE_BUILD_ID": BUILD_ID,
            "BUILDKITE_JOB_ID": jobs[-1],
            "BUILDKITE_RETRY_COUNT": str(len(jobs) - 1),
            "BUILDKITE_STEP_ID": STEP_ID,
        }

    @property
    def build(self) -> Build:
        """The state of the build now."""
        with self._desk.lock:
            api = self._desk.api
            return Build(
                steps=api.pipelines.steps,
                uploads=api.pipelines.uploads,
                annotations=api.notes.annotations,
                meta_data=dict(api.notes.meta_data),
                artifacts=api.artifacts.all,
                requests=tuple(self._desk.received),
            )

    def retry_job(self) -> None:
        """The job is retried: another job of the same step of the same build, whose environment this has from now."""
        with self._desk.lock:
            jobs = self._desk.api.jobs
            jobs.append(f"{JOB_ID[:-1]}{len(jobs):x}")

    def plan(self, *faults: Fault) -> None:
        """Add faults to those that are still to come."""
        with self._desk.lock:
            self._desk.planned.extend(faults)
