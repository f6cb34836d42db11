"""pytest's command line, told apart as its own parser (argparse) does it."""

from collections.abc import Iterator

from pipegen.commands.programs.options import after, leading
from pipegen.commands.programs.tables import PytestOptions
from pipegen.commands.running.values import Field, Hole, known
from pipegen.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """A positional argument (`option` is empty), or an option with its value, if it has one."""

    option: str
    value: Field | None
    word: Field


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A word that could be one thing or another; `option` is an unknown one that may take it as its value."""

    word: Field
    option: str | None = None


def arguments(argv: tuple[Field, ...], options: PytestOptions) -> Iterator[Argument | Doubt]:
    """The arguments of a call, without its name.

    An option that is not in the table stands alone where another option, or nothing, follows it, or where its value is
    written with `=`; else it is in doubt, with the word behind it.
    """
    index = 0
    while index < len(argv):
        word = argv[index]
        text = leading(word)
        index += 1
        if text == "--" and known(word) is not None:
            yield from (_positional(rest) for rest in argv[index:])
            return
        if not text.startswith("-") or text == "-":
            yield _positional(word)
            continue
        if text in options.many:
            taken = _many(argv, index)
            yield Argument(option=text, value=None, word=word)
            index += taken
            continue
        follower = argv[index] if index < len(argv) else None
        taken, found = (
            _long(word, text, follower, options) if text.startswith("--") else _short(word, text, follower, options)
        )
        index += taken
        yield from found


def _many(argv: tuple[Field, ...], start: int) -> int:
    """How many words an option takes that takes all up to the next option."""
    count = 0
    while start + count < len(argv) and not leading(argv[start + count]).startswith("-"):
        count += 1
    return count


def _positional(word: Field) -> Argument | Doubt:
    """A word without a dash; one that begins with something unknown may turn out to be an option, or several words."""
    if word and isinstance(word[0], Hole):
        return Doubt(word=word)
    return Argument(option="", value=word, word=word)


_Found = tuple[int, tuple[Argument | Doubt, ...]]


def _long(word: Field, text: str, follower: Field | None, options: PytestOptions) -> _Found:
    name, equals, _ = text.partition("=")
    if equals:
        return 0, (Argument(option=name, value=after(word, len(name) + 1), word=word),)
    if known(word) is None:
        return 0, (Doubt(word=word),)
    if name in options.flags:
        return 0, (Argument(option=name, value=None, word=word),)
    if name in options.valued:
        return _valued(name, word, follower)
    return _unsure(name, word, follower, options)


def _valued(name: str, word: Field, follower: Field | None) -> _Found:
    return 0 if follower is None else 1, (Argument(option=name, value=follower, word=word),)


def _unsure(name: str, word: Field, follower: Field | None, options: PytestOptions) -> _Found:
    """An option that takes a value if there is one, or of which that is not known."""
    alone = follower is None or leading(follower).startswith("-")
    if alone:
        return 0, (Argument(option=name, value=None, word=word),)
    if name in options.optional:
        return _valued(name, word, follower)
    return 1, (Argument(option=name, value=None, word=word), Doubt(word=follower or (), option=name))


def _short(word: Field, text: str, follower: Field | None, options: PytestOptions) -> _Found:
    """`-x`, `-k EXPRESSION`, `-kEXPRESSION`, `-k=EXPRESSION`, `-xvs`."""
    found: list[Argument | Doubt] = []
    for index, letter in enumerate(text[1:], start=1):
        name = f"-{letter}"
        if name in options.flags:
            found.append(Argument(option=name, value=None, word=word))
            continue
        attached = len(text) > index + 1 or known(word) is None
        if name in options.valued:
            if not attached:
                taken, last = _valued(name, word, follower)
                return taken, (*found, *last)
            skipped = index + 1 + text.startswith("=", index + 1)
            found.append(Argument(option=name, value=after(word, skipped), word=word))
            return 0, tuple(found)
        taken, last = _unsure(text, word, follower, options)
        return taken, (*found, *last)
    if known(word) is None:
        found.append(Doubt(word=word))
    return 0, tuple(found)
