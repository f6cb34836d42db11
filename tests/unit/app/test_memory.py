"""A folder of documents: what is kept is recalled, and nothing that somebody else could have written."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pipegen.app.memory import MAX_BYTES, MAX_DOCUMENTS, Memory


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(folder=tmp_path / "made" / "when needed")


def test_what_is_kept_is_recalled(memory: Memory) -> None:
    memory.keep("one", {"a": [1, "ü\ud800", None]})
    memory.keep("two", "other")
    assert (memory.recall("one"), memory.recall("two")) == ({"a": [1, "ü\ud800", None]}, "other")


def test_the_last_one_counts(memory: Memory) -> None:
    memory.keep("one", 1)
    memory.keep("one", 2)
    assert memory.recall("one") == 2


def test_nothing_was_kept(memory: Memory) -> None:
    assert memory.recall("one") is None
    memory.keep("two", 2)
    assert memory.recall("one") is None


def test_only_its_user_reads_and_writes_it(memory: Memory) -> None:
    memory.keep("one", 1)
    (document,) = memory.folder.iterdir()
    assert memory.folder.stat().st_mode & 0o777 == 0o700
    assert document.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_may_write_in(memory: Memory, mode: int) -> None:
    memory.keep("one", 1)
    memory.folder.chmod(mode)
    memory.keep("two", 2)
    assert (memory.recall("one"), memory.recall("two")) == (None, None)
    assert len(list(memory.folder.iterdir())) == 1


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_document_that_others_may_write(memory: Memory, mode: int) -> None:
    memory.keep("one", 1)
    (document,) = memory.folder.iterdir()
    document.chmod(mode)
    assert memory.recall("one") is None


def test_a_folder_of_somebody_else(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.keep("one", 1)
    monkeypatch.setattr(os, "getuid", lambda: memory.folder.stat().st_uid + 1)
    assert memory.recall("one") is None


def test_a_link_in_the_place_of_the_folder(memory: Memory, tmp_path: Path) -> None:
    memory.keep("one", 1)
    linked = Memory(folder=tmp_path / "link")
    linked.folder.symlink_to(memory.folder)
    linked.keep("two", 2)
    assert (linked.recall("one"), linked.recall("two")) == (None, None)


def test_a_place_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    memory = Memory(folder=tmp_path / "file" / "folder")
    memory.keep("one", 1)
    assert memory.recall("one") is None


def test_what_is_too_large_is_neither_kept_nor_read(memory: Memory) -> None:
    memory.keep("one", "x" * MAX_BYTES)
    assert memory.recall("one") is None
    memory.keep("one", 1)
    (document,) = memory.folder.iterdir()
    document.write_bytes(b" " * MAX_BYTES + b"1")
    assert memory.recall("one") is None


def test_the_oldest_go(memory: Memory) -> None:
    for number in range(MAX_DOCUMENTS + 3):
        memory.keep(str(number), number)
        for document in memory.folder.iterdir():  # a clock of files may be too coarse to tell them apart
            found = document.stat()
            os.utime(document, ns=(found.st_atime_ns, found.st_mtime_ns - 10**9))
    left = [number for number in range(MAX_DOCUMENTS + 3) if memory.recall(str(number)) == number]
    assert left == list(range(3, MAX_DOCUMENTS + 3))


def test_several_at_once_leave_one_whole(memory: Memory) -> None:
    texts = [str(number) * 100_000 for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda text: memory.keep("one", text), texts * 5))
    assert memory.recall("one") in texts
    assert len(list(memory.folder.iterdir())) == 1
