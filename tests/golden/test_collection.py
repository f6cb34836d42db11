"""The generated pytest calls, given to the real pytest over a real tree: what each job collects, file by file."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.compiled import Value, block, compiled
from tests.support.workspaces import write

TREE = (
    "pytest.ini",
    *(
        f"tests/{path}"
        for path in (
            "v1/test_one.py",
            "v1/test_two.py",
            "v1/e2e/test_a.py",
            "v1/e2e/general/test_b.py",
            "v1/e2e/general/deep/test_c.py",
            "lora/test_d.py",
            "lora/test_tp_e.py",
            "lora/test_tp_f.py",
            "with space/test_g.py",
            "with space/left out/test_h.py",
        )
    ),
    "examples/test_i.py",
)
TEST = "def test_x():\n    pass\n\n\ndef test_y():\n    pass\n"

AREAS = """
areas:
  outer: {tests: [v1/, v1/e2e/general/], separate: true, mirrors: {amd: {hardware: amd, timeout_in_minutes: 1}}}
  middle: {tests: [v1/e2e/]}
  inner: {tests: [v1/e2e/general/deep/, v1/test_two.py], mirrors: {amd: {none: no kernels}}}
  lora: {tests: [lora/], ignore: ["lora/test_d.py::test_y"]}
  lora_tp: {tests: ["lora/test_tp_*.py"], also: [//examples/test_i.py], k: not test_y}
  spaces: {tests: [with space/], ignore: [with space/left out/], working_dir: examples}
"""

EXPECTED = {
    "outer": ["v1/e2e/general/test_b.py", "v1/test_one.py"],
    "amd-outer": ["v1/e2e/general/test_b.py", "v1/e2e/test_a.py", "v1/test_one.py"],
    "middle": ["v1/e2e/test_a.py"],
    "inner": ["v1/e2e/general/deep/test_c.py", "v1/test_two.py"],
    "spaces": ["with space/test_g.py"],
}


def call(script: str, working_dir: Path) -> list[str]:
    """What the calls of a job collect, as pytest prints it: a node id a line, from the root directory."""
    done = subprocess.run(
        ["sh", "-e", "-c", script],
        cwd=working_dir,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(line for line in done.stdout.splitlines() if "::" in line)


@pytest.mark.slow
def test_each_job_collects_what_is_its_own(tmp_path: Path) -> None:
    write(tmp_path, {path: TEST if path.endswith(".py") else "[pytest]\n" for path in TREE})
    call_words = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    workspace = block(
        {
            "version": "1",
            "owners": {"ann": {}},
            "lanes": {"cuda": {}, "amd": {}},
            "limits": {"timeout_in_minutes": 1},
            "tests": {"checkout": str(tmp_path), "working_dir": "tests", "pytest": call_words},
        }
    )
    machines: dict[str, Value] = {
        name: {"lane": name, "queue": "q", "template": "plain", "depends_on": []} for name in ("cuda", "amd")
    }
    result = compiled(
        {
            ".buildkite/pipegen.yaml": workspace,
            ".buildkite/hardware.yaml": block({"hardware": machines}),
            "areas/a.yaml": "group: G\nowner: ann\nhardware: cuda\n" + AREAS,
        }
    )
    assert [found for found in result.plan.diagnostics if found.severity.value == "error"] == []
    found = {
        job.key: call("\n".join(command.run for command in job.commands), tmp_path / job.working_dir)
        for job in result.jobs
    }
    whole = {
        key: [f"tests/{path}::{test}" for path in paths for test in ("test_x", "test_y")]
        for key, paths in EXPECTED.items()
    }
    assert {key: found[key] for key in whole} == whole
    assert found["lora"] == ["tests/lora/test_d.py::test_x"]
    shared = ["examples/test_i.py", "tests/lora/test_tp_e.py", "tests/lora/test_tp_f.py"]
    assert found["lora-tp"] == [f"{path}::test_x" for path in shared]
