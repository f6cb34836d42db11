"""What changed, in every shape that a history takes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pipegen.git import ChangeSet, Comparison, change_set
from tests.support.repositories import Repository

MAIN = Comparison(configured_base="main")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """`main` with a few files, and the branch `topic` checked out at the same commit."""
    made = Repository.create(tmp_path / "repository")
    made.commit_files("README.md", "src/engine.py", "src/model.py", "tests/test_engine.py", message="begin")
    made.branch("topic")
    return made


def changes(repository: Repository, comparison: Comparison = MAIN, *, folder: str = "") -> ChangeSet:
    found = change_set(repository.command_in(folder), comparison, fetch=False)
    assert isinstance(found, ChangeSet), found
    return found


def add(repository: Repository) -> None:
    repository.write("docs/new.md")


def modify(repository: Repository) -> None:
    repository.write("src/model.py", "other\n")


def delete(repository: Repository) -> None:
    repository.remove("src/model.py")


def rename(repository: Repository) -> None:
    repository.rename("src/model.py", "src/models/base.py")


def rename_folder(repository: Repository) -> None:
    repository.rename("src", "engine")


def copy(repository: Repository) -> None:
    repository.write("src/copy.py", (repository.path / "src/model.py").read_bytes())


def change_mode(repository: Repository) -> None:
    repository.write("src/model.py", (repository.path / "src/model.py").read_bytes(), executable=True)


def become_link(repository: Repository) -> None:
    repository.remove("src/model.py")
    repository.link("src/model.py", "engine.py")


def become_folder(repository: Repository) -> None:
    repository.remove("README.md")
    repository.write("README.md/index.md")


def odd_names(repository: Repository) -> None:
    for name in (
        "docs/größe.md",
        "日本.txt",
        "a b.txt",
        ' "quoted".txt',
        "tab\tnew\nline.txt",
        "-option",
        ":(top)x",
        "*",
    ):
        repository.write(name)


def not_utf8(repository: Repository) -> None:
    repository.write(b"docs/caf\xe9.md")


EDITS: tuple[tuple[Callable[[Repository], None], tuple[str, ...]], ...] = (
    (add, ("docs/new.md",)),
    (modify, ("src/model.py",)),
    (delete, ("src/model.py",)),
    (rename, ("src/model.py", "src/models/base.py")),
    (rename_folder, ("engine/engine.py", "engine/model.py", "src/engine.py", "src/model.py")),
    (copy, ("src/copy.py",)),
    (change_mode, ("src/model.py",)),
    (become_link, ("src/model.py",)),
    (become_folder, ("README.md", "README.md/index.md")),
    (
        odd_names,
        (' "quoted".txt', "*", "-option", ":(top)x", "a b.txt", "docs/größe.md", "tab\tnew\nline.txt", "日本.txt"),
    ),
    (not_utf8, ("docs/caf\\xe9.md",)),
)


@pytest.mark.parametrize(("edit", "expected"), EDITS, ids=[edit.__name__ for edit, _ in EDITS])
def test_every_kind_of_edit(
    repository: Repository, edit: Callable[[Repository], None], expected: tuple[str, ...]
) -> None:
    edit(repository)
    repository.commit()
    assert changes(repository).files == expected


def test_settings_that_narrow_a_diff_do_not(repository: Repository) -> None:
    """Each of these hides something from `git diff --name-only`."""
    for name, value in (
        ("diff.renames", "copies"),
        ("diff.relative", "true"),
        ("diff.ignoreSubmodules", "all"),
        ("diff.noprefix", "true"),
        ("core.quotePath", "true"),
        ("diff.orderFile", "/dev/null"),
    ):
        repository.git("config", name, value)
    rename(repository)
    repository.write("docs/größe.md")
    repository.commit()
    assert changes(repository, folder="docs").files == ("docs/größe.md", "src/model.py", "src/models/base.py")


class TestSubmodules:
    def test_adding_moving_and_removing_one_is_a_change_of_its_path(self, repository: Repository) -> None:
        first = repository.head
        repository.submodule("third_party/lib", first)
        assert changes(repository).files == ("third_party/lib",)
        moved = repository.commit_files("README.md")
        repository.submodule("third_party/lib", moved)
        assert changes(repository, Comparison(base="HEAD~1")).files == ("third_party/lib",)
        repository.git("rm", "--quiet", "--cached", "third_party/lib")
        repository.git("commit", "--quiet", "-m", "without")
        assert changes(repository, Comparison(base="HEAD~1")).files == ("third_party/lib",)

    def test_one_that_asks_to_be_ignored_counts(self, repository: Repository) -> None:
        repository.write(".gitmodules", '[submodule "lib"]\n\tpath = lib\n\turl = ./lib\n\tignore = all\n')
        repository.commit()
        repository.submodule("lib", repository.head)
        before = repository.head
        repository.submodule("lib", before)
        assert repository.git("diff", "--name-only", "HEAD~1", "HEAD") == ""
        assert changes(repository, Comparison(base="HEAD~1")).files == ("lib",)


class TestMergeBase:
    def test_what_the_base_did_since_then_is_not_a_change(self, repository: Repository) -> None:
        begin = repository.head
        head = repository.commit_files("src/new.py")
        repository.switch("main")
        repository.commit_files("src/engine.py")
        repository.switch("topic")
        assert changes(repository) == ChangeSet(
            files=("src/new.py",), base=begin, head=head, why=f"merge base {begin[:12]} of main and HEAD"
        )

    def test_all_commits_since_then_count(self, repository: Repository) -> None:
        repository.commit_files("src/one.py")
        repository.commit_files("src/two.py")
        assert changes(repository).files == ("src/one.py", "src/two.py")

    def test_the_working_tree_and_the_index_do_not_count(self, repository: Repository) -> None:
        repository.commit_files("src/new.py")
        repository.write("README.md", "changed, not committed\n")
        repository.write("staged.py")
        repository.git("add", "staged.py")
        repository.write("untracked.py")
        assert changes(repository).files == ("src/new.py",)

    def test_a_topic_that_has_the_base_merged_in(self, repository: Repository) -> None:
        repository.commit_files("src/new.py")
        repository.switch("main")
        merged = repository.commit_files("src/engine.py")
        repository.switch("topic")
        repository.merge("main")
        assert (changes(repository).files, changes(repository).base) == (("src/new.py",), merged)

    def test_the_merge_of_a_pull_request_is_compared_with_the_base(self, repository: Repository) -> None:
        """Some build the merge that a hosting service would make, detached, rather than the branch."""
        repository.commit_files("src/new.py")
        repository.switch("main")
        main = repository.commit_files("src/engine.py")
        repository.detach("main")
        repository.merge("topic")
        assert (changes(repository).files, changes(repository).base) == (("src/new.py",), main)

    def test_several_merge_bases_all_count(self, repository: Repository) -> None:
        """Two branches that were merged into each other have two; a difference from either is a change."""
        repository.commit_files("topic.py")
        topic = repository.head
        repository.switch("main")
        repository.commit_files("main.py")
        main = repository.head
        repository.merge("topic")
        repository.switch("topic")
        repository.git("merge", "--quiet", "--no-ff", "-m", "merge", main)
        repository.commit_files("newer.py")
        found = changes(repository)
        assert found.files == ("main.py", "newer.py", "topic.py")
        assert found.base in {topic, main}
        assert found.why.startswith("merge bases ")

    def test_in_a_folder_below_the_root_paths_are_from_the_root(self, repository: Repository) -> None:
        repository.commit_files("README.md", "src/new.py")
        assert changes(repository, folder="src").files == ("README.md", "src/new.py")

    def test_in_a_linked_worktree(self, repository: Repository, tmp_path: Path) -> None:
        linked = repository.worktree(tmp_path / "linked", "other")
        linked.commit_files("src/other.py")
        repository.commit_files("src/topic.py")
        assert changes(linked).files == ("src/other.py",)
        assert changes(linked, folder="src").files == ("src/other.py",)

    def test_another_repository_in_the_environment_is_not_asked(self, repository: Repository, tmp_path: Path) -> None:
        """A hook's environment names the hook's repository and index."""
        other = Repository.create(tmp_path / "other")
        other.commit_files("other.py")
        repository.commit_files("src/new.py")
        environment = {
            "GIT_DIR": str(other.path / ".git"),
            "GIT_WORK_TREE": str(other.path),
            "GIT_INDEX_FILE": str(other.path / ".git/index"),
            "GIT_OBJECT_DIRECTORY": str(other.path / ".git/objects"),
        }
        found = change_set(repository.command_in("", environment), MAIN, fetch=False)
        assert isinstance(found, ChangeSet)
        assert found.files == ("src/new.py",)

    def test_replacement_objects_change_nothing(self, repository: Repository) -> None:
        repository.commit_files("src/new.py")
        repository.git("replace", "HEAD", "main")
        assert changes(repository).files == ("src/new.py",)

    def test_a_sha256_repository(self, tmp_path: Path) -> None:
        made = Repository.create(tmp_path / "sha256", "--object-format=sha256")
        made.commit_files("a.py")
        made.branch("topic")
        made.commit_files("b.py")
        assert changes(made).files == ("b.py",)


class TestBuildOfTheBaseBranch:
    def test_is_compared_with_its_first_parent(self, repository: Repository) -> None:
        repository.switch("main")
        repository.commit_files("src/old.py")
        before = repository.head
        head = repository.commit_files("src/new.py")
        assert changes(repository) == ChangeSet(
            files=("src/new.py",),
            base=before,
            head=head,
            why=f"HEAD is part of main: compared with its first parent {before[:12]}",
        )

    def test_of_a_merge_means_all_that_was_merged(self, repository: Repository) -> None:
        repository.commit_files("src/one.py")
        repository.commit_files("src/two.py")
        repository.switch("main")
        repository.commit_files("src/engine.py")
        repository.merge("topic")
        assert changes(repository).files == ("src/one.py", "src/two.py")

    def test_of_a_merge_of_many(self, repository: Repository) -> None:
        repository.commit_files("src/one.py")
        repository.switch("main")
        repository.branch("more")
        repository.commit_files("src/two.py")
        repository.switch("main")
        repository.commit_files("src/engine.py")
        repository.merge("topic", "more")
        assert changes(repository).files == ("src/one.py", "src/two.py")

    def test_of_an_older_commit_detached(self, repository: Repository) -> None:
        repository.switch("main")
        repository.commit_files("src/one.py")
        repository.commit_files("src/two.py")
        repository.detach("HEAD~1")
        assert changes(repository).files == ("src/one.py",)

    def test_of_the_first_commit_means_all_of_it(self, repository: Repository) -> None:
        found = changes(repository)
        assert found.files == ("README.md", "src/engine.py", "src/model.py", "tests/test_engine.py")
        assert (found.base, found.head) == (None, repository.head)

    def test_a_topic_without_commits_is_one_too(self, repository: Repository) -> None:
        repository.switch("main")
        repository.commit_files("src/one.py")
        repository.branch("fresh")
        assert changes(repository).files == ("src/one.py",)


class TestNothingChanged:
    def test_a_commit_without_changes_on_the_base_branch(self, repository: Repository) -> None:
        repository.switch("main")
        before = repository.head
        head = repository.commit("again")
        found = changes(repository)
        assert (found.files, found.base, found.head) == ((), before, head)

    def test_a_merge_that_keeps_one_side(self, repository: Repository) -> None:
        repository.commit_files("src/one.py")
        repository.switch("main")
        repository.commit_files("src/two.py")
        repository.merge("topic", options=("--strategy=ours",))
        assert changes(repository).files == ()

    def test_a_first_commit_without_files(self, tmp_path: Path) -> None:
        made = Repository.create(tmp_path / "empty")
        made.commit()
        assert changes(made).files == ()


class TestWhichBase:
    @pytest.fixture
    def clone(self, repository: Repository, tmp_path: Path) -> Repository:
        """A clone whose `main` is behind, in which each kind of base gives other files."""
        repository.switch("main")
        repository.commit_files("one.py")
        made = repository.clone(tmp_path / "clone")
        made.git("update-ref", "refs/remotes/origin/stable", "HEAD~1")
        made.commit_files("two.py")
        made.branch("queue")
        made.branch("topic")
        made.commit_files("three.py")
        return made

    @pytest.mark.parametrize(
        ("comparison", "files"),
        [
            (Comparison(configured_base="origin/main"), ("three.py", "two.py")),
            (Comparison(configured_base="origin/main", pull_request_base="stable"), ("one.py", "three.py", "two.py")),
            (Comparison(pull_request_base="queue"), ("three.py",)),
            (Comparison(pull_request_base="stable", merge_queue_base="queue"), ("three.py",)),
            (Comparison(base="origin/main", merge_queue_base="queue"), ("three.py", "two.py")),
            (Comparison(base="", merge_queue_base="", pull_request_base="", configured_base="queue"), ("three.py",)),
            (Comparison(base="HEAD~2"), ("three.py", "two.py")),
        ],
    )
    def test_the_most_particular_wins(self, clone: Repository, comparison: Comparison, files: tuple[str, ...]) -> None:
        assert changes(clone, comparison).files == files

    def test_a_pull_request_is_compared_with_the_remote_branch_first(self, clone: Repository) -> None:
        """The local branch of that name may be whatever somebody left there."""
        clone.git("branch", "--force", "main", "HEAD")
        found = changes(clone, Comparison(pull_request_base="main"))
        assert found.files == ("three.py", "two.py")
        assert found.why.endswith("of origin/main and HEAD")

    def test_a_tag_of_the_same_name_is_not_the_branch(self, clone: Repository) -> None:
        clone.git("tag", "queue", "HEAD~2")
        assert changes(clone, Comparison(pull_request_base="queue")).files == ("three.py",)

    def test_a_merge_queues_commit_by_its_id(self, clone: Repository) -> None:
        assert changes(clone, Comparison(merge_queue_base=clone.id_of("queue"))).files == ("three.py",)

    def test_a_tag(self, clone: Repository) -> None:
        clone.git("tag", "--annotate", "-m", "release", "v1", "HEAD~1")
        assert changes(clone, Comparison(base="v1")).files == ("three.py",)
