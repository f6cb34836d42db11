"""`pipegen list`: the resolved catalogue, as a table for people and as JSON for programs."""

import json
from pathlib import Path

import pytest

from tests.support.workspaces import ENGINE, TEMPLATE, run, spawn, workspace

WHAT = ("areas", "jobs", "hardware")
RICH = (
    ENGINE
    + """\
    mirrors:
      amd: {none: no kernels yet, tracking: "#7"}

  engine/attention:
    owner: kernels
    tests: [engine/attention/, //src/attention/tests/]
    hardware: {xpu: {gpu: 2+}}
    timeout_in_minutes: 15
    when: [changed, nightly]
    variants:
      flash: {env: {BACKEND: flash}}
      triton: {env: {BACKEND: triton}}
"""
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return workspace(tmp_path, {"templates/plain.yaml.j2": TEMPLATE, "areas/engine.yaml": RICH})


def test_areas(root: Path) -> None:
    found = run("list", "areas", cwd=root)
    assert (found.status, found.stderr) == (0, "")
    assert found.stdout == (
        "AREA              OWNER    LANES  JOBS  TESTS\n"
        "engine/attention  kernels  cpu    2     src/attention/tests/, tests/engine/attention/\n"
        "engine/core       core     cuda   1     tests/engine/\n"
    )


def test_jobs(root: Path) -> None:
    found = run("list", "jobs", cwd=root)
    assert (found.status, found.stderr) == (0, "")
    assert found.stdout == (
        "KEY                      LANE  QUEUE  GPUS  PARALLELISM  TIMEOUT IN MINUTES  WHEN              LABEL\n"
        "engine-attention-flash   cpu   xpu    0     1            15                  changed, nightly  "
        "Engine Attention (flash)\n"
        "engine-attention-triton  cpu   xpu    0     1            15                  changed, nightly  "
        "Engine Attention (triton)\n"
        "engine-core              cuda  gpu_1  1     1            30                  changed           "
        ":nvidia: Engine Core\n"
        "image-build              cpu   cpu    0     1            60                  changed           "
        "Build image\n"
    )


def test_hardware(root: Path) -> None:
    found = run("list", "hardware", cwd=root)
    assert (found.status, found.stderr) == (0, "")
    lines = found.stdout.splitlines()
    assert lines[0].split() == ["HARDWARE", "TITLE", "LANE", "QUEUES", "GPUS", "TAGS", "JOBS"]
    assert [line.split()[0] for line in lines[1:]] == ["l4", "h100", "mi300", "xpu", "cpu"]
    assert lines[1].split() == ["l4", "L4", "cuda", "gpu_1,", "gpu_4", "1,", "4", "-", "1"]
    assert lines[4].split() == ["xpu", "xpu", "cpu", "xpu", "-", "gpu,", "mem", "2"]


@pytest.mark.parametrize("what", WHAT)
def test_json(root: Path, what: str) -> None:
    found = run("list", what, "--format", "json", cwd=root)
    assert (found.status, found.stderr) == (0, "")
    rows = json.loads(found.stdout)
    assert list(rows) == [what]
    table = run("list", what, cwd=root).stdout.splitlines()
    assert len(rows[what]) == len(table) - 1
    for row, line in zip(rows[what], table[1:], strict=True):
        assert line.split()[0] == row[{"areas": "area", "jobs": "key", "hardware": "hardware"}[what]]
        path, at = row["place"]["path"], row["place"]["line"]
        assert (root / path).read_text(encoding="utf-8").splitlines()[at - 1].strip()


def test_json_of_an_area(root: Path) -> None:
    rows = json.loads(run("list", "areas", "--format", "json", cwd=root).stdout)["areas"]
    (core,) = (row for row in rows if row["area"] == "engine/core")
    assert core == {
        "area": "engine/core",
        "owner": "core",
        "group": "Engine",
        "lanes": ["cuda"],
        "without": [{"lane": "amd", "reason": "no kernels yet", "tracking": "#7", "until": None}],
        "jobs": 1,
        "tests": ["tests/engine/"],
        "place": {"path": "areas/engine.yaml", "line": 6, "column": 3, "end_line": 6, "end_column": 14},
    }


@pytest.mark.parametrize("what", WHAT)
def test_json_is_stable(root: Path, what: str) -> None:
    words = ("list", what, "--format", "json")
    found = {spawn(*words, cwd=root, env={"PYTHONHASHSEED": seed}).stdout for seed in ("0", "7")}
    assert found == {run(*words, cwd=root).stdout}


@pytest.mark.parametrize("what", WHAT)
def test_mistakes(root: Path, what: str) -> None:
    workspace(root, {"areas/engine.yaml": RICH.replace("owner: kernels", "owner: kernel")})
    found = run("list", what, cwd=root)
    assert (found.status, found.stdout) == (1, "")
    assert 'areas/engine.yaml:14:12 PG113 unknown owner "kernel" [unknown-reference]\n' in found.stderr


def test_mistakes_as_json(root: Path) -> None:
    workspace(root, {"areas/engine.yaml": RICH.replace("owner: kernels", "owner: kernel")})
    found = run("list", "jobs", "--format", "json", cwd=root)
    assert (found.status, found.stdout) == (1, "")
    assert json.loads(found.stderr) == {
        "diagnostics": [
            {
                "code": "PG113",
                "name": "unknown-reference",
                "severity": "error",
                "path": "areas/engine.yaml",
                "line": 14,
                "column": 12,
                "end_line": 14,
                "end_column": 18,
                "message": 'unknown owner "kernel"',
                "help": 'did you mean "kernels"?',
                "related": [],
                "fix": [],
            }
        ]
    }


def test_findings_are_the_lints_business(root: Path) -> None:
    workspace(root, {"areas/engine.yaml": RICH.replace("    timeout_in_minutes: 15\n", "")})
    found = run("list", "jobs", cwd=root)
    assert (found.status, found.stderr) == (0, "")
    assert " -                   changed, nightly" in found.stdout


def test_a_file_with_an_odd_name(root: Path) -> None:
    """Names are bytes to the system; whatever they are, what is printed is UTF-8 and moves no cursor."""
    odd = b"areas/odd\xff\x1b[31m\n.yaml"
    (root / "areas" / "engine.yaml").rename(root.joinpath(odd.decode("utf-8", "surrogateescape")))
    found = spawn("list", "areas", "--format", "json", cwd=root)
    assert found.status == 0, found.stderr
    assert {row["area"] for row in json.loads(found.stdout)["areas"]} == {"engine/core", "engine/attention"}
    workspace(root, {"areas/images.yaml": "steps: 3\n"})
    broken = spawn("list", "areas", cwd=root)
    assert broken.status == 1
    assert "\x1b" not in broken.stderr
