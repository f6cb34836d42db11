"""The process that reads a revision's contents ends when it is told to, and leaves nothing open."""

from pathlib import Path

from pipegen.git import RevisionTree
from tests.support.repositories import Repository


def test_nothing_is_left_open(tmp_path: Path) -> None:
    repository = Repository.create(tmp_path / "r")
    repository.write("a.txt", "one\n")
    repository.git("add", "a.txt")
    repository.git("commit", "-m", "one")
    tree = RevisionTree.of(repository.command, "HEAD")
    assert tree.read("a.txt", limit=10) == b"one\n"
    process = tree.blobs._process.proc
    assert process is not None
    tree.close()
    assert process.poll() is not None
    assert [pipe.closed for pipe in (process.stdin, process.stdout, process.stderr) if pipe is not None] == [True] * 3
    assert tree.under("") == ("a.txt",)


def test_a_process_that_has_gone_first(tmp_path: Path) -> None:
    repository = Repository.create(tmp_path / "r")
    repository.write("a.txt", "one\n")
    repository.git("add", "a.txt")
    repository.git("commit", "-m", "one")
    tree = RevisionTree.of(repository.command, "HEAD")
    process = tree.blobs._process.proc
    assert process is not None
    process.kill()
    process.wait()
    tree.close()
    assert process.stdout is not None
    assert process.stdout.closed
