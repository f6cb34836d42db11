"""Tests in quarantine: what the generated call leaves out, where it still runs, and that it is exactly that."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from pipegen import app
from pipegen.source import MappingTree
from tests.support.workspaces import FILES, WORKSPACE, run, workspace, write

TESTS: Mapping[str, str] = {
    "tests/engine/test_core.py": "def test_start(): ...\n\n\ndef test_stop(): ...\n\n\ndef test_stop_late(): ...\n",
    "tests/engine/test_more.py": (
        "import pytest\n\n\nclass TestEngine:\n    def test_one(self): ...\n\n    def test_two(self): ...\n\n\n"
        "class TestEngineToo:\n    def test_one(self): ...\n\n\n"
        '@pytest.mark.parametrize("mode", ["a", "ab"])\ndef test_mode(mode): ...\n'
    ),
}
MIRRORED = """\
group: Engine
owner: core
areas:
  engine/core:
    tests: [engine/]
    hardware: l4
    timeout_in_minutes: 30
    mirrors: {amd: {hardware: mi300, timeout_in_minutes: 30}}
"""


def quarantine(*tests: str, runs: str = "{schedules: nightly}") -> str:
    entries = [f'  - {{test: "{test}", reason: flaky, owner: core, until: 2027-01-31, runs: {runs}}}' for test in tests]
    return "\n".join(["quarantine:", *entries, ""])


def request(
    more: str, files: Mapping[str, str] | None = None, environment: Mapping[str, str] | None = None
) -> app.Request:
    workspace = FILES[".buildkite/pipegen.yaml"] + more
    texts = {**FILES, ".buildkite/pipegen.yaml": workspace, **TESTS, **(files or {})}
    tree = MappingTree(files={path: text.encode() for path, text in texts.items()})
    place = app.Place(root=Path("/nowhere"), path=".buildkite/pipegen.yaml", held=tree)
    return app.Request(place=place, environment=environment or {})


def calls(wanted: app.Request) -> Mapping[str, tuple[str, ...]]:
    """The pytest calls of each job, without the words that they all have."""
    plan = app.make_plan(wanted)
    assert isinstance(plan, app.Plan)
    assert plan.diagnostics == ()
    return {
        job.key: tuple(command.run.removeprefix("pytest ") for command in job.commands if "pytest" in command.run)
        for job in plan.expansion.jobs
        if job.origin.area
    }


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ("engine/test_core.py", "--ignore=tests/engine/test_core.py"),
        ("engine/test_core.py::test_start", "--deselect=tests/engine/test_core.py::test_start"),
        ("engine/test_more.py::TestEngine", "--deselect=tests/engine/test_more.py::TestEngine::"),
        ("engine/test_more.py::TestEngine::test_one", "--deselect=tests/engine/test_more.py::TestEngine::test_one"),
        ("engine/test_more.py::test_mode[a]", "'--deselect=tests/engine/test_more.py::test_mode[a]'"),
        ("//tests/engine/test_core.py", "--ignore=tests/engine/test_core.py"),
    ],
)
def test_it_is_left_out(test: str, words: str) -> None:
    found = calls(request(quarantine(test)))["engine-core"]
    assert [shlex.split(call) for call in found] == [["tests/engine/", *shlex.split(words)]]


def test_where_there_is_none_nothing_is_left_out() -> None:
    for test in ("engine/test_core.py::test_gone", "engine/test_gone.py::test_one"):
        assert calls(request(quarantine(test)))["engine-core"] == ("tests/engine/",)


def test_of_several_entries_those_in_quarantine_go() -> None:
    entries = {"areas/engine.yaml": MIRRORED.replace("[engine/]", "[engine/test_core.py, engine/test_more.py]")}
    found = calls(request(quarantine("engine/test_core.py"), entries))["engine-core"]
    assert found == ("tests/engine/test_more.py",)


def test_a_file_that_the_shell_names_is_deselected() -> None:
    """pytest ignores no file that it is given as an argument."""
    entries = {"areas/engine.yaml": MIRRORED.replace("[engine/]", '["engine/test_*.py"]')}
    found = calls(request(quarantine("engine/test_core.py"), entries))["engine-core"]
    assert found == ("tests/engine/test_*.py --deselect=tests/engine/test_core.py::",)


def test_separate_calls_leave_out_what_is_theirs() -> None:
    entries = {
        "areas/engine.yaml": MIRRORED.replace("[engine/]", "[engine/test_core.py, engine/test_more.py]")
        + "    separate: true\n"
    }
    found = calls(request(quarantine("engine/test_more.py::TestEngine"), entries))["engine-core"]
    assert found == (
        "tests/engine/test_core.py",
        "tests/engine/test_more.py --deselect=tests/engine/test_more.py::TestEngine::",
    )


class TestWhereItStillRuns:
    LEFT_OUT = ("tests/engine/ --ignore=tests/engine/test_core.py",)
    WHOLE = ("tests/engine/",)

    def found(self, runs: str, **environment: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        more = quarantine("engine/test_core.py", runs=runs)
        found = calls(request(more, {"areas/engine.yaml": MIRRORED}, environment))
        return found["engine-core"], found["amd-engine-core"]

    def test_on_a_lane(self) -> None:
        assert self.found("{lanes: amd}") == (self.LEFT_OUT, self.WHOLE)

    def test_in_builds_of_a_schedule(self) -> None:
        assert self.found("{schedules: [nightly]}") == (self.LEFT_OUT, self.LEFT_OUT)
        assert self.found("{schedules: [nightly]}", NIGHTLY="1") == (self.WHOLE, self.WHOLE)

    def test_on_either(self) -> None:
        assert self.found("{schedules: [nightly], lanes: [cuda]}") == (self.WHOLE, self.LEFT_OUT)

    def test_in_jobs_of_the_schedule_alone(self) -> None:
        more = quarantine("engine/test_core.py")
        nightly = calls(request(more, {"areas/engine.yaml": MIRRORED + "    when: nightly\n"}))
        assert nightly["engine-core"] == self.WHOLE
        often = calls(request(more, {"areas/engine.yaml": MIRRORED + "    when: [nightly, changed]\n"}))
        assert often["engine-core"] == self.LEFT_OUT

    def test_the_caller_may_name_the_schedule(self) -> None:
        wanted = request(quarantine("engine/test_core.py"))
        for schedules, left_out in (((), True), (("nightly",), False)):
            product = app.generate(wanted, app.Output(), app.Asked(every=True, schedules=schedules))
            assert product.document is not None
            assert ("--ignore=tests/engine/test_core.py" in product.document) is left_out


def test_jobs_say_what_they_do_without() -> None:
    plan = app.make_plan(request(quarantine("engine/test_core.py", "engine/test_more.py::TestEngine")))
    assert isinstance(plan, app.Plan)
    job = next(job for job in plan.expansion.jobs if job.key == "engine-core")
    assert [test.written for test in job.quarantined] == ["engine/test_core.py", "engine/test_more.py::TestEngine"]


EXACT = (
    "engine/test_core.py",
    "engine/test_core.py::test_start",
    "engine/test_core.py::test_stop_late",
    "engine/test_more.py::TestEngine",
    "engine/test_more.py::TestEngine::test_one",
    "engine/test_more.py::test_mode[a]",
)


@pytest.mark.slow
@pytest.mark.parametrize("test", EXACT)
def test_pytest_runs_all_but_that(test: str, tmp_path: Path) -> None:
    """The real pytest collects with the generated call what it collects without, but for the test in quarantine."""
    write(tmp_path, {**TESTS, "pytest.ini": "[pytest]\n"})
    whole = collected("tests/engine/", tmp_path)
    left = collected(calls(request(quarantine(test)))["engine-core"][0], tmp_path)
    path, _, node = f"tests/{test}".partition("::")
    gone = {one for one in whole if one == f"{path}::{node}" or (one.startswith(f"{path}::") and in_(node, one))}
    assert gone
    assert left == whole - gone


def in_(node: str, test: str) -> bool:
    """Whether a node is a file or class that a test is in, or the test without its parameters."""
    own = test.partition("::")[2]
    return not node or own.startswith(f"{node}::") or re.sub(r"\[.*\]$", "", own) == node


def collected(call: str, folder: Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *shlex.split(call)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return {line for line in done.stdout.splitlines() if "::" in line}


def test_explain_says_so(tmp_path: Path) -> None:
    root = workspace(tmp_path, {".buildkite/pipegen.yaml": WORKSPACE + quarantine("engine/test_core.py"), **TESTS})
    text = run("explain", "tests/engine/test_core.py", cwd=root).stdout
    assert (
        'engine-core: tests "engine/"  areas/engine.yaml:7:13 (without "engine/test_core.py", in quarantine)\n' in text
    )
    data = json.loads(run("explain", "tests/engine/test_core.py", "--format", "json", cwd=root).stdout)
    assert [one["quarantined"] for one in data["run_by"]] == [["engine/test_core.py"]]
    assert "quarantine" not in run("explain", "tests/engine/test_more.py", cwd=root).stdout
    nightly = run("explain", "tests/engine/test_core.py", "--schedule", "nightly", cwd=root)
    assert (nightly.status, "quarantine" in nightly.stdout) == (0, False)
