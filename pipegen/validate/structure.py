"""What JSON, and the parser at the other end, cannot carry: checked before anything else looks at a step."""

import math
from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.plain import Path
from pipegen.validate.codes import INVALID_CHARACTER, LONG_MAPPING_KEY, NOT_PLAIN
from pipegen.validate.problem import Problem
from pipegen.validate.upload import shown

_DEEPEST: Final = 100
_LONGEST_KEY: Final = 1000  # the agent's parser gives up a little above, near 1,024 bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """What a quick look at a sound value tells: all its texts, keys and values, one after the other, and its keys.

    `is_carried` says that nothing in there needs a closer look: a character, or a length that a key might have.
    """

    texts: str
    keys: str
    is_carried: bool


def glance(value: object) -> Glance | None:
    """Look at an attribute without keeping track of paths, which takes long; None where that is not enough."""
    texts: list[str] = []
    keys: list[str] = []
    level = [value]
    for _ in range(_DEEPEST - 1):
        below: list[object] = []
        for item in level:
            if isinstance(item, str):
                texts.append(item)
            elif isinstance(item, dict):
                keys += item
                below += item.values()
            elif isinstance(item, (list, tuple)):
                below += item
            elif item is not None and not isinstance(item, int):
                return None
        if not below:
            return _joined(texts, keys)
        level = below
    return None


class Glances:
    """Looks at many steps; an attribute that stands in several of them, as plugins mostly do, is looked at once.

    What was looked at is held, so that nothing else gets its id.
    """

    def __init__(self) -> None:
        self._attributes: dict[int, tuple[object, Glance | None]] = {}

    def of(self, step: Mapping[str, object]) -> Glance | None:
        """What `glance` tells of a step."""
        texts: list[str] = []
        found: list[Glance] = []
        for value in step.values():
            if type(value) is str:  # as half of the attributes
                texts.append(value)
            elif value is not None and type(value) is not int:
                seen = self._attribute(value)
                if seen is None:
                    return None
                found.append(seen)
        own = _joined(texts, list(step))
        if own is None:
            return None
        return Glance(
            texts="\n".join([own.texts, *(seen.texts for seen in found)]),
            keys="\n".join([own.keys, *(seen.keys for seen in found)]),
            is_carried=own.is_carried and all(seen.is_carried for seen in found),
        )

    def _attribute(self, value: object) -> Glance | None:
        known = self._attributes.get(id(value))
        if known is None:
            known = self._attributes[id(value)] = value, glance(value)
        return known[1]


def _is_whole(text: str) -> bool:
    """Whether there is no half of a surrogate pair: upload references alone would keep `isascii` from telling."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _joined(texts: list[str], keys: list[str]) -> Glance | None:
    try:
        named = "\n".join(keys)
    except TypeError:  # a key that is no text
        return None
    whole = "\n".join([named, *texts])
    short = len(named) <= _LONGEST_KEY or max(map(len, keys)) <= _LONGEST_KEY
    return Glance(texts=whole, keys=named, is_carried=short and "\0" not in whole and _is_whole(whole))


def check_structure(step: object) -> Iterator[Problem]:
    """Everything is text, a number, a boolean, null, a list or a mapping whose keys are text, and has an end.

    A step with a problem of this kind is not worth another look: nothing else here would know what to say of it.
    """
    pending: list[tuple[object, Path]] = [(step, ())]
    while pending:
        value, path = pending.pop()
        if len(path) > _DEEPEST and isinstance(value, (list, tuple, Mapping)):
            yield _not_plain(path, f"values are nested more than {_DEEPEST} deep")
        elif isinstance(value, Mapping):
            yield from _check_keys(value, path)
            pending += [(item, (*path, name)) for name, item in reversed(tuple(value.items())) if isinstance(name, str)]
        elif isinstance(value, (list, tuple)):
            pending += [(item, (*path, index)) for index, item in reversed(tuple(enumerate(value)))]
        elif isinstance(value, float) and not math.isfinite(value):
            yield _not_plain(path, f"the number {value} has no place in a pipeline: expected a finite number")
        elif value is not None and not isinstance(value, (str, int, float)):
            yield _not_plain(path, f"a {type(value).__name__} is no plain value: expected text", "put it in quotes")


def _check_keys(mapping: Mapping[object, object], path: Path) -> Iterator[Problem]:
    for name in mapping:
        if not isinstance(name, str):
            yield _not_plain(path, f"the key {name} is no text", f'quote it: "{name}"')


def _not_plain(path: Path, message: str, hint: str = "") -> Problem:
    return Problem(code=NOT_PLAIN, path=path, message=message, help=hint)


def check_characters(step: object) -> Iterator[Problem]:
    """No NUL, no half surrogate pair, no mapping key that the agent's parser takes for a runaway.

    Expects what `check_structure` has passed.
    """
    pending: list[tuple[object, Path]] = [(step, ())]
    while pending:
        value, path = pending.pop()
        if isinstance(value, str):
            yield from _check_text(value, path)
        elif isinstance(value, Mapping):
            for name in value:
                yield from _check_key(name, (*path, name))
            pending += [(item, (*path, name)) for name, item in reversed(tuple(value.items()))]
        elif isinstance(value, (list, tuple)):
            pending += [(item, (*path, index)) for index, item in reversed(tuple(enumerate(value)))]


def _check_key(name: str, path: Path) -> Iterator[Problem]:
    yield from _check_text(name, path)
    length = len(name)
    if length > _LONGEST_KEY:
        message = f"the mapping key {shown(name)} has {length} characters: expected at most {_LONGEST_KEY}"
        yield Problem(code=LONG_MAPPING_KEY, path=path, message=message)


def _check_text(text: str, path: Path) -> Iterator[Problem]:
    if "\0" in text:
        where = text.index("\0") + 1
        message = f"character {where} of the text is a NUL, which ends every text in a process"
        yield Problem(code=INVALID_CHARACTER, path=path, message=message, help="take the NUL out")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        code = f"U+{ord(text[error.start]):04X}"
        message = f"character {error.start + 1} of the text is {code}, half of a surrogate pair"
        yield Problem(code=INVALID_CHARACTER, path=path, message=message, help="write the whole character")
