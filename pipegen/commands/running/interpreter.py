"""Runs shell text without a machine: commands are read in the order in which a shell would run them.

Every command is taken to end well, or the job fails; where a condition decides, both ways are read.
"""

import posixpath
import re
from collections.abc import Callable
from dataclasses import field
from typing import assert_never

from pipegen.commands.programs.dispatch import run_program
from pipegen.commands.programs.tables import Tables
from pipegen.commands.reading import Unread, Why
from pipegen.commands.running.conditions import test_status
from pipegen.commands.running.control import run_case, run_for, run_if, run_while
from pipegen.commands.running.expansion import Expander
from pipegen.commands.running.machine import MAX_CALLS, MAX_TEXTS, Call, Findings, Frame, Result, Status, expand_globs
from pipegen.commands.running.simple import is_redirected, read_input, run_function, run_simple
from pipegen.commands.running.state import Defined, State, Stop, join
from pipegen.commands.running.values import Field, Output, known
from pipegen.commands.shell.parser import parse
from pipegen.commands.shell.syntax import (
    AndOr,
    Braced,
    Case,
    Command,
    For,
    Function,
    If,
    Parsed,
    Pipeline,
    Script,
    ShellSyntaxError,
    Simple,
    Substitution,
    Test,
    While,
    Word,
)
from pipegen.commands.shell.texts import ShellText
from pipegen.dataclass import dataclass, replace


@dataclass(slots=True, kw_only=True)
class Interpreter:
    """A machine (see `pipegen.commands.running.machine`) that runs shell text."""

    checkout: str
    content: Callable[[str], str | None]
    tables: Tables
    parsed: dict[str, Parsed]
    names: re.Pattern[str] = re.compile(r"(?!)")
    findings: Findings = field(default_factory=Findings)

    def is_test(self, path: str) -> bool:
        """Whether a file is named like a test."""
        return self.names.match(posixpath.basename(path)) is not None

    def run(self, call: Call) -> Result:
        """Run a program, or a function."""
        self.findings.steps += 1
        if self.findings.steps > MAX_CALLS:
            if self.findings.steps == MAX_CALLS + 1:
                reason = f"more than {MAX_CALLS} commands run"
                self.findings.add(Unread(text=call.shown, place=call.place, why=Why.DEPTH, reason=reason))
            call.state.stop = Stop.EXIT
            return Result()
        name = known(call.argv[0])
        defined = call.state.functions.get(name) if name is not None else None
        return run_program(self, call) if defined is None else run_function(self, defined, call)

    def run_text(self, text: ShellText, state: State, *, stdin: Output | None, depth: int) -> Result:
        """Run shell text in a state, which it changes."""
        if depth > MAX_TEXTS:
            reason = f"texts and scripts call one another more than {MAX_TEXTS} deep"
            self._report(text, 0, Why.DEPTH, reason)
            state.unsure = True
            return Result()
        try:
            parsed = self.parse(text.text)
        except ShellSyntaxError as error:
            self._report(text, error.at, Why.SYNTAX, str(error))
            state.unsure = True
            return Result()
        frame = Frame(text=text, documents=parsed.documents, stdin=stdin, depth=depth)
        return self.script(parsed.script, state, frame)

    def parse(self, text: str) -> Parsed:
        """The syntax of a text, read once.

        Raises:
            ShellSyntaxError: a shell would refuse it.
        """
        if text not in self.parsed:
            self.parsed[text] = parse(text)
        return self.parsed[text]

    def _report(self, text: ShellText, at: int, why: Why, reason: str) -> None:
        self.findings.add(Unread(text=text.text, place=text.place(at), why=why, reason=reason))

    def script(self, script: Script, state: State, frame: Frame) -> Result:
        """Run lists of commands, until one ends the script."""
        output: list[Field] = []
        result = Result(status=Status.TRUE)
        for commands in script.lists:
            if state.stop is not None:
                break
            result = self._list(commands, state.copy() if commands.background else state, frame)
            output += result.output
        return result if len(script.lists) == 1 else replace(result, output=tuple(output))

    def _list(self, commands: AndOr, state: State, frame: Frame) -> Result:
        result = self._pipeline(commands.first, state, frame)
        if not commands.rest:
            return result
        output = list(result.output)
        for operator, pipeline in commands.rest:
            if state.stop is not None:
                break
            going = Status.TRUE if operator == "&&" else Status.FALSE
            if result.status in {Status.TRUE, Status.FALSE} and result.status is not going:
                continue
            if result.status is going or (result.status is Status.FINE and operator == "&&"):
                result = self._pipeline(pipeline, state, frame)
            else:
                result = self._perhaps(pipeline, state, frame, result.status)
            output += result.output
        return replace(result, output=tuple(output))

    def _perhaps(self, pipeline: Pipeline, state: State, frame: Frame, status: Status) -> Result:
        """A command that only runs sometimes: behind a condition, or where the one before it fails."""
        branch = state.copy()
        branch.maybe = True
        result = self._pipeline(pipeline, branch, frame)
        if status is Status.FINE and branch.stop is not None:
            return Result(output=result.output)
        state.take(join(state, branch))
        return Result(status=Status.OPEN if status is Status.OPEN else Status.FINE, output=result.output)

    def _pipeline(self, pipeline: Pipeline, state: State, frame: Frame) -> Result:
        alone = len(pipeline.commands) == 1
        result = self.command(pipeline.commands[0], state if alone else state.copy(), frame)
        for command in pipeline.commands[1:]:
            result = self.command(command, state.copy(), replace(frame, stdin=result.output))
        return replace(result, status=_negated(result.status)) if pipeline.negated else result

    def command(self, command: Command, state: State, frame: Frame) -> Result:
        """Run one command."""
        match command:
            case Simple():
                return run_simple(self, command, state, frame)
            case Function():
                defined = Defined(body=command.body, text=frame.text, documents=frame.documents)
                state.functions[command.name] = defined
                return Result(status=Status.TRUE)
            case Test():
                return Result(
                    status=test_status(tuple(self.one(word, state, frame) for word in command.words), double=True)
                )
            case Braced() | For() | While() | If() | Case():
                stdin = read_input(self, command.redirects, state, frame)
                result = self._compound(command, state, replace(frame, stdin=stdin))
                return replace(result, output=()) if is_redirected(command.redirects) else result
        assert_never(command)

    def _compound(self, command: Braced | For | While | If | Case, state: State, frame: Frame) -> Result:
        match command:
            case Braced():
                return self.script(command.body, state.copy() if command.subshell else state, frame)
            case For():
                return run_for(self, command, state, frame)
            case While():
                return run_while(self, command, state, frame)
            case If():
                return run_if(self, command, state, frame)
            case Case():
                return run_case(self, command, state, frame)

    def expand(self, words: tuple[Word, ...], state: State, frame: Frame) -> tuple[Field, ...]:
        """Words as arguments, globs among them as the files that they find."""
        fields = self._expander(state, frame).fields(words)
        return tuple(expand_globs(self, state, argument) for argument in fields)

    def one(self, word: Word, state: State, frame: Frame) -> Field:
        """A word that the shell does not split."""
        return self._expander(state, frame).one(word)

    def _expander(self, state: State, frame: Frame) -> Expander:
        def substitute(part: Substitution) -> Output:
            return self.script(part.body, state.copy(), replace(frame, stdin=None)).output

        return Expander(state=state, substitute=substitute)


def _negated(status: Status) -> Status:
    match status:
        case Status.TRUE:
            return Status.FALSE
        case Status.FALSE:
            return Status.TRUE
        case Status.FINE | Status.OPEN:
            return Status.OPEN
