"""A call of pytest: what it is given to collect, and what narrows that."""

import re
import shlex
from collections.abc import Iterable
from dataclasses import field
from typing import Final

from pipegen.commands.finds import Glob, Search
from pipegen.commands.programs.conftest import with_own_options
from pipegen.commands.programs.pytest_arguments import Argument, Doubt, arguments
from pipegen.commands.programs.tables import PytestOptions
from pipegen.commands.reading import (
    Expression,
    Globbed,
    Named,
    Searched,
    Spot,
    Target,
    TestRun,
    Tool,
    Why,
)
from pipegen.commands.running.machine import Call, Machine, Result, Status, from_root, on_machine, unread, unread_at
from pipegen.commands.running.values import Each, Field, known, place_of, plain, unknowns, written
from pipegen.commands.shell.texts import Place
from pipegen.dataclass import dataclass

ADDED: Final = "PYTEST_ADDOPTS"
_MODULE: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)


def run_pytest(machine: Machine, call: Call) -> Result:
    """Read a call of pytest."""
    builder = _Builder(machine=machine, call=call)
    words = _words(machine, call, builder)
    own = machine.tables.pytest
    options = with_own_options(machine, call, (*words, *(plain(word, call.at) for word in own.added)))
    given = list(arguments(words, options))
    added, builder.configured = _configured(given, own)
    builder.modules = any(known(word) == "--pyargs" for word in words) or "--pyargs" in added
    for argument in arguments(tuple(plain(word, call.at) for word in added), options):  # by themselves, as pytest does
        builder.add(argument)
    builder.configured = None
    for argument in given:
        builder.add(argument)
    builder.finish()
    return Result(status=Status.FINE, output=call.unknown_output())


def _words(machine: Machine, call: Call, builder: "_Builder") -> tuple[Field, ...]:
    """The arguments: those of PYTEST_ADDOPTS in front, those of an `@file` in its place."""
    words: list[Field] = []
    added = _added(call)
    text = None if added is None else known(added)
    if added is not None and text is None:
        builder.positional = True
        builder.doubt(Why.UNKNOWN, (*plain(f"{ADDED}=", call.at), *added), f"{ADDED} holds {_names(added)}")
    words += [plain(word, call.at) for word in _split(text or "")]
    for word in call.argv[1:]:
        name = known(word)
        if name is None or not name.startswith("@") or len(name) == 1:
            words.append(word)
            continue
        place = on_machine(call.state, name[1:])
        path = from_root(machine.checkout, place) if place else None
        content = machine.content(path) if path else None
        if content is None:
            builder.positional = True
            builder.doubt(Why.CONTENT, word, f'the content of "{name[1:]}" is not available')
        else:
            words += [plain(line, place_of(word, call.at)) for line in content.splitlines()]
    return tuple(words)


def _configured(given: Iterable[Argument | Doubt], own: PytestOptions) -> tuple[tuple[str, ...], str | None]:
    """The words that settings put in front of a call, and the file that they are in; None for the call itself.

    They are those of the repository's own file, unless the call names another file or says `-o addopts=…`.
    """
    added, file = own.added, own.settings
    for argument in given:
        if isinstance(argument, Doubt) or argument.value is None:
            continue
        if argument.option in ("-c", "--config-file"):
            added = added if file is None else ()
        name, equals, value = (known(argument.value) or "").partition("=")
        if argument.option in ("-o", "--override-ini") and equals and name.strip() == "addopts":
            added, file = _split(value), None
    return added, file


def _split(text: str) -> tuple[str, ...]:
    """Words as pytest splits them; a text with an open quote is one that it refuses."""
    try:
        return tuple(shlex.split(text))
    except ValueError:
        return ()


def _added(call: Call) -> Field | None:
    if ADDED in call.prefix:
        return call.prefix[ADDED].value
    value = call.state.variables.get(ADDED) if ADDED in call.state.exported else None
    return value if isinstance(value, tuple) else None


def _names(word: Field) -> str:
    return " and ".join(unknowns(word)) + ", whose value is not known before it runs"


