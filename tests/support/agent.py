"""The real buildkite-agent as the tests run it: found, in an environment of its own, its answers as values."""

import json
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pipegen.plain import Plain, PlainMap
from tests.support.loopback import LoopbackServer

AGENT_VERSION = "3.137.0"  # what .ci/install-agent builds
STRICT_FLAGS = ("--no-color", "--reject-secrets", "--reject-parse-warnings")
OFFLINE_TOKEN = "unused-access-token"
NO_VARIABLES: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How a run of the agent ended."""

    status: int
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun(Run):
    """A dry run. `pipelines`: what would be uploaded, one per document; none in YAML format or after a failure."""

    pipelines: tuple[PlainMap, ...]

    @property
    def pipeline(self) -> PlainMap | None:
        """The only pipeline; None if there is none, or more than one."""
        return self.pipelines[0] if len(self.pipelines) == 1 else None

    @property
    def steps(self) -> tuple[Plain, ...]:
        """The steps of all pipelines."""
        return tuple(step for pipeline in self.pipelines for step in _list(pipeline.get("steps")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A buildkite-agent that sees nothing of this process's environment but `path`; it runs in `home`."""

    binary: Path
    home: Path
    path: str

    def run(
        self,
        *arguments: str,
        stdin: str = "",
        server: LoopbackServer | None = None,
        env: Mapping[str, str] = NO_VARIABLES,
        cwd: Path | None = None,
        timeout: float = 120,
    ) -> Run:
        """Run any command of the agent, as a job of the server's build where there is one.

        Raises subprocess.TimeoutExpired after `timeout` seconds.
        """
        environment = {
            "PATH": self.path,
            "HOME": str(self.home),
            "BUILDKITE_AGENT_ACCESS_TOKEN": OFFLINE_TOKEN,
            **(server.environment if server is not None else {}),
            **env,
        }
        done = subprocess.run(
            [self.binary, *arguments],
            input=stdin.encode(),
            env=environment,
            cwd=cwd or self.home,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
        return Run(status=done.returncode, stdout=done.stdout.decode(), stderr=done.stderr.decode())

    def dry_run(
        self,
        pipeline_text: str,
        *,
        format: Literal["json", "yaml"] = "json",  # noqa: A002 - the agent's own word
        interpolation: bool = True,
        env: Mapping[str, str] = NO_VARIABLES,
        cwd: Path | None = None,
        flags: tuple[str, ...] = (),
    ) -> DryRun:
        """What the agent makes of a pipeline, with warnings and secrets as errors."""
        options = ("--dry-run", "--format", format, *_upload_flags(interpolation), *flags)
        run = self.run("pipeline", "upload", *options, stdin=pipeline_text, env=env, cwd=cwd)
        readable = format == "json" and run.status == 0
        pipelines = _documents(run.stdout) if readable else ()
        return DryRun(status=run.status, stdout=run.stdout, stderr=run.stderr, pipelines=pipelines)

    def upload(
        self,
        pipeline_text: str,
        *,
        server: LoopbackServer,
        interpolation: bool = True,
        replace: bool = False,
        env: Mapping[str, str] = NO_VARIABLES,
        cwd: Path | None = None,
        flags: tuple[str, ...] = (),
        timeout: float = 120,
    ) -> Run:
        """Upload a pipeline to the server's build, with warnings and secrets as errors."""
        options = (*_upload_flags(interpolation), *(("--replace",) if replace else ()), *flags)
        return self.run(
            "pipeline", "upload", *options, stdin=pipeline_text, server=server, env=env, cwd=cwd, timeout=timeout
        )


def find_agent(environment: Mapping[str, str]) -> Path | None:
    """The agent to test with: PIPEGEN_AGENT, else `buildkite-agent` on PATH, else what .ci/install-agent built.

    Raises FileNotFoundError if PIPEGEN_AGENT names no file.
    """
    named = environment.get("PIPEGEN_AGENT")
    if named:
        return Path(named).resolve(strict=True)
    on_path = shutil.which("buildkite-agent", path=environment.get("PATH", ""))
    if on_path is not None:
        return Path(on_path).absolute()
    cache = Path(environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME", "/"), ".cache"))
    built = cache / "pipegen" / f"buildkite-agent-{AGENT_VERSION}" / "buildkite-agent"
    return built if built.is_file() else None


def _upload_flags(interpolation: bool) -> tuple[str, ...]:
    return STRICT_FLAGS if interpolation else (*STRICT_FLAGS, "--no-interpolation")


def _documents(stdout: str) -> tuple[PlainMap, ...]:
    """The JSON documents of a dry run, which follow each other without a separator."""
    found: list[PlainMap] = []
    rest = stdout.strip()
    while rest:
        document, end = json.JSONDecoder().raw_decode(rest)
        found.append(document)
        rest = rest[end:].lstrip()
    return tuple(found)


def _list(value: Plain) -> tuple[Plain, ...]:
    return tuple(value) if isinstance(value, list) else ()
