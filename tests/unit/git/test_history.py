"""Which numbered changes have landed."""

from pathlib import Path

import pytest

from pipegen.git import Git, History, landed_changes
from tests.support.repositories import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository.create(tmp_path / "repository")
    for message in (
        "Begin",
        "Fix the hang (#54809)",
        "Mention (#1) in the middle",
        "Several at once (#2) (#3)",
        "Body only\n\nSee (#4)\n(#5)",
        "Other repository (org/repo#6)",
        "Not a number (#7a)",
        "Größe (#8)",
        "Folded subject\nof two lines (#9)\n\nbody",
        'Revert "Fix (#10)"',
        "Zero-padded (#011)",
    ):
        made.commit(message)
    return made


def test_subjects_that_end_in_a_number(repository: Repository) -> None:
    assert landed_changes(repository.command) == History(
        landed=frozenset({"#54809", "#3", "#8", "#9", "#011"}), unknown=None
    )


def test_only_what_head_contains(repository: Repository) -> None:
    repository.branch("topic")
    repository.commit("On a branch (#100)")
    repository.switch("main")
    assert "#100" not in landed_changes(repository.command).landed
    repository.merge("topic")
    assert "#100" in landed_changes(repository.command).landed


def test_of_another_encoding(repository: Repository) -> None:
    repository.git(
        "-c", "i18n.commitEncoding=latin1", "commit", "--allow-empty", "--file=-", content=b"Gr\xf6\xdfe (#12)"
    )
    assert "#12" in landed_changes(repository.command).landed


def test_without_a_commit_nothing_has_landed(tmp_path: Path) -> None:
    assert landed_changes(Repository.create(tmp_path / "fresh").command) == History(landed=frozenset(), unknown=None)


@pytest.mark.parametrize(
    "names", [("GIT_DIR",), ("GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY")]
)
def test_another_repository_in_the_environment_is_not_asked(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]
) -> None:
    """GitPython itself starts from the process's environment, in which a hook names its repository."""
    other = Repository.create(tmp_path / "other")
    other.commit("Elsewhere (#404)")
    places = {"GIT_WORK_TREE": other.path, "GIT_OBJECT_DIRECTORY": other.path / ".git/objects"}
    for name in names:
        monkeypatch.setenv(name, str(places.get(name, other.path / ".git")))
    assert landed_changes(repository.command).landed == {"#54809", "#3", "#8", "#9", "#011"}


def test_a_shallow_clone_knows_what_it_has(repository: Repository, tmp_path: Path) -> None:
    clone = repository.clone(tmp_path / "clone", "--depth=3")
    found = landed_changes(clone.command)
    assert found.landed == {"#9", "#011"}
    assert found.unknown == "the clone is shallow: run git fetch --unshallow"


def test_without_a_repository_history_is_unknown(tmp_path: Path) -> None:
    git = Repository(path=tmp_path).command_in("", {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)})
    assert landed_changes(git) == History(landed=frozenset(), unknown="not in the working tree of a git repository")


def test_without_git_history_is_unknown(repository: Repository, tmp_path: Path) -> None:
    found = landed_changes(Git(folder=repository.path, environment={"PATH": str(tmp_path)}))
    assert (found.landed, found.unknown) == (frozenset(), "git cannot be run: no such file or directory")


def test_a_damaged_repository_is_unknown(repository: Repository) -> None:
    commit = repository.id_of("HEAD~2")
    place = repository.path / ".git/objects" / commit[:2] / commit[2:]
    place.unlink()
    found = landed_changes(repository.command)
    assert found.unknown is not None
    assert found.unknown.startswith("git rev-list failed: ")
    assert "\n" not in found.unknown
