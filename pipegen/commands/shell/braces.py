"""bash's brace expansion: `{a,b}` and `{1..4}` make several words of one, before anything else is expanded."""

import re
from itertools import pairwise
from typing import Final

from pipegen.commands.shell.syntax import Literal, Part, Word
from pipegen.dataclass import dataclass

MAX_WORDS: Final = 500

_RANGE: Final = re.compile(r"(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?|([A-Za-z])\.\.([A-Za-z])")
_SIGNS: Final = re.compile(r"([{},])")


def has_braces(word: Word) -> bool:
    """Whether there is anything to expand."""
    return any(
        isinstance(part, Literal) and not part.quoted and "{" in part.text and part.text != "{}" for part in word.parts
    )


@dataclass(frozen=True, slots=True)
class _Sign:
    """An unquoted `{`, `}` or `,`."""

    text: str
    at: int


_Atom = Part | _Sign


def expand_braces(word: Word) -> list[Word]:
    """The words that one word stands for; at most `MAX_WORDS`, beyond which it stays as it is."""
    atoms: list[_Atom] = []
    for part in word.parts:
        if not isinstance(part, Literal) or part.quoted:
            atoms.append(part)
            continue
        at = part.at
        for text in _SIGNS.split(part.text):
            if text:
                atoms.append(_Sign(text, at) if _SIGNS.fullmatch(text) else Literal(text, quoted=False, at=at))
            at += len(text)
    expanded = _expanded(atoms)
    if len(expanded) == 1 or len(expanded) > MAX_WORDS:
        return [word]
    return [Word(tuple(_part(atom) for atom in atoms), at=word.at) for atoms in expanded]


def _part(atom: _Atom) -> Part:
    return Literal(atom.text, quoted=False, at=atom.at) if isinstance(atom, _Sign) else atom


def _expanded(atoms: list[_Atom]) -> list[list[_Atom]]:
    for start, atom in enumerate(atoms):
        if not isinstance(atom, _Sign) or atom.text != "{":
            continue
        found = _closing(atoms, start)
        if found is None:
            continue
        end, commas = found
        choices = _choices(atoms, start, end, commas)
        if choices is None:
            continue
        rests = _expanded(atoms[end + 1 :])
        inner = [expanded for choice in choices for expanded in _expanded(choice)]
        if len(inner) * len(rests) > MAX_WORDS:
            return [atoms] * (MAX_WORDS + 1)
        return [[*atoms[:start], *middle, *rest] for middle in inner for rest in rests]
    return [atoms]


def _closing(atoms: list[_Atom], start: int) -> tuple[int, list[int]] | None:
    """The place of the brace that closes, and those of the commas on the same level."""
    depth = 0
    commas: list[int] = []
    for index in range(start + 1, len(atoms)):
        atom = atoms[index]
        if not isinstance(atom, _Sign):
            continue
        if atom.text == "," and depth == 0:
            commas.append(index)
        elif atom.text == "{":
            depth += 1
        elif atom.text == "}":
            if depth == 0:
                return index, commas
            depth -= 1
    return None


def _choices(atoms: list[_Atom], start: int, end: int, commas: list[int]) -> list[list[_Atom]] | None:
    if commas:
        edges = [start, *commas, end]
        return [atoms[one + 1 : two] for one, two in pairwise(edges)]
    inside = atoms[start + 1 : end]
    if len(inside) != 1 or not isinstance(inside[0], Literal) or inside[0].quoted:
        return None
    found = _RANGE.fullmatch(inside[0].text)
    if not found:
        return None
    at = inside[0].at
    return [[Literal(text, quoted=False, at=at, exact=False)] for text in _range(found)]


def _range(found: re.Match[str]) -> list[str]:
    if found[4]:
        one, two = ord(found[4]), ord(found[5])
        return [chr(code) for code in _numbers(one, two, 1)]
    width = max(len(text.lstrip("-")) for text in found.group(1, 2))
    padded = any(text.lstrip("-").startswith("0") and len(text.lstrip("-")) > 1 for text in found.group(1, 2))
    numbers = _numbers(int(found[1]), int(found[2]), abs(int(found[3] or 1)) or 1)
    return [f"{number:0{width + (number < 0)}d}" if padded else str(number) for number in numbers]


def _numbers(one: int, two: int, step: int) -> range:
    if abs(two - one) // step > MAX_WORDS:
        two = one + (MAX_WORDS + 1) * step * (1 if two > one else -1)
    return range(one, two + 1, step) if two >= one else range(one, two - 1, -step)
