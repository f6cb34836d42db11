"""Command steps, attribute by attribute and as a whole."""

from collections.abc import Iterator
from typing import Final

from pipegen.plain import Path, Plain, PlainMap
from pipegen.validate.agents import check_agents
from pipegen.validate.checkout import check_cache, check_checkout
from pipegen.validate.codes import (
    BRANCHES_WITH_IF,
    CONCURRENCY_INCOMPLETE,
    LONG_CONCURRENCY_GROUP,
    MATRIX_PARALLELISM,
    NO_COMMAND,
    SIGNATURE,
)
from pipegen.validate.conditional import check_condition
from pipegen.validate.environment import check_env
from pipegen.validate.if_changed import check_if_changed
from pipegen.validate.key import check_depends_on, check_key, check_label
from pipegen.validate.matrix import check_matrix
from pipegen.validate.matrix_reference import check_matrix_references
from pipegen.validate.notify import check_step_notify
from pipegen.validate.outcome import check_skip, check_soft_fail
from pipegen.validate.path_glob import check_glob_syntax
from pipegen.validate.plugins import check_plugins
from pipegen.validate.problem import Problem
from pipegen.validate.retry import check_retry
from pipegen.validate.shape import (
    check_boolean,
    check_filled_text,
    check_integer,
    check_positive,
    check_texts,
    check_word,
    entries,
)
from pipegen.validate.step import KEY_NAMES, LABEL_NAMES, Sound, StepType, check_step
from pipegen.validate.step_secrets import check_secrets
from pipegen.validate.structure import Glance
from pipegen.validate.upload import without_references

LONGEST_CONCURRENCY_GROUP: Final = 200
_METHODS: Final = ("ordered", "eager")
_COMMAND_NAMES: Final = ("command", "commands")
_TRIO: Final = ("concurrency", "concurrency_group", "concurrency_method")


def check_command_step(step: PlainMap, sound: Sound | None = None) -> Iterator[Problem]:
    """Everything that Buildkite says about one command step. Whether its dependencies exist is `check_graph`'s.

    `sound` is what was seen of other steps of the pipeline.
    """
    yield from check_step(step, COMMAND_STEP, _check_whole, sound or Sound())


def _check_whole(step: PlainMap, seen: Glance | None) -> Iterator[Problem]:
    yield from _check_command(step)
    yield from _check_concurrency(step)
    if "matrix" in step and "parallelism" in step:
        message = '"matrix" and "parallelism" exclude each other on one step'
        hint = "make the shards a dimension of the matrix, or a step for each element"
        yield Problem(code=MATRIX_PARALLELISM, path=("parallelism",), message=message, help=hint)
    yield from check_branches_with_if(step)
    if seen is None or "{{" in seen.texts:
        yield from check_matrix_references(step)


def check_branches_with_if(step: PlainMap) -> Iterator[Problem]:
    """A step filters by branch or by condition, not by both."""
    if "branches" in step and "if" in step:
        message = '"branches" and "if" exclude each other on one step'
        hint = 'write the branches into the "if", as in build.branch == "main" && ...'
        yield Problem(code=BRANCHES_WITH_IF, path=("branches",), message=message, help=hint)


def _check_command(step: PlainMap) -> Iterator[Problem]:
    """A command that is not blank, or plugins, which may run without one."""
    if step.get("plugins") or any(_says_something(step.get(name)) for name in _COMMAND_NAMES):
        return
    given = next((name for name in _COMMAND_NAMES if name in step), None)
    if given is not None and step[given] is None:
        return  # already said to be no text
    found = "a command step without a command" if given is None else f"{given} is empty"
    message = f"{found}: expected a command or plugins"
    yield Problem(code=NO_COMMAND, path=() if given is None else (given,), message=message, help='add "commands"')


def _says_something(command: Plain) -> bool:
    items = entries(command)
    if items is not None:
        return any(_says_something(item) for item in items)
    return command is not None and str(command).strip() != ""


def _check_concurrency(step: PlainMap) -> Iterator[Problem]:
    """`concurrency` and `concurrency_group` come together; without its partner either has no effect, or an error."""
    given = [name for name in _TRIO if name in step]
    missing = [name for name in _TRIO[:2] if name not in step]
    if given and missing:
        message = f"{given[0]} has no effect without {' and '.join(missing)}"
        yield Problem(code=CONCURRENCY_INCOMPLETE, path=(given[0],), message=message, help=f'add "{missing[0]}"')


def _check_concurrency_group(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    yield from check_filled_text(value, path, name)
    length = len(without_references(value)) if isinstance(value, str) else 0
    if length > LONGEST_CONCURRENCY_GROUP:
        message = f"{name} has {length} characters: expected at most {LONGEST_CONCURRENCY_GROUP}"
        yield Problem(code=LONG_CONCURRENCY_GROUP, path=path, message=message, help="shorten it")


def _check_concurrency_method(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    yield from check_word(value, path, name, _METHODS)


def _check_artifact_paths(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """Globs: a list, or a text with `;` between them."""
    yield from check_texts(value, path, name)
    items = entries(value)
    for index, item in enumerate(items if items is not None else (value,)):
        for glob in item.split(";") if isinstance(item, str) else ():
            yield from check_glob_syntax(glob.strip(), path if items is None else (*path, index), name)


def _check_signature(value: Plain, path: Path, name: str) -> Iterator[Problem]:  # noqa: ARG001 (whatever it is)
    message = f"{name} cannot be written by hand: the agent signs steps when it uploads them"
    yield Problem(code=SIGNATURE, path=path, message=message, help="take it out")


COMMAND_STEP: Final = StepType(
    title="a command step",
    words=("command", "script"),
    aliases=(
        _COMMAND_NAMES,
        KEY_NAMES,
        LABEL_NAMES,
        ("timeout_in_minutes", "timeout"),
        ("agents", "agent_query_rules"),
        ("artifact_paths", "artifacts"),
    ),
    checks={
        "agent_query_rules": check_agents,
        "agents": check_agents,
        "allow_dependency_failure": check_boolean,
        "artifact_paths": _check_artifact_paths,
        "artifacts": _check_artifact_paths,
        "branches": check_texts,
        "cache": check_cache,
        "cancel_on_build_failing": check_boolean,
        "checkout": check_checkout,
        "command": check_texts,
        "commands": check_texts,
        "concurrency": check_positive,
        "concurrency_group": _check_concurrency_group,
        "concurrency_method": _check_concurrency_method,
        "depends_on": check_depends_on,
        "env": check_env,
        "id": check_key,
        "identifier": check_key,
        "if": check_condition,
        "if_changed": check_if_changed,
        "image": check_filled_text,
        "key": check_key,
        "label": check_label,
        "matrix": check_matrix,
        "name": check_label,
        "notify": check_step_notify,
        "parallelism": check_positive,
        "plugins": check_plugins,
        "priority": check_integer,
        "retry": check_retry,
        "secrets": check_secrets,
        "signature": _check_signature,
        "skip": check_skip,
        "soft_fail": check_soft_fail,
        "timeout": check_positive,
        "timeout_in_minutes": check_positive,
    },
)
