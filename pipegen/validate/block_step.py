"""Block steps: the gates that hold jobs back until somebody opens them."""

from collections.abc import Iterator
from typing import Final

from pipegen.plain import Path, Plain, PlainMap
from pipegen.validate.codes import MISSING_ATTRIBUTE
from pipegen.validate.command_step import check_branches_with_if
from pipegen.validate.conditional import check_condition
from pipegen.validate.fields import check_allowed_teams, check_fields
from pipegen.validate.key import check_depends_on, check_key, check_label
from pipegen.validate.problem import Problem
from pipegen.validate.shape import check_boolean, check_text, check_texts, check_word
from pipegen.validate.step import KEY_NAMES, LABEL_NAMES, Sound, StepType, check_step
from pipegen.validate.structure import Glance

_STATES: Final = ("passed", "failed", "running")


def check_block_step(step: PlainMap, sound: Sound | None = None) -> Iterator[Problem]:
    """Everything that Buildkite says about one block step. Whether its dependencies exist is `check_graph`'s."""
    yield from check_step(step, BLOCK_STEP, _check_whole, sound or Sound())


def _check_whole(step: PlainMap, _seen: Glance | None) -> Iterator[Problem]:
    if "block" not in step:
        message = 'a block step needs "block", its label'
        yield Problem(code=MISSING_ATTRIBUTE, path=(), message=message, help='add "block"')
    yield from check_branches_with_if(step)


def _check_blocked_state(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    yield from check_word(value, path, name, _STATES)


BLOCK_STEP: Final = StepType(
    title="a block step",
    words=("block",),
    aliases=(KEY_NAMES, LABEL_NAMES),
    checks={
        "allow_dependency_failure": check_boolean,
        "allowed_teams": check_allowed_teams,
        "block": check_label,
        "blocked_state": _check_blocked_state,
        "branches": check_texts,
        "depends_on": check_depends_on,
        "fields": check_fields,
        "id": check_key,
        "identifier": check_key,
        "if": check_condition,
        "key": check_key,
        "label": check_label,
        "name": check_label,
        "prompt": check_text,
        "submit": check_text,
    },
)
