"""`lint` as a use case, with rules of our own: what is looked at, what is reported, and what a base knows already."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pipegen.app.linting import Linted, lint
from pipegen.app.request import Wanted
from pipegen.app.verdict import Verdict
from pipegen.diagnostics import Diagnostic, WrongUsageError
from pipegen.rules import RULES
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from tests.support.fake_rules import CONTENT_RULE, LONELY_RULE, SLOW_RULE, WORD, asked, saying
from tests.support.repositories import Repository
from tests.support.workspaces import ENGINE, TEMPLATE, WORKSPACE, Content, workspace, write

SMALL: dict[str, Content] = {
    "templates/plain.yaml.j2": TEMPLATE,
    "tests/engine/test_core.py": "",
    "src/engine/core.py": "",
}
BAD = ENGINE + "    title: a bad title\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return workspace(tmp_path / "root", {**SMALL, "areas/engine.yaml": BAD})


def found(root: Path, *rules: Rule, environment: dict[str, str] | None = None, **asked_for: object) -> Linted:
    wanted = replace(Wanted(today="2026-11-30", rules=rules), **asked_for)  # type: ignore[arg-type]
    return lint(asked(root, {"PATH": os.environ["PATH"], **(environment or {})}), wanted)


def fails(linted: Linted) -> bool:
    return Verdict.of(linted).fails


def heads(linted: Linted) -> list[str]:
    return [f"{one.span} {one.code.code} {one.message}" for one in linted.diagnostics]


SAID = 'areas/engine.yaml:10:14 PG291 "bad" is said'


class TestWhatIsLookedAt:
    def test_rules(self, root: Path) -> None:
        linted = found(root, saying(), LONELY_RULE)
        assert (heads(linted), fails(linted), linted.notes) == ([SAID], True, ())
        assert sorted(linted.texts) == [
            ".buildkite/hardware.yaml",
            ".buildkite/pipegen.yaml",
            "areas/engine.yaml",
            "areas/images.yaml",
            "templates/plain.yaml.j2",
        ]

    def test_nothing_is_wrong(self, root: Path) -> None:
        linted = found(root, LONELY_RULE)
        assert (linted.diagnostics, fails(linted)) == ((), False)

    def test_its_own_rules(self, root: Path) -> None:
        assert found(root, *RULES).diagnostics == ()

    def test_what_loading_and_the_jobs_say_and_then_the_rules_do_not_look(self, root: Path) -> None:
        """An area that could not be read owns nothing: what a rule finds then is not so."""
        write(root, {**SMALL, "areas/engine.yaml": BAD.replace("l4", "l5").replace("core\ns", "cor\ns")})
        linted = found(root, saying())
        assert [one.code.code for one in linted.diagnostics] == ["PG113", "PG301"]
        assert linted.notes == ("the rules did not look: they need a workspace without these errors",)

    def test_what_buildkite_would_not_take_and_the_rules_look(self, root: Path) -> None:
        write(root, {"areas/engine.yaml": BAD + "    if: build.brnch == 'main'\n"})
        assert [one.code.code for one in found(root, saying()).diagnostics] == ["PG291", "PG740"]

    def test_a_template_that_cannot_be_read(self, root: Path) -> None:
        write(root, {"templates/plain.yaml.j2": "commands: {{ job.comands }}\n"})
        assert [one.code.code for one in found(root).diagnostics] == ["PG750"]

    def test_no_workspace_to_speak_of(self, root: Path) -> None:
        write(root, {".buildkite/pipegen.yaml": "version: 1\nlanes: [\n"})
        linted = found(root, saying())
        assert [one.code.code for one in linted.diagnostics] == ["PG104"]
        assert linted.notes

    def test_all_pipelines_are(self, root: Path) -> None:
        text = WORKSPACE + "pipelines:\n  one: {areas: [areas/]}\n  two: {areas: [areas/, more/]}\n"
        more = ENGINE.replace("engine/core", "engine/more").replace("engine/]", "more/]") + "    title: bad too\n"
        write(root, {".buildkite/pipegen.yaml": text, "more/more.yaml": more})
        assert [one.span.path for one in found(root, saying()).diagnostics] == ["areas/engine.yaml", "more/more.yaml"]

    def test_rules_that_would_read_files_of_a_listing(self, root: Path) -> None:
        listed = {".buildkite/pipegen.yaml": WORKSPACE + "listing: tree.txt\n", "tree.txt": "tests/test_lonely.py\n"}
        write(root, listed)
        assert len(found(root, LONELY_RULE).diagnostics) == 1
        linted = found(root, CONTENT_RULE)
        assert (linted.diagnostics, fails(linted)) == ((), False)
        assert linted.notes == ("1 rule did not look: it reads files, and the listing has only their names",)
        assert "2 rules did not look: they read files" in found(root, CONTENT_RULE, CONTENT_RULE).notes[0]

    def test_warnings_do_not_fail(self, root: Path) -> None:
        write(root, {"areas/engine.yaml": BAD.replace("bad", "slow")})
        linted = found(root, SLOW_RULE)
        assert ([one.code.code for one in linted.diagnostics], fails(linted)) == (["PG391"], False)


class TestIgnores:
    def test_ignored(self, root: Path) -> None:
        write(root, {"areas/engine.yaml": BAD.rstrip() + "  # pipegen: ignore[PG291] it was always called so\n"})
        linted = found(root, saying())
        assert (heads(linted), len(linted.ignored), fails(linted)) == ([], 1, False)

    def test_unused_in_any_file(self, root: Path) -> None:
        comment = "# pipegen: ignore[PG291] because\n"
        write(root, {".buildkite/pipegen.yaml": comment + WORKSPACE, "areas/images.yaml": None})
        write(root, {"areas/engine.yaml": ENGINE.replace("l4", "cpu")})
        assert [one.code.code for one in found(root, saying()).diagnostics] == ["PG812"]

    def test_selecting_one_code_makes_no_other_ignore_unused(self, root: Path) -> None:
        write(root, {"areas/engine.yaml": BAD.rstrip() + "  # pipegen: ignore[PG291] it was always called so\n"})
        linted = found(root, saying(), LONELY_RULE, select=("PG292", "PG8"))
        assert heads(linted) == []

    def test_not_unused_where_the_rule_did_not_look(self, root: Path) -> None:
        broken = ENGINE.replace("l4", "l5  # pipegen: ignore[PG291] because")
        write(root, {"areas/engine.yaml": broken})
        assert [one.code.code for one in found(root, saying()).diagnostics] == ["PG301"]


WAIVER = """\
waivers:
  - {rule: bad-word, at: areas/engine.yaml, reason: nobody minds, owner: core, until: %s}
