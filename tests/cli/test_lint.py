"""`pipegen lint` as a user types it, with pipegen's own rules."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.support.repositories import Repository
from tests.support.sarif import SCHEMA
from tests.support.workspaces import ENGINE, HARDWARE, TEMPLATE, Content, Ran, run, workspace, write

SMALL: dict[str, Content] = {
    "templates/plain.yaml.j2": TEMPLATE,
    "tests/engine/test_core.py": "",
    "src/engine/core.py": "",
}
ORPHAN: dict[str, Content] = {"tests/alone/test_alone.py": ""}
BEFORE = ENGINE.replace("[engine/]\n    hardware", "[engine/, old/]  # both\n    hardware")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return workspace(tmp_path / "root", SMALL)


def lint(root: Path, *arguments: str, env: dict[str, str] | None = None, cwd: Path | None = None) -> Ran:
    return run("lint", *arguments, cwd=cwd or root, env={**os.environ, **(env or {})})


def test_clean(root: Path) -> None:
    found = lint(root)
    assert (found.status, found.stdout, found.stderr) == (0, "no findings in 5 files\n", "")


def test_findings(root: Path) -> None:
    found = lint(write(root, ORPHAN))
    assert (found.status, found.stderr) == (1, "")
    assert found.stdout.startswith('tests/alone/test_alone.py:1:1 PG201 finding: no area owns "alone/"')
    assert found.stdout.endswith("\n\n1 finding in 5 files\n")


def test_errors(root: Path) -> None:
    found = lint(write(root, {"areas/engine.yaml": ENGINE.replace("l4", "l5")}))
    assert found.status == 1
    assert '8:15 PG301 unknown hardware "l5" [unknown-hardware]\n  |\n8 |     hardware: l5\n' in found.stdout
    assert found.stdout.endswith(
        "\n\nthe rules did not look: they need a workspace without these errors\n1 error in 5 files\n"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--select", "PG20l"), 'pipegen: --select "PG20l": no rule of that code or name: did you mean "PG20'),
        (("--ignore", "unowned-tests"), 'pipegen: --ignore "unowned-tests": no rule of that code or name: did you'),
        (("nowhere",), 'pipegen: "nowhere": no such file or folder in the workspace\n'),
        (("--today", "tomorrow"), 'pipegen: --today "tomorrow": expected a date as YYYY-MM-DD\n'),
        (("--fix", "--diff"), "pipegen: --fix writes and --diff only shows: give one of them\n"),
        (("--format", "xml"), 'pipegen: invalid value for "--format": "xml" is not one of '),
    ],
)
def test_wrong_usage(root: Path, arguments: tuple[str, ...], said: str) -> None:
    found = lint(root, *arguments)
    assert (found.status, found.stdout) == (2, "")
    assert found.stderr.startswith(said)


def test_could_not(tmp_path: Path) -> None:
    found = lint(tmp_path)
    assert (found.status, found.stdout) == (3, "")
    assert found.stderr.startswith("pipegen: no .buildkite/pipegen.yaml is in ")


def test_a_closed_output_is_said_to_be(root: Path) -> None:
    program = [sys.executable, "-m", "pipegen", "lint"]
    closing = ["sh", "-c", 'exec "$@" >&-', "sh", *program]
    ran = subprocess.run(closing, cwd=root, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (3, "pipegen: cannot write standard output: it is closed\n")


def test_selecting(root: Path) -> None:
    write(root, ORPHAN)
    assert lint(root, "--select", "PG202,PG3").status == 0
    assert lint(root, "--select", "unowned-test-directory").status == 1
    assert lint(root, "--ignore", "PG2").status == 0


def test_paths_are_the_callers(root: Path) -> None:
    write(root, ORPHAN)
    found = lint(root, "alone", cwd=root / "tests")
    assert found.status == 1
    assert found.stdout.startswith("alone/test_alone.py:1:1 PG201")
    assert lint(root, "engine", "../areas", cwd=root / "tests").status == 0
    assert lint(root, str(root / "tests/alone/test_alone.py"), cwd=root / "areas").status == 1


def test_json(root: Path) -> None:
    found = lint(write(root, ORPHAN), "--format", "json")
    assert (found.status, found.stderr) == (1, "")
    document = json.loads(found.stdout)
    assert list(document) == ["version", "diagnostics", "old", "summary", "notes"]
    (one,) = document["diagnostics"]
    assert list(one) == [
        *("code", "name", "severity", "path", "line", "column", "end_line", "end_column"),
        *("message", "help", "related", "fix"),
    ]
    assert (one["code"], one["severity"], one["path"]) == ("PG201", "finding", "tests/alone/test_alone.py")
    assert document["summary"] == {
        "errors": 0,
        "findings": 1,
        "warnings": 0,
        "old": 0,
        "ignored": 0,
        "waived": 0,
        "files": 5,
    }


@pytest.mark.parametrize(
    ("output_format", "path"),
    [
        ("github", "::error file=project/tests/alone/test_alone.py,"),
        ("sarif", '"uri": "project/tests/alone/test_alone.py"'),
        ("buildkite", "`project/tests/alone/test_alone.py:1:1`"),
    ],
)
def test_paths_for_others_are_from_the_repositorys_top(tmp_path: Path, output_format: str, path: str) -> None:
    made = Repository.create(tmp_path / "mono")
    root = workspace(made.path / "project", {**SMALL, **ORPHAN})
    found = lint(root, "--format", output_format, cwd=root / "areas")
    assert found.status == 1
    assert path in found.stdout
    if output_format == "sarif":
        jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(found.stdout))


def test_an_annotation_outside_of_a_build_is_printed(root: Path) -> None:
    found = lint(root, "--format", "buildkite")
    assert (found.status, found.stdout) == (0, "**pipegen lint**: no findings in 5 files\n")


def test_an_annotation_without_an_agent_is_said_to_be_missing(root: Path) -> None:
    found = lint(root, "--format", "buildkite", env={"BUILDKITE_JOB_ID": "1", "PATH": ""})
    assert (found.status, found.stdout) == (0, "no findings in 5 files\n")
    assert found.stderr.startswith("pipegen: no annotation: there is no buildkite-agent on PATH")


class TestFixing:
    @pytest.fixture
    def root(self, root: Path) -> Path:
        """A folder of tests has moved, and its area does not know."""
        write(root, {"areas/engine.yaml": BEFORE, "tests/old/test_old.py": "print(1)\n"})
        made = Repository.create(root)
        made.commit("first")
        made.rename("tests/old", "tests/sub/new")
        return root

    def test_diff(self, root: Path) -> None:
        found = lint(root, "--diff")
        assert found.status == 1
        assert found.stdout == (
            "--- a/areas/engine.yaml\n"
            "+++ b/areas/engine.yaml\n"
            "@@ -4,6 +4,6 @@\n"
            " \n"
            " areas:\n"
            "   engine/core:\n"
            "-    tests: [engine/, old/]  # both\n"
            "+    tests: [engine/, sub/new/]  # both\n"
            "     hardware: l4\n"
            "     timeout_in_minutes: 30\n"
        )
        assert found.stderr == "no findings in 5 files\n"
        assert (root / "areas/engine.yaml").read_text(encoding="utf-8") == BEFORE

    def test_fix(self, root: Path) -> None:
        found = lint(root, "--fix")
        assert (found.status, found.stdout) == (0, "fixed 1 file\nno findings in 5 files\n")
        assert (root / "areas/engine.yaml").read_text(encoding="utf-8") == BEFORE.replace("old/", "sub/new/")
        again = lint(root, "--fix")
        assert (again.status, again.stdout) == (0, "no findings in 5 files\n")
        assert (lint(root, "--diff").status, lint(root, "--diff").stdout) == (0, "")

    def test_a_diff_of_a_folder_applies_where_the_caller_stands(self, root: Path) -> None:
        top = root.parent
        assert lint(root, "--diff", cwd=root / "tests").stdout.startswith("--- a/areas/engine.yaml\n")
        found = run("-C", root.name, "lint", "--diff", cwd=top)
        assert found.stdout.startswith(f"--- a/{root.name}/areas/engine.yaml\n+++ b/{root.name}/areas/engine.yaml\n")

    def test_what_is_left_fails(self, root: Path) -> None:
        found = lint(write(root, ORPHAN), "--fix")
        assert found.status == 1
        assert found.stdout.endswith("\n\nfixed 1 file\n1 finding in 5 files\n")


def test_base(tmp_path: Path) -> None:
    made = Repository.create(tmp_path / "repository")
    root = workspace(made.path, {**SMALL, **ORPHAN})
    made.commit("an orphan on main")
    made.branch("topic")
    made.commit_files("README.md")
    found = lint(root, "--base", "main")
    assert found.status == 0
    assert found.stdout == (
        "1 finding that main has too; pipegen lint without --base shows it\nno findings in 5 files\n"
    )
    write(root, {"tests/more/test_more.py": ""})
    found = lint(root, "--base", "main", "--format", "json")
    document = json.loads(found.stdout)
    assert found.status == 1
    assert [one["path"] for one in document["diagnostics"]] == ["tests/more/test_more.py"]
    assert [one["path"] for one in document["old"]] == ["tests/alone/test_alone.py"]


NEARLY = {"areas/engine.yaml": ENGINE.replace("[engine/]\n    hardware", "[engine/, kernels/]\n    hardware")}
NEARBY: dict[str, Content] = {"tests/kernel/test_new.py": ""}


class TestWhatFollowsFromAMissingPath:
    """A test that nobody owns is told at the path that was meant to own it, but never nowhere."""

    @pytest.fixture
    def root(self, root: Path) -> Path:
        return write(root, {**NEARLY, **NEARBY})

    def test_one_cause_is_told_once(self, root: Path) -> None:
        found = lint(root)
        assert (found.status, found.stdout.count(" finding: ")) == (1, 1)
        assert "PG207" in found.stdout
        assert 'did you mean "kernel/"?' in found.stdout

    @pytest.mark.parametrize("arguments", [("--ignore", "PG207"), ("--select", "PG201"), ("tests/kernel",)])
    def test_the_other_was_not_asked_for(self, root: Path, arguments: tuple[str, ...]) -> None:
        found = lint(root, *arguments)
        assert (found.status, found.stdout.count(" finding: ")) == (1, 1)
        assert 'PG201 finding: no area owns "kernel/"' in found.stdout

    def test_the_other_is_ignored(self, root: Path) -> None:
        ignored = NEARLY["areas/engine.yaml"].replace("kernels/]", "kernels/]  # pipegen: ignore[PG207] it comes")
        found = lint(write(root, {"areas/engine.yaml": ignored}))
        assert (found.status, "PG201" in found.stdout, "1 finding, 1 ignored" in found.stdout) == (1, True, True)

    def test_the_other_is_old(self, tmp_path: Path) -> None:
        made = Repository.create(tmp_path / "repository")
        root = workspace(made.path, {**SMALL, **NEARLY})
        made.commit("a path that names nothing, on main")
        made.branch("topic")
        write(root, NEARBY)
        made.commit("a test")
        found = lint(root, "--base", "main")
        assert (found.status, "PG201" in found.stdout, "PG207" in found.stdout) == (1, True, False)

    def test_both_are_waived_at_once(self, root: Path) -> None:
        found = lint(root, "--write-waivers", "--waiver-owner", "core")
        assert (found.status, found.stdout) == (0, "wrote 2 waivers\nno findings, 2 waived in 5 files\n")
        assert lint(root).status == 0


@pytest.mark.parametrize("word", ["parts", "steps"])
def test_parts_that_may_not_take_all_are_told_once(root: Path, word: str) -> None:
    shares = f"    {word}:\n      one: {{k: one}}\n      two: {{k: two}}\n"
    write(root, {"areas/engine.yaml": ENGINE + shares})
    told = [one["code"] for one in json.loads(lint(root, "--format", "json").stdout)["diagnostics"]]
    assert told == ["PG205"]
    assert "PG214" in lint(root, "--ignore", "PG205").stdout


def test_what_to_type_is_yaml(root: Path) -> None:
    folder = 'a "b" c\\d/'
    found = lint(write(root, {f"tests/{folder}test_e.py": ""}))
    (typed,) = re.findall("write an area that owns it: (.*)", found.stdout)
    assert yaml.safe_load(typed) == {"tests": [folder]}


def test_an_unknown_base_fails_wide(root: Path) -> None:
    made = Repository.create(write(root, ORPHAN))
    made.commit("first")
    found = lint(root, "--base", "origin/main")
    assert found.status == 1
    assert "PG456 warning: every finding counts as new: " in found.stdout
    assert found.stdout.endswith("\n\n1 finding, 1 warning in 5 files\n")


def test_ignored_in_line(root: Path) -> None:
    ignoring = BEFORE.replace("# both", "# pipegen: ignore[missing-test-path] it comes back")
    found = lint(write(root, {"areas/engine.yaml": ignoring}))
    assert found.status == 1
    assert "= help: write PG207\n" in found.stdout
    found = lint(write(root, {"areas/engine.yaml": ignoring.replace("missing-test-path", "PG207")}))
    assert (found.status, found.stdout) == (0, "no findings, 1 ignored in 5 files\n")


def _diagnostics(root: Path) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(lint(root, "--format", "json").stdout)["diagnostics"]
    return found


def test_what_is_read_is_bounded(root: Path) -> None:
    write(root, {".buildkite/hardware.yaml": HARDWARE + "# " + "x" * (1 << 22)})
    assert next(one["code"] for one in _diagnostics(root)) == "PG107"
