"""Which diagnostics a caller hears of: kinds (`PG201`, `unowned-test-directory`, `PG2`), and one for each cause."""

from collections.abc import Iterable, Mapping
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, WrongUsageError, meant

PREFIX: Final = "PG"


def chosen(select: Iterable[str], ignore: Iterable[str], known: Mapping[str, Code]) -> frozenset[Code]:
    """The codes that are selected (all, where nothing is) and not ignored. Each word may be a list with commas.

    Raises:
        WrongUsageError: a word is no code, no name and not how a code begins.
    """
    wanted = _codes("--select", select, known)
    unwanted = _codes("--ignore", ignore, known) or frozenset()
    return (frozenset(known.values()) if wanted is None else wanted) - unwanted


def untold(found: Iterable[Diagnostic], reported: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Those that do not follow from others alone which are reported.

    What follows from something that is ignored, waived, old or not asked for is told: else a test that no job runs
    would pass since a comment stands at another place.
    """
    places = {(one.code, one.span) for one in reported}
    return tuple(one for one in found if not one.implied_by or not places.issuperset(one.implied_by))


def _codes(option: str, given: Iterable[str], known: Mapping[str, Code]) -> frozenset[Code] | None:
    """The codes that words stand for; None if there are no words."""
    words = [word.strip() for text in given for word in text.split(",")]
    return frozenset(code for word in words for code in _meant(option, word, known)) if words else None


def _meant(option: str, word: str, known: Mapping[str, Code]) -> tuple[Code, ...]:
    found = tuple(code for code in known.values() if code.name == word)
    if not found and word.upper().startswith(PREFIX):
        found = tuple(code for number, code in known.items() if number.startswith(word.upper()))
    if not found:
        numbers = word.upper().startswith(PREFIX)
        candidates = tuple(known) if numbers else tuple(code.name for code in known.values())
        near = meant(word.upper() if numbers else word, candidates)
        raise WrongUsageError(
            f'{option} "{word}": no rule of that code or name: '
            + (near or "expected a code (PG201), its beginning (PG2) or a name (unowned-test-directory)")
        )
    return found
