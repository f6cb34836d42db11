"""Hypothesis strategies: patterns with many wildcards, and paths of few letters that come near to them."""

from hypothesis import strategies as st

_LETTERS = st.sampled_from("aab*")
_PIECES = st.sampled_from(["a", "a", "b", "*", "*", "?", "[ab]", "[!a]", "\\*"])


def patterns_of_names() -> st.SearchStrategy[str]:
    """Patterns in gitignore syntax, without a slash at either end."""
    name = st.one_of(st.just("**"), st.lists(_PIECES, min_size=1, max_size=6).map("".join).map(_no_double_star))
    return st.lists(name, min_size=1, max_size=6).map("/".join).filter(lambda text: not text.endswith("**"))


def _no_double_star(text: str) -> str:
    while "**" in text:
        text = text.replace("**", "*")
    return text


def names_of_paths() -> st.SearchStrategy[str]:
    """Paths from the top of a repository."""
    name = st.text(_LETTERS, min_size=1, max_size=6)
    return st.lists(name, min_size=1, max_size=6).map("/".join)
