"""`pipegen list tests`: every test file, who owns it, and which jobs collect it."""

import json
import os
from pathlib import Path

import pytest

from tests.support.workspaces import ENGINE, TEMPLATE, WORKSPACE, Ran, run, workspace, write

AREAS = (
    ENGINE
    + """\
    mirrors:
      amd: {none: no kernels yet}

  engine/scripts:
    tests: [scripts/]
    hardware: cpu
    timeout_in_minutes: 5
    commands: [pytest tests/scripts/test_one.py]

  engine/all:
    tests: []
    also: [engine/]
    hardware: mi300
    timeout_in_minutes: 5
    variants: {a: {env: {X: "1"}}, b: {env: {X: "2"}}, c: {env: {X: "3"}}, d: {env: {X: "4"}}}
"""
).replace("    tests: []\n", "")
FILES = dict.fromkeys(
    (
        "tests/alone/test_alone.py",
        "tests/engine/test_core.py",
        "tests/scripts/test_one.py",
        "tests/scripts/test_two.py",
        "tests/engine/conftest.py",
    ),
    "",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return workspace(tmp_path, {"templates/plain.yaml.j2": TEMPLATE, "areas/engine.yaml": AREAS, **FILES})


def listed(root: Path, *arguments: str) -> Ran:
    return run("list", "tests", *arguments, cwd=root, env=os.environ)


def test_all(root: Path) -> None:
    found = listed(root)
    assert (found.status, found.stderr) == (0, "")
    assert found.stdout == (
        "TEST                       OWNERS                                      JOBS\n"
        "tests/alone/test_alone.py  -                                           -\n"
        "tests/engine/test_core.py  amd: engine/core (none); cuda: engine/core  "
        "amd: engine-all-a, engine-all-b, engine-all-c and 1 more; cuda: engine-core\n"
        "tests/scripts/test_one.py  cpu: engine/scripts                         cpu: engine-scripts\n"
        "tests/scripts/test_two.py  cpu: engine/scripts                         -\n"
    )


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (("--lane", "cpu"), ["scripts/test_one", "scripts/test_two"]),
        (("--lane", "amd"), ["engine/test_core"]),
        (("--unrun",), ["alone/test_alone", "scripts/test_two"]),
        (("--unrun", "--lane", "cuda"), ["alone/test_alone", "scripts/test_one", "scripts/test_two"]),
        (("--unrun", "--lane", "amd"), ["alone/test_alone", "scripts/test_one", "scripts/test_two"]),
    ],
)
def test_some(root: Path, arguments: tuple[str, ...], names: list[str]) -> None:
    found = json.loads(listed(root, *arguments, "--format", "json").stdout)["tests"]
    assert [row["test"] for row in found] == [f"tests/{name}.py" for name in names]


def test_a_name_of_two_lines_is_a_row(root: Path) -> None:
    before = run("list", "tests", cwd=root).stdout.splitlines()
    write(root, {"tests/odd\nname/test_odd.py": ""})
    after = run("list", "tests", cwd=root).stdout.splitlines()
    assert len(after) == len(before) + 1
    assert any(line.startswith("tests/odd\ufffdname/test_odd.py") for line in after)


def test_json(root: Path) -> None:
    found = json.loads(listed(root, "--lane", "cuda", "--format", "json").stdout)
    assert found == {
        "tests": [
            {
                "test": "tests/engine/test_core.py",
                "owners": [{"lane": "cuda", "area": "engine/core", "runs": True}],
                "jobs": [{"lane": "cuda", "key": "engine-core", "pipeline": None}],
            }
        ]
    }


def test_of_all_pipelines_or_one(root: Path) -> None:
    text = WORKSPACE + "pipelines:\n  all: {areas: [areas/]}\n  images: {areas: [areas/images.yaml]}\n"
    write(root, {".buildkite/pipegen.yaml": text})
    assert "cuda: engine-core\n" in listed(root).stdout
    assert "cuda: engine-core\n" in listed(root, "--pipeline", "all").stdout
    assert "engine-core" not in listed(root, "--pipeline", "images").stdout


def test_errors(root: Path) -> None:
    write(root, {"areas/engine.yaml": AREAS.replace("l4", "l5")})
    found = listed(root)
    assert (found.status, found.stdout) == (1, "")
    assert "PG301" in found.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("tests", "--lane", "cude"), 'pipegen: unknown lane "cude": did you mean "cuda"?\n'),
        (("jobs", "--unrun"), "pipegen: --lane and --unrun are for tests: pipegen list tests, not jobs\n"),
        (("areas", "--lane", "cuda"), "pipegen: --lane and --unrun are for tests: pipegen list tests, not areas\n"),
    ],
)
def test_wrong_usage(root: Path, arguments: tuple[str, ...], said: str) -> None:
    found = run("list", *arguments, cwd=root)
    assert (found.status, found.stdout, found.stderr) == (2, "", said)
