"""How near two words are as mistakes of typing go, and which known word a writer most likely meant."""

from collections.abc import Iterable
from typing import Final

_ROWS: Final = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
_SLIP: Final = 9
"""A doubled letter, or a neighbour on the keyboard: what fingers do by themselves."""
_EDIT: Final = 10
"""A letter too few, or two letters swapped."""
_OTHER: Final = 12
"""Another letter in the place of one, or one too many."""
_MOST: Final = 48
"""However long a word is: more is no slip."""
_LONGEST: Final = 128
"""Longer words are nobody's slip, and comparing them takes long."""
_ALIKE: Final = 0.6
"""How alike words must be (difflib's ratio) where no few slips lead from one to the other."""
_LONG: Final = 48
"""Longer words than that are not compared on the whole."""


def neighbours(character: str) -> str:
    """The keys around one on an English (QWERTY) keyboard, letters and digits; none for any other character."""
    for row, keys in enumerate(_ROWS):
        at = keys.find(character)
        if at < 0 or not character:
            continue
        beside = keys[max(at - 1, 0) : at] + keys[at + 1 : at + 2]
        above = _ROWS[row - 1][at : at + 2] if row > 0 else ""
        below = _ROWS[row + 1][max(at - 1, 0) : at + 1] if row + 1 < len(_ROWS) else ""
        return beside + above + below
    return ""


_BESIDE: Final = {key: frozenset(neighbours(key)) for row in _ROWS for key in row}


def nearest(word: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """The candidates that a writer of `word` most likely meant, the likeliest first; those after it are as likely.

    Letter case, and `-` for `_`, count for nothing. Words that a few slips of the fingers lead to go first; without
    any, one that is alike on the whole.
    """
    names = sorted(set(candidates))
    target = _fold(word)
    if not target or len(target) > _LONGEST:
        return ()
    folded = [(_fold(name), name) for name in names]
    if same := tuple(name for fold, name in folded if fold == target):
        return same
    bound = _bound(target)
    found: list[tuple[int, str]] = []
    for fold, name in folded:
        if abs(len(fold) - len(target)) * _SLIP <= bound and (cost := _cost(target, fold, bound)) <= bound:
            bound = min(bound, cost + _EDIT - _SLIP)
            found.append((cost, name))
    if found:
        # Of several that are as likely, those that need no other separator or case go first.
        likely = [(cost, 0 if not found[1:] else _cost(word, name, _MOST), name) for cost, name in found]
        return tuple(name for cost, _, name in sorted(likely) if cost <= bound)
    forms = sorted({fold for fold, _ in folded}) if len(target) <= _LONG else ()
    import difflib  # noqa: PLC0415 - a run without a mistake does without

    alike = difflib.get_close_matches(target, forms, n=1, cutoff=_ALIKE)
    return tuple(name for fold, name in folded if alike and fold == alike[0])[:1]


def _fold(word: str) -> str:
    return word.lower().replace("-", "_").replace(" ", "_")


def _bound(word: str) -> int:
    """How much may be wrong with a word of this length: one slip, or one edit more for every four letters."""
    return _EDIT if len(word) < 3 else min(_OTHER * (1 + len(word) // 5), _MOST)


def _cost(word: str, meant: str, bound: int) -> int:
    """What it costs to type `word` where `meant` was meant; anything above `bound` may come out too low or high.

    The distance of Damerau and Levenshtein in its restricted form: no letter is touched twice.
    """
    reach, size = bound // _SLIP, len(meant)  # so far from the diagonal a cheap enough way can go
    older: list[int] = []
    above: list[int] = []
    row = [at * _EDIT for at in range(size + 1)]
    for i, typed in enumerate(word, 1):
        beside = _BESIDE.get(typed, frozenset())
        too_many = _SLIP if i > 1 and word[i - 2] == typed else _OTHER
        older, above = above, row
        row = [bound + 1] * (size + 1)
        if i <= reach:
            row[0] = above[0] + too_many
        for j in range(max(1, i - reach), min(size, i + reach) + 1):
            wanted = meant[j - 1]
            replaced = 0 if typed == wanted else _SLIP if wanted in beside else _OTHER
            cost = min(above[j - 1] + replaced, above[j] + too_many, row[j - 1] + _EDIT)
            if i > 1 and j > 1 and typed == meant[j - 2] and word[i - 2] == wanted:
                cost = min(cost, older[j - 2] + _EDIT)
            row[j] = cost
        if min(row) > bound:
            return bound + 1
    return row[-1]
