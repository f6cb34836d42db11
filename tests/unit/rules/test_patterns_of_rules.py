"""What patterns take, and which of two is the wider: compared with the matcher of selection."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipegen.commands import Files
from pipegen.patterns import PatternError, Patterns
from pipegen.rules.containment import Containment
from pipegen.rules.taken import Taken

NAMES = st.sampled_from(["a", "b", "ab", "a.py", "b.py", "test_a.py", "a b", "0"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
PIECES = st.sampled_from(["a", "b", "ab", "a.py", "*", "**", "*.py", "test_*", "?", "[ab]", "[!a]*", "a*", "*b*"])
PATTERNS = st.builds(
    lambda pieces, start, end: start + "/".join(pieces) + end,
    st.lists(PIECES, min_size=1, max_size=3),
    st.sampled_from(["", "", "/"]),
    st.sampled_from(["", "", "/"]),
)


def is_pattern(text: str) -> bool:
    try:
        Patterns.compile([text])
    except PatternError:
        return False
    return True


VALID = PATTERNS.filter(is_pattern)
TREES = st.sets(PATHS, max_size=12).map(lambda paths: Files.of({path for path in paths if is_leaf(path, paths)}))


def is_leaf(path: str, paths: set[str]) -> bool:
    return not any(other.startswith(f"{path}/") for other in paths)


@settings(max_examples=50, deadline=None)
@given(files=TREES, texts=st.lists(st.tuples(st.booleans(), VALID), max_size=4))
def test_a_list_takes_what_selection_matches(files: Files, texts: list[tuple[bool, str]]) -> None:
    signed = [f"!{text}" if excludes else text for excludes, text in texts]
    taken = Taken.of(files)
    patterns = Patterns.compile(signed)
    expected = [path for path in files.paths if patterns.match(path) is not None]
    assert [*taken.names(taken.by_list(signed))] == expected


@settings(max_examples=50, deadline=None)
@example(files=Files.of(["a/ab"]), more=set(), wide="a/?", narrow="a")
@example(files=Files.of(["a/ab"]), more=set(), wide="a/?", narrow="a/**")
@example(files=Files.of(["a"]), more=set(), wide="*/", narrow="*")
@example(files=Files.of(["a"]), more=set(), wide="a/", narrow="a")
@example(files=Files.of(["a/b"]), more=set(), wide="a/", narrow="a")
@example(files=Files.of(["a"]), more=set(), wide="/*", narrow="*")
@given(files=TREES, more=st.sets(PATHS, max_size=8), wide=VALID, narrow=VALID)
def test_the_wider_takes_all_whatever_files_come(files: Files, more: set[str], wide: str, narrow: str) -> None:
    """`more` are files that are not there yet: what is a folder now stays one."""
    if not Containment(files=files).holds(wide, narrow):
        return
    later = Files.of({*files.paths, *(path for path in more if path not in files.folders)})
    taken = Taken.of(later)
    beside = taken.by(narrow) & ~taken.by(wide)
    new_folders = {path for path in later.folders if path in files.known}
    assert [path for path in taken.names(beside) if not any(path.startswith(f"{one}/") for one in new_folders)] == []


@pytest.mark.parametrize(
    ("wide", "narrow", "holds"),
    [
        ("src/", "src/a.py", True),
        ("src/", "src", True),
        ("src", "src/**/*.py", True),
        ("**/*.py", "src/a.py", True),
        ("**/*.py", "src/*_a.py", True),
        ("src/**", "src/", True),
        ("src/*", "src/", True),
        ("src/*.py", "src/**/*.py", False),
        ("src/a.py", "src/", False),
        ("src/*a.py", "src/b*.py", False),
        ("src/?.py", "src/*.py", False),
        ("sr/", "src/a.py", False),
        ("src/[a-z].py", "src/a.py", True),
        ("src/[!b].py", "src/?.py", False),
        ("lib/", "gone/", False),
    ],
)
def test_which_is_wider(wide: str, narrow: str, holds: bool) -> None:
    files = Files.of(["src/a.py", "src/b/c.py"])
    assert Containment(files=files).holds(wide, narrow) is holds


def test_what_is_there_already_costs_nothing_twice() -> None:
    taken = Taken.of(Files.of(["a/b.py", "a/c.py", "d.py"]))
    assert taken.by("a/") is taken.by("!a/")
    assert [*taken.names(taken.by("**/*.py"))] == ["a/b.py", "a/c.py", "d.py"]


def test_a_place_may_have_any_name() -> None:
    taken = Taken.of(Files.of(["a /b.py", "[x]/!\n", "[x]/c", "d"]))
    for path, expected in (("a ", ["a /b.py"]), ("[x]", ["[x]/!\n", "[x]/c"]), ("d", ["d"]), ("e", [])):
        assert [*taken.names(taken.at(path))] == expected
