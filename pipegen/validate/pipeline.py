"""The frame around the steps: the pipeline's own attributes, its groups, and of which types its steps are."""

from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.diagnostics import closest
from pipegen.plain import Path, Plain, PlainMap
from pipegen.validate.agents import check_agents
from pipegen.validate.checkout import check_pipeline_checkout
from pipegen.validate.codes import (
    GROUP_EMPTY,
    GROUP_NESTED,
    PIPELINE_ATTRIBUTE,
    PIPELINE_EMPTY,
    PIPELINE_ENV,
    STEP_TYPE,
)
from pipegen.validate.conditional import check_condition
from pipegen.validate.environment import check_env
from pipegen.validate.if_changed import check_if_changed
from pipegen.validate.key import check_depends_on, check_key, check_label
from pipegen.validate.notify import check_build_notify, check_step_notify
from pipegen.validate.outcome import check_skip
from pipegen.validate.problem import Problem
from pipegen.validate.shape import (
    NamedCheck,
    check_boolean,
    check_filled_text,
    check_integer,
    entries,
    wrong_type,
)
from pipegen.validate.step import KEY_NAMES, LABEL_NAMES, Sound, StepType, check_step, step_type
from pipegen.validate.step_secrets import check_secrets
from pipegen.validate.structure import Glance, check_characters, check_structure
from pipegen.validate.upload import listed, shown

_EMITTED: Final = 'one with "command", "block" or "group"'


def check_pipeline(pipeline: PlainMap) -> Iterator[Problem]:
    """Everything but the insides of command and block steps, which have checks of their own.

    Paths begin at the pipeline: `("steps", 0, "steps", 3)` is the fourth step of the first group.
    """
    frame = {name: value for name, value in pipeline.items() if name != "steps"}
    broken = tuple(check_structure(frame))
    yield from broken
    if not broken:
        yield from check_characters(frame)
        yield from _check_attributes(frame)
    steps = entries(pipeline.get("steps"))
    if steps is None and pipeline.get("steps") is not None:
        yield wrong_type(pipeline["steps"], ("steps",), "steps", "a list of steps")
    elif not steps:
        message = "the pipeline has no steps: an empty pipeline must not be uploaded"
        yield Problem(code=PIPELINE_EMPTY, path=("steps",), message=message, help="upload nothing instead")
    for index, step in enumerate(steps or ()):
        yield from _check_step(step, ("steps", index), inside=None)


def _check_attributes(pipeline: PlainMap) -> Iterator[Problem]:
    for name, value in pipeline.items():
        check = _ATTRIBUTES.get(name)
        if check is not None:
            yield from check(value, (name,), name)
        else:
            near = closest(name, (*_ATTRIBUTES, "steps"))
            message = f"{shown(name)} is not an attribute of a pipeline, and Buildkite ignores it"
            hint = f'did you mean "{near}"?' if near is not None else ""
            yield Problem(code=PIPELINE_ATTRIBUTE, path=(name,), message=message, help=hint)


def _check_pipeline_env(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    message = "the env of an uploaded pipeline also changes every step of the build that has not started"
    yield Problem(code=PIPELINE_ENV, path=path, message=message, help='write it into the "env" of the steps')
    yield from check_env(value, path, name)


def _check_step(step: Plain, path: Path, *, inside: str | None) -> Iterator[Problem]:
    """The type of a step, and all of a group. `inside` is the label of the group around it."""
    if not isinstance(step, Mapping):
        if isinstance(step, str):
            yield _unexpected(f"the step {shown(step)} is none that pipegen checks", path)
        else:
            yield wrong_type(step, path, "a step", "a mapping")
        return
    kind = step_type(step)
    if kind == "group":
        yield from _check_group(step, path, inside)
    elif kind is None:
        found = listed(map(str, step), limit=6) if step else "an empty mapping"
        yield _unexpected(f"{found} makes no step of any type", path)
    elif kind not in ("command", "block"):
        yield _unexpected(f"this is {'an' if kind == 'input' else 'a'} {kind} step, which pipegen does not check", path)


def _unexpected(message: str, path: Path) -> Problem:
    return Problem(code=STEP_TYPE, path=path, message=f"{message}: expected {_EMITTED}")


def _check_group(group: PlainMap, path: Path, inside: str | None) -> Iterator[Problem]:
    if inside is not None:
        message = f"a group stands inside {inside}"
        yield Problem(code=GROUP_NESTED, path=path, message=message, help="put its steps into the outer group")
        return
    frame = {name: value for name, value in group.items() if name != "steps"}
    for problem in check_step(frame, GROUP, _nothing_more, Sound()):
        yield Problem(code=problem.code, path=(*path, *problem.path), message=problem.message, help=problem.help)
    label = _label(group)
    steps = entries(group.get("steps"))
    if steps is None and group.get("steps") is not None:
        yield wrong_type(group["steps"], (*path, "steps"), "steps of a group", "a list of steps")
    elif not steps:
        message = f"{label} has no steps: expected at least one"
        yield Problem(code=GROUP_EMPTY, path=path, message=message, help="leave the group out")
    for index, step in enumerate(steps or ()):
        yield from _check_step(step, (*path, "steps", index), inside=label)


def _label(group: PlainMap) -> str:
    """A group, for a message, by the first name that it has."""
    named = next((name for name in ("group", "label", "name", "key") if isinstance(group.get(name), str)), None)
    return f"the group {shown(group[named])}" if named is not None else "a group without a label"


def _nothing_more(_group: PlainMap, _seen: Glance | None) -> Iterator[Problem]:
    """A group has no rules across attributes."""
    yield from ()


def _check_group_label(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    if value is not None:
        yield from check_label(value, path, name)


GROUP: Final = StepType(
    title="a group",
    words=(),  # the server wants the key, and is said to refuse the type
    aliases=(KEY_NAMES, LABEL_NAMES),
    checks={
        "allow_dependency_failure": check_boolean,
        "depends_on": check_depends_on,
        "group": _check_group_label,
        "id": check_key,
        "identifier": check_key,
        "if": check_condition,
        "if_changed": check_if_changed,
        "key": check_key,
        "label": check_label,
        "name": check_label,
        "notify": check_step_notify,
        "skip": check_skip,
    },
)

_ATTRIBUTES: Final[Mapping[str, NamedCheck]] = {
    "agents": check_agents,
    "checkout": check_pipeline_checkout,
    "env": _check_pipeline_env,
    "image": check_filled_text,
    "notify": check_build_notify,
    "priority": check_integer,
    "secrets": check_secrets,
}
