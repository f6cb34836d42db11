"""`pipegen lint` with waivers and ends, in real repositories."""

import datetime
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.workspaces import ENGINE, TEMPLATE, WORKSPACE, Ran, run, workspace, write

TOGGLE = 'toggles:\n  USE_V2: {values: ["0", "1"], default: "1"}\n'
ENDED = "    env: {USE_V2: {value: 0, because: it hangs, until: 2026-10-31}}\n"
TODAY = ("--today", "2026-11-30")
ORPHANS = {"tests/legacy/test_a.py": "", "tests/legacy/test_b.py": "", "src/engine/core.py": ""}


def repository(root: Path, *, settings: str = "", engine: str = "", more: dict[str, str] | None = None) -> Path:
    workspace(
        root,
        {
            "templates/plain.yaml.j2": TEMPLATE,
            "tests/engine/test_core.py": "",
            "src/engine/core.py": "",
            ".buildkite/pipegen.yaml": WORKSPACE + settings,
            "areas/engine.yaml": ENGINE + engine,
            **(more or {}),
        },
    )
    for command in ("init -q -b main", "add -A", "commit -q -m one"):
        git(root, command)
    return root


def git(root: Path, command: str) -> None:
    subprocess.run(["git", "-C", str(root), *command.split()], check=True, env=environment(), capture_output=True)


def change(root: Path, files: dict[str, str]) -> None:
    """One more commit, on a branch of its own."""
    git(root, "switch -q -C topic")
    write(root, files)
    git(root, "add -A")
    git(root, "commit -q --allow-empty -m two")


def environment(**more: str) -> dict[str, str]:
    who = {
        f"GIT_{role}_{name}": value
        for role in ("AUTHOR", "COMMITTER")
        for name, value in (("NAME", "a"), ("EMAIL", "a@b.invalid"), ("DATE", "2026-01-01T00:00:00Z"))
    }
    return {**who, "PATH": os.environ["PATH"], "HOME": os.devnull, "GIT_CONFIG_GLOBAL": os.devnull, **more}


def lint(root: Path, *words: str, **variables: str) -> Ran:
    return run("lint", *words, cwd=root, env=environment(**variables))


def codes(ran: Ran) -> list[str]:
    return re.findall(r"^\S+:\d+:\d+ (PG\d+ (?:(?:finding|warning): )?)", ran.stdout, re.M)


class TestWritten:
    def test_all_that_is_there_is_waived(self, tmp_path: Path) -> None:
        root = repository(tmp_path, more=ORPHANS)
        assert lint(root, *TODAY).status == 1
        ran = lint(root, *TODAY, "--write-waivers", "--waiver-owner", "kernels")
        assert (ran.status, ran.stderr) == (0, "")
        assert "wrote 1 waiver" in ran.stdout
        text = (root / ".buildkite/pipegen.yaml").read_text(encoding="utf-8")
        assert text == WORKSPACE + (
            "waivers:\n"
            '  - {rule: PG201, at: tests/legacy/, reason: "was there on 2026-11-30, when waivers began", '
            "owner: kernels, until: 2027-02-28}\n"
        )
        assert lint(root, *TODAY).status == 0
        assert "1 waived" in lint(root, *TODAY).stdout
        again = lint(root, *TODAY, "--write-waivers", "--waiver-owner", "kernels")
        assert (again.status, (root / ".buildkite/pipegen.yaml").read_text(encoding="utf-8")) == (0, text)

    def test_what_comes_tomorrow_is_seen(self, tmp_path: Path) -> None:
        root = repository(tmp_path, more=ORPHANS)
        lint(root, *TODAY, "--write-waivers", "--waiver-owner", "core")
        write(root, {"tests/new/test_c.py": ""})
        git(root, "add -A")
        assert codes(lint(root, *TODAY)) == ["PG201 finding: "]

    def test_somebody_has_to_own_them(self, tmp_path: Path) -> None:
        root = repository(tmp_path, more=ORPHANS)
        ran = lint(root, "--write-waivers")
        assert (ran.status, ran.stdout) == (2, "")
        assert "--waiver-owner" in ran.stderr
        assert (root / ".buildkite/pipegen.yaml").read_text(encoding="utf-8") == WORKSPACE

    def test_an_owner_that_nobody_declares(self, tmp_path: Path) -> None:
        ran = lint(repository(tmp_path, more=ORPHANS), "--write-waivers", "--waiver-owner", "cor")
        assert (ran.status, ran.stderr) == (2, 'pipegen: unknown owner "cor" in --waiver-owner: did you mean "core"?\n')

    def test_of_an_area_its_owner(self, tmp_path: Path) -> None:
        root = repository(tmp_path, engine="    env: {USE_V2: 0}\n", settings=TOGGLE)
        assert lint(root, *TODAY, "--write-waivers", "--waiver-until", "2026-12-31").status == 0
        text = (root / ".buildkite/pipegen.yaml").read_text(encoding="utf-8")
        assert "{rule: PG502, at: engine/core, " in text
        assert text.endswith("owner: core, until: 2026-12-31}\n")

    def test_errors_are_not_waived(self, tmp_path: Path) -> None:
        root = repository(tmp_path, engine="    gpus: 3\n", more=ORPHANS)
        ran = lint(root, "--write-waivers", "--waiver-owner", "core")
        assert (ran.status, codes(ran)) == (1, ["PG302 "])
        assert (root / ".buildkite/pipegen.yaml").read_text(encoding="utf-8") == WORKSPACE

    def test_a_pipeline_with_waivers_of_its_own(self, tmp_path: Path) -> None:
        settings = "pipelines: {ci: {}, other: {waivers: []}}\n"
        root = repository(tmp_path, settings=settings, more=ORPHANS)
        ran = lint(root, "--write-waivers", "--waiver-owner", "core")
        assert (ran.status, 'pipeline "other" has waivers of its own' in ran.stderr) == (3, True)

    @pytest.mark.parametrize(
        "words",
        [
            ("--write-waivers", "--fix"),
            ("--write-waivers", "--base", "main"),
            ("--waiver-owner", "core"),
            ("--write-waivers", "--waiver-until", "2027-02-30"),
            ("--write-waivers", "--waiver-until", "20270228"),
            ("--today", "yesterday"),
        ],
    )
    def test_wrong_usage(self, words: tuple[str, ...], tmp_path: Path) -> None:
        assert lint(repository(tmp_path), *words).status == 2


