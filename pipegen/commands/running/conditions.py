"""`[ … ]`, `test` and `[[ … ]]`, as far as their words say how they end."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from pipegen.commands.globs import compiled
from pipegen.commands.running.machine import Status
from pipegen.commands.running.values import Field, glob_text, known

_NUMBERS: Final[dict[str, Callable[[int, int], bool]]] = {
    "-eq": lambda one, two: one == two,
    "-ne": lambda one, two: one != two,
    "-lt": lambda one, two: one < two,
    "-le": lambda one, two: one <= two,
    "-gt": lambda one, two: one > two,
    "-ge": lambda one, two: one >= two,
}


def test_status(words: Sequence[Field], *, double: bool) -> Status:
    """How a test ends; OPEN where it asks for files or unknown values. `double` is `[[ … ]]`."""
    texts = [known(word) for word in words]
    if not words:
        return Status.FALSE
    if "(" in texts:
        return Status.OPEN
    either, both = ("||", "&&") if double else ("-o", "-a")
    if either in texts:
        return _any([test_status(part, double=double) for part in _parts(words, texts, either)])
    if both in texts:
        return _all([test_status(part, double=double) for part in _parts(words, texts, both)])
    if texts[0] == "!" and len(texts) > 1:
        return _not(test_status(words[1:], double=double))
    return _single(words, texts, double=double)


test_status.__test__ = False  # type: ignore[attr-defined]  # its name is a pytest pattern


def _single(words: Sequence[Field], texts: list[str | None], *, double: bool) -> Status:
    match len(words):
        case 1:
            return _answer(None if texts[0] is None else bool(texts[0]))
        case 2 if texts[0] in {"-n", "-z"}:
            return _answer(None if texts[1] is None else bool(texts[1]) is (texts[0] == "-n"))
        case 2 if texts[0] is not None and not texts[0].startswith("-"):
            # `[ $x = y ]` without a value: an error, which is not true either.
            return Status.FALSE
        case 3:
            return _answer(_comparison(words, texts, double=double))
        case _:
            return Status.OPEN


def _comparison(words: Sequence[Field], texts: list[str | None], *, double: bool) -> bool | None:
    one, operator, two = texts
    if one is None or two is None or operator is None:
        return None
    if operator in {"=", "==", "!="}:
        same = bool(compiled(glob_text(words[2])).fullmatch(one)) if double else one == two
        return same is (operator != "!=")
    if operator in _NUMBERS and _is_number(one) and _is_number(two):
        return _NUMBERS[operator](int(one), int(two))
    return None


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and text.isascii()


def _parts(words: Sequence[Field], texts: list[str | None], operator: str) -> list[Sequence[Field]]:
    places = [-1, *(index for index, text in enumerate(texts) if text == operator), len(words)]
    return [words[one + 1 : two] for one, two in pairwise(places)]


def _answer(yes: bool | None) -> Status:  # noqa: FBT001  (the answer is what it is about)
    return Status.OPEN if yes is None else Status.TRUE if yes else Status.FALSE


def _not(status: Status) -> Status:
    return {Status.TRUE: Status.FALSE, Status.FALSE: Status.TRUE}.get(status, Status.OPEN)


def _any(statuses: list[Status]) -> Status:
    if Status.TRUE in statuses:
        return Status.TRUE
    return Status.OPEN if Status.OPEN in statuses else Status.FALSE


def _all(statuses: list[Status]) -> Status:
    if Status.FALSE in statuses:
        return Status.FALSE
    return Status.OPEN if Status.OPEN in statuses else Status.TRUE