@dataclass(slots=True, kw_only=True)
class _Builder:
    """Gathers a run from its arguments."""

    machine: Machine
    call: Call
    targets: list[Target] = field(default_factory=list)
    ignores: list[Spot] = field(default_factory=list)
    ignore_globs: list[Spot] = field(default_factory=list)
    deselects: list[Spot] = field(default_factory=list)
    expressions: dict[str, Expression | None] = field(default_factory=dict)
    overrides: list[tuple[str, str]] = field(default_factory=list)
    given: set[str] = field(default_factory=set)
    rest: list[str] = field(default_factory=list)
    root: str | None = None
    positional: bool = False
    modules: bool = False
    complete: bool = True
    configured: str | None = None
    """The file of the repository's own settings that it is given now."""

    def doubt(self, why: Why, word: Field, reason: str) -> None:
        """Say that a word could not be read."""
        self.complete = False
        unread_at(self.machine, self.call, word, why, reason, self.configured)

    def add(self, argument: Argument | Doubt) -> None:
        """Take an argument."""
        if isinstance(argument, Doubt):
            self._doubtful(argument)
            return
        self.given.add(argument.option)
        if argument.option == "":
            self.positional = True
            self._target(argument.word)
        elif argument.value is None:
            self.rest.append(argument.option)
        else:
            self._option(argument.option, argument.value)

    def _doubtful(self, doubt: Doubt) -> None:
        """A word that may be a path, so that it does not count as none."""
        self.positional = True
        if doubt.option is None:
            self.doubt(Why.UNKNOWN, doubt.word, _names(doubt.word))
        else:
            reason = f'it is not known whether "{doubt.option}" takes a value; write it with "="'
            self.doubt(Why.OPTION, doubt.word, reason)

    def _option(self, option: str, value: Field) -> None:
        text = known(value)
        match option:
            case "-k" | "-m" | "--ignore" | "--ignore-glob" | "--deselect" | "-o" | "--override-ini" | "--rootdir":
                if text is None:
                    self.doubt(Why.UNKNOWN, value, _unknown(option, value))
                else:
                    self._narrow(option, text, value)
            case _:
                self.rest += [option, written(value)]

    def _narrow(self, option: str, text: str, value: Field) -> None:
        place = self.call.frame.text.place(place_of(value, self.call.at))
        match option:
            case "-k" | "-m":
                self.expressions[option] = self._expression(text, place) if text else None
            case "--deselect":
                self.deselects.append(Spot(path=text, written=text, place=place, configured=self.configured))
            case "-o" | "--override-ini":
                name, _, setting = text.partition("=")
                self.overrides.append((name.strip(), setting.strip()))
            case _:
                self._path(option, text, value)

    def _expression(self, text: str, place: Place) -> Expression:
        return Expression(text=text, place=place, configured=self.configured)

    def _path(self, option: str, text: str, value: Field) -> None:
        place = self.call.frame.text.place(place_of(value, self.call.at))
        absolute = on_machine(self.call.state, text)
        if absolute is None:
            self.doubt(Why.FOLDER, value, self._lost())
            return
        path = from_root(self.machine.checkout, absolute)
        if option == "--ignore-glob":
            self.ignore_globs.append(Spot(path=absolute, written=text, place=place, configured=self.configured))
        elif option == "--ignore" and path is not None:
            self.ignores.append(Spot(path=path, written=text, place=place, configured=self.configured))
        elif option == "--rootdir":
            self.root = path

    def _lost(self) -> str:
        return f"it runs in a folder that is not known: {self.call.state.lost}"

    def _target(self, word: Field) -> None:
        place = self.call.frame.text.place(place_of(word, self.call.at))
        if len(word) == 1 and isinstance(word[0], Each):
            found = word[0].found
            match found:
                case Glob():
                    self.targets.append(Globbed(glob=found, place=place))
                case Search():
                    self.targets.append(Searched(search=found, place=place))
            return
        text = known(word)
        if text is None:
            self.doubt(Why.UNKNOWN, word, _names(word) if unknowns(word) else "files are found when it runs")
        elif self.modules and _MODULE.fullmatch(text.partition("::")[0]):
            self.doubt(Why.UNKNOWN, word, "--pyargs looks for a module where Python is installed")
        else:
            self._named(text, word)

    def _named(self, text: str, word: Field) -> None:
        base, bracket, parameters = text.partition("[")
        name, separator, node = base.partition("::")
        if not separator:
            name, bracket, parameters = text, "", ""
        absolute = on_machine(self.call.state, name)
        if absolute is None:
            self.doubt(Why.FOLDER, word, self._lost())
            return
        path = from_root(self.machine.checkout, absolute)
        if path is None:
            self.doubt(Why.OUTSIDE, word, "it lies outside of the repository")
            return
        place = self.call.frame.text.place(place_of(word, self.call.at))
        self.targets.append(Named(path=path, written=text, node=node + bracket + parameters, place=place))

    def finish(self) -> None:
        """Report the run, unless nothing of what it is given could be read."""
        state = self.call.state
        folder = None if state.folder is None else from_root(self.machine.checkout, state.folder)
        if not self.targets and (self.positional or not self._collects_folder(folder)):
            return
        run = TestRun(
            tool=Tool.PYTEST,
            folder=folder,
            targets=tuple(self.targets),
            ignores=tuple(self.ignores),
            ignore_globs=tuple(self.ignore_globs),
            deselects=tuple(self.deselects),
            k=self.expressions.get("-k"),
            m=self.expressions.get("-m"),
            sharded=not self.machine.tables.pytest.shards.isdisjoint(self.given),
            overrides=tuple(self.overrides),
            root=self.root,
            keeps_duplicates=not {"--keep-duplicates", "--keepduplicates"}.isdisjoint(self.given),
            rest=tuple(self.rest),
            environment=tuple(self.call.environment.values()),
            maybe=state.maybe or state.exits,
            complete=self.complete,
            executes=self.machine.tables.pytest.lists.isdisjoint(self.given),
            place=self.call.place,
            text=self.call.shown,
        )
        self.machine.findings.add(run)

    def _collects_folder(self, folder: str | None) -> bool:
        """Whether a run without targets collects the folder that it stands in, and that is one of the repository."""
        if self.call.state.folder is None:
            unread(self.machine, self.call, Why.FOLDER, self._lost())
        elif folder is None:
            unread(self.machine, self.call, Why.OUTSIDE, "it collects a folder outside of the repository")
        return folder is not None


def _unknown(option: str, value: Field) -> str:
    if unknowns(value):
        return f"{option} holds {_names(value)}"
    return f"the shell may expand the value of {option} to names of files: put it in quotes"