class TestEnds:
    def test_a_warning_where_nobody_can_act(self, tmp_path: Path) -> None:
        ran = lint(repository(tmp_path, settings=TOGGLE, engine=ENDED), *TODAY)
        assert (ran.status, codes(ran)) == (0, ["PG504 warning: "])

    def test_a_finding_in_a_scheduled_build(self, tmp_path: Path) -> None:
        root = repository(tmp_path, settings=TOGGLE, engine=ENDED)
        for said in ({"NIGHTLY": "1"}, {"BUILDKITE_SOURCE": "schedule"}):
            ran = lint(root, *TODAY, **said)
            assert (ran.status, codes(ran)) == (1, ["PG504 finding: "])

    def test_a_finding_where_the_change_touches_it(self, tmp_path: Path) -> None:
        root = repository(tmp_path, settings=TOGGLE, engine=ENDED)
        change(root, {})
        assert lint(root, *TODAY, "--base", "main").status == 0
        change(root, {"areas/engine.yaml": (ENGINE + ENDED).replace("it hangs", "it still hangs")})
        ran = lint(root, *TODAY, "--base", "main")
        assert (ran.status, codes(ran)) == (1, ["PG504 finding: "])
        change(root, {"areas/engine.yaml": "# another line\n" + ENGINE + ENDED})
        assert lint(root, *TODAY, "--base", "main").status == 0

    def test_the_clock_is_that_of_today(self, tmp_path: Path) -> None:
        year = datetime.datetime.now(tz=datetime.UTC).year
        root = repository(tmp_path, settings=TOGGLE, engine=ENDED.replace("2026-10-31", f"{year + 2}-01-31"))
        assert codes(lint(root)) == []
        assert codes(lint(root, "--today", f"{year + 2}-02-01")) == ["PG504 warning: "]

    def test_a_change_that_has_landed(self, tmp_path: Path) -> None:
        root = repository(tmp_path, settings=TOGGLE, engine=ENDED.replace("2026-10-31", '"#7"'))
        assert codes(lint(root, *TODAY)) == []
        subprocess.run(
            ["git", "-C", str(root), "commit", "-q", "--allow-empty", "-m", "Fix it (#7)"],
            check=True,
            env=environment(),
        )
        assert codes(lint(root, *TODAY)) == ["PG504 warning: "]

    def test_a_default_that_flips(self, tmp_path: Path) -> None:
        root = repository(
            tmp_path, settings=TOGGLE, engine="    env: {USE_V2: {value: 0, because: a, until: 2027-01-31}}\n"
        )
        change(root, {".buildkite/pipegen.yaml": WORKSPACE + TOGGLE.replace('default: "1"', 'default: "0"')})
        assert codes(lint(root, *TODAY, "--base", "main")) == ["PG506 finding: "]
        assert codes(lint(root, *TODAY)) == ["PG505 finding: "]


class TestGrowing:
    WAIVER = "waivers: [{rule: PG201, at: tests/, reason: old, owner: core, until: 2027-01-31}]\n"

    def test_it_must_not(self, tmp_path: Path) -> None:
        root = repository(tmp_path, settings=self.WAIVER, more=ORPHANS)
        change(root, {})
        assert lint(root, *TODAY, "--base", "main").status == 0
        change(root, {"tests/new/test_c.py": ""})
        ran = lint(root, *TODAY, "--base", "main")
        assert (ran.status, codes(ran)) == (1, ["PG803 finding: "])
        assert lint(root, *TODAY).status == 0

    def test_taking_one_out_shows_what_it_hid(self, tmp_path: Path) -> None:
        root = repository(tmp_path, settings=self.WAIVER, more=ORPHANS)
        change(root, {".buildkite/pipegen.yaml": WORKSPACE})
        assert codes(lint(root, *TODAY, "--base", "main")) == ["PG201 finding: "]

    def test_an_unused_one_is_a_finding(self, tmp_path: Path) -> None:
        ran = lint(repository(tmp_path, settings=self.WAIVER), *TODAY)
        assert (ran.status, codes(ran)) == (1, ["PG801 finding: "])