"""


class TestWaivers:
    def waiving(self, root: Path, until: str = "2026-12-31") -> Path:
        return write(root, {".buildkite/pipegen.yaml": WORKSPACE + WAIVER % until})

    def test_waived(self, root: Path) -> None:
        linted = found(self.waiving(root), saying())
        assert (heads(linted), fails(linted)) == ([], False)
        assert [one.code for one in linted.waived] == [WORD]

    def test_unused(self, root: Path) -> None:
        write(self.waiving(root), {"areas/engine.yaml": ENGINE})
        assert [one.code.code for one in found(root, saying()).diagnostics] == ["PG801"]
        assert found(root, saying(), select=("PG2",)).diagnostics == ()

    def test_not_unused_where_the_rule_did_not_look(self, root: Path) -> None:
        write(self.waiving(root), {"areas/engine.yaml": ENGINE.replace("l4", "l5")})
        assert [one.code.code for one in found(root, saying()).diagnostics] == ["PG301"]

    @pytest.mark.parametrize(("build", "severity"), [({}, "warning"), ({"NIGHTLY": "1"}, "finding")])
    def test_an_end_that_passed_fails_the_builds_of_a_schedule(
        self, root: Path, build: dict[str, str], severity: str
    ) -> None:
        linted = found(self.waiving(root, "2026-11-29"), saying(), environment=build)
        assert [(one.code.code, one.severity.value) for one in linted.diagnostics] == [("PG802", severity)]
        assert fails(linted) == (severity == "finding")


class TestSelecting:
    @pytest.mark.parametrize("select", ["PG291", "bad-word", "PG2", "PG"])
    def test_selected(self, root: Path, select: str) -> None:
        assert heads(found(root, saying(), select=(select,))) == [SAID]

    @pytest.mark.parametrize("ignore", ["PG291", "bad-word", "PG2,PG3"])
    def test_ignored(self, root: Path, ignore: str) -> None:
        assert heads(found(root, saying(), ignore=(ignore,))) == []

    def test_what_keeps_the_rules_from_looking_is_always_reported(self, root: Path) -> None:
        write(root, {"areas/engine.yaml": BAD.replace("l4", "l5")})
        asked_for = [
            found(root, saying(), select=("PG2",)),
            found(root, saying(), ignore=("PG301",)),
            found(root, saying(), paths=("areas/images.yaml",)),
        ]
        for linted in asked_for:
            assert ([one.code.code for one in linted.diagnostics], fails(linted)) == (["PG301"], True)

    def test_unknown(self, root: Path) -> None:
        with pytest.raises(WrongUsageError, match='did you mean "bad-word"'):
            found(root, saying(), select=("bad-wrd",))


class TestPaths:
    @pytest.fixture
    def root(self, root: Path) -> Path:
        return write(root, {"tests/engine/sub/test_lonely.py": "", "tests/engine/test_lonely.py": ""})

    @pytest.mark.parametrize(
        ("paths", "codes"),
        [
            (("areas",), ["PG291"]),
            (("areas/engine.yaml", "areas/images.yaml"), ["PG291"]),
            (("areas/images.yaml",), []),
            ((".buildkite",), ["PG292", "PG292"]),
            (("tests/engine/sub/test_lonely.py",), ["PG292"]),
            (("tests/engine/sub",), ["PG292"]),
            (("tests",), ["PG292", "PG292"]),
            ((".",), ["PG292", "PG292", "PG291"]),
            (("tests/engine/test_core.py",), []),
        ],
    )
    def test_limit_what_is_reported(self, root: Path, paths: tuple[str, ...], codes: list[str]) -> None:
        linted = found(root, saying(), LONELY_RULE, paths=paths)
        assert [one.code.code for one in linted.diagnostics] == codes

    @pytest.mark.parametrize("path", ["tests/gone.py", "area", "../elsewhere"])
    def test_that_are_not_there(self, root: Path, path: str) -> None:
        with pytest.raises(WrongUsageError, match="no such file or folder in the workspace"):
            found(root, saying(), paths=(path,))


class TestBase:
    @pytest.fixture
    def repository(self, root: Path) -> Repository:
        made = Repository.create(root)
        made.commit("first")
        made.branch("topic")
        made.commit_files("README.md")
        return made

    def compared(self, repository: Repository, *rules: Rule, base: str = "main") -> Linted:
        return found(repository.path, *(rules or (saying(),)), base=base, environment=dict(os.environ))

    def test_what_it_has_does_not_fail(self, repository: Repository) -> None:
        linted = self.compared(repository)
        assert (linted.diagnostics, fails(linted)) == ((), False)
        assert [one.code for one in linted.old] == [WORD]
        assert linted.notes == ("1 finding that main has too; pipegen lint without --base shows it",)

    def test_what_is_new_fails(self, repository: Repository) -> None:
        repository.write("tests/test_lonely.py")
        linted = self.compared(repository, saying(), LONELY_RULE, SLOW_RULE)
        assert [one.code.code for one in linted.diagnostics] == ["PG292"]
        assert (len(linted.old), fails(linted)) == (1, True)

    def test_lines_that_move_make_nothing_new(self, repository: Repository) -> None:
        repository.write("areas/engine.yaml", "# a comment\n\n" + BAD)
        assert self.compared(repository).diagnostics == ()

    def test_a_second_one_of_a_kind_is_new(self, repository: Repository) -> None:
        repository.write("areas/engine.yaml", BAD.replace("a bad title", "a bad, bad title"))
        linted = self.compared(repository)
        assert (len(linted.diagnostics), len(linted.old)) == (1, 1)

    @pytest.mark.parametrize("staged", [True, False])
    def test_a_renamed_file_makes_nothing_new(self, repository: Repository, staged: bool) -> None:
        repository.rename("areas/engine.yaml", "areas/motor.yaml")
        if not staged:
            repository.commit("renamed")
        linted = self.compared(repository)
        assert (linted.diagnostics, len(linted.old)) == ((), 1)

    def test_errors_always_fail(self, repository: Repository) -> None:
        repository.write("areas/engine.yaml", BAD.replace("l4", "l5"))
        repository.commit("broken")
        repository.switch("main")
        repository.merge("topic")
        repository.branch("another")
        repository.commit_files("README.md", message="more")
        linted = self.compared(repository)
        assert ([one.code.code for one in linted.diagnostics], fails(linted)) == (["PG301"], True)

    def test_where_the_base_goes_on_the_merge_base_counts(self, repository: Repository) -> None:
        repository.switch("main")
        repository.write("areas/engine.yaml", ENGINE)
        repository.commit("mended there")
        repository.switch("topic")
        assert self.compared(repository).diagnostics == ()

    def test_a_commit_of_the_base_is_compared_with_its_parent(self, repository: Repository) -> None:
        repository.switch("main")
        repository.write("tests/test_lonely.py")
        repository.commit("lonely")
        linted = self.compared(repository, saying(), LONELY_RULE)
        assert ([one.code.code for one in linted.diagnostics], len(linted.old)) == (["PG292"], 1)

    def test_a_commit_upon_the_base_is_compared_with_the_base(self, repository: Repository) -> None:
        repository.switch("main")
        repository.write("tests/test_lonely.py")
        repository.commit("lonely")
        repository.write("README.md", "more")
        repository.git("add", "README.md")
        hook = {**os.environ, "GIT_INDEX_FILE": ".git/index"}
        linted = found(repository.path, saying(), LONELY_RULE, base="main", environment=hook)
        assert (linted.diagnostics, len(linted.old)) == ((), 2)

    def test_an_end_that_passed_fails_where_the_change_touches_it(self, repository: Repository) -> None:
        repository.switch("main")
        repository.write(".buildkite/pipegen.yaml", WORKSPACE + WAIVER % "2026-11-28")
        repository.commit("waived")
        repository.branch("later")
        repository.commit_files("README.md", message="later")
        linted = self.compared(repository)
        assert ([one.code.code for one in linted.old], fails(linted)) == (["PG802"], False)
        repository.write(".buildkite/pipegen.yaml", WORKSPACE + WAIVER % "2026-11-29")
        linted = self.compared(repository)
        assert [(one.code.code, one.severity.value) for one in linted.diagnostics] == [("PG802", "finding")]

    def test_a_waiver_that_grows(self, repository: Repository) -> None:
        repository.switch("main")
        repository.write(".buildkite/pipegen.yaml", WORKSPACE + WAIVER % "2026-12-31")
        repository.commit("waived")
        repository.branch("later")
        repository.write("areas/engine.yaml", BAD.replace("a bad title", "a bad, bad title"))
        repository.commit("more")
        linted = self.compared(repository)
        assert ([one.code.code for one in linted.diagnostics], fails(linted)) == (["PG803"], True)
        assert "1 more than at main" in linted.diagnostics[0].message

    def test_what_was_waived_there_and_is_not_any_more_is_new(self, repository: Repository) -> None:
        repository.switch("main")
        repository.write(".buildkite/pipegen.yaml", WORKSPACE + WAIVER % "2026-12-31")
        repository.commit("waived")
        repository.branch("later")
        repository.write(".buildkite/pipegen.yaml", WORKSPACE)
        repository.commit("not any more")
        assert [one.code.code for one in self.compared(repository).diagnostics] == ["PG291"]

    def test_rules_are_told_what_the_default_of_a_toggle_was(self, repository: Repository) -> None:
        def check(facts: Facts) -> Iterator[Diagnostic]:
            for name, default in facts.defaults_before.items():
                yield Diagnostic(code=WORD, span=facts.inventory.at, message=f"{name} was {default}")

        toggles = 'toggles:\n  FAST: {values: ["0", "1"], default: "%d", about: speed}\n'
        repository.switch("main")
        repository.write(".buildkite/pipegen.yaml", WORKSPACE + toggles % 0)
        repository.commit("slow")
        repository.branch("later")
        repository.write(".buildkite/pipegen.yaml", WORKSPACE + toggles % 1)
        repository.commit("fast")
        rule = Rule(codes=(WORD,), check=check)
        assert [one.message for one in self.compared(repository, rule).diagnostics] == ["FAST was 0"]
        assert found(repository.path, rule, environment=dict(os.environ)).diagnostics == ()

    def test_of_a_folder_below_the_repositorys_root(self, tmp_path: Path) -> None:
        made = Repository.create(tmp_path / "mono")
        workspace(made.path / "project", {**SMALL, "areas/engine.yaml": BAD})
        made.commit("first")
        made.branch("topic")
        made.commit_files("README.md")
        linted = found(made.path / "project", saying(), base="main", environment=dict(os.environ))
        assert (linted.diagnostics, len(linted.old)) == ((), 1)

    @pytest.mark.parametrize(
        ("base", "code", "words"),
        [
            ("origin/gone", "PG456", 'every finding counts as new: "origin/gone", which --base names as the base,'),
            ("--upload-pack", "PG455", "is not the name of a revision"),
        ],
    )
    def test_unknown(self, repository: Repository, base: str, code: str, words: str) -> None:
        linted = self.compared(repository, base=base)
        assert [one.code.code for one in linted.diagnostics] == [code, "PG291"]
        assert words in linted.diagnostics[0].message
        assert linted.diagnostics[0].help
        assert (linted.old, fails(linted)) == ((), True)

    def test_without_a_repository(self, root: Path) -> None:
        outside = {"GIT_CEILING_DIRECTORIES": str(root.parent), "PATH": os.environ["PATH"]}
        linted = found(root, saying(), base="main", environment=outside)
        assert [one.code.code for one in linted.diagnostics] == ["PG452", "PG291"]
        assert linted.diagnostics[0].help == "name a commit that this clone has: --base"

    def test_a_base_that_cannot_be_read(self, repository: Repository) -> None:
        repository.write(".buildkite/pipegen.yaml", WORKSPACE.replace("version: 1", "version: 9"))
        repository.commit("of the future")
        repository.branch("back")
        repository.write(".buildkite/pipegen.yaml", WORKSPACE)
        repository.commit("of today")
        linted = self.compared(repository, base="topic")
        assert [one.code.code for one in linted.diagnostics] == ["PG451", "PG291"]
        assert 'is written in version "9"' in linted.diagnostics[0].message

    def test_a_base_with_errors(self, repository: Repository) -> None:
        repository.write("areas/engine.yaml", BAD.replace("l4", "l5"))
        repository.commit("broken")
        repository.branch("mended")
        repository.write("areas/engine.yaml", BAD)
        repository.commit("mended")
        linted = self.compared(repository, base="topic")
        assert [one.code.code for one in linted.diagnostics] == ["PG291"]
        assert linted.notes == ("every finding counts as new: topic has errors, so that the rules cannot look there",)

    def test_a_base_without_a_workspace(self, tmp_path: Path) -> None:
        made = Repository.create(tmp_path / "bare")
        made.commit_files("README.md")
        made.branch("topic")
        workspace(made.path, {**SMALL, "areas/engine.yaml": BAD})
        made.commit("moving in")
        linted = self.compared(made)
        assert [one.code.code for one in linted.diagnostics] == ["PG291"]
        assert linted.notes == ("every finding counts as new: main has no workspace that can be read",)
