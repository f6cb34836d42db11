"""The options in front of a command's own arguments, told apart by a table."""

from typing import Final

from pipegen.commands.programs.tables import Options
from pipegen.commands.running.values import Field, Text
from pipegen.dataclass import dataclass

_NONE: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """The options of a call: where they end, which were given, and the values of those that take one.

    `doubt` says why it is not known where they end. `stopped` is the option that ended them, with its value.
    """

    end: int
    given: frozenset[str] = _NONE
    values: tuple[tuple[str, Field], ...] = ()
    doubt: str | None = None
    stopped: tuple[str, Field] | None = None


def taken(argv: tuple[Field, ...], start: int, options: Options, *, stop: frozenset[str] = _NONE) -> Taken:
    """Step over the options from `start` on, up to the first other word, `--`, or an option of `stop`."""
    given: set[str] = set()
    values: list[tuple[str, Field]] = []
    index = start
    while index < len(argv):
        text = leading(argv[index])
        if not text.startswith("-") or text == "-":
            break
        index += 1
        if text == "--":
            break
        parted = _parted(text, options, stop)
        if parted is None:
            doubt = f'it is not known whether the next word is the value of "{text}"'
            return Taken(end=index, given=frozenset(given), values=tuple(values), doubt=doubt)
        flags, option, rest = parted
        given |= flags
        if option is None:
            continue
        if rest is None and index >= len(argv):
            break
        value = argv[index] if rest is None else after(argv[index - 1], rest)
        index += rest is None
        given.add(option)
        values.append((option, value))
        if option in stop:
            return Taken(end=index, given=frozenset(given), values=tuple(values), stopped=(option, value))
    return Taken(end=index, given=frozenset(given), values=tuple(values))


def _parted(text: str, options: Options, stop: frozenset[str]) -> tuple[set[str], str | None, int | None] | None:
    """Flags in a word, the option that takes a value, and where in the word that begins (None: the next word)."""
    name, equals, _ = text.partition("=")
    if name in options.valued or name in stop:
        return set(), name, len(name) + 1 if equals else None
    if equals and text.startswith("--"):
        return {name}, None, None
    if text in options.flags:
        return {text}, None, None
    return None if text.startswith("--") else _cluster(text, options, stop)


def _cluster(text: str, options: Options, stop: frozenset[str]) -> tuple[set[str], str | None, int | None] | None:
    """Several short options in one word, the last of which may take a value: `-xk5`."""
    flags: set[str] = set()
    for index, letter in enumerate(text[1:], start=1):
        option = f"-{letter}"
        if option in options.valued or option in stop:
            return flags, option, index + 1 if index + 1 < len(text) else None
        if option not in options.flags:
            return None
        flags.add(option)
    return flags, None, None


def leading(field: Field) -> str:
    """The text that a field begins with, up to what is not known."""
    if len(field) == 1 and isinstance(field[0], Text):  # as most are
        return field[0].text
    texts: list[str] = []
    for piece in field:
        if not isinstance(piece, Text):
            break
        texts.append(piece.text)
    return "".join(texts)


def after(field: Field, count: int) -> Field:
    """A field without its first characters, which are known."""
    pieces = list(field)
    while pieces and count:
        head = pieces[0]
        if not isinstance(head, Text):
            break
        if len(head.text) > count:
            at = head.at + count if head.exact else head.at
            pieces[0] = Text(head.text[count:], quoted=head.quoted, at=at, exact=head.exact)
            break
        count -= len(head.text)
        pieces.pop(0)
    return tuple(pieces)
