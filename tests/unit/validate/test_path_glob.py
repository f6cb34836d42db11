"""Globs as the agent reads them."""

import pytest

from pipegen.validate.codes import GLOB_SUSPECT, GLOB_SYNTAX
from pipegen.validate.path_glob import check_changed_glob, check_glob_syntax


@pytest.mark.parametrize(
    "glob",
    [
        "",
        "src/**",
        "{a,b}/**/{c,{d,}}",
        "a}b",
        "a]b",
        r"\{a",
        r"\[a",
        r"[\]]",
        r"{a\}b}",
        "[{]",
        "{[}]}",
        "[,]",
        "a\\",
    ],
)
def test_closed(glob: str) -> None:
    assert list(check_glob_syntax(glob, (), "glob")) == []


@pytest.mark.parametrize(
    ("glob", "character"),
    [
        ("{", 1),
        ("a{b,c", 2),
        ("{a}{b", 4),
        ("{a{b}", 1),
        ("[", 1),
        ("[a", 1),
        ("a[]b]c[", 7),
        (r"[a\]", 1),
        ("{a[b}", 3),
        ("{[}]", 1),
    ],
)
def test_never_closed(glob: str, character: int) -> None:
    (problem,) = check_glob_syntax(glob, ("x",), "glob")
    assert (problem.code, problem.path) == (GLOB_SYNTAX, ("x",))
    assert f"at character {character} that is never closed" in problem.message


@pytest.mark.parametrize(
    "glob", ["src/**", "a-z", "[az-]", "[-a]", "[^!]", r"a\,b", "{a,b}", "[,]", "**", ".github/**", "a!b", r"\!a"]
)
def test_not_suspicious(glob: str) -> None:
    problems = [problem.message for problem in check_changed_glob(glob, (), "glob")]
    assert problems == []


@pytest.mark.parametrize(
    "glob", ["", "./a", "/a", "a/", "a,b", "{a,b},c", "[a-z]", "[xA-Z]", "[0-9]", "[!a]", "{[!a],b}", "!a"]
)
def test_suspicious(glob: str) -> None:
    (problem,) = check_changed_glob(glob, (), "glob")
    assert problem.code is GLOB_SUSPECT


def test_both_at_once() -> None:
    codes = [problem.code for problem in check_changed_glob("./a[!x]/{", (), "glob")]
    assert codes == [GLOB_SYNTAX, GLOB_SUSPECT, GLOB_SUSPECT]
