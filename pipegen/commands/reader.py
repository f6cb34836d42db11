"""Reads a job's commands: which tests they run, in which folder, with what set, and what cannot be read."""

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from pipegen.commands.collecting.files import named_like
from pipegen.commands.collecting.pytest_settings import PytestSettings
from pipegen.commands.programs.known import TABLES
from pipegen.commands.programs.tables import Carries, Options, Tables, Wrapper
from pipegen.commands.reading import Reading
from pipegen.commands.running.interpreter import Interpreter
from pipegen.commands.running.state import State
from pipegen.commands.running.values import bared, plain
from pipegen.commands.shell.syntax import Parsed, ShellSyntaxError
from pipegen.commands.shell.texts import JobText, job_text
from pipegen.dataclass import dataclass, replace
from pipegen.model import TestSettings


def no_content(_: str) -> None:
    """The content of a repository of which only the paths are known."""


def tables_with(
    wrappers: Sequence[Wrapper],
    *,
    flags: Sequence[str] = (),
    valued: Sequence[str] = (),
    own: PytestSettings | None = None,
) -> Tables:
    """What is known of programs, with a workspace's own wrappers, options of pytest plugins and settings of pytest."""
    options = replace(
        TABLES.pytest,
        flags=TABLES.pytest.flags | {*flags},
        valued=TABLES.pytest.valued | {*valued},
        added=() if own is None else own.addopts,
        settings=None if own is None else own.path,
    )
    return replace(TABLES, wrappers=(*wrappers, *TABLES.wrappers), pytest=options)


def tables_of(settings: TestSettings, own: PytestSettings | None = None) -> Tables:
    """What is known of programs, with what a workspace says of its own, and what its pytest is told by settings."""
    wrappers = [
        Wrapper(
            name=wrapper.name,
            carries=Carries(wrapper.carries),
            options=Options(flags=frozenset(wrapper.flags), valued=frozenset(wrapper.valued)),
            skip=wrapper.skip,
            variable=wrapper.variable,
            closed=True,
            folder=wrapper.folder,
            folder_argument=wrapper.folder_argument,
        )
        for wrapper in settings.wrappers
    ]
    return tables_with(wrappers, flags=settings.pytest_flags, valued=settings.pytest_valued, own=own)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandReader:
    """Reads the commands of many jobs of one repository; what several of them share is read once.

    Args:
        checkout: where the repository lies on the machines that run the jobs.
        files: patterns of the names of test files (a workspace's `tests.files`).
        content: the text of a file of the repository, None where there is none or it is not available.
        tables: what is known of programs (see `tables_with`).
        parsed: the syntax of texts, which several readers may share.
    """

    checkout: str
    files: tuple[str, ...] = ("test_*.py", "*_test.py")
    content: Callable[[str], str | None] = no_content
    tables: Tables = TABLES
    parsed: dict[str, Parsed] = field(default_factory=dict)
    names: re.Pattern[str] = field(init=False)
    done: dict[object, Reading] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        """Compile what the names of test files look like."""
        object.__setattr__(self, "names", named_like(self.files))

    def read(
        self, commands: Sequence[str], *, working_dir: str = "", environment: Mapping[str, str] | None = None
    ) -> Reading:
        """Read a job's commands as one script, in which `cd` and exports carry over from one to the next.

        Args:
            commands: shell text, as it reaches the job's shell (bash, or a shell that knows what is used).
            working_dir: where the script begins, absolute or from the checkout.
            environment: variables of the job whose values are known; any other may have any value.
        """
        given = dict(environment or {})
        key = (tuple(commands), working_dir, tuple(sorted(given.items())))
        if key not in self.done:
            self.done[key] = self._read(tuple(commands), working_dir, given)
        return self.done[key]

    def _read(self, commands: tuple[str, ...], working_dir: str, environment: Mapping[str, str]) -> Reading:
        state = State(
            folder=posixpath.normpath(posixpath.join(self.checkout, working_dir)),
            variables={name: bared(plain(value, 0)) for name, value in environment.items()},
            exported=set(environment),
            arguments=(),
            name=bared(plain("bash", 0)),
        )
        machine = Interpreter(
            checkout=self.checkout, content=self.content, tables=self.tables, parsed=self.parsed, names=self.names
        )
        texts = self._texts(machine, commands)
        for text in texts:
            if state.stop is not None:
                break
            machine.run_text(text, state, stdin=None, depth=0)
        found = machine.findings
        return Reading(
            runs=tuple(found.runs),
            unread=tuple(found.unread),
            settings=tuple(found.settings),
            calls=tuple(found.calls),
            programs=tuple(found.programs),
            together=len(texts) < len(commands),
        )

    def _texts(self, machine: Interpreter, commands: tuple[str, ...]) -> list[JobText]:
        """The commands one by one; together where one of them is no script by itself: a loop over several entries."""
        apart = [JobText(text=command, first=index) for index, command in enumerate(commands)]
        if all(_stands_alone(machine, command) for command in commands):
            return apart
        whole = job_text(commands)
        return [whole] if _parses(machine, whole.text) else apart


def _stands_alone(machine: Interpreter, command: str) -> bool:
    """Whether a command is a script by itself, and its last line does not go on in the next one."""
    backslashes = len(command) - len(command.rstrip("\\"))
    return backslashes % 2 == 0 and _parses(machine, command)


def _parses(machine: Interpreter, text: str) -> bool:
    try:
        machine.parse(text)
    except ShellSyntaxError:
        return False
    return True
