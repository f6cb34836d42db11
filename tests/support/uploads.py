"""`pipegen upload` as a job of a loopback build runs it, with the real agent on PATH."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipegen.plain import Plain, PlainMap
from tests.support.agent import Agent
from tests.support.buildkite import rules
from tests.support.loopback import Build, LoopbackServer, Upload, UploadState
from tests.support.workspaces import TEMPLATE, WORKSPACE, Ran, command, process_environment, run, workspace

SECRET = "hunter2-hunter2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job of the server's build that runs in a checkout, with the real agent as `buildkite-agent` on PATH."""

    root: Path
    path: str

    @classmethod
    def of(cls, agent: Agent, root: Path) -> "Job":
        """A job in `root`."""
        folder = agent.home / "bin"
        folder.mkdir(exist_ok=True)
        link = folder / "buildkite-agent"
        if not link.exists():
            link.symlink_to(agent.binary)
        return cls(root=root, path=f"{folder}{os.pathsep}{agent.path}")

    def environment(self, server: LoopbackServer, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """What the job sees."""
        return {"PATH": self.path, "HOME": os.environ["HOME"], **server.environment, **(extra or {})}

    def upload(self, server: LoopbackServer, *words: str, env: Mapping[str, str] | None = None) -> Ran:
        """Run `pipegen upload` to its end, in this process."""
        return run("upload", *words, cwd=self.root, env=self.environment(server, env))

    def lose(self, server: LoopbackServer, *words: str) -> None:
        """Run `pipegen upload` in a process, and kill it and its agent once a request gets no answer (`Hang`)."""
        process = subprocess.Popen(
            command("upload", *words),
            cwd=self.root,
            env=process_environment(self.environment(server)),
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        try:
            give_up = time.monotonic() + 60
            while all(request.status is not None for request in server.build.requests):
                assert process.poll() is None, process.communicate()[1].decode()
                assert time.monotonic() < give_up
                time.sleep(0.01)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def fleet(root: Path, *, groups: int, jobs: int, jobs_per_upload: int = 500, more: str = "") -> Path:
    """A workspace of groups of jobs, all of which wait for the image; the first group waits for the last as well."""
    manifests = {f"areas/g{group:02}.yaml": _manifest(group, groups, jobs) for group in range(groups)}
    limits = f"limits: {{jobs_per_upload: {jobs_per_upload}}}\n"
    return workspace(
        root,
        {
            "areas/engine.yaml": None,
            ".buildkite/pipegen.yaml": WORKSPACE + limits + more,
            "templates/plain.yaml.j2": TEMPLATE,
            **manifests,
        },
    )


def _manifest(group: int, groups: int, jobs: int) -> str:
    lines = [f"group: Group {group:02}", "owner: core", f"sources: [src/g{group:02}/]", "areas:"]
    for job in range(jobs):
        name = f"g{group:02}/a{job:03}"
        lines += [f"  {name}:", f"    tests: [{name}/]", "    hardware: l4", "    timeout_in_minutes: 30"]
        if group == 0 and groups > 1:
            lines.append(f"    depends_on: [image-build, g{groups - 1:02}-a{job:03}]")
    return "\n".join(lines) + "\n"


def applied(build: Build) -> tuple[Upload, ...]:
    """The uploads that became part of the build."""
    return tuple(upload for upload in build.uploads if upload.state is UploadState.APPLIED)


def jobs_of(steps: Sequence[Plain]) -> tuple[str, ...]:
    """The keys of the steps that are no groups, in order."""
    return tuple(str(step["key"]) for step in rules.walk(steps) if isinstance(step, Mapping) and "group" not in step)


def check_dependencies(build: Build) -> None:
    """Every upload depended on keys that were in the build when it came, or in itself."""
    there: set[str] = set()
    for upload in applied(build):
        there.update(rules.keys(upload.steps))
        for step in rules.walk(upload.steps):
            assert isinstance(step, Mapping)
            missing = set(_waits(step)) - there
            assert not missing, f"{step.get('key')} waits for {missing}"


def _waits(step: PlainMap) -> list[str]:
    listed = step.get("depends_on") or []
    assert isinstance(listed, Sequence)
    return [str(one["step"] if isinstance(one, Mapping) else one) for one in listed]
