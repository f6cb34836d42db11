"""What a dollar begins: `$name`, `${…}`, `$(…)`, `$((…))`, or nothing but a dollar."""

import re
from typing import Final, Protocol

from pipegen.commands.shell.cursor import Cursor
from pipegen.commands.shell.syntax import Literal, Parameter, Part, ShellSyntaxError, Substitution, Unknown, Word

_NAME: Final = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])")
_BRACED: Final = re.compile(
    r"\$\{(?P<prefix>[#!]?)(?P<name>[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])(?P<index>\[[^]]*\])?"
    r"(?P<operator>:[-=?+]|##?|%%?|//?[#%]?|\^\^?|,,?|@|[-=?+]|:|(?=\}))"
)
_SPECIAL: Final = re.compile(r"\$\{(?P<name>[#?$!@*-])(?P<operator>)(?=\})")


class Operand(Protocol):
    """Reads what stands behind an operator, up to the closing brace."""

    def __call__(self, cursor: Cursor, *, quoted: bool) -> Word:
        """See `pipegen.commands.shell.words.read_operand`."""


def read_dollar(cursor: Cursor, *, quoted: bool, operand: Operand) -> Part:
    """The expansion at a dollar.

    Raises:
        ShellSyntaxError: it is not closed, or holds what no shell expands.
    """
    start = cursor.position
    if cursor.starts("$(("):
        arithmetic = _arithmetic(cursor, quoted=quoted)
        if arithmetic is not None:
            return arithmetic
    if cursor.take("$("):
        body = cursor.script(cursor, frozenset({")"}))
        cursor.expect(")", what='behind "$("')
        return Substitution(body=body, quoted=quoted, at=start, written=cursor.text[start : cursor.position])
    if cursor.starts("${"):
        return _braced(cursor, quoted=quoted, operand=operand)
    found = _NAME.match(cursor.text, start)
    if found:
        cursor.position = found.end()
        return Parameter(
            name=found[1], prefix="", index=None, operator="", operand=None, quoted=quoted, at=start, written=found[0]
        )
    cursor.position += 1
    return Literal("$", quoted=quoted, at=start)


def _braced(cursor: Cursor, *, quoted: bool, operand: Operand) -> Parameter:
    start = cursor.position
    found = _SPECIAL.match(cursor.text, start) or _BRACED.match(cursor.text, start)
    if not found:
        raise ShellSyntaxError('expected a name behind "${"', start, incomplete="}" not in cursor.text[start:])
    cursor.position = found.end()
    operator = found["operator"]
    groups = found.groupdict()
    # Quotes around the whole protect a default text, not the pattern of an operator that changes the value.
    word = operand(cursor, quoted=quoted and operator[-1] in "-=?+") if operator else None
    cursor.expect("}", what='behind "${"')
    return Parameter(
        name=found["name"],
        prefix=groups.get("prefix") or "",
        index=groups["index"][1:-1] if groups.get("index") else None,
        operator=operator,
        operand=word,
        quoted=quoted,
        at=start,
        written=cursor.text[start : cursor.position],
    )


def _arithmetic(cursor: Cursor, *, quoted: bool) -> Unknown | None:
    """`$((…))`; None where the two parentheses are those of a subshell inside of `$(…)`."""
    end = closing_parentheses(cursor.text, cursor.position + 3)
    if end is None:
        return None
    start = cursor.position
    cursor.position = end
    return Unknown(written=cursor.text[start:end], quoted=quoted, at=start)


def closing_parentheses(text: str, start: int) -> int | None:
    """The offset behind the `))` that closes what began with `((` before `start`, None where there is none."""
    depth = 0
    for offset in range(start, len(text)):
        match text[offset]:
            case "(":
                depth += 1
            case ")" if depth:
                depth -= 1
            case ")":
                return offset + 2 if text.startswith("))", offset) else None
            case _:
                pass
    return None
