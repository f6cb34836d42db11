"""Escaping is exact: what the agent's interpolation makes of it is what was meant, or it was refused for a reason."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipegen.dollar import UPLOAD_OPEN, Uncarriable, escape, escape_tree, literal, literal_tree, upload_reference
from pipegen.plain import Plain
from tests.support.agent_model import interpolate
from tests.support.readers import same
from tests.support.trees import CHARACTERS, texts, trees

NAMES = ("A", "B", "ÉTÉ", "BUILDKITE_COMMIT", "A1", "UNSET")

pieces = st.one_of(
    st.sampled_from(
        ("$", "$$", "\\", "\\\\", "{", "}", "${", "${A}", "${A:-", "${#A", "$(", "A", "_", "1", ":", "?", "\ufffd")
    ),
    st.sampled_from(NAMES).map(upload_reference),
    st.text(CHARACTERS, max_size=3),
)
authored = st.lists(pieces, max_size=10).map("".join)
environments = st.dictionaries(st.sampled_from(NAMES[:-1]), st.one_of(texts(), st.just("$A${B}\\")))


def is_carriable(text: str) -> bool:
    """The rule, letter by letter: no odd run of backslashes ends in front of a `$` or a reference."""
    run = 0
    for letter in text:
        if letter in ("$", UPLOAD_OPEN) and run % 2 == 1:
            return False
        run = run + 1 if letter == "\\" else 0
    return True


@settings(deadline=None, max_examples=1000)
@given(text=authored, env=environments)
def test_escaped_text_arrives(text: str, env: dict[str, str]) -> None:
    if not is_carriable(text):
        with pytest.raises(Uncarriable):
            escape(text)
        return
    values = {name: env.get(name, "") for name in NAMES}  # what is not set reads as empty, in the agent
    assert interpolate(escape(text), env) == literal(text, values)


@settings(deadline=None, max_examples=500)
@given(text=texts(), env=environments)
def test_text_without_references_is_the_same_in_both_modes(text: str, env: dict[str, str]) -> None:
    assert literal(text) == text
    if is_carriable(text):
        assert interpolate(escape(text), env) == text


@settings(deadline=None, max_examples=200)
@given(tree=trees())
def test_trees_arrive(tree: Plain) -> None:
    assert same(literal_tree(tree), tree)
    if is_carriable_tree(tree):
        assert same(interpolated(escape_tree(tree)), tree)
    else:
        with pytest.raises(Uncarriable):
            escape_tree(tree)


def is_carriable_tree(tree: Plain) -> bool:
    """Every text is, and no key has a dollar."""
    match tree:
        case str():
            return is_carriable(tree)
        case dict():
            return all("$" not in key and is_carriable_tree(value) for key, value in tree.items())
        case list():
            return all(map(is_carriable_tree, tree))
        case _:
            return True


def interpolated(tree: Plain) -> Plain:
    """What the agent does to every text and every key."""
    match tree:
        case str():
            return interpolate(tree, {"A": "x"})
        case dict():
            return {interpolate(key, {"A": "x"}): interpolated(value) for key, value in tree.items()}
        case list():
            return [interpolated(value) for value in tree]
        case _:
            return tree
