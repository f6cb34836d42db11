"""Hypothesis strategies: text that is hard on readers, and trees of plain data made of it."""

from hypothesis import strategies as st

from pipegen.dollar import UPLOAD_CLOSE, UPLOAD_OPEN
from pipegen.plain import Plain
from tests.support.traps import TEXTS

CHARACTERS = st.characters(codec="utf-8", exclude_characters=(UPLOAD_OPEN, UPLOAD_CLOSE))

_PIECES = st.sampled_from(
    (*" \t\n:#-?'\"\\$|>&*!%@`{}[],=<.0178aen~_/", "\n\n", "---", "é", "🚀", "\r", "\x85", "\u2028")
)


def texts() -> st.SearchStrategy[str]:
    """Known traps, pieces that mean something to readers in any order, and all of Unicode."""
    return st.one_of(
        st.sampled_from(TEXTS),
        st.lists(_PIECES, max_size=8).map("".join),
        st.lists(_PIECES, min_size=1, max_size=8).map(lambda pieces: "a" + "".join(pieces)),
        st.text(CHARACTERS, max_size=12),
    )


def numbers() -> st.SearchStrategy[Plain]:
    """Every integer that fits 64 bits, signed or not, and every finite float."""
    integers = st.integers(min_value=-(2**63), max_value=2**64 - 1)
    return st.one_of(integers, st.floats(allow_nan=False, allow_infinity=False))


def trees() -> st.SearchStrategy[Plain]:
    """Any plain data that can be written: nothing in it is refused."""
    leaves: st.SearchStrategy[Plain] = st.one_of(texts(), texts(), numbers(), st.none(), st.booleans())
    return st.recursive(leaves, _collections, max_leaves=15)


def _collections(children: st.SearchStrategy[Plain]) -> st.SearchStrategy[Plain]:
    return st.one_of(st.lists(children, max_size=5), st.dictionaries(texts(), children, max_size=5))
