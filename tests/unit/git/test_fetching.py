"""What a clone lacks is fetched where a remote answers, in bounded time; else everything runs."""

import os
import time
from pathlib import Path

import pytest

from pipegen.git import ChangeSet, Comparison, Everything, Git, causes, change_set
from tests.support.repositories import Repository, script

MAIN = Comparison(configured_base="origin/main")
PULL_REQUEST = Comparison(pull_request_base="main")


@pytest.fixture
def upstream(tmp_path: Path) -> Repository:
    """`main` with five commits; `topic` forked from its third, two commits ahead."""
    made = Repository.create(tmp_path / "upstream")
    for number in range(3):
        made.commit_files(f"main{number}.py")
    made.branch("topic")
    made.commit_files("topic0.py")
    made.commit_files("topic1.py")
    made.switch("main")
    made.commit_files("main3.py")
    made.commit_files("main4.py")
    return made


def fetched(path: Path, upstream: Repository, *refspecs: str, depth: int) -> Repository:
    """A checkout as agents make it: only these revisions are fetched, and the first is checked out."""
    made = Repository.create(path)
    made.git("remote", "add", "origin", upstream.url)
    made.git("fetch", "--quiet", f"--depth={depth}", "origin", *refspecs)
    made.detach(upstream.id_of(refspecs[0].partition(":")[0]))
    return made


def changes(git: Git, comparison: Comparison) -> ChangeSet:
    found = change_set(git, comparison, fetch=True)
    assert isinstance(found, ChangeSet), found
    return found


def everything(git: Git, comparison: Comparison, *, fetch: bool = True) -> Everything:
    found = change_set(git, comparison, fetch=fetch)
    assert isinstance(found, Everything), found
    assert "\n" not in found.why
    return found


