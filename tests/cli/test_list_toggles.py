"""`pipegen list toggles`: what is declared, and where it is set, why and until when."""

import json
from pathlib import Path

import pytest

from tests.support.workspaces import ENGINE, TEMPLATE, WORKSPACE, run, workspace

TOGGLES = """\
toggles:
  USE_V2: {values: ["0", "1"], default: "1", about: "the V2 runner"}
  USE_V3: {values: ["0", "1"], default: "0"}
"""
SET = """\
    env:
      USE_V2: {value: 0, because: it hangs, tracking: "#56179", until: 2027-01-31}
    mirrors: {amd: {hardware: mi300, timeout_in_minutes: 30, commands: [export USE_V3=1, pytest tests/engine/]}}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "templates/plain.yaml.j2": TEMPLATE,
        ".buildkite/pipegen.yaml": WORKSPACE + TOGGLES,
        "areas/engine.yaml": ENGINE + SET,
        "tests/engine/test_core.py": "",
    }
    return workspace(tmp_path, files)


def test_a_line_for_each_place(root: Path) -> None:
    ran = run("list", "toggles", cwd=root)
    assert (ran.status, ran.stderr) == (0, "")
    assert [line.split("  ")[0] for line in ran.stdout.splitlines()] == ["TOGGLE", "USE_V2", "USE_V3"]
    _, v2, v3 = (line.split() for line in ran.stdout.splitlines())
    assert v2[1:3] == ["1", "0"]
    assert v2[-5:] == ["2027-01-31", "it", "hangs", "#56179", "areas/engine.yaml:11"]
    assert v3 == ["USE_V3", "0", "1", "amd-engine-core", "-", "-", "areas/engine.yaml:12"]


def test_json(root: Path) -> None:
    rows = json.loads(run("list", "toggles", "--format", "json", cwd=root).stdout)["toggles"]
    assert [(row["toggle"], row["default"], row["values"], row["about"]) for row in rows] == [
        ("USE_V2", "1", ["0", "1"], "the V2 runner"),
        ("USE_V3", "0", ["0", "1"], None),
    ]
    (v2,), (v3,) = (row["set"] for row in rows)
    assert (v2["values"], v2["jobs"], v2["in"]) == (["0"], ["amd-engine-core", "engine-core"], "env")
    assert (v2["because"], v2["tracking"], v2["until"]) == ("it hangs", "#56179", "2027-01-31")
    assert (v3["values"], v3["jobs"], v3["in"]) == (["1"], ["amd-engine-core"], "commands")
    assert v3["place"]["line"] == 12


def test_one_that_nothing_sets(root: Path) -> None:
    (root / "areas/engine.yaml").write_text(ENGINE, encoding="utf-8")
    lines = run("list", "toggles", cwd=root).stdout.splitlines()
    assert lines[1].split() == ["USE_V2", "1", "-", "-", "-", "-", "-"]


def test_errors(root: Path) -> None:
    (root / "areas/engine.yaml").write_text(ENGINE + "    gpus: 3\n", encoding="utf-8")
    ran = run("list", "toggles", cwd=root)
    assert (ran.status, ran.stdout) == (1, "")
    assert "PG302" in ran.stderr
