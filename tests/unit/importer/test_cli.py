"""`pipegen import` as a command: what it refuses, what it prints, what it leaves."""

import json
from pathlib import Path

import pytest

from tests.support.moving import FILES, PATHS, move
from tests.support.workspaces import run, write


@pytest.fixture
def old(tmp_path: Path) -> Path:
    write(tmp_path / "old", FILES)
    (tmp_path / "paths.txt").write_text(PATHS, encoding="utf-8")
    return tmp_path


GOOD = ("--config", ".buildkite/ci.yaml", "--paths", "paths.txt", "--into", "new")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("other", "old", *GOOD), '"other"'),
        (("vllm", "none", *GOOD), '"none": no such folder'),
        (("vllm", "old", "--config", "x.yaml", *GOOD[2:]), '--config "x.yaml": no such file in "old"'),
        (("vllm", "old", *GOOD[:2], "--paths", "x.txt", *GOOD[4:]), '--paths "x.txt": no such file'),
        (("vllm", "old", *GOOD, "--owner", "a b"), '--owner "a b": expected a name of letters, digits'),
        (("vllm", "old", *GOOD[2:]), 'missing option "--config"'),
    ],
)
def test_what_cannot_be_meant_is_refused(old: Path, arguments: tuple[str, ...], message: str) -> None:
    ran = run("import", *arguments, cwd=old)
    assert (ran.status, ran.stdout) == (2, "")
    assert message in ran.stderr
    assert not (old / "new").exists()


def test_what_cannot_be_written_is_said(old: Path) -> None:
    (old / "new").write_text("a file", encoding="utf-8")
    ran = run("import", "vllm", "old", *GOOD, cwd=old)
    assert ran.status == 3
    assert 'cannot write "new/' in ran.stderr


def test_a_settings_file_may_be_named_as_the_caller_sees_it(old: Path) -> None:
    ran = run("import", "vllm", "old", "--config", "old/.buildkite/ci.yaml", *GOOD[2:], cwd=old)
    assert ran.status == 0, ran.stderr


def test_more_settings_may_follow_the_first(old: Path) -> None:
    write(old / "old", {".buildkite/two.yaml": "name: two\njob_dirs: [.buildkite/builds]\n"})
    ran = run("import", "vllm", "old", "--config", ".buildkite/ci.yaml", ".buildkite/two.yaml", *GOOD[2:], cwd=old)
    assert ran.status == 0, ran.stderr
    assert ran.stdout.startswith("read     2 pipelines, 2 files, 4 steps")


def test_pipelines_of_one_name_are_told_apart(old: Path) -> None:
    write(old / "old", {".buildkite/two.yaml": "name: small_ci\njob_dirs: [.buildkite/builds]\n"})
    words = ("--config", ".buildkite/ci.yaml", "--config", ".buildkite/two.yaml")
    ran = run("import", "vllm", "old", *words, *GOOD[2:], cwd=old)
    assert 'another pipeline is called "small_ci": this one becomes "small_ci-2"' in ran.stderr
    listed = run("list", "jobs", "--pipeline", "small_ci-2", cwd=old / "new")
    assert listed.status == 0, listed.stderr


def test_the_owner_is_declared_once(tmp_path: Path) -> None:
    moved = move(tmp_path, options=["--owner", "ci-team"])
    assert "\nowners:\n  ci-team: {}\n" in moved.text(".buildkite/pipegen.yaml")
    assert moved.text("areas/steps/parser.yaml").count("owner: ci-team") == 1
    assert moved.ran.stderr.count('every area belongs to "ci-team"') == 1


def test_a_place_is_shown_as_the_caller_sees_it(tmp_path: Path) -> None:
    broken = {".buildkite/steps/broken.yaml": "group: G\n"}
    moved = move(tmp_path, broken)
    assert moved.ran.status == 1
    assert moved.ran.stderr.startswith("old/.buildkite/ci.yaml:1:1 PG911 warning: ")
    assert (
        "old/.buildkite/steps/broken.yaml:1:1 PG901 steps: expected a list of steps, found nothing" in moved.ran.stderr
    )


def test_programs_read_the_summary_and_what_was_found(tmp_path: Path) -> None:
    moved = move(tmp_path, options=["--format", "json"])
    read = json.loads(moved.ran.stdout)
    assert read["summary"] == {
        "pipelines": 1,
        "files": 2,
        "steps": 4,
        "mirrors": 1,
        "areas": 2,
        "plain_steps": 2,
        "told_by_tests": 2,
        "exports": 1,
        "machines": [],
        "owner": "unassigned",
        "left": {},
    }
    assert [each["name"] for each in read["diagnostics"]] == ["no-owner"]
    assert moved.ran.stderr == ""
