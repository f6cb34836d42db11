"""The schema language: what a value may look like, in one place for the decoder, its messages and JSON Schema.

A shape reads a located node into a typed value, or reports why it cannot and returns None. `at` is the name of the
key that holds the node, for the message.
"""

import datetime
import re
from abc import ABC, abstractmethod
from typing import Final, Generic, TypeVar

from pipegen import codes
from pipegen.dataclass import dataclass
from pipegen.diagnostics import listing, meant
from pipegen.dollar import REFERENCE
from pipegen.manifest.located import JINJA, Node, Report, Scalar, describe, refuse_empty
from pipegen.plain import Plain, PlainMap

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Shape(ABC, Generic[T_co]):
    """What a value may look like."""

    @property
    @abstractmethod
    def words(self) -> str:
        """The expectation in words: "an integer of at least 1"."""

    @property
    def how(self) -> str:
        """What to type instead of a value of another kind."""
        return ""

    @abstractmethod
    def fits(self, node: Node) -> bool:
        """Whether the node is of the right kind (scalar, sequence, mapping), so that its mistakes are worth naming."""

    @abstractmethod
    def read(self, node: Node, report: Report, at: str) -> T_co | None:
        """The typed value, or None with a diagnostic in `report`."""

    @abstractmethod
    def schema(self) -> PlainMap:
        """The same as JSON Schema (draft 2020-12)."""


def refused_item(node: Node, report: Report, at: str) -> bool:
    """Whether an item of a list is nothing at all, which is reported."""
    if not isinstance(node, Scalar) or not node.is_empty:
        return False
    report.add(codes.EMPTY_VALUE, node.span, f'empty item of "{at}"', hint='write it, "" for empty text, or drop it')
    return True


def unexpected(shape: Shape[object], node: Node, report: Report, at: str) -> None:
    """Report a value that is not what the shape expects."""
    if isinstance(node, Scalar) and node.is_empty:
        trial = Report()
        shape.read(Scalar(text="", plain=False, span=node.span), trial, at)
        refuse_empty(node, report, f'value of "{at}"', or_text=not trial.found)
    elif isinstance(node, Scalar) and REFERENCE.search(node.text):
        report.add(
            codes.JINJA_NOT_HERE,
            node.span,
            f"{at}: expected {shape.words}, found {describe(node)}, which only the agent knows",
            hint="write the value itself, or take it from vars, build or env",
        )
    else:
        found = f"{at}: expected {shape.words}, found {describe(node)}"
        report.add(codes.WRONG_TYPE, node.span, found, hint=_spelling(shape, node) or shape.how)


_YES: Final = frozenset({"yes", "on", "y", "1"})
_NO: Final = frozenset({"no", "off", "n", "0"})


def _spelling(shape: "Shape[object]", node: Node) -> str:
    """How to write what an author of other YAML or of other numbers probably means."""
    text = node.text.strip().lower() if isinstance(node, Scalar) else ""
    match shape:
        case Text() if isinstance(node, Scalar) and node.is_null:
            return 'write "null" in quotes for the text, or take it out'
        case Boolean() if text in _YES | _NO:
            return f"write {'true' if text in _YES else 'false'}"
        case Boolean():
            return meant(text, ("true", "false"), "{}")
        case Integer() if re.fullmatch(r"[+-]?[0-9][0-9_]{0,17}", text):
            number = int(text.replace("_", ""))
            return f"write {number}" if shape.holds(number) and str(number) != text else ""
        case _:
            return ""


def is_deferred(node: Node, report: Report) -> bool:
    """Whether an expression stands where a value comes later, so that there is nothing to judge yet."""
    return report.deferring and isinstance(node, Scalar) and JINJA.search(node.text) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Shape[str]):
    """Text as it was typed: `1.10`, `on` and `2024-1-1` are themselves.

    `pattern` must match the whole; `what` describes it, or `rule` where that is more than what it is. `jinja` says
    whether expressions may stand in it.
    """

    what: str = "text"
    rule: str = ""
    pattern: re.Pattern[str] | None = None
    jinja: bool = True
    may_be_blank: bool = True

    @property
    def words(self) -> str:
        """See `Shape.words`."""
        return self.what

    @property
    def how(self) -> str:
        """See `Shape.how`."""
        return "write one text"

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return isinstance(node, Scalar)

    def read(self, node: Node, report: Report, at: str) -> str | None:
        """See `Shape.read`."""
        if not isinstance(node, Scalar) or node.is_empty or node.is_null:
            unexpected(self, node, report, at)
            return None
        if not self.jinja and JINJA.search(node.text):
            report.add(
                codes.JINJA_NOT_HERE,
                node.span,
                f"{at}: an expression cannot stand here, found {describe(node)}",
                hint="write the value itself: it must be the same in every build",
            )
            return None
        if not self.may_be_blank and not node.text.strip():
            found = f"{at}: expected {self.what}, found {describe(node)}"
            report.add(codes.EMPTY_VALUE, node.span, found, hint="write it out, or take the key out")
            return None
        if self.pattern is not None and not self.pattern.fullmatch(node.text):
            found = f"{at}: expected {self.rule or self.what}, found {describe(node)}"
            report.add(codes.BAD_NAME, node.span, found, hint=self._near(node.text))
            return None
        return node.text

    def _near(self, text: str) -> str:
        """The same with other characters in the place of those that may not be there."""
        for kept in (r"[^A-Za-z0-9_.:,/-]+", r"[^A-Za-z0-9]+"):
            for instead in "-_":
                near = re.sub(kept, instead, text).strip("-_/")
                if self.pattern is not None and near and self.pattern.fullmatch(near):
                    return f'write "{near}"'
        return ""

    def schema(self) -> PlainMap:
        """See `Shape.schema`."""
        if self.pattern is None:
            kinds: list[Plain] = ["string", "number", "boolean"]
            return {"type": kinds} if self.may_be_blank else {"type": kinds, "pattern": r"\S"}
        written = f"^(?:{self.pattern.pattern})$"
        if any(self.pattern.fullmatch(text) for text in ("0", "true")):  # editors read those as no text
            return {"anyOf": [{"type": "string", "pattern": written}, {"type": ["number", "boolean"]}]}
        return {"type": "string", "pattern": written}


