"""CODEOWNERS as GitHub reads it."""

import pytest

from pipegen.rules.code_owners import read_code_owners

TEXT = r"""
# comment
*                @org/all
*.js             @org/js   # trailing comment
/build/logs/     @org/logs
docs/*           docs@example.com
apps/            @org/apps
/scripts/**/gen  @org/gen
**/data          @org/data
/apps/github
!/apps/x         @org/never
/[ab]/           @org/never
with\ space/     @org/space
"""


@pytest.mark.parametrize(
    ("path", "owners"),
    [
        ("a.py", ("@org/all",)),
        ("deep/er/a.js", ("@org/js",)),
        ("build/logs/a/b.txt", ("@org/logs",)),
        ("x/build/logs/a.txt", ("@org/all",)),
        ("docs/a.md", ("docs@example.com",)),
        ("docs/deep/a.md", ("@org/all",)),
        ("x/apps/a.py", ("@org/apps",)),
        ("apps/github/a.py", ()),
        ("apps/x/a.py", ("@org/apps",)),
        ("scripts/gen/a", ("@org/gen",)),
        ("scripts/a/b/gen", ("@org/gen",)),
        ("x/data/a", ("@org/data",)),
        ("a/x", ("@org/all",)),
        ("with space/x", ("@org/space",)),
    ],
)
def test_the_last_line_that_matches_decides(path: str, owners: tuple[str, ...]) -> None:
    file = read_code_owners({"CODEOWNERS": TEXT}.get)
    assert file is not None
    line = file.deciding(path)
    assert line is not None
    assert line.owners == owners


def test_the_first_place_counts() -> None:
    file = read_code_owners({"docs/CODEOWNERS": "* @b", ".github/CODEOWNERS": "* @a"}.get)
    assert file is not None
    assert file.path == ".github/CODEOWNERS"
    assert [(line.owners, str(line.span)) for line in file.lines] == [(("@a",), ".github/CODEOWNERS:1:1")]


def test_no_file_no_owners() -> None:
    assert read_code_owners(dict[str, str]().get) is None


def test_what_nobody_owns_is_decided_by_no_line() -> None:
    file = read_code_owners({"CODEOWNERS": "/a/ @a"}.get)
    assert file is not None
    assert file.deciding("b/c") is None
