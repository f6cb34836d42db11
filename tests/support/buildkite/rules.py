"""Why Buildkite rejects an uploaded pipeline, with the messages that people quoted in public."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TypeGuard

from pipegen.plain import Plain, PlainMap

SCALAR_STEPS = frozenset({"wait", "waiter", "block", "input", "manual"})
TYPE_KEYS = (
    *("command", "commands", "script", "plugins", "wait", "waiter"),
    *("block", "input", "manual", "trigger", "group"),
)
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
MAX_KEY = 100
MAX_SKIP = 70


def steps_of(container: PlainMap) -> tuple[Plain, ...]:
    """The steps of a pipeline or a group."""
    steps = container.get("steps")
    return tuple(steps) if _is_list(steps) else ()


def walk(steps: Iterable[Plain]) -> Iterator[Plain]:
    """Every step, those inside groups after their group."""
    for step in steps:
        yield step
        if isinstance(step, Mapping) and "group" in step:
            yield from walk(steps_of(step))


def key_of(step: Plain) -> str | None:
    """A step's key, under whichever of its three names."""
    if isinstance(step, Mapping):
        for name in ("key", "id", "identifier"):
            if step.get(name) is not None:
                return str(step[name])
    return None


def keys(steps: Iterable[Plain]) -> tuple[str, ...]:
    """The keys of all steps and groups."""
    return tuple(key for step in walk(steps) if (key := key_of(step)) is not None)


def job_count(steps: Iterable[Plain]) -> int:
    """What an upload counts against the limit: every step and every group, after parallelism and matrix."""
    return sum(_jobs(step) for step in walk(steps))


def rejection(
    steps: Sequence[Plain], *, used_keys: Iterable[str], jobs_per_upload: int, from_the_end: bool = False
) -> str | None:
    """Why an upload of `steps` is rejected as a whole by a build that has `used_keys`; None: it is accepted.

    Of several faults one is told; nobody documents that it is the first, so it may be the last (`from_the_end`).
    """
    if job_count(steps) > jobs_per_upload:
        return (
            f"The number of jobs in this upload exceeds your organization limit of {jobs_per_upload}. "
            "Please break the upload into batches below this limit, or contact support"
        )
    seen = set(used_keys)
    walked = list(walk(steps))
    for step in reversed(walked) if from_the_end else walked:
        fault = _shape_fault(step) or _key_fault(key_of(step), seen) or _skip_fault(step)
        if fault is not None:
            return fault
    return None


def _shape_fault(step: Plain) -> str | None:
    if isinstance(step, str) and step in SCALAR_STEPS:
        return None
    if not isinstance(step, Mapping) or not ("type" in step or any(name in step for name in TYPE_KEYS)):
        return f"Step is missing a type `{json.dumps(step, separators=(',', ':'))}`"
    if "group" not in step:
        return None
    if not steps_of(step):
        return "There must be at least 1 step in a group"
    if any(isinstance(inner, Mapping) and "group" in inner for inner in steps_of(step)):
        return "A group can't be inside another group"  # documented; how the server words it is not
    return None


def _key_fault(key: str | None, seen: set[str]) -> str | None:
    """The fault of a key; a key without one is added to `seen`."""
    if key is None:
        return None
    if len(key) > MAX_KEY:
        return _invalid(f"Step keys can have a maximum of {MAX_KEY} characters")
    if UUID.fullmatch(key):
        return _invalid("Step keys can't have the same pattern as a UUID (xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx)")
    if key in seen:
        return f'The key "{key}" has already been used by another step in this build'
    seen.add(key)
    return None


def _skip_fault(step: Plain) -> str | None:
    reason = step.get("skip") if isinstance(step, Mapping) else None
    if isinstance(reason, str) and len(reason) > MAX_SKIP:
        return _invalid(f"The reason provided to `skip` is too long. The maximum length is {MAX_SKIP} characters")
    return None


def _invalid(reason: str) -> str:
    return f"One of the steps you provided was invalid: {reason}"


def _jobs(step: Plain) -> int:
    if not isinstance(step, Mapping):
        return 1
    return max(_count(step.get("parallelism")), _matrix_size(step.get("matrix")), 1)


def _count(parallelism: Plain) -> int:
    """Interpolated numbers arrive as text."""
    if isinstance(parallelism, str) and parallelism.isdecimal():
        return int(parallelism)
    return parallelism if isinstance(parallelism, int) else 1


def _matrix_size(matrix: Plain) -> int:
    """Combinations of a matrix, those added by adjustments included, none of the skipped ones taken away."""
    if _is_list(matrix):
        return len(matrix)
    if not isinstance(matrix, Mapping):
        return 1
    setup = matrix.get("setup")
    if _is_list(setup):
        setup = {"": setup}
    dimensions = dict(setup) if isinstance(setup, Mapping) else {}
    values = [[str(value) for value in of] if _is_list(of) else [str(of)] for of in dimensions.values()]
    combinations = set(product(*values))
    adjustments = matrix.get("adjustments")
    for adjustment in adjustments if _is_list(adjustments) else ():
        chosen = adjustment.get("with") if isinstance(adjustment, Mapping) else None
        named = chosen if isinstance(chosen, Mapping) else {"": chosen}
        combinations.add(tuple(str(named.get(name)) for name in dimensions))
    return len(combinations)


def _is_list(value: Plain) -> TypeGuard[Sequence[Plain]]:
    return isinstance(value, Sequence) and not isinstance(value, str)
