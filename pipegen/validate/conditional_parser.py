"""Reads a condition and checks its types on the way.

From the tightest: `!`; `== != =~ !~ includes`, from left to right; `&&`; `||`; `? :`. Types are checked while
reading, without a tree: a chain of a thousand `||` needs no depth.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from pipegen.diagnostics import closest
from pipegen.validate.codes import IF_NAME
from pipegen.validate.conditional_calls import FUNCTIONS, check_call
from pipegen.validate.conditional_regex import check_regex
from pipegen.validate.conditional_tokens import (
    ConditionSyntaxError,
    Fault,
    Token,
    TokenKind,
    read_tokens,
)
from pipegen.validate.conditional_types import (
    ENUMERATIONS,
    STEP_VARIABLES,
    VARIABLES,
    Kind,
    Operand,
    check_boolean_operand,
    check_comparison,
    check_includes,
    check_match,
    check_member,
    either,
)
from pipegen.validate.upload import shown

_BINDING: Final[Mapping[str, int]] = {
    "?": 1,
    "||": 2,
    "&&": 3,
    "==": 4,
    "!=": 4,
    "=~": 4,
    "!~": 4,
    "includes": 4,
}
_TIGHTEST: Final = 5
_DEEPEST: Final = 100
_LONGEST_SOURCE: Final = 300  # of an operand, for messages
_OTHER_LANGUAGES: Final[Mapping[str, str]] = {
    "and": "&&",
    "or": "||",
    "not": "!",
    "in": "includes",
    "contains": "includes",
    "is": "==",
    "matches": "=~",
}
_CONSTANTS: Final[Mapping[str, Kind]] = {"true": Kind.BOOLEAN, "false": Kind.BOOLEAN, "null": Kind.NULL}


def condition_faults(text: str, *, in_notify: bool) -> tuple[Fault, ...]:
    """All faults of a condition, in the order of its text. `in_notify` adds the variables of the step itself."""
    faults: list[Fault] = []
    try:
        reader = _Reader(text, {**VARIABLES, **STEP_VARIABLES} if in_notify else VARIABLES, faults.append)
        reader.read_condition()
    except ConditionSyntaxError as error:
        faults.append(error.fault)
    return tuple(sorted(faults, key=lambda fault: fault.start))


class _Reader:
    """A position in the tokens of one condition; every fault that is no end of reading goes to `report`."""

    __slots__ = ("_depth", "_index", "_report", "_text", "_tokens", "_variables")

    def __init__(self, text: str, variables: Mapping[str, Kind], report: Callable[[Fault], None]) -> None:
        self._text = text
        self._tokens = tuple(read_tokens(text))
        self._variables = variables
        self._report = report
        self._index = 0
        self._depth = 0

    def read_condition(self) -> None:
        """The whole text, which must be one boolean."""
        result = self._read(0)
        if self._next.kind is not TokenKind.END:
            raise self._unexpected("an operator or the end")
        self._report_all(check_boolean_operand(result, "a condition"))

    @property
    def _next(self) -> Token:
        return self._tokens[self._index]

    def _take(self) -> Token:
        token = self._tokens[self._index]
        self._index += 1
        return token

    def _take_operator(self, operator: str, expected: str) -> None:
        if not self._is_operator(operator):
            raise self._unexpected(expected)
        self._index += 1

    def _is_operator(self, operator: str) -> bool:
        return self._next.kind is TokenKind.OPERATOR and self._next.source == operator

    def _report_all(self, faults: Iterable[Fault]) -> bool:
        """Report faults; whether there were any."""
        found = tuple(faults)
        for fault in found:
            self._report(fault)
        return bool(found)

    def _unexpected(self, expected: str) -> ConditionSyntaxError:
        token = self._next
        found = "the end" if token.kind is TokenKind.END else shown(token.source)
        advice = _OTHER_LANGUAGES.get(token.source)
        before = self._tokens[self._index - 1] if self._index else None
        if advice is None and before is not None and before.kind is TokenKind.NAME:
            advice = _OTHER_LANGUAGES.get(before.source)
        hint = f'write "{advice}"' if advice is not None else ""
        return ConditionSyntaxError(token.start, f"expected {expected}, found {found}", hint)

    def _operand(self, kind: Kind, start: int, literal: str | None = None, words: tuple[str, ...] = ()) -> Operand:
        end = min(self._tokens[self._index - 1].end, start + _LONGEST_SOURCE)
        source = self._text[start:end]
        if "\n" in source:
            source = " ".join(source.split())
        return Operand(kind=kind, source=source, start=start, literal=literal, words=words)

    def _read(self, binding: int) -> Operand:
        """An expression of operators that bind more tightly than `binding`."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ConditionSyntaxError(self._next.start, f"a condition is nested more than {_DEEPEST} deep")
        left = self._read_value()
        while self._next_binding() > binding:
            left = self._read_infix(left)
        self._depth -= 1
        return left

    def _next_binding(self) -> int:
        kind = self._next.kind
        return _BINDING.get(self._next.source, 0) if kind in (TokenKind.OPERATOR, TokenKind.NAME) else 0

    def _read_value(self) -> Operand:
        token = self._next
        match token.kind:
            case TokenKind.NAME if token.source != "includes":
                return self._read_name(self._take())
            case TokenKind.OPERATOR if token.source in ("!", "(", "["):
                return self._read_prefix(self._take())
            case TokenKind.NUMBER:
                self._index += 1
                return self._operand(Kind.NUMBER, token.start)
            case TokenKind.TEXT:
                self._index += 1
                return self._operand(Kind.TEXT, token.start, literal=token.literal)
            case TokenKind.REGEX:
                self._index += 1
                self._report_all(check_regex(token.source, token.start))
                return self._operand(Kind.REGEX, token.start)
            case TokenKind.AT_UPLOAD:
                self._index += 1
                return self._operand(Kind.TEXT if token.source[0] == "$" else Kind.UNKNOWN, token.start)
            case _:
                raise self._unexpected("a value")

    def _read_prefix(self, token: Token) -> Operand:
        match token.source:
            case "!":
                faulty = self._report_all(check_boolean_operand(self._read(_TIGHTEST), '"!"'))
                return self._operand(Kind.UNKNOWN if faulty else Kind.BOOLEAN, token.start)
            case "(":
                inside = self._read(0)
                self._take_operator(")", 'an operator or ")"')
                return inside
            case _:
                for member in self._read_members("]"):
                    self._report_all(check_member(member))
                return self._operand(Kind.LIST, token.start)

    def _read_members(self, closing: str) -> tuple[Operand, ...]:
        """Values with commas between them, up to the closing bracket."""
        members: list[Operand] = []
        if not self._is_operator(closing):
            members.append(self._read(0))
            while self._is_operator(","):
                self._index += 1
                members.append(self._read(0))
        self._take_operator(closing, f'an operator, "," or "{closing}"')
        return tuple(members)

    def _read_name(self, token: Token) -> Operand:
        name = token.source
        if name.endswith(".") or ".." in name:
            raise ConditionSyntaxError(token.start, f"{shown(name)} is no name: expected something after every dot")
        if self._is_operator("("):
            self._index += 1
            arguments = self._read_members(")")
            known = not self._report_all(check_call(name, token.start, arguments))
            return self._operand(Kind.TEXT if known else Kind.UNKNOWN, token.start)
        kind = _CONSTANTS.get(name) or self._variables.get(name)
        if kind is None:
            if name in _OTHER_LANGUAGES and self._next.kind is not TokenKind.END:
                raise self._unexpected("an operator or the end")
            self._report(self._unknown_variable(token))
        return self._operand(kind or Kind.UNKNOWN, token.start, words=ENUMERATIONS.get(name, ()))

    def _unknown_variable(self, token: Token) -> Fault:
        name = token.source
        near = closest(name, self._variables)
        if name in FUNCTIONS:
            hint = f'write {name}("NAME")'
        elif name in STEP_VARIABLES:
            hint = "variables of the step exist only in the conditions of its notify"
        elif near is not None:
            hint = f'did you mean "{near}"?'
        else:
            hint = f'put a text in quotes: "{name}"' if "." not in name else ""
        return Fault(code=IF_NAME, start=token.start, message=f"{shown(name)} is no variable of conditions", help=hint)

    def _read_infix(self, left: Operand) -> Operand:
        operator = self._take().source
        if operator == "?":
            return self._read_choice(left)
        right = self._read(_BINDING[operator])
        match operator:
            case "&&" | "||":
                self._report_all(check_boolean_operand(left, f'"{operator}"'))
                self._report_all(check_boolean_operand(right, f'"{operator}"'))
            case "==" | "!=":
                self._report_all(check_comparison(left, right, operator))
            case "includes":
                self._report_all(check_includes(left, right))
            case _:
                self._report_all(check_match(left, right, operator))
        return self._operand(Kind.BOOLEAN, left.start)

    def _read_choice(self, condition: Operand) -> Operand:
        self._report_all(check_boolean_operand(condition, '"?"'))
        first = self._read(0)
        self._take_operator(":", 'an operator or ":"')
        chosen, faults = either(first, self._read(0))
        self._report_all(faults)
        return self._operand(chosen.kind, condition.start, words=chosen.words)