@dataclass(frozen=True, slots=True, kw_only=True)
class Integer(Shape[int]):
    """A decimal integer within bounds, or an expression that gives one."""

    minimum: int | None = None
    maximum: int | None = None

    @property
    def words(self) -> str:
        """See `Shape.words`."""
        if self.minimum is not None and self.maximum is not None:
            return f"an integer from {self.minimum} to {self.maximum}"
        return "an integer" if self.minimum is None else f"an integer of at least {self.minimum}"

    @property
    def how(self) -> str:
        """See `Shape.how`."""
        return "write a whole number, without a unit"

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return isinstance(node, Scalar)

    def read(self, node: Node, report: Report, at: str) -> int | None:
        """See `Shape.read`."""
        if is_deferred(node, report):
            return None
        number = _decimal(node)
        if number is None or not self.holds(number):
            unexpected(self, node, report, at)
            return None
        return number

    def holds(self, number: int) -> bool:
        """Whether a number is within the bounds."""
        return (self.minimum is None or number >= self.minimum) and (self.maximum is None or number <= self.maximum)

    def schema(self) -> PlainMap:
        """See `Shape.schema`."""
        bounds: dict[str, Plain] = {"type": "integer"}
        if self.minimum is not None:
            bounds["minimum"] = self.minimum
        if self.maximum is not None:
            bounds["maximum"] = self.maximum
        return {"anyOf": [bounds, {"type": "string", "pattern": r"^-?(?:0|[1-9][0-9]*)$|\{\{"}]}


_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")


def _decimal(node: Node) -> int | None:
    """The number that a scalar spells in decimal; `010`, `0x1F` and `1e3` are read differently by different readers."""
    if isinstance(node, Scalar) and _DECIMAL.fullmatch(node.text.strip()):
        return int(node.text)
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Boolean(Shape[bool]):
    """`true` or `false`, or an expression that gives one of them."""

    @property
    def words(self) -> str:
        """See `Shape.words`."""
        return "true or false"

    @property
    def how(self) -> str:
        """See `Shape.how`."""
        return "write true or false"

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return isinstance(node, Scalar)

    def read(self, node: Node, report: Report, at: str) -> bool | None:
        """See `Shape.read`."""
        if is_deferred(node, report):
            return None
        text = node.text.strip() if isinstance(node, Scalar) else ""
        if text in ("true", "false"):
            return text == "true"
        unexpected(self, node, report, at)
        return None

    def schema(self) -> PlainMap:
        """See `Shape.schema`."""
        return {"anyOf": [{"type": "boolean"}, {"type": "string", "pattern": r"^(?:true|false)$|\{\{"}]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Date(Shape[datetime.date]):
    """A day as `YYYY-MM-DD`."""

    @property
    def words(self) -> str:
        """See `Shape.words`."""
        return "a date as YYYY-MM-DD"

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return isinstance(node, Scalar)

    def read(self, node: Node, report: Report, at: str) -> datetime.date | None:
        """See `Shape.read`."""
        if isinstance(node, Scalar) and re.fullmatch(r"\d{4}-\d\d-\d\d", node.text):
            try:
                return datetime.date.fromisoformat(node.text)
            except ValueError:
                pass
        unexpected(self, node, report, at)
        return None

    def schema(self) -> PlainMap:
        """See `Shape.schema`."""
        return {"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Word(Shape[str]):
    """One of a few words."""

    choices: tuple[str, ...]

    @property
    def words(self) -> str:
        """See `Shape.words`."""
        return ("one of " if len(self.choices) > 1 else "") + listing(self.choices)

    @property
    def how(self) -> str:
        """See `Shape.how`."""
        return f"write {self.words}"

    def fits(self, node: Node) -> bool:
        """See `Shape.fits`."""
        return isinstance(node, Scalar)

    def read(self, node: Node, report: Report, at: str) -> str | None:
        """See `Shape.read`."""
        if isinstance(node, Scalar) and node.text in self.choices:
            return node.text
        if not isinstance(node, Scalar) or node.is_empty:
            unexpected(self, node, report, at)
            return None
        hint = report.meant(node.text, self.choices)
        report.add(codes.WRONG_TYPE, node.span, f"{at}: expected {self.words}, found {describe(node)}", hint=hint)
        return None

    def schema(self) -> PlainMap:
        """See `Shape.schema`."""
        return {"enum": list(self.choices)}
