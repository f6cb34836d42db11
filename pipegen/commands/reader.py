"""Reads a job's commands: which tests they run, in which folder, with what set, and what cannot be read."""

import fnmatch
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pipegen.commands.interpreter import Interpreter
from pipegen.commands.known import TABLES
from pipegen.commands.reading import Reading
from pipegen.commands.state import State
from pipegen.commands.syntax import Parsed, ShellSyntaxError
from pipegen.commands.tables import Tables, Wrapper
from pipegen.commands.texts import JobText, job_text
from pipegen.commands.values import plain


def no_content(_: str) -> None:
    """The content of a repository of which only the paths are known."""


def tables_with(wrappers: Sequence[Wrapper], *, flags: Sequence[str] = (), valued: Sequence[str] = ()) -> Tables:
    """What is known of programs, with a workspace's own wrappers and options of its pytest plugins."""
    options = replace(TABLES.pytest, flags=TABLES.pytest.flags | {*flags}, valued=TABLES.pytest.valued | {*valued})
    return replace(TABLES, wrappers=(*wrappers, *TABLES.wrappers), pytest=options)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandReader:
    """Reads the commands of many jobs of one repository; a text that several of them hold is parsed once.

    Args:
        checkout: where the repository lies on the machines that run the jobs.
        files: patterns of the names of test files (a workspace's `tests.files`).
        content: the text of a file of the repository, None where there is none or it is not available.
        tables: what is known of programs (see `tables_with`).
    """

    checkout: str
    files: tuple[str, ...] = ("test_*.py", "*_test.py")
    content: Callable[[str], str | None] = no_content
    tables: Tables = TABLES
    parsed: dict[str, Parsed] = field(default_factory=dict)

    def read(
        self, commands: Sequence[str], *, working_dir: str = "", environment: Mapping[str, str] | None = None
    ) -> Reading:
        """Read a job's commands as one script, in which `cd` and exports carry over from one to the next.

        Args:
            commands: shell text, as it reaches the job's shell (bash, or a shell that knows what is used).
            working_dir: where the script begins, absolute or from the checkout.
            environment: variables of the job whose values are known; any other may have any value.
        """
        folder = posixpath.normpath(posixpath.join(self.checkout, working_dir))
        given = environment or {}
        state = State(
            folder=folder,
            variables={name: plain(value, 0) for name, value in given.items()},
            exported=set(given),
            arguments=(),
            name=plain("bash", 0),
        )
        names = [re.compile(fnmatch.translate(pattern)) for pattern in self.files]
        machine = Interpreter(
            checkout=self.checkout, content=self.content, tables=self.tables, names=tuple(names), parsed=self.parsed
        )
        for text in self._texts(tuple(commands)):
            if state.stop is not None:
                break
            machine.run_text(text, state, stdin=(), depth=0)
        found = machine.findings
        return Reading(
            runs=tuple(found.runs),
            unread=tuple(found.unread),
            settings=tuple(found.settings),
            calls=tuple(found.calls),
        )

    def _texts(self, commands: tuple[str, ...]) -> list[JobText]:
        """The commands one by one; together where one of them is no script by itself: a loop over several entries."""
        whole = job_text(commands)
        apart = [JobText(text=command, first=index) for index, command in enumerate(commands)]
        if all(self._parses(command) and not _continues(command) for command in commands):
            return apart
        return [whole] if self._parses(whole.text) else apart

    def _parses(self, text: str) -> bool:
        machine = Interpreter(checkout="/", content=self.content, tables=self.tables, parsed=self.parsed)
        try:
            machine.parse(text)
        except ShellSyntaxError:
            return False
        return True


def _continues(command: str) -> bool:
    """Whether the line goes on in the next command: an odd number of backslashes at its end."""
    return (len(command) - len(command.rstrip("\\"))) % 2 == 1
