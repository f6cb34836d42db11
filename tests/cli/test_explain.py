"""`pipegen explain`: why a job runs or does not, and what a file means, in words and as data."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.repositories import Repository
from tests.support.selection import ENGINE, FILES, IMAGES, WORKSPACE
from tests.support.workspaces import Ran, run, write

Explain = Callable[..., Ran]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "tests/engine/test_a.py": "",
        "tests/engine/deep/test_b.py": "",
        "src/engine/core.py": "",
        "other/x.py": "",
    }
    repository = Repository.create(tmp_path / "fleet")
    write(repository.path, {**FILES, **files})
    repository.commit("first")
    return repository.path


@pytest.fixture
def explain(root: Path) -> Explain:
    def call(*words: str, changed: str = "", cwd: Path | None = None) -> Ran:
        (root.parent / "changed.txt").write_text(changed, encoding="utf-8")
        return run("explain", *words, "--changed-files", str(root.parent / "changed.txt"), cwd=cwd or root)

    return call


def _data(ran: Ran) -> dict[str, Any]:
    assert (ran.status, ran.stderr) == (0, "")
    data: dict[str, Any] = json.loads(ran.stdout)
    return data


def _line(text: str, words: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if words in line)


class TestJobs:
    def test_a_job_that_runs(self, explain: Explain) -> None:
        ran = explain("engine", changed="src/engine/core.py\n")
        assert (ran.status, ran.stderr) == (0, "")
        line = _line(ENGINE, "sources: [src/engine/")
        assert (
            ran.stdout
            == f"""\
engine  Engine
  area engine, lane cuda, hardware gpu, when changed
  defined at   areas/engine.yaml:{_line(ENGINE, "  engine:")}:3
  in this build it runs: "src/engine/core.py" changed, which its source "src/engine/" guards
  decided at   areas/engine.yaml:{line}:11
  changes from the list of changed files
  pulls in     base, image
"""
        )

    def test_a_job_that_waits(self, explain: Explain) -> None:
        out = explain("engine-deep").stdout
        assert "in this build it waits at a gate: it runs in nightly builds, and this is none\n" in out
        assert f"decided at   areas/engine.yaml:{_line(ENGINE, 'when: nightly')}:11\n" in out
        assert "gate         block-engine-deep\n" in out

    def test_its_gates_key_stands_for_it(self, explain: Explain) -> None:
        assert explain("block-engine").stdout == explain("engine").stdout

    def test_who_waits_for_it(self, explain: Explain) -> None:
        out = explain("image").stdout
        assert "needed by    engine, engine-deep\n" in out
        assert "pulls in     base\n" in out

    def test_an_area_stands_for_its_jobs(self, explain: Explain) -> None:
        out = explain("engine/deep").stdout
        assert out.startswith("engine-deep  Engine Deep\n")

    def test_a_build_of_a_schedule(self, explain: Explain) -> None:
        out = explain("engine-deep", "--schedule", "nightly").stdout
        assert "in this build it runs: --schedule nightly makes this a nightly build\n" in out

    def test_documentation_alone(self, explain: Explain) -> None:
        out = explain("image-amd", changed="docs/a.md\n").stdout
        assert 'in this build it is left out: the changed file is ignored, "docs/a.md" by "docs/"\n' in out

    def test_skipped(self, root: Path, explain: Explain) -> None:
        text = WORKSPACE.replace("selection:\n", "selection:\n  unselected: skip\n")
        write(root, {".buildkite/pipegen.yaml": text})
        assert "in this build it is skipped: no changed file is of its tests or sources\n" in explain("engine").stdout

    def test_as_data(self, explain: Explain) -> None:
        data = _data(explain("engine", "--format", "json", changed="src/engine/core.py\n"))
        (job,) = data["jobs"]
        assert data["compared"] == "the list of changed files"
        assert (job["key"], job["outcome"], job["pulls_in"]) == ("engine", "run", ["base", "image"])
        assert (job["reason"]["file"], job["reason"]["pattern"]) == ("src/engine/core.py", "src/engine/")
        place = job["reason"]["place"]
        assert (place["path"], place["line"]) == ("areas/engine.yaml", _line(ENGINE, "sources: [src/engine/"))

    def test_from_git(self, root: Path) -> None:
        repository = Repository(path=root)
        repository.branch("change")
        repository.commit_files("src/engine/core.py")
        ran = run("explain", "engine", "--base", "main", cwd=root)
        assert "in this build it runs" in ran.stdout
        assert f"changes from merge base {repository.id_of('main')[:12]} of main and HEAD\n" in ran.stdout

    def test_what_cannot_be_known_is_said(self, root: Path) -> None:
        ran = run("explain", "engine", "--base", "gone", cwd=root)
        assert ran.status == 0
        assert "PG456 warning: everything runs" in ran.stderr
        assert "in this build it runs: everything runs: " in ran.stdout


class TestPaths:
    def test_a_test(self, explain: Explain) -> None:
        ran = explain("tests/engine/deep/test_b.py")
        outer = f"areas/engine.yaml:{_line(ENGINE, 'tests: [engine/]')}:13"
        inner = f"areas/engine.yaml:{_line(ENGINE, 'tests: [engine/deep/]')}:13"
        assert (
            ran.stdout
            == f"""\
