"""A bad step, the one problem that it has, and the same step put right."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pipegen.diagnostics import Code
from pipegen.plain import Path, PlainMap
from pipegen.validate.block_step import check_block_step
from pipegen.validate.command_step import check_command_step
from pipegen.validate.pipeline import check_pipeline
from pipegen.validate.problem import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """`check(bad)` yields exactly this problem, `check(good)` nothing."""

    check: Callable[[PlainMap], Iterable[Problem]]
    bad: PlainMap
    good: PlainMap
    code: Code
    path: Path
    message: str
    help: str = ""

    def __str__(self) -> str:
        return f"{self.code.name}: {self.message[:60]}"

    @property
    def problem(self) -> Problem:
        """What the bad step has."""
        return Problem(code=self.code, path=self.path, message=self.message, help=self.help)


def command(bad: PlainMap, good: PlainMap, code: Code, path: Path, says: tuple[str, str]) -> Case:
    """A command step that runs `make`, with more attributes; `says` is message and help."""
    base: PlainMap = {"key": "build", "command": "make"}
    return Case(
        check=check_command_step,
        bad={**base, **bad},
        good={**base, **good},
        code=code,
        path=path,
        message=says[0],
        help=says[1],
    )


def block(bad: PlainMap, good: PlainMap, code: Code, path: Path, says: tuple[str, str]) -> Case:
    """A block step with a label, with more attributes."""
    base: PlainMap = {"key": "block-build", "block": "Run build"}
    return Case(
        check=check_block_step,
        bad={**base, **bad},
        good={**base, **good},
        code=code,
        path=path,
        message=says[0],
        help=says[1],
    )


def pipeline(bad: PlainMap, good: PlainMap, code: Code, path: Path, says: tuple[str, str]) -> Case:
    """A whole pipeline."""
    return Case(check=check_pipeline, bad=bad, good=good, code=code, path=path, message=says[0], help=says[1])


def field_case(bad: PlainMap, good: PlainMap, code: Code, path: Path, says: tuple[str, str]) -> Case:
    """A block step with one field."""
    return block({"fields": [bad]}, {"fields": [good]}, code, ("fields", 0, *path), says)