class TestMissingBase:
    @pytest.mark.parametrize(
        "comparison",
        [
            MAIN,
            PULL_REQUEST,
            Comparison(base="origin/main"),
            Comparison(base="main"),
            Comparison(base="refs/heads/main"),
            Comparison(configured_base="refs/remotes/origin/main"),
        ],
    )
    def test_a_branch_is_fetched(self, upstream: Repository, tmp_path: Path, comparison: Comparison) -> None:
        clone = upstream.clone(tmp_path / "clone", "--branch=topic", "--single-branch")
        assert clone.git("branch", "--all", "--list", "*main*") == ""
        found = changes(clone.command, comparison)
        assert found.files == ("topic0.py", "topic1.py")
        assert found.why.endswith("of origin/main and HEAD")
        assert clone.id_of("origin/main") == upstream.id_of("main")

    def test_nothing_else_of_the_clone_changes(self, upstream: Repository, tmp_path: Path) -> None:
        clone = upstream.clone(tmp_path / "clone", "--branch=topic", "--single-branch")
        upstream.git("tag", "v1")
        before = clone.git("for-each-ref")
        changes(clone.command, PULL_REQUEST)
        added = set(clone.git("for-each-ref").splitlines()) - set(before.splitlines())
        assert [line.rpartition("\t")[2] for line in added] == ["refs/remotes/origin/main"]
        assert not (clone.path / ".git/FETCH_HEAD").exists()

    def test_a_commit_is_fetched(self, upstream: Repository, tmp_path: Path) -> None:
        clone = upstream.clone(tmp_path / "clone", "--branch=topic", "--single-branch")
        found = changes(clone.command, Comparison(merge_queue_base=upstream.id_of("main~1")))
        assert found.files == ("topic0.py", "topic1.py")

    def test_a_branch_of_a_remote_whose_name_has_a_slash(self, upstream: Repository, tmp_path: Path) -> None:
        upstream.git("branch", "release/v1", "main~1")
        clone = upstream.clone(tmp_path / "clone", "--branch=topic", "--single-branch")
        clone.git("remote", "add", "org", str(tmp_path / "nowhere"))
        clone.git("remote", "add", "org/fork", upstream.url)
        assert changes(clone.command, Comparison(base="org/fork/release/v1")).base == upstream.id_of("main~2")

    def test_a_branch_that_the_remote_does_not_have(self, upstream: Repository, tmp_path: Path) -> None:
        clone = upstream.clone(tmp_path / "clone", "--branch=topic", "--single-branch")
        found = everything(clone.command, Comparison(pull_request_base="gone"))
        assert found.code is causes.UNKNOWN_BASE
        assert '"gone"' in found.why
        assert "find remote ref refs/heads/gone" in found.why
        assert found.help == "fetch it before pipegen runs: git fetch origin gone"

    def test_a_remote_that_is_gone(self, upstream: Repository, tmp_path: Path) -> None:
        clone = upstream.clone(tmp_path / "clone", "--branch=topic", "--single-branch")
        upstream.path.rename(tmp_path / "moved")
        found = everything(clone.command, MAIN)
        assert found.code is causes.UNKNOWN_BASE
        assert "git fetch failed" in found.why

    def test_no_remote(self, upstream: Repository, tmp_path: Path) -> None:
        clone = upstream.clone(tmp_path / "clone", "--branch=topic", "--single-branch")
        clone.git("remote", "remove", "origin")
        assert everything(clone.command, MAIN).code is causes.UNKNOWN_BASE

    def test_not_without_leave(self, upstream: Repository, tmp_path: Path) -> None:
        clone = upstream.clone(tmp_path / "clone", "--branch=topic", "--single-branch")
        before = clone.git("for-each-ref")
        found = everything(clone.command, MAIN, fetch=False)
        assert (found.code, "fetching is off" in found.why) == (causes.UNKNOWN_BASE, True)
        assert clone.git("for-each-ref") == before

    @pytest.mark.parametrize("name", ["main:refs/heads/owned", "*", "+main", "main~0:x", "../main", "a b"])
    def test_a_name_that_would_be_a_refspec(self, upstream: Repository, tmp_path: Path, name: str) -> None:
        clone = upstream.clone(tmp_path / "clone", "--branch=topic", "--single-branch")
        before = clone.git("for-each-ref")
        assert everything(clone.command, Comparison(pull_request_base=name)).code is causes.UNKNOWN_BASE
        assert clone.git("for-each-ref") == before

    def test_a_remote_that_does_not_answer(self, upstream: Repository, tmp_path: Path) -> None:
        """It is given up, and nothing that it was reached through is left running."""
        clone = upstream.clone(tmp_path / "clone", "--branch=topic", "--single-branch")
        place = tmp_path / "pid"
        slow = script(tmp_path / "slow", f"echo $$ > {place}; exec sleep 300")
        clone.git("config", "remote.origin.uploadpack", str(slow))
        start = time.monotonic()
        found = everything(Git(folder=clone.path, environment=dict(os.environ), network_seconds=1), MAIN)
        assert found.code is causes.UNKNOWN_BASE
        assert "git fetch took more than 1 seconds" in found.why
        assert time.monotonic() - start < 60
        assert has_ended(int(place.read_text()))