tests/engine/deep/test_b.py

who owns it
  amd: engine, by "engine/"  {outer}
  cuda: engine/deep, by "engine/deep/"  {inner}
  nobody on cpu

which jobs run it
  amd-engine: tests "engine/"  {outer}
  engine-deep: tests "engine/deep/"  {inner}

a change to it selects 1 job
  amd-engine by "engine/"  {outer}
  with what they wait for, and what runs in every build: image-amd
"""
        )

    def test_a_source(self, explain: Explain) -> None:
        out = explain("src/engine/core.py").stdout
        assert "\nnobody owns it\n" in out
        assert "\na change to it selects 2 jobs\n" in out
        assert f'  engine by "src/engine/"  areas/engine.yaml:{_line(ENGINE, "sources: [src/engine/")}:11\n' in out

    @pytest.mark.parametrize(
        ("path", "words"),
        [
            ("setup.py", 'a change to it runs everything: "setup.py" changed, and "setup.py" runs everything'),
            ("docs/a.md", 'a change to it alone selects nothing: the changed file is ignored, "docs/a.md" by "docs/"'),
            ("other/x.py", "a change to it selects no job, but those that run anyway (1)"),
            ("areas/engine.yaml", "nobody owns it, it is the workspace's own"),
            ("areas/engine.yaml", 'engine: its entry may have changed with "areas/engine.yaml"'),
        ],
    )
    def test_what_a_change_would_do(self, explain: Explain, path: str, words: str) -> None:
        assert words in explain(path).stdout

    def test_a_path_is_relative_to_the_callers_folder(self, root: Path, explain: Explain) -> None:
        out = explain("test_a.py", cwd=root / "tests" / "engine").stdout
        assert out.startswith("tests/engine/test_a.py\n\nwho owns it\n")
        assert "  ../../areas/engine.yaml:" in out
        assert explain("../../src/engine/core.py", cwd=root / "tests" / "engine").stdout.startswith(
            "src/engine/core.py\n"
        )
        assert explain(str(root / "src/engine/core.py")).stdout.startswith("src/engine/core.py\n")

    def test_from_outside_a_path_is_from_the_root(self, root: Path) -> None:
        ran = run("-C", str(root), "explain", "src/engine/core.py", cwd=root.parent)
        assert ran.stdout.startswith("src/engine/core.py\n\n")

    def test_a_folder(self, explain: Explain) -> None:
        out = explain("tests/engine/").stdout
        assert out.startswith("tests/engine\n\nwho owns it\n")

    def test_near_misses(self, explain: Explain) -> None:
        out = explain("src/engine/cpu/a.py").stdout
        assert "a change to it selects no job" in out
        line = _line(ENGINE, "sources: [src/engine/")
        assert f'  engine excludes it by "!src/engine/cpu/"  areas/engine.yaml:{line}:24\n' in out
        assert f'  sources "src/engine/" of amd-engine, engine  areas/engine.yaml:{line}:11\n' in out

    @pytest.mark.parametrize(
        ("path", "meant"),
        [
            ("src/engin/core.py", "src/engine/core.py"),
            ("tests/engine/test_aa.py", "tests/engine/test_a.py"),
            ("nowhere/nothing.c", None),
        ],
    )
    def test_a_file_that_is_not_there(self, explain: Explain, path: str, meant: str | None) -> None:
        ran = explain(path)
        assert ran.status == 0
        hint = "" if meant is None else f': did you mean "{meant}"?'
        assert ran.stdout.startswith(f"{path}\n  no such file{hint}\n")

    @pytest.mark.parametrize(
        ("what", "message"),
        [
            ("engin", '"engin" is no key, area or file: did you mean "engine"?'),
            ("old-base", '"old-base" is no key, area or file: the job is "base" now'),
            ("zzz", '"zzz" is no key, area or file: pipegen list jobs shows the keys'),
        ],
    )
    def test_what_nobody_knows(self, root: Path, explain: Explain, what: str, message: str) -> None:
        write(root, {"areas/images.yaml": IMAGES.replace("{key: base,", "{key: base, was: [old-base],")})
        ran = explain(what)
        assert (ran.status, ran.stdout) == (2, "")
        assert message in ran.stderr

    def test_as_data(self, explain: Explain) -> None:
        data = _data(explain("tests/engine/deep/test_b.py", "--format", "json"))
        assert [(one["lane"], one["area"], one["runs"]) for one in data["owners"]] == [
            ("amd", "engine", True),
            ("cuda", "engine/deep", True),
        ]
        assert data["unowned"] == ["cpu"]
        assert [one["key"] for one in data["run_by"]] == ["amd-engine", "engine-deep"]
        assert [(one["key"], one["reason"]["pattern"]) for one in data["selects"]] == [
            ("image-amd", None),
            ("amd-engine", "engine/"),
        ]
        assert (data["exists"], data["meant"], data["near"], data["spared"]) == (True, None, [], [])

    def test_a_lane_without_a_job_says_why(self, root: Path, explain: Explain) -> None:
        area = '  none:\n    tests: [none/]\n    mirrors: {amd: {none: "no such card"}}\n'
        write(root, {"areas/engine.yaml": ENGINE + area})
        out = explain("tests/none/test_a.py").stdout
        assert '  amd: none, by "none/"' in out
        assert "(no job there: no such card)\n" in out

    def test_another_repositorys_files(self, root: Path, explain: Explain) -> None:
        write(
            root, {".buildkite/pipegen.yaml": WORKSPACE + "listing: files.txt\n", "files.txt": "tests/engine/far.py\n"}
        )
        assert explain("tests/engine/far.py").stdout.startswith("tests/engine/far.py\n\nwho owns it\n")
        assert explain("tests/engine/test_a.py").stdout.startswith("tests/engine/test_a.py\n  no such file")
        assert explain("areas/engine.yaml").stdout.startswith("areas/engine.yaml\n\nnobody owns it")


class TestTestsInAFile:
    AREAS = """\
