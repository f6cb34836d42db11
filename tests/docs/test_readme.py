"""The README's examples, executed: its manifest makes its jobs, and its mistake gives its message."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).parents[2]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
WORKSPACE = """\
version: 1
tests: {shards: ["--num-shards=$BUILDKITE_PARALLEL_JOB_COUNT", "--shard-id=$BUILDKITE_PARALLEL_JOB"]}
owners: {spec-decode: {}}
lanes: {cuda: {}, amd: {required: false}}
external_keys: [image-build, image-build-amd]
"""
HARDWARE = """\
hardware:
  h200_35gb: {title: H200, lane: cuda, queue: h200_35gb, gpus: 1, template: plain, depends_on: [image-build]}
  mi355_dpx: {title: MI355, lane: amd, queue: amd_mi355_dpx, gpus: 1, template: plain, depends_on: [image-build-amd]}
"""


def block(start: str) -> str:
    """The README's fenced block that begins with this text."""
    blocks = [found for found in re.findall(r"^```\w*\n(.*?)^```$", README, re.M | re.S) if found.startswith(start)]
    assert len(blocks) == 1, f'{len(blocks)} blocks begin with "{start}"'
    return str(blocks[0])


def pipegen(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pipegen", *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A repository with the README's manifest and the least that it needs around it."""
    (tmp_path / ".buildkite").mkdir()
    (tmp_path / "areas").mkdir()
    (tmp_path / ".buildkite/pipegen.yaml").write_text(WORKSPACE, encoding="utf-8")
    (tmp_path / ".buildkite/hardware.yaml").write_text(HARDWARE, encoding="utf-8")
    (tmp_path / "areas/spec_decode.yaml").write_text(block("group: "), encoding="utf-8")
    return tmp_path


def test_the_manifest_makes_the_jobs(workspace: Path) -> None:
    listed = pipegen(workspace, "list", "jobs")
    assert (listed.stdout, listed.stderr) == (block("KEY "), "")


def test_its_pipeline_runs_every_test_once_a_lane(workspace: Path) -> None:
    done = pipegen(workspace, "generate", "--all")
    assert (done.returncode, done.stderr) == (0, "")
    (group,) = yaml.safe_load(done.stdout)["steps"]
    commands = {step["key"]: step["command"].splitlines()[-1] for step in group["steps"]}
    assert {key: command.split("spec_decode/", 1)[1] for key, command in commands.items()} == {
        "amd-spec-decode-eagle": "eagle/",
        "spec-decode-draft-model": "draft_model/ --num-shards=$$BUILDKITE_PARALLEL_JOB_COUNT"
        " --shard-id=$$BUILDKITE_PARALLEL_JOB",
        "spec-decode-eagle-others": 'eagle/ -k "not qwen3_eagle3"',
        "spec-decode-eagle-qwen": "eagle/ -k qwen3_eagle3",
    }


def test_the_mistake_gives_the_message(workspace: Path) -> None:
    manifest = workspace / "areas/spec_decode.yaml"
    right = manifest.read_text(encoding="utf-8")
    wrong = right.replace("hardware: h200_35gb ", "hardware: h200_35gbb ", 1)
    assert wrong != right
    manifest.write_text(wrong, encoding="utf-8")
    done = pipegen(workspace, "generate", "--all")
    assert done.returncode == 1
    assert done.stderr == block("areas/")
    assert done.stdout.startswith("pipegen made no pipeline")
    assert len(done.stdout.splitlines()) == 1
