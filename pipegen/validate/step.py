"""What steps of every type have in common: a type, names that are given once, plain data."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.diagnostics import closest, listing
from pipegen.plain import Plain, PlainMap
from pipegen.validate.codes import ALIAS_TWICE, STEP_TYPE, UNKNOWN_ATTRIBUTE
from pipegen.validate.problem import Problem
from pipegen.validate.shape import NamedCheck
from pipegen.validate.structure import Glance, Glances, check_characters, check_structure
from pipegen.validate.upload import shown

TYPE_KEYS: Final[Mapping[str, str]] = {
    "command": "command",
    "commands": "command",
    "plugins": "command",
    "wait": "wait",
    "waiter": "wait",
    "block": "block",
    "input": "input",
    "manual": "input",
    "trigger": "trigger",
    "group": "group",
}
"""The keys by which the agent tells what a step is, in the order in which it looks for them."""

KEY_NAMES: Final = ("key", "id", "identifier")
LABEL_NAMES: Final = ("label", "name")


_TYPE_WORDS: Final[Mapping[str, str]] = {
    "command": "command",
    "script": "command",
    "wait": "wait",
    "waiter": "wait",
    "block": "block",
    "input": "input",
    "manual": "input",
    "trigger": "trigger",
    "group": "group",
}
"""The values of `type` that the agent knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepType:
    """A type of step.

    `title` is what messages call it, `words` are its values of `type`; `aliases` are groups of names for one
    attribute, the usual one first.
    """

    title: str
    words: tuple[str, ...]
    checks: Mapping[str, NamedCheck]
    aliases: tuple[tuple[str, ...], ...]


def step_type(step: PlainMap) -> str | None:
    """What the agent takes a step for, or None where it has no idea."""
    word = step.get("type")
    if isinstance(word, str):
        return _TYPE_WORDS.get(word)
    return next((TYPE_KEYS[name] for name in TYPE_KEYS if name in step), None)


class Sound:
    """What was seen of the steps of a pipeline: an attribute that stands in several of them is checked once.

    Whether it is sound depends on nothing but itself. Values are held, so that nothing else gets their id.
    """

    def __init__(self) -> None:
        self.glances = Glances()
        self._sound: dict[tuple[NamedCheck, int], Plain] = {}

    def check(self, check: NamedCheck, value: Plain, name: str) -> Iterator[Problem]:
        """What the check finds; what it found nothing wrong with is not looked at again."""
        if isinstance(value, str | int | None):  # to look at those takes no longer than to look them up
            yield from check(value, (name,), name)
        elif (check, id(value)) not in self._sound:
            problems = tuple(check(value, (name,), name))
            yield from problems
            if not problems:
                self._sound[check, id(value)] = value


def check_step(
    step: PlainMap, kind: StepType, whole: Callable[[PlainMap, Glance | None], Iterator[Problem]], sound: Sound
) -> Iterator[Problem]:
    """Everything about a step of a known type: its plain data, its attributes one by one, then `whole`."""
    seen = sound.glances.of(step)
    if seen is None:
        broken = tuple(check_structure(step))
        yield from broken
        if broken:
            return
    if seen is None or not seen.is_carried:
        yield from check_characters(step)
    yield from _check_type(step, kind)
    yield from _check_aliases(step, kind)
    for name, value in step.items():
        check = kind.checks.get(name)
        if check is not None:
            yield from sound.check(check, value, name)
        elif name != "type" and name not in TYPE_KEYS:
            yield _unknown(name, kind)
    yield from whole(step, seen)


def _check_type(step: PlainMap, kind: StepType) -> Iterator[Problem]:
    """No second type: the agent would look at the first and drop, or upload, what belongs to the other."""
    if "type" in step and step["type"] not in kind.words:
        expected = f"expected one of {listing(kind.words)}" if kind.words else 'its "group" is enough'
        message = f"the type of {kind.title} is {shown(step['type'])}: {expected}"
        yield Problem(code=STEP_TYPE, path=("type",), message=message, help="leave the type out")
    for name, other in TYPE_KEYS.items():
        if name in step and name not in kind.checks:
            message = f'{kind.title} cannot have "{name}", which makes {_TITLES[other]}'
            yield Problem(code=STEP_TYPE, path=(name,), message=message, help="make a step of each")


_TITLES: Final[Mapping[str, str]] = {
    "command": "a command step",
    "wait": "a wait step",
    "block": "a block step",
    "input": "an input step",
    "trigger": "a trigger step",
    "group": "a group",
}


def _check_aliases(step: PlainMap, kind: StepType) -> Iterator[Problem]:
    for names in kind.aliases:
        given = [name for name in step if name in names]
        for extra in given[1:]:
            message = f'"{given[0]}" and "{extra}" are two names of one attribute'
            yield Problem(code=ALIAS_TWICE, path=(extra,), message=message, help=f'keep "{names[0]}" alone')


def _unknown(name: str, kind: StepType) -> Problem:
    near = closest(name, (known for known in (*kind.checks, "type") if known != "signature"))
    if name in _ELSEWHERE:
        hint = f"it belongs to {_ELSEWHERE[name]}"
    elif near is not None:
        hint = f'did you mean "{near}"?'
    else:
        hint = "take it out: Buildkite rejects the whole upload"
    message = f"{shown(name)} is not an attribute of {kind.title}"
    return Problem(code=UNKNOWN_ATTRIBUTE, path=(name,), message=message, help=hint)


_ELSEWHERE: Final[Mapping[str, str]] = {
    **dict.fromkeys(("fields", "prompt", "submit", "blocked_state", "allowed_teams"), "a block or input step"),
    **dict.fromkeys(("async", "build"), "a trigger step"),
    **dict.fromkeys(
        (
            "agents",
            "artifact_paths",
            "cache",
            "cancel_on_build_failing",
            "checkout",
            "concurrency",
            "concurrency_group",
            "concurrency_method",
            "env",
            "image",
            "matrix",
            "parallelism",
            "priority",
            "retry",
            "secrets",
            "soft_fail",
            "timeout_in_minutes",
        ),
        "a command step",
    ),
    "branches": "a command or block step",
    "continue_on_failure": "a wait step",
    "if_changed": "a command step, a trigger step or a group",
    "notify": "a command step or a group",
    "skip": "a command step or a group",
    "steps": "a group",
}
"""Where an attribute belongs that Buildkite knows, for steps that do not have it."""
