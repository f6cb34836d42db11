"""The list of changed files that is handed over instead of git."""

import re
from pathlib import Path

import pytest

from pipegen.diagnostics import WrongUsageError
from pipegen.git import parse_changed_files
from tests.support.repositories import Repository


@pytest.mark.parametrize(
    ("content", "files"),
    [
        (b"", ()),
        (b"\n\n", ()),
        (b"\0", ()),
        (b"b.py\na.py", ("a.py", "b.py")),
        (b"b.py\na.py\nb.py\n", ("a.py", "b.py")),
        (b"a.py\r\nb.py\r\n\r\n", ("a.py", "b.py")),
        (b"a.py\0b.py\0", ("a.py", "b.py")),
        (b"a.py\0b.py", ("a.py", "b.py")),
        (b"two\nlines.py\0\r\0", ("two\nlines.py",)),
        (b"./a.py\n./dir/./b.py\ndir//c.py\nold/../d.py", ("a.py", "d.py", "dir/b.py", "dir/c.py")),
        (b"third_party/lib/\n", ("third_party/lib",)),
        (b"\xef\xbb\xbfa.py\n", ("a.py",)),
        (b" a.py \n \n", (" a.py ",)),
        ("größe.md\n日本.py\n".encode(), ("größe.md", "日本.py")),
        (
            b'"docs/gr\\303\\266\\303\\237e.md"\n"tab\\t\\"quoted\\"\\\\.md"\n',
            ("docs/größe.md".strip(), 'tab\t"quoted"\\.md'),
        ),
        (b'"unfinished\n"bad\\x"\n', ('"bad\\x"', '"unfinished')),
        (b'"literal"\0', ('"literal"',)),
        (b"C:\\dir\\a.py\n", ("C:\\dir\\a.py",)),
        (b"..a.py\n.../b.py\n", ("..a.py", ".../b.py")),
    ],
)
def test_lists(content: bytes, files: tuple[str, ...]) -> None:
    assert parse_changed_files(content) == tuple(sorted(files))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a.py\ncaf\xe9.py\n", r'not UTF-8: "caf\xe9.py": invalid continuation byte at byte 3 of this name'),
        (b"a.py\0\xff\0", r'not UTF-8: "\xff": invalid start byte at byte 0 of this name'),
        ("a.py\n".encode("utf-16"), "not UTF-8"),
        (b'"caf\\351.py"\n', "not UTF-8"),
        (b"/etc/passwd\n", '"/etc/passwd": expected paths of files from the repository\'s root'),
        (b"../a.py", '"../a.py": expected'),
        (b"dir/../../a.py", '"dir/../../a.py": expected'),
        (b".\n", '".": expected'),
    ],
)
def test_mistakes(content: bytes, message: str) -> None:
    with pytest.raises(WrongUsageError, match=re.escape(message)):
        parse_changed_files(content)


@pytest.mark.parametrize("options", [(), ("-z",)])
def test_what_git_prints(tmp_path: Path, options: tuple[str, ...]) -> None:
    names = ("größe.md", 'a "b"\t.md', "back\\slash.md", "plain.md", "\x07\x01.md")
    made = Repository.create(tmp_path / "repository")
    made.commit()
    made.commit_files(*names)
    printed = made.git("diff", "--name-only", *options, "HEAD~1", "HEAD").encode()
    assert parse_changed_files(printed) == tuple(sorted(names))
