"""What conditions can name, of which type it is, and what may be compared with what.

Buildkite checks the types of a condition when the pipeline is uploaded. These are the variables and rules of its
documentation and of its own conditional library.
"""

import enum
import re
from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import closest, listing
from pipegen.plain import show
from pipegen.validate.codes import IF_TYPE
from pipegen.validate.conditional_tokens import Fault
from pipegen.validate.upload import shown

_NAMED: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*(\([^()]*\))?")  # a variable or a call


class Kind(enum.Enum):
    """The type of a value; UNKNOWN where a fault was already reported, or the agent fills it in."""

    TEXT = "text"
    NUMBER = "a number"
    BOOLEAN = "a boolean"
    NULL = "null"
    REGEX = "a regular expression"
    LIST = "a list of texts"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """A part of a condition: its type, what was written, where it begins.

    `words` are the members of an enumeration, such as the states of a build; `literal` is a text known now.
    """

    kind: Kind
    source: str
    start: int
    words: tuple[str, ...] = ()
    literal: str | None = None

    @property
    def is_enumeration(self) -> bool:
        """Whether only a few words can be compared with it."""
        return bool(self.words)

    def described(self) -> str:
        """For a message: what was written and what that is."""
        what = f"one of {listing(self.words, limit=3)}" if self.words else self.kind.value
        return f"{_cut(self.source)} is {what}" if self.source != self.kind.value else f"this is {what}"


def _cut(source: str) -> str:
    """A part of a condition for a message; what has quotes of its own gets no more of them."""
    line = " ".join(source.split())
    short = line if len(line) <= 50 else line[:47] + "..."
    return short if '"' in short else shown(short)


VARIABLES: Final[Mapping[str, Kind]] = {
    "build.id": Kind.TEXT,
    "build.state": Kind.TEXT,
    "build.fixed": Kind.BOOLEAN,
    "build.blocked_state": Kind.TEXT,
    "build.source": Kind.TEXT,
    "build.source_event": Kind.TEXT,
    "build.source_action": Kind.TEXT,
    "build.branch": Kind.TEXT,
    "build.tag": Kind.TEXT,
    "build.message": Kind.TEXT,
    "build.commit": Kind.TEXT,
    "build.number": Kind.NUMBER,
    "build.creator.id": Kind.TEXT,
    "build.creator.name": Kind.TEXT,
    "build.creator.email": Kind.TEXT,
    "build.creator.teams": Kind.LIST,
    "build.creator.verified": Kind.BOOLEAN,
    "build.author.id": Kind.TEXT,
    "build.author.name": Kind.TEXT,
    "build.author.email": Kind.TEXT,
    "build.author.teams": Kind.LIST,
    "build.scm.author.name": Kind.TEXT,
    "build.scm.author.email": Kind.TEXT,
    "build.scm.committer.name": Kind.TEXT,
    "build.scm.committer.email": Kind.TEXT,
    "build.pull_request.id": Kind.TEXT,
    "build.pull_request.base_branch": Kind.TEXT,
    "build.pull_request.draft": Kind.BOOLEAN,
    "build.pull_request.label": Kind.TEXT,
    "build.pull_request.labels": Kind.LIST,
    "build.pull_request.repository": Kind.TEXT,
    "build.pull_request.repository.fork": Kind.BOOLEAN,
    "build.merge_queue.base_branch": Kind.TEXT,
    "build.merge_queue.base_commit": Kind.TEXT,
    "pipeline.id": Kind.TEXT,
    "pipeline.slug": Kind.TEXT,
    "pipeline.default_branch": Kind.TEXT,
    "pipeline.repository": Kind.TEXT,
    "pipeline.started_passing": Kind.BOOLEAN,
    "pipeline.started_failing": Kind.BOOLEAN,
    "pipeline.next_finished_build_exists": Kind.BOOLEAN,
    "organization.id": Kind.TEXT,
    "organization.slug": Kind.TEXT,
}
"""The variables of every condition."""

STEP_VARIABLES: Final[Mapping[str, Kind]] = {
    f"step.{name}": Kind.TEXT for name in ("id", "key", "type", "label", "state", "outcome")
}
"""The variables that only the conditions of a step's notifications have."""

ENUMERATIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "build.source": ("api", "ui", "webhook", "trigger_job", "schedule", "pipeline_trigger"),
    "build.state": (
        "creating",
        "started",
        "running",
        "scheduled",
        "blocked",
        "passed",
        "failing",
        "failed",
        "canceling",
        "canceled",
        "skipped",
        "not_run",
    ),
    "build.blocked_state": ("failed", "passed", "running"),
    "step.type": ("command", "wait", "input", "trigger", "group"),
    "step.state": (
        "ignored",
        "waiting_for_dependencies",
        "ready",
        "waiting_for_input",
        "running",
        "failing",
        "canceled",
        "finished",
    ),
    "step.outcome": ("neutral", "passed", "soft_failed", "hard_failed", "errored"),
}
"""The words that a variable can be, and be compared with."""


def _fault(operand: Operand, message: str, hint: str = "") -> Fault:
    return Fault(code=IF_TYPE, start=operand.start, message=message, help=hint)


