"""The value of `$name` and `${…}`, as far as the text says it."""

import re
from collections.abc import Callable
from typing import Final

from pipegen.commands.globs import pattern_source
from pipegen.commands.running.state import State
from pipegen.commands.running.values import Field, Hole, Items, Text, Value, glob_text, joined, known, plain
from pipegen.commands.shell.syntax import Parameter, Word
from pipegen.dataclass import dataclass

_SUBSTRING: Final = re.compile(r"\s*(-?\d+)\s*(?::\s*(-?\d+)\s*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Looks up parameters in a shell's state. `expand` expands an operand without splitting it."""

    state: State
    expand: Callable[[Word], Field]

    def value(self, part: Parameter) -> Value:
        """The value of a parameter: a list for `$@` and `${name[@]}`, a hole where the text does not say."""
        value = self._look_up(part)
        if part.prefix == "#":
            return self._length(part, value)
        if part.prefix == "!":
            return self._hole(part)
        if part.operator == "":
            return _empty(part) if value is None else value
        if part.operator in _ALTERNATIVES:
            return self._alternative(part, value)
        if isinstance(value, Items):
            return self._hole(part)
        text = known(value) if value is not None else ""
        operand = self.expand(part.operand) if part.operand else ()
        pattern = glob_text(operand)
        if text is None or known(operand) is None:
            return self._hole(part)
        changed = _changed(text, part.operator, pattern)
        return self._hole(part) if changed is None else (Text(changed, part.quoted, part.at, exact=False),)

    def _hole(self, part: Parameter) -> Field:
        return (Hole(part.written, quoted=part.quoted, at=part.at),)

    def _look_up(self, part: Parameter) -> Value | None:
        value = self._named(part)
        if not isinstance(value, Items) or part.index in {"@", "*"} or part.name in {"@", "*"}:
            return self._hole(part) if part.index not in {None, "0", "@", "*"} else value
        index = part.index or "0"
        if not index.isdigit():
            return self._hole(part)
        return value.items[int(index)] if int(index) < len(value.items) else None

    def _named(self, part: Parameter) -> Value | None:
        state = self.state
        match part.name:
            case "@" | "*":
                return self._hole(part) if state.arguments is None else Items(state.arguments)
            case "#":
                return self._hole(part) if state.arguments is None else plain(str(len(state.arguments)), part.at)
            case "0" | "BASH_SOURCE":
                return self._hole(part) if state.name is None else state.name
            case name if name.isdigit():
                if state.arguments is None:
                    return self._hole(part)
                return state.arguments[int(name) - 1] if int(name) <= len(state.arguments) else None
            case "PWD" if "PWD" not in state.variables:
                return self._hole(part) if state.folder is None else plain(state.folder, part.at)
            case "OLDPWD" if state.previous is not None:
                return plain(state.previous, part.at)
            case name:
                return state.variables.get(name, self._hole(part))

    def _length(self, part: Parameter, value: Value | None) -> Field:
        if isinstance(value, Items):
            return plain(str(len(value.items)), part.at)
        text = "" if value is None else known(value)
        return self._hole(part) if text is None else plain(str(len(text)), part.at)

    def _alternative(self, part: Parameter, value: Value | None) -> Value:
        """`${x:-…}`, `${x:=…}`, `${x:+…}`, `${x:?…}`, and each without the colon."""
        text: str | None
        match value:
            case Items():
                text = "set" if value.items else ""
            case None:
                text = ""
            case _:
                text = known(value)
        if text is None:
            return self._hole(part)
        there = value is not None and not (part.operator.startswith(":") and text == "")
        match part.operator[-1]:
            case "+":
                return self._operand(part) if there else _empty(part)
            case "?" if not there:
                return self._hole(part)
            case _ if value is not None and there:
                return value
            case "=":
                assigned = self._operand(part)
                self.state.assign(part.name, assigned)
                return assigned
            case _:
                return self._operand(part)

    def _operand(self, part: Parameter) -> Field:
        return self.expand(part.operand) if part.operand and part.operand.parts else _empty(part)


def _empty(part: Parameter) -> Field:
    return (Text("", part.quoted, part.at, exact=False),)


_ALTERNATIVES: Final = frozenset({"-", ":-", "=", ":=", "+", ":+", "?", ":?"})


def _changed(text: str, operator: str, operand: str) -> str | None:
    """A text after `#`, `%`, `/`, `:`, `^` or `,`; None where that is not read here."""
    match operator:
        case "#" | "##":
            lazy = operator == "#"
            found = re.match(_repeats(operand, lazy=lazy), text, re.DOTALL)
            return text[found.end() :] if found else text
        case "%" | "%%":
            return _without_end(text, operand, shortest=operator == "%")
        case "/" | "//" | "/#" | "/%" | "//#" | "//%":
            return _replaced(text, operator, operand)
        case ":":
            return _substring(text, operand)
        case "^^" | ",," if not operand:
            return text.upper() if operator == "^^" else text.lower()
        case "^" | "," if not operand:
            return (text[:1].upper() if operator == "^" else text[:1].lower()) + text[1:]
        case _:
            return None


def _repeats(pattern: str, *, lazy: bool) -> str:
    source = pattern_source(pattern)
    return source.replace(".*", ".*?") if lazy else source


def _without_end(text: str, pattern: str, *, shortest: bool) -> str:
    source = re.compile(pattern_source(pattern), re.DOTALL)
    starts = range(len(text), -1, -1) if shortest else range(len(text) + 1)
    return next((text[:start] for start in starts if source.fullmatch(text, start)), text)


def _replaced(text: str, operator: str, operand: str) -> str | None:
    pattern, slash, replacement = operand.partition("/")
    if "\\" in operand or (not pattern and slash):
        return None
    source = pattern_source(pattern)
    anchored = {"/#": rf"\A(?:{source})", "/%": rf"(?:{source})\Z"}.get(operator, source)
    if operator in {"//#", "//%"}:
        return None
    return re.sub(anchored, lambda _: replacement, text, count=0 if operator == "//" else 1, flags=re.DOTALL)


def _substring(text: str, operand: str) -> str | None:
    found = _SUBSTRING.fullmatch(operand)
    if not found:
        return None
    start = int(found[1])
    start = max(len(text) + start, 0) if start < 0 else start
    if found[2] is None:
        return text[start:]
    length = int(found[2])
    return text[start : start + length] if length >= 0 else text[start : len(text) + length]


def list_text(items: Items) -> Field:
    """`"$*"`: the items with blanks between them."""
    return joined(items.items, " ")