group: Parts
owner: core
hardware: gpu
timeout_in_minutes: 30
areas:
  parts:
    tests: [parts/]
    parts:
      eagle: {k: eagle}
      other: {k: not eagle}
      slow: {k: "slow and not test_slow_eagle"}
  nodes:
    tests: ["nodes/test_n.py::TestA"]
  rest:
    hardware: mi
    tests: [nodes/]
"""

    @pytest.fixture(autouse=True)
    def _parts(self, root: Path) -> None:
        write(root, {"areas/engine.yaml": self.AREAS, "tests/parts/test_p.py": "", "tests/nodes/test_n.py": ""})

    @pytest.mark.parametrize(
        ("test", "takes"),
        [
            ("test_eagle", {"parts-eagle": True, "parts-other": False, "parts-slow": None}),
            ("test_slow_eagle", {"parts-eagle": True, "parts-other": False, "parts-slow": False}),
            ("TestSlow::test_b", {"parts-eagle": None, "parts-other": None, "parts-slow": None}),
        ],
    )
    def test_whether_a_part_takes_a_test(self, explain: Explain, test: str, takes: dict[str, bool | None]) -> None:
        data = _data(explain(f"tests/parts/test_p.py::{test}", "--format", "json"))
        assert {one["key"]: one["takes"] for one in data["run_by"]} == takes
        assert data["test"] == test

    def test_in_words(self, explain: Explain) -> None:
        out = explain("tests/parts/test_p.py::test_eagle").stdout
        assert out.startswith("tests/parts/test_p.py::test_eagle\n")
        assert '(but -k "not eagle" leaves it out)\n' in out
        assert '(as far as -k "slow and not test_slow_eagle" takes it)\n' in out

    @pytest.mark.parametrize(
        ("test", "runners", "owner"),
        [
            ("TestA", {"nodes", "rest"}, "nodes"),
            ("TestA::test_b", {"nodes", "rest"}, "nodes"),
            ("TestAB::test_b", {"rest"}, None),
            (None, {"nodes", "rest"}, None),
        ],
    )
    def test_node_ids(self, explain: Explain, test: str | None, runners: set[str], owner: str | None) -> None:
        path = "tests/nodes/test_n.py" + (f"::{test}" if test else "")
        data = _data(explain(path, "--format", "json"))
        assert {one["key"] for one in data["run_by"]} == runners
        assert {one["lane"]: one["area"] for one in data["owners"]} == {
            "amd": "rest",
            **({"cuda": owner} if owner else {}),
        }


def test_a_workspace_with_mistakes_explains_nothing(root: Path, explain: Explain) -> None:
    write(root, {"areas/engine.yaml": ENGINE.replace("hardware: gpu", "hardware: gpuu")})
    ran = explain("engine")
    assert (ran.status, ran.stdout) == (1, "")
    assert 'unknown hardware "gpuu"' in ran.stderr
