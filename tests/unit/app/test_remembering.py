"""A verdict is remembered, and forgotten with the first thing that is no longer as the run saw it."""

import os
import shutil
from collections.abc import Callable
from dataclasses import field, replace
from pathlib import Path
from typing import Final

import pytest

from pipegen.app.linting import lint
from pipegen.app.memory import Memory
from pipegen.app.remembering import Remembering
from pipegen.app.request import Request, Wanted
from pipegen.app.verdict import Verdict
from pipegen.dataclass import dataclass
from pipegen.git import GitError
from tests.support.fake_rules import asked, saying
from tests.support.repositories import Repository, script
from tests.support.workspaces import ENGINE, TEMPLATE, WORKSPACE, Content, workspace, write

SMALL: Final[dict[str, Content]] = {
    "templates/plain.yaml.j2": TEMPLATE,
    "tests/engine/test_core.py": "",
    "src/engine/core.py": "",
}
WANTED: Final = Wanted(today="2026-11-30")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lint:
    """`lint` of a folder with a memory, and how often it looked."""

    root: Path
    memory: Memory
    looks: list[Verdict] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": os.environ["PATH"]})

    def verdict(self, wanted: Wanted = WANTED, program: str = "1", **environment: str) -> Verdict:
        """What is found."""
        request = asked(self.root, {**self.environment, **environment})
        return Remembering(memory=self.memory, program=lambda: program, look=self._look).verdict(request, wanted)

    def _look(self, request: Request, wanted: Wanted) -> Verdict:
        found = Verdict.of(lint(request, wanted))
        self.looks.append(found)
        return found

    def looked(self, wanted: Wanted = WANTED, program: str = "1", **environment: str) -> bool:
        """Whether it had to look. What it says is what it says without a memory, either way."""
        before = len(self.looks)
        verdict = self.verdict(wanted, program, **environment)
        assert verdict == Verdict.of(lint(asked(self.root, {**self.environment, **environment}), wanted))
        return len(self.looks) > before


@pytest.fixture
def folder(tmp_path: Path) -> Lint:
    """A workspace in no repository."""
    root = workspace(tmp_path / "root", SMALL)
    return Lint(root=root, memory=Memory(folder=tmp_path / "memory"))


@pytest.fixture
def repository(tmp_path: Path) -> tuple[Repository, Lint]:
    """A workspace in a repository of two commits."""
    repository = Repository.create(tmp_path / "root")
    workspace(repository.path, SMALL)
    repository.commit("one")
    repository.commit_files("README.md", message="two")
    return repository, Lint(root=repository.path, memory=Memory(folder=tmp_path / "memory"))


class TestTheSameAgain:
    def test_nothing_changed(self, folder: Lint) -> None:
        assert [folder.looked() for _ in range(3)] == [True, False, False]

    def test_findings_with_their_texts(self, folder: Lint) -> None:
        write(folder.root, {"tests/alone/test_alone.py": "", "areas/engine.yaml": ENGINE + "    title: Engine\n"})
        assert [folder.looked(), folder.looked()] == [True, False]
        assert [one.code.code for one in folder.verdict().diagnostics] == ["PG201"]
        assert "areas/engine.yaml" in folder.verdict().texts

    def test_errors(self, folder: Lint) -> None:
        write(folder.root, {"areas/engine.yaml": ENGINE.replace("l4", "l5")})
        assert [folder.looked(), folder.looked()] == [True, False]
        assert folder.verdict().fails

    def test_a_file_that_was_written_again(self, folder: Lint) -> None:
        folder.verdict()
        write(folder.root, {"areas/engine.yaml": ENGINE})
        assert not folder.looked()

    def test_what_the_run_did_not_look_at(self, folder: Lint) -> None:
        folder.verdict()
        assert not folder.looked(TERM="dumb", HOME="/nowhere")

    def test_in_a_repository(self, repository: tuple[Repository, Lint]) -> None:
        assert [repository[1].looked(), repository[1].looked()] == [True, False]

    def test_in_a_repository_with_a_base(self, repository: tuple[Repository, Lint]) -> None:
        made, folder = repository
        write(made.path, {"tests/alone/test_alone.py": "", "tests/other/test_other.py": ""})
        made.commit("three")
        wanted = replace(WANTED, base="HEAD^")
        assert [folder.looked(wanted), folder.looked(wanted)] == [True, False]
        assert len(folder.verdict(wanted).diagnostics) == 2


