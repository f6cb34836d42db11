"""What words are worth where a status is asked for: `$?`, variables that hold one, and `[ … ]` about them."""

import re
from collections.abc import Sequence
from typing import Final

from pipegen.commands.ending.outcomes import State
from pipegen.commands.shell.syntax import Literal, Parameter, Word

_NUMBER: Final = re.compile(r"[+-]?\d+\Z")
_STATUSES: Final = frozenset({"?", "PIPESTATUS", "pipestatus"})


def value_of(word: Word, state: State) -> str | None:
    """The text of a word; None if it is not known."""
    pieces = [_piece(part, state) for part in word.parts]
    return None if any(piece is None for piece in pieces) else "".join(piece or "" for piece in pieces)


def _piece(part: object, state: State) -> str | None:
    match part:
        case Literal():
            return part.text
        case Parameter(prefix="", operator="", index=None):
            return str(state.last) if part.name == "?" else state.value(part.name)
        case Parameter(prefix="", operator="", name="PIPESTATUS", index=str() as index):
            at = int(index) if index.isdigit() else len(state.pipes)
            return str(state.pipes[at]) if at < len(state.pipes) else None
        case Parameter(prefix="", operator=":-" | "-"):
            return state.value(part.name) or None
        case _:
            return None


def asks_for_failure(words: Sequence[Word], state: State) -> bool:
    """Whether words depend on how the failed command ended, or on what was set since."""
    names = {part.name for word in words for part in word.parts if isinstance(part, Parameter)}
    return state.failed and bool(names & (_STATUSES | state.since))


def truth(words: Sequence[Word], state: State) -> bool | None:
    """What `[ … ]` says of these words, or `[[ … ]]`; None where that is not known."""
    values = [value_of(word, state) for word in words]
    if len(values) == 1:
        return None if values[0] is None else values[0] != ""
    if values and values[0] == "!":
        inner = truth(words[1:], state)
        return None if inner is None else not inner
    if len(values) == 2 and values[1] is not None and values[0] in {"-n", "-z"}:
        return (values[1] != "") == (values[0] == "-n")
    if len(values) == 3 and values[0] is not None and values[2] is not None:
        return _compared(values[0], values[1], values[2])
    return None


def _compared(left: str, operator: str | None, right: str) -> bool | None:
    match operator:
        case "=" | "==":
            return left == right
        case "!=":
            return left != right
        case "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge":
            if not (_NUMBER.match(left) and _NUMBER.match(right)):
                return None
            one, other = int(left), int(right)
            return {
                "-eq": one == other,
                "-ne": one != other,
                "-lt": one < other,
                "-le": one <= other,
                "-gt": one > other,
                "-ge": one >= other,
            }[operator]
        case _:
            return None
