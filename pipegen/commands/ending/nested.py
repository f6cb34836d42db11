"""Shell text inside of a simple command: the argument of `bash -c`, however it is started, and of `eval`."""

import posixpath
import re
from collections.abc import Sequence
from typing import Final

from pipegen.commands.ending.outcomes import Options
from pipegen.commands.shell.syntax import Literal, Simple, Word
from pipegen.dataclass import dataclass, replace

_SHELL: Final = re.compile(r"(?:ba|da|k|z|a)?sh\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Nested:
    """The text, where in the text around it begins, and the options that it runs with."""

    text: str
    at: int
    options: Options


def nested_at(command: Simple, offset: int, options: Options) -> Nested | None:
    """The text inside of a command that an offset lies in; None where it lies in none that stands there as it is."""
    for index, word in enumerate(command.words):
        text = _text(word)
        if text is None or not text.at <= offset < text.at + len(text.text) or not text.quoted:
            continue
        own = _options(command.words[:index], options)
        return None if own is None else Nested(text=text.text, at=text.at, options=own)
    return None


def _text(word: Word) -> Literal | None:
    """What a word says, where it says it letter by letter."""
    part = word.parts[0] if len(word.parts) == 1 else None
    return part if isinstance(part, Literal) and part.exact else None


def _options(before: Sequence[Word], options: Options) -> Options | None:
    """The options of a shell that is given text behind these words; None if none is."""
    words = [word.bare or "" for word in before]
    if words == ["eval"]:
        return options
    starts = [at for at, word in enumerate(words) if _SHELL.match(posixpath.basename(word))]
    if not starts or not any(_has_text(word) for word in words[starts[-1] + 1 :]):
        return None
    return with_options(Options(), words[starts[-1] + 1 :])


def _has_text(word: str) -> bool:
    return word.startswith("-") and not word.startswith("--") and "c" in word


def with_options(options: Options, words: Sequence[str | None]) -> Options:
    """The options after `set -e +o pipefail` and the like, or those of a shell started so."""
    named = 0
    signs: list[bool] = []
    for word in words:
        if word is None:
            continue
        if named:
            named -= 1
            if word == "pipefail":
                options = replace(options, pipefail=signs.pop(0))
            elif word == "errexit":
                options = replace(options, errexit=signs.pop(0))
            else:
                signs.pop(0)
        elif word[:1] in {"-", "+"} and not word.startswith("--"):
            if "e" in word:
                options = replace(options, errexit=word[0] == "-")
            named = word.count("o")
            signs = [word[0] == "-"] * named
    return options
