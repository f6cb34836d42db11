"""Workspaces for tests: a small valid one, files laid over it, and pipegen run in it as a user would run it."""

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from pipegen import cli

Content: TypeAlias = str | bytes | None
"""What a file of a workspace holds; None where the file is not to be there."""

REPOSITORY: Final = Path(__file__).parents[2]

WORKSPACE: Final = """\
version: 1
owners:
  core: {github: "@org/core", slack: "#core"}
  kernels: {github: "@org/kernels"}
environment: [TORCH_NIGHTLY]
variables:
  REPOSITORY: "{{ 'release' if build.branch == 'main' else 'test' }}"
schedules:
  nightly: {environment: {NIGHTLY: "1"}}
lanes:
  cuda: {label: ":nvidia: {{ title }}"}
  amd: {}
  cpu: {}
"""

HARDWARE: Final = """\
hardware:
  l4:
    title: L4
    lane: cuda
    queue: {1: gpu_1, 4: gpu_4}
    template: plain
    depends_on: [image-build]
    max_timeout_in_minutes: 120
  h100: {lane: cuda, queue: h100, gpus: [2, 8], nodes: [1, 2], template: plain, depends_on: [image-build]}
  mi300: {lane: amd, queue: mi300, gpus: 1, template: plain, depends_on: [image-build]}
  xpu: {lane: cpu, queue: xpu, tags: [gpu, mem], template: plain, depends_on: []}
  cpu: {lane: cpu, queue: cpu, template: plain, depends_on: []}
"""

ENGINE: Final = """\
group: Engine
owner: core
sources: [src/engine/]

areas:
  engine/core:
    tests: [engine/]
    hardware: l4
    timeout_in_minutes: 30
"""

IMAGES: Final = """\
group: Images

steps:
  - {key: image-build, title: Build image, hardware: cpu, timeout_in_minutes: 60, commands: [make image]}
"""

TEMPLATE: Final = """\
commands: {{ job.commands | map(attribute="run") | list | tojson }}
env: {{ job.env | tojson }}
"""
"""A template of two lines that may stand in for the packaged `plain`, whose compilation takes longer than a run."""

FILES: Final[Mapping[str, str]] = {
    ".buildkite/pipegen.yaml": WORKSPACE,
    ".buildkite/hardware.yaml": HARDWARE,
    "areas/engine.yaml": ENGINE,
    "areas/images.yaml": IMAGES,
}
"""A workspace with three lanes, five kinds of machines, one area and one step, and nothing wrong with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a run of pipegen left behind."""

    status: int
    stdout: str
    stderr: str


def workspace(root: Path, overrides: Mapping[str, Content] | None = None) -> Path:
    """Write `FILES`, with `overrides` in their places or beside them, below `root`, and give `root` back."""
    return write(root, {**FILES, **(overrides or {})})


def write(root: Path, files: Mapping[str, Content]) -> Path:
    """Write files below `root` by their path, a None taking the file away, and give `root` back."""
    for path, content in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        match content:
            case None:
                place.unlink(missing_ok=True)
            case str():
                place.write_text(content, encoding="utf-8", newline="")
            case bytes():
                place.write_bytes(content)
    return root


def run(*arguments: str, cwd: Path, env: Mapping[str, str] | None = None, terminal: bool = False) -> Ran:
    """Run the command line in this process, which takes milliseconds; nothing of the caller's environment is seen.

    `terminal` says whether the streams pass for one.
    """
    stdout, stderr = _stream(terminal), _stream(terminal)
    with _environment(env or {}), contextlib.chdir(cwd):
        with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
            status = _status(arguments)
        return Ran(status=status, stdout=_text(stdout), stderr=_text(stderr))


class _Terminal(io.BytesIO):
    def isatty(self) -> bool:
        return True


def _stream(terminal: bool) -> io.TextIOWrapper:
    """A stream with the error handler of Python's own standard error, so that odd bytes of arguments are printable."""
    binary = _Terminal() if terminal else io.BytesIO()
    return io.TextIOWrapper(binary, encoding="utf-8", errors="backslashreplace", newline="", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def _status(arguments: Sequence[str]) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    code = ended.value.code
    assert isinstance(code, int), f"exit with {code!r}"
    return code


@contextlib.contextmanager
def _environment(env: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(env)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def spawn(*arguments: str, cwd: Path, env: Mapping[str, str] | None = None) -> Ran:
    """Run `python -m pipegen` as a process of its own, for what a process alone shows (hash seeds, closed pipes)."""
    done = subprocess.run(
        command(*arguments), cwd=cwd, env=process_environment(env), capture_output=True, check=False, timeout=60
    )
    return Ran(status=done.returncode, stdout=done.stdout.decode(), stderr=done.stderr.decode())


def command(*arguments: str) -> list[str]:
    """The words that start pipegen as a process."""
    return [sys.executable, "-m", "pipegen", *arguments]


def process_environment(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a process that finds this checkout's pipegen, and little else."""
    return {"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(REPOSITORY), **(env or {})}