def check_boolean_operand(operand: Operand, user: str) -> Iterator[Fault]:
    """What `user` ("&&", "!", the condition itself) takes must be a boolean: nothing else counts as true or false."""
    match operand.kind:
        case Kind.BOOLEAN | Kind.UNKNOWN:
            return
        case Kind.TEXT if operand.is_enumeration:
            hint = f"compare it, as in {operand.source} == {show(operand.words[0])}"
        case Kind.TEXT if _NAMED.fullmatch(operand.source):
            constant = '== "true"' if operand.source.endswith(")") else "!= null"
            hint = f"compare it, as in {operand.source} {constant}"
        case Kind.LIST:
            hint = f'ask for a member, as in {operand.source} includes "text"'
        case Kind.NUMBER if _NAMED.fullmatch(operand.source):
            hint = f"compare it, as in {operand.source} == 1"
        case _:
            hint = ""
    yield _fault(operand, f"{user} needs a boolean, but {operand.described()}", hint)


def check_comparison(left: Operand, right: Operand, operator: str) -> Iterator[Fault]:
    """`==` and `!=`: two of a kind, or anything and null; an enumeration on the left, a member on the right."""
    if Kind.UNKNOWN in (left.kind, right.kind):
        return
    unfit = [side for side in (left, right) if side.kind in (Kind.LIST, Kind.REGEX)]
    if unfit:
        hint = 'write "includes"' if unfit[0].kind is Kind.LIST else f'write "{"=~" if operator == "==" else "!~"}"'
        yield _fault(unfit[0], f'"{operator}" compares single values, but {unfit[0].described()}', hint)
    elif Kind.NULL in (left.kind, right.kind):
        return
    elif left.is_enumeration:
        yield from _check_word(left, right, operator)
    elif right.is_enumeration:
        message = f'{_cut(right.source)} stands on the right of "{operator}": expected on the left'
        yield _fault(right, message, f"write {right.source} {operator} {left.source}")
    elif left.kind is not right.kind:
        message = f'"{operator}" compares two of a kind, but {left.described()} and {right.described()}'
        yield _fault(right, message, _same_kind(left, right))


def _check_word(left: Operand, right: Operand, operator: str) -> Iterator[Fault]:
    if right.is_enumeration or right.kind is not Kind.TEXT:
        expected = f"expected one of {listing(left.words)}"
        yield _fault(right, f"{left.source} {operator} {right.source} cannot be compared: {expected}")
    elif right.literal is not None and right.literal not in left.words:
        near = closest(right.literal, left.words)
        message = f"{left.source} is never {shown(right.literal)}: expected one of {listing(left.words)}"
        yield _fault(right, message, f'did you mean "{near}"?' if near is not None else "")


def _same_kind(left: Operand, right: Operand) -> str:
    """What to type so that both sides are of one kind, where one of them is a literal."""
    for variable, constant in ((left, right), (right, left)):
        if variable.kind is Kind.TEXT and constant.kind in (Kind.NUMBER, Kind.BOOLEAN) and constant.source.isalnum():
            return f'quote it: "{constant.source}"'
        literal = constant.literal or ""
        if (variable.kind is Kind.NUMBER and literal.isdecimal()) or (
            variable.kind is Kind.BOOLEAN and literal in ("true", "false")
        ):
            return f"write {constant.literal} without quotes"
    return ""


def check_match(left: Operand, right: Operand, operator: str) -> Iterator[Fault]:
    """`=~` and `!~`: text or null on the left, a regular expression on the right; no enumerations."""
    if left.is_enumeration:
        equal = "==" if operator == "=~" else "!="
        hint = f"write {left.source} {equal} {show(left.words[0])}"
        yield _fault(left, f'"{operator}" needs text on its left, but {left.described()}', hint)
    elif left.kind not in (Kind.TEXT, Kind.NULL, Kind.UNKNOWN):
        hint = f"write {left.source} includes {right.source}" if left.kind is Kind.LIST else ""
        yield _fault(left, f'"{operator}" needs text on its left, but {left.described()}', hint)
    if right.kind not in (Kind.REGEX, Kind.UNKNOWN):
        hint = f"write /{right.literal}/" if right.literal and "/" not in right.literal else ""
        message = f'"{operator}" needs a regular expression on its right, but {right.described()}'
        yield _fault(right, message, hint)


def check_includes(left: Operand, right: Operand) -> Iterator[Fault]:
    """`includes`: a list on the left; text, a regular expression or null on the right."""
    if left.kind not in (Kind.LIST, Kind.UNKNOWN):
        hint = f"write {right.source} includes {left.source}" if right.kind is Kind.LIST else ""
        yield _fault(left, f'"includes" needs a list on its left, but {left.described()}', hint)
    elif right.kind not in (Kind.TEXT, Kind.REGEX, Kind.NULL, Kind.UNKNOWN):
        message = f'"includes" needs text or a regular expression on its right, but {right.described()}'
        yield _fault(right, message)


def check_member(member: Operand) -> Iterator[Fault]:
    """A list holds texts alone."""
    if member.kind not in (Kind.TEXT, Kind.UNKNOWN):
        hint = f'quote it: "{member.source}"' if member.kind in (Kind.NUMBER, Kind.BOOLEAN) else ""
        yield _fault(member, f"a list holds texts, but {member.described()}", hint)


def either(left: Operand, right: Operand) -> tuple[Operand, tuple[Fault, ...]]:
    """The value of `... ? left : right`, and what is wrong with it: both branches must be of one kind."""
    unknown = replace(left, kind=Kind.UNKNOWN, words=(), literal=None)
    if Kind.UNKNOWN in (left.kind, right.kind):
        return unknown, ()
    if left.kind is Kind.NULL:
        return replace(right, literal=None), ()
    if right.kind is Kind.NULL or left.kind is right.kind:
        return replace(left, literal=None), ()
    message = f'"?" chooses between two of a kind, but {left.described()} and {right.described()}'
    return unknown, (_fault(right, message, _same_kind(left, right)),)