def _edit(path: str, text: str) -> Callable[[Path], object]:
    return lambda root: write(root, {path: text})


def _gone(path: str) -> Callable[[Path], object]:
    return lambda root: (root / path).unlink()


def _linked(root: Path) -> None:
    (root / "engine.yaml").write_text(ENGINE + "    title: Elsewhere\n", encoding="utf-8")
    (root / "areas/engine.yaml").unlink()
    (root / "areas/engine.yaml").symlink_to("../engine.yaml")


CHANGES: Final[dict[str, Callable[[Path], object]]] = {
    "a manifest": _edit("areas/engine.yaml", ENGINE + "    title: Engine\n"),
    "a space at its end": _edit("areas/engine.yaml", ENGINE + " "),
    "a new manifest": _edit("areas/more.yaml", ENGINE.replace("engine/core", "engine/more")),
    "a manifest that is gone": _gone("areas/engine.yaml"),
    "a manifest that became a link": _linked,
    "the workspace": _edit(".buildkite/pipegen.yaml", WORKSPACE + "listing: tree.txt\n"),
    "hardware": _gone(".buildkite/hardware.yaml"),
    "a template": _edit("templates/plain.yaml.j2", TEMPLATE + "{{ job.nothing }}\n"),
    "a template over a packaged one": _edit("templates/shell.j2", ""),
    "a new test": _edit("tests/alone/test_alone.py", ""),
    "a test that is gone": _gone("tests/engine/test_core.py"),
    "a source that is gone": _gone("src/engine/core.py"),
    "owners of code": _edit("CODEOWNERS", "/tests/engine/ @org/kernels\n"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
class TestWhatChanges:
    def test_in_a_folder(self, folder: Lint, change: Callable[[Path], object]) -> None:
        folder.verdict()
        change(folder.root)
        assert folder.looked()
        assert not folder.looked()

    def test_in_a_repository(self, repository: tuple[Repository, Lint], change: Callable[[Path], object]) -> None:
        made, folder = repository
        folder.verdict()
        change(made.path)
        assert folder.looked()
        assert not folder.looked()


class TestWhatIsAsked:
    @pytest.mark.parametrize(
        "wanted",
        [
            replace(WANTED, today="2026-12-01"),
            replace(WANTED, select=("PG2",)),
            replace(WANTED, ignore=("PG201",)),
            replace(WANTED, paths=("areas",)),
        ],
    )
    def test_other_options(self, folder: Lint, wanted: Wanted) -> None:
        folder.verdict()
        assert folder.looked(wanted)
        assert not folder.looked(wanted)
        assert not folder.looked()

    def test_another_pipegen(self, folder: Lint) -> None:
        folder.verdict()
        assert folder.looked(program="2")

    def test_a_pipegen_that_nobody_can_tell_from_others(self, folder: Lint) -> None:
        remembering = Remembering(memory=folder.memory, program=lambda: None, look=folder._look)
        for _ in range(2):
            remembering.verdict(asked(folder.root, folder.environment), WANTED)
        assert (len(folder.looks), folder.memory.folder.exists()) == (2, False)

    def test_a_pipegen_that_is_installed_meanwhile(self, folder: Lint) -> None:
        programs = iter(["1", "2"])
        remembering = Remembering(memory=folder.memory, program=lambda: next(programs), look=folder._look)
        remembering.verdict(asked(folder.root, folder.environment), WANTED)
        assert folder.looked(program="1")
        assert folder.looked(program="2")

    def test_another_build(self, folder: Lint) -> None:
        folder.verdict()
        assert folder.looked(BUILDKITE_SOURCE="schedule")
        assert folder.looked(TORCH_NIGHTLY="1")
        assert not folder.looked(TORCH_NIGHTLY="1")

    def test_another_workspace(self, folder: Lint, tmp_path: Path) -> None:
        folder.verdict()
        other = replace(folder, root=workspace(tmp_path / "other", SMALL))
        assert other.looked()

    def test_rules_of_a_callers_own(self, folder: Lint) -> None:
        wanted = replace(WANTED, rules=(saying(),))
        assert folder.looked(wanted)
        assert folder.looked(wanted)


SECRETIVE: Final = WORKSPACE.replace("[TORCH_NIGHTLY]", "[TORCH_NIGHTLY, SOME_TOKEN]")
UNTIL_IT_LANDS: Final = {
    ".buildkite/pipegen.yaml": WORKSPACE + "toggles: {A_SWITCH: {values: ['0', '1'], default: '0'}}\n",
    "areas/engine.yaml": ENGINE + "    env: {A_SWITCH: {value: '1', because: it is slow, until: '#12'}}\n",
}


class TestRepositories:
    def test_a_test_that_git_does_not_know(self, repository: tuple[Repository, Lint]) -> None:
        made, folder = repository
        folder.verdict()
        made.write("tests/alone/test_alone.py")
        assert folder.looked()
        made.write(".gitignore", "tests/alone/\n")
        assert folder.looked()
        assert folder.verdict().diagnostics == ()

    def test_an_ignore_of_this_clone(self, repository: tuple[Repository, Lint]) -> None:
        made, folder = repository
        made.write("tests/alone/test_alone.py")
        folder.verdict()
        made.write(".git/info/exclude", "tests/alone/\n")
        assert folder.looked()

    def test_a_file_that_is_added(self, repository: tuple[Repository, Lint]) -> None:
        made, folder = repository
        made.write("tests/alone/test_alone.py")
        before = folder.verdict()
        made.git("add", "--all")
        assert folder.verdict() == before

    def test_a_base_that_moves(self, repository: tuple[Repository, Lint]) -> None:
        made, folder = repository
        made.write("tests/alone/test_alone.py")
        made.commit("three")
        made.git("branch", "base", "HEAD^")
        wanted = replace(WANTED, base="base")
        assert [folder.looked(wanted), folder.looked(wanted)] == [True, False]
        assert folder.verdict(wanted).fails
        made.git("branch", "--force", "base", "HEAD")
        assert folder.looked(wanted)

    def test_history_that_could_not_be_read_once(self, repository: tuple[Repository, Lint], tmp_path: Path) -> None:
        made, folder = repository
        write(made.path, UNTIL_IT_LANDS)
        made.commit("make it fast (#12)")
        git = shutil.which("git")
        script(tmp_path / "bin" / "git", f'case "$*" in *rev-list*) exit 128 ;; esac\nexec {git} "$@"')
        ill = replace(folder, environment={"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"})
        assert [one.code.code for one in ill.verdict().diagnostics] == ["PG830"]
        assert folder.looked()
        assert [one.code.code for one in folder.verdict().diagnostics] == ["PG504"]

    def test_grafts(self, repository: tuple[Repository, Lint]) -> None:
        made, folder = repository
        write(made.path, UNTIL_IT_LANDS)
        made.commit("make it fast (#12)")
        made.commit("and more")
        assert [one.code.code for one in folder.verdict().diagnostics] == ["PG504"]
        made.write(".git/info/grafts", f"{made.head}\n")
        assert folder.looked()
        assert folder.verdict().diagnostics == ()

    def test_a_link_of_the_base_that_is_lost_for_a_while(self, repository: tuple[Repository, Lint]) -> None:
        made, folder = repository
        made.link("tests/alone/test_link.py", "../engine")
        made.commit("a link to a folder")
        blob = made.id_of("HEAD:tests/alone/test_link.py")
        made.remove("tests/alone/test_link.py")
        made.write("tests/alone/test_link.py", "a file\n")
        made.commit("a file")
        wanted = replace(WANTED, base="HEAD^")
        place = made.path / ".git" / "objects" / blob[:2] / blob[2:]
        place.rename(made.path / ".git" / "lost")
        assert folder.verdict(wanted).fails
        (made.path / ".git" / "lost").rename(place)
        assert folder.looked(wanted)
        assert folder.verdict(wanted).fails

    def test_a_base_that_nobody_knows_is_looked_for_again(self, repository: tuple[Repository, Lint]) -> None:
        folder = repository[1]
        wanted = replace(WANTED, base="nowhere")
        assert [folder.looked(wanted), folder.looked(wanted)] == [True, True]

    def test_in_the_hook_of_a_commit(self, repository: tuple[Repository, Lint]) -> None:
        made, folder = repository
        index = str(made.path / ".git" / "index")
        assert folder.looked(GIT_INDEX_FILE=index)
        assert folder.looked(GIT_INDEX_FILE=index)
        assert folder.looked()

    def test_no_git(self, tmp_path: Path) -> None:
        """Whether there is one cannot be asked again in the same words."""
        root = workspace(tmp_path / "root", SMALL)
        folder = Lint(root=root, memory=Memory(folder=tmp_path / "memory"), environment={"PATH": str(tmp_path)})
        assert [folder.looked(), folder.looked()] == [True, True]

    def test_a_git_that_fails_later(self, repository: tuple[Repository, Lint], tmp_path: Path) -> None:
        folder = repository[1]
        folder.verdict()
        script(tmp_path / "bin" / "git", "exit 128")
        with pytest.raises(GitError):
            replace(folder, environment={"PATH": str(tmp_path / "bin")}).verdict()
        assert not folder.looked()

    def test_numbers_that_land(self, repository: tuple[Repository, Lint]) -> None:
        made, folder = repository
        write(made.path, UNTIL_IT_LANDS)
        assert [folder.looked(), folder.looked()] == [True, False]
        assert folder.verdict().diagnostics == ()
        made.git("commit", "--quiet", "--allow-empty", "-m", "make it fast (#12)")
        assert folder.looked()
        assert [one.code.code for one in folder.verdict().diagnostics] == ["PG504"]

    def test_history_that_a_shallow_clone_gets(self, repository: tuple[Repository, Lint], tmp_path: Path) -> None:
        made, folder = repository
        made.git("commit", "--quiet", "--allow-empty", "-m", "make it fast (#12)")
        write(made.path, UNTIL_IT_LANDS)
        made.commit("use it")
        cloned = made.clone(tmp_path / "clone", "--depth=1")
        there = replace(folder, root=cloned.path)
        assert [there.looked(), there.looked()] == [True, False]
        assert [one.code.code for one in there.verdict().diagnostics] == ["PG830"]
        cloned.git("fetch", "--quiet", "--unshallow")
        assert there.looked()
        assert [one.code.code for one in there.verdict().diagnostics] == ["PG504"]


class TestSecrets:
    def test_a_finding_that_quotes_one_is_not_kept(self, folder: Lint) -> None:
        template = TEMPLATE + "agents: {queue: '{{ env.SOME_TOKEN }} and more'}\n"
        write(folder.root, {".buildkite/pipegen.yaml": SECRETIVE, "templates/plain.yaml.j2": template})
        said = [one.message for one in folder.verdict(SOME_TOKEN="hunter2hunter2").diagnostics]
        assert any("hunter2" in message for message in said)
        assert list(folder.memory.folder.glob("*")) == []

    def test_others_are_without_its_value(self, folder: Lint) -> None:
        write(folder.root, {".buildkite/pipegen.yaml": SECRETIVE})
        folder.verdict(SOME_TOKEN="hunter2hunter2")
        kept = [path.read_text(encoding="utf-8") for path in folder.memory.folder.glob("*")]
        assert ["hunter2" in text for text in kept] == [False]
        assert not folder.looked(SOME_TOKEN="hunter2hunter2")
        assert folder.looked(SOME_TOKEN="hunter3hunter3")


class TestWhatWasKept:
    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"[]",
            b"{}",
            b"\xff",
            b"[" * 100_000,
            b'{"questions": [["git", "", "push"]], "answers": ""}',
            b'{"questions": [["read", "areas", "99999999999999999999999"]], "answers": ""}',
        ],
    )
    def test_by_somebody_else(self, folder: Lint, content: bytes) -> None:
        folder.verdict()
        for path in folder.memory.folder.iterdir():
            path.write_bytes(content)
        assert folder.looked()
        assert not folder.looked()

    def test_any_part_of_it_missing_or_of_another_kind(self, folder: Lint) -> None:
        write(folder.root, {"tests/alone/test_alone.py": ""})
        folder.verdict()
        (path,) = folder.memory.folder.iterdir()
        content = path.read_bytes()
        for cut in range(0, len(content), 97):
            path.write_bytes(content[:cut] + content[cut + 1 :])
            assert [one.code.code for one in folder.verdict().diagnostics] == ["PG201"]