def has_ended(pid: int) -> bool:
    """Whether a process ends within a few seconds; one that nobody has waited for has ended too."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


class TestShallowClone:
    def test_is_deepened_until_the_merge_base_shows(self, upstream: Repository, tmp_path: Path) -> None:
        clone = fetched(tmp_path / "clone", upstream, "topic", "main:refs/remotes/origin/main", depth=1)
        assert clone.git("rev-list", "--count", "HEAD") == "1"
        found = changes(clone.command, MAIN)
        assert found.files == ("topic0.py", "topic1.py")
        assert found.base == upstream.id_of("main~2")

    def test_of_one_branch_whose_base_is_missing_too(self, upstream: Repository, tmp_path: Path) -> None:
        clone = upstream.clone(tmp_path / "clone", "--depth=1", "--branch=topic")
        assert changes(clone.command, PULL_REQUEST).files == ("topic0.py", "topic1.py")

    def test_of_a_commit_that_is_on_no_branch_of_the_remote(self, upstream: Repository, tmp_path: Path) -> None:
        """A pull request's merge is built by its id."""
        upstream.detach("main")
        merged = upstream.merge("topic")
        upstream.git("update-ref", "refs/pull/7/merge", merged)
        upstream.switch("main")
        clone = fetched(tmp_path / "clone", upstream, merged, "main:refs/remotes/origin/main", depth=1)
        found = changes(clone.command, PULL_REQUEST)
        assert (found.files, found.base) == (("topic0.py", "topic1.py"), upstream.id_of("main"))

    def test_of_a_pull_request_from_elsewhere(self, upstream: Repository, tmp_path: Path) -> None:
        """Its commits are on no branch of the remote, so the remote's own refspec would not deepen them."""
        head = upstream.id_of("topic")
        upstream.git("update-ref", "refs/pull/7/head", head)
        upstream.git("branch", "--delete", "--force", "topic")
        clone = fetched(tmp_path / "clone", upstream, head, "main:refs/remotes/origin/main", depth=1)
        found = changes(clone.command, PULL_REQUEST)
        assert (found.files, found.base) == (("topic0.py", "topic1.py"), upstream.id_of("main~2"))

    def test_gets_no_more_than_it_needs(self, tmp_path: Path) -> None:
        """Of a thousand commits most stay where they are, and so do other branches."""
        upstream = Repository.create(tmp_path / "upstream")
        commits = (
            f"commit refs/heads/main\ncommitter Tests <tests@pipegen.invalid> {1_000_000_000 + number} +0000\n"
            f"data 0\nM 644 inline main.py\ndata {len(str(number))}\n{number}\n"
            for number in range(1000)
        )
        upstream.git("fast-import", "--quiet", content="\n".join(commits).encode())
        upstream.git("reset", "--hard")
        upstream.git("branch", "other", "main~500")
        upstream.detach("main")
        head = upstream.commit_files("topic.py")
        upstream.git("update-ref", "refs/pull/7/head", head)
        clone = fetched(tmp_path / "clone", upstream, head, "main:refs/remotes/origin/main", depth=1)
        assert changes(clone.command, PULL_REQUEST).files == ("topic.py",)
        assert int(clone.git("rev-list", "--all", "HEAD", "--count")) < 250
        assert clone.git("for-each-ref", "--format=%(refname)") == "refs/remotes/origin/main"

    def test_of_a_server_that_gives_out_branches_only(self, upstream: Repository, tmp_path: Path) -> None:
        clone = fetched(tmp_path / "clone", upstream, "topic", "main:refs/remotes/origin/main", depth=1)
        clone.git("config", "protocol.version", "0")
        upstream.commit_files("main5.py")
        with pytest.raises(AssertionError, match="unadvertised object"):
            clone.git("fetch", "--deepen=1", "origin", clone.id_of("origin/main"))
        assert changes(clone.command, MAIN).files == ("topic0.py", "topic1.py")

    def test_of_the_base_branch_gets_the_first_parent(self, upstream: Repository, tmp_path: Path) -> None:
        clone = upstream.clone(tmp_path / "clone", "--depth=1")
        found = changes(clone.command, MAIN)
        assert found.files == ("main4.py",)
        assert found.base == upstream.id_of("main~1")

    def test_of_a_first_commit_has_nothing_to_get(self, tmp_path: Path) -> None:
        upstream = Repository.create(tmp_path / "upstream")
        upstream.commit_files("a.py")
        clone = upstream.clone(tmp_path / "clone", "--depth=1")
        assert (changes(clone.command, MAIN).files, changes(clone.command, MAIN).base) == (("a.py",), None)

    def test_that_reaches_far_enough_stays_as_it_is(self, upstream: Repository, tmp_path: Path) -> None:
        clone = fetched(tmp_path / "clone", upstream, "topic", "main:refs/remotes/origin/main", depth=3)
        clone.git("remote", "set-url", "origin", str(tmp_path / "nowhere"))
        assert changes(clone.command, MAIN).files == ("topic0.py", "topic1.py")

    def test_whose_merge_base_may_not_be_the_best(self, tmp_path: Path) -> None:
        """What is left out hides that `main` was merged again since the merge base that still shows.

        Compared with that one, the change that HEAD takes back would not be one.
        """
        upstream = Repository.create(tmp_path / "upstream")
        upstream.commit_files("flag.py", message="old")
        upstream.branch("topic")
        upstream.commit_files("topic.py")
        upstream.switch("main")
        upstream.commit_files("flag.py", message="new")
        upstream.switch("topic")
        upstream.merge("main")
        for number in range(3):
            upstream.commit_files(f"topic{number}.py")
        upstream.commit_files("flag.py", message="old")
        upstream.branch("side", "topic~5^1")
        upstream.commit_files("side.py")
        upstream.switch("topic")
        upstream.merge("side")
        clone = fetched(tmp_path / "clone", upstream, "topic", "main:refs/remotes/origin/main", depth=4)
        assert clone.git("merge-base", "HEAD", "origin/main") == upstream.id_of("main~1")
        assert upstream.git("merge-base", "topic", "main") == upstream.id_of("main")
        found = changes(clone.command, MAIN)
        assert found.base == upstream.id_of("main")
        assert "flag.py" in found.files

    def test_of_unrelated_histories(self, upstream: Repository, tmp_path: Path) -> None:
        upstream.git("switch", "--quiet", "--orphan", "island")
        upstream.commit_files("one.py")
        upstream.commit_files("two.py")
        clone = fetched(tmp_path / "clone", upstream, "island", "main:refs/remotes/origin/main", depth=1)
        assert everything(clone.command, MAIN).code is causes.NO_MERGE_BASE

    @pytest.mark.parametrize("branch", ["topic", "main"])
    def test_whose_remote_is_gone(self, upstream: Repository, tmp_path: Path, branch: str) -> None:
        clone = fetched(tmp_path / "clone", upstream, branch, "main:refs/remotes/origin/main", depth=1)
        upstream.path.rename(tmp_path / "moved")
        found = everything(clone.command, MAIN)
        assert found.code is causes.SHALLOW_CLONE
        assert "git fetch failed" in found.why
        assert "--unshallow" in found.help

    @pytest.mark.parametrize("branch", ["topic", "main"])
    def test_without_a_remote(self, upstream: Repository, tmp_path: Path, branch: str) -> None:
        clone = fetched(tmp_path / "clone", upstream, branch, "main:refs/heads/base", depth=1)
        clone.git("remote", "remove", "origin")
        found = everything(clone.command, Comparison(base="base"))
        assert (found.code, "no remote" in found.why) == (causes.SHALLOW_CLONE, True)

    def test_not_without_leave(self, upstream: Repository, tmp_path: Path) -> None:
        clone = fetched(tmp_path / "clone", upstream, "topic", "main:refs/remotes/origin/main", depth=1)
        found = everything(clone.command, MAIN, fetch=False)
        assert (found.code, "fetching is off" in found.why) == (causes.SHALLOW_CLONE, True)
        assert clone.git("rev-list", "--count", "HEAD") == "1"

    def test_of_a_shallow_clone(self, upstream: Repository, tmp_path: Path) -> None:
        """The remote answers, and has no more itself."""
        middle = fetched(tmp_path / "middle", upstream, "topic", "main:refs/heads/base", depth=1)
        middle.git("branch", "tip")
        clone = fetched(tmp_path / "clone", middle, "tip", "base:refs/remotes/origin/main", depth=1)
        found = everything(clone.command, MAIN)
        assert (found.code, "has no more of it" in found.why) == (causes.SHALLOW_CLONE, True)
