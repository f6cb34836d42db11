"""Which jobs run a file, and which guard it: entries of every form, nesting, lanes, and what is left out."""

import pytest

from pipegen.select.reach import Reach
from tests.support.selection import Fleet, fleet

AREAS = """\
group: Tests
owner: core
hardware: gpu
timeout_in_minutes: 30
areas:
  folder: {tests: [folder/]}
  folder/inner:
    tests: [folder/inner/]
    mirrors: {amd: {hardware: mi}}
  folder/one_file: {tests: [folder/test_one.py]}
  folder/some: {tests: ["folder/some_*.py"]}
  folder/absent:
    tests: [folder/absent/]
    mirrors: {amd: {none: "no such card"}}
  amd/folder:
    hardware: mi
    tests: [folder/]
    ignore: [folder/ignored/, "folder/skip_*.py", "folder/test_node.py::test_a"]
  runner: {tests: [runner/], also: [folder/inner/, "folder/test_one.py::TestA::test_b"]}
  twice:
    tests: [twice/]
    mirrors: {more: {hardware: big, tests: [twice/deep/]}}
  top: {tests: [//other/tests/]}
  steps:
    steps:
      all: {tests: [steps/]}
      again: {tests: [steps/again/]}
steps:
  - {key: own-step, tests: [step/]}
"""


@pytest.fixture(scope="module")
def tests() -> Fleet:
    return fleet({"areas/engine.yaml": AREAS})


@pytest.mark.parametrize(
    ("path", "jobs"),
    [
        ("tests/folder/test_a.py", {"folder", "amd-folder"}),
        ("tests/folder/conftest.py", {"folder", "amd-folder"}),
        ("tests/folder/inner/test_a.py", {"folder-inner", "amd-folder-inner", "runner"}),
        ("tests/folder/inner/deep/test_a.py", {"folder-inner", "amd-folder-inner", "runner"}),
        ("tests/folder/test_one.py", {"folder-one-file", "amd-folder", "runner"}),
        ("tests/folder/some_a.py", {"folder-some", "amd-folder"}),
        ("tests/folder/deeper/some_a.py", {"folder", "amd-folder"}),
        ("tests/folder/absent/test_a.py", {"folder-absent"}),
        ("tests/folder/ignored/test_a.py", {"folder"}),
        ("tests/folder/skip_a.py", {"folder"}),
        ("tests/folder/test_node.py", {"folder", "amd-folder"}),
        ("tests/twice/test_a.py", {"twice"}),
        ("tests/twice/deep/test_a.py", {"twice", "more-twice"}),
        ("tests/step/test_a.py", {"own-step"}),
        ("tests/steps/test_a.py", {"steps-all"}),
        ("tests/steps/again/test_a.py", {"steps-all", "steps-again"}),
        ("other/tests/test_a.py", {"top"}),
        ("tests/other/tests/test_a.py", set()),
        ("tests/folder", {"folder", "amd-folder"}),
        ("tests/folder2/test_a.py", set()),
        ("folder/test_a.py", set()),
        ("tests", set()),
    ],
)
def test_who_runs_a_file(tests: Fleet, path: str, jobs: set[str]) -> None:
    index = Reach.of(tests.expansion).tests
    assert {tests.expansion.jobs[touch.job].key for touch in index.running(path)} == jobs
    assert index.knows(path) is bool(jobs)


def test_the_entry_that_says_so(tests: Fleet) -> None:
    index = Reach.of(tests.expansion).tests
    found = {
        tests.expansion.jobs[touch.job].key: (touch.word, touch.pattern, AREAS.splitlines()[touch.span.line - 1])
        for touch in index.running("tests/folder/test_one.py")
    }
    assert found["folder-one-file"][:2] == ("tests", "folder/test_one.py")
    assert found["runner"][:2] == ("also", "folder/test_one.py::TestA::test_b")
    assert "runner:" in found["runner"][2]


def test_a_reasoned_none_is_a_word_about_a_file() -> None:
    """Nobody runs it there, and somebody says why."""
    area = "  amd/only: {hardware: mi, tests: [only/], mirrors: {cuda: {none: no card}}}\nsteps:\n  - {key"
    given = fleet({"areas/engine.yaml": AREAS.replace("steps:\n  - {key", area)})
    assert Reach.of(given.expansion).tests.knows("tests/only/test_a.py")


class TestSources:
    def test_each_job_by_its_own_pattern(self) -> None:
        given = fleet()
        sources = Reach.of(given.expansion).sources
        found = {given.expansion.jobs[touch.job].key: touch.pattern for touch in sources.guarding("src/engine/core.py")}
        assert found == {"engine": "src/engine/", "amd-engine": "src/engine/"}

    def test_an_exclusion_is_a_near_miss(self) -> None:
        given = fleet()
        sources = Reach.of(given.expansion).sources
        assert list(sources.guarding("src/engine/cpu/core.py")) == []
        spared = [(given.expansion.jobs[one.job].key, one.pattern) for one in sources.sparing("src/engine/cpu/core.py")]
        assert sorted(spared) == [("amd-engine", "!src/engine/cpu/"), ("engine", "!src/engine/cpu/")]
        assert list(sources.sparing("src/deep/a.py")) == []

    def test_the_order_of_patterns_does_not_matter(self) -> None:
        for sources in ("[src/a/, '!src/a/b/']", "['!src/a/b/', src/a/]"):
            step = f"  - {{key: job, hardware: cpu, sources: {sources}, commands: [make]}}\n"
            given = fleet({"areas/engine.yaml": "group: A\nsteps:\n" + step})
            index = Reach.of(given.expansion).sources
            assert index.knows("src/a/x.py")
            assert not index.knows("src/a/b/x.py")
