"""Rewriting the regular expression of a pattern changes how long it takes, and nothing that it takes."""

import re

from hypothesis import given
from hypothesis import strategies as st
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from pipegen.globs import steady
from tests.support.pathnames import names_of_paths, patterns_of_names


@given(patterns_of_names(), st.lists(names_of_paths(), min_size=1, max_size=8))
def test_takes_the_same(pattern: str, paths: list[str]) -> None:
    source, _ = GitIgnoreSpecPattern.pattern_to_regex(f"/{pattern}")
    assert source is not None
    before, after = re.compile(source, re.DOTALL), re.compile(steady(source), re.DOTALL)
    for path in paths:
        assert (before.match(path) is None) == (after.match(path) is None), (source, after.pattern)


@given(patterns_of_names())
def test_what_is_simple_stays_as_it_is(pattern: str) -> None:
    source, _ = GitIgnoreSpecPattern.pattern_to_regex(f"/{pattern}")
    assert source is not None
    names = pattern.split("/")
    simple = names.count("**") < 2 and all(name.count("*") < 2 or name == "**" for name in names)
    if simple:
        assert steady(source) == source
