"""`if`: the conditions that the server decides when a pipeline is uploaded."""

from collections.abc import Iterator
from typing import Final

from pipegen.plain import Path, Plain
from pipegen.validate.codes import IF_BLANK, OUT_OF_RANGE
from pipegen.validate.problem import Problem
from pipegen.validate.shape import wrong_type

MAX_CONDITION: Final = 1 << 17
"""Characters of a condition. Buildkite documents no limit; longer ones take long to check for every job."""


def check_condition(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """The `if` of a step or group."""
    yield from _check(value, path, name, in_notify=False)


def check_notify_condition(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """The `if` of a notification, which can also look at the step's outcome."""
    yield from _check(value, path, name, in_notify=True)


def _check(value: Plain, path: Path, name: str, *, in_notify: bool) -> Iterator[Problem]:
    if not isinstance(value, str):
        yield wrong_type(value, path, name, "the text of a condition")
        return
    if not value.strip():
        message = f"{name} is blank, which is no condition"
        yield Problem(code=IF_BLANK, path=path, message=message, help="leave it out, or quote what begins with !")
        return
    if len(value) > MAX_CONDITION:
        message = f"{name} has {len(value):,} characters: expected at most {MAX_CONDITION:,}"
        yield Problem(code=OUT_OF_RANGE, path=path, message=message, help="decide it in the job's own commands")
        return
    from pipegen.validate.conditional_parser import condition_faults  # noqa: PLC0415 - few pipelines have a condition

    for fault in condition_faults(value, in_notify=in_notify):
        message = f"{fault.message} ({_place(value, fault.start)} of the condition)"
        yield Problem(code=fault.code, path=path, message=message, help=fault.help)


def _place(text: str, start: int) -> str:
    """Where something stands in a text, counting from 1; the line is named only where there are several."""
    if "\n" not in text.strip():
        return f"character {start + 1}"
    line = text.count("\n", 0, start)
    return f"line {line + 1}, character {start - text.rfind(chr(10), 0, start)}"
