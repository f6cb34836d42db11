"""Programs that run other programs, as data: which of their arguments are commands, and how options are told apart."""

import enum
from collections.abc import Mapping
from dataclasses import field

from pipegen.dataclass import dataclass


class Carries(enum.Enum):
    """What a wrapper's arguments are, behind its options and positional arguments of its own."""

    COMMAND = "command"
    """A command, word by word: `timeout 10 pytest tests`."""
    TEXT = "text"
    """One argument of shell text, then its positional parameters: `bash -c 'pytest tests'`."""
    TEXTS = "texts"
    """Every argument is shell text of its own, one for each machine."""
    JOINED = "joined"
    """All arguments, with blanks between them, are one shell text: `eval`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of a program: `flags` stand alone, `valued` take the next word (or what follows `=`).

    A word of the table is an option as typed: `-k` or `--kill-after`. `folders` are those of the valued ones that say
    where the command runs.
    """

    flags: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapper:
    """A program or script that runs what it is given.

    `name` is a word or several (`uv run`); one with a `/` is a script's path from the repository's root, run by
    itself or through a shell. `skip` counts the positional arguments in front. `text_option` is an option
    whose value is shell text, whatever the arguments are (`su -c`). `assigns` lets `NAME=value` words stand in front
    of the command; `unsets` are options whose value is a variable that the command goes without.
    `closed` ones may run it in an environment of their own: a container, another user.
    `module` are options whose value is a Python module to run (`uv run -m`).
    `variable` is an environment variable whose text is run instead of the arguments where it is set.
    `folder_argument` is the positional argument, from 1, that says where the text runs; `folder` a folder on the
    machine where it always does.
    """

    name: tuple[str, ...]
    carries: Carries = Carries.COMMAND
    options: Options = field(default_factory=Options)
    skip: int = 0
    text_option: str | None = None
    assigns: bool = False
    unsets: frozenset[str] = frozenset()
    module: frozenset[str] = frozenset()
    variable: str | None = None
    closed: bool = False
    folder_argument: int | None = None
    folder: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Launcher:
    """A program that runs Python: `[options] file.py …`, or `-m module …`.

    `module` are its names for `-m`, `text` those for `-c`, `command` flags with which it runs any program.
    """

    name: tuple[str, ...]
    options: Options
    module: frozenset[str] = frozenset({"-m"})
    text: frozenset[str] = frozenset()
    command: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class PytestOptions:
    """pytest's options: flags, those that take a value, one if a word follows, or all words that follow.

    `shards` are those that choose a share of the tests, `lists` those with which no test runs. `added` are words that
    every call has in front: `addopts` of the repository's own settings, which are in the file `settings`.
    """

    flags: frozenset[str]
    valued: frozenset[str]
    optional: frozenset[str]
    many: frozenset[str]
    shards: frozenset[str]
    lists: frozenset[str]
    added: tuple[str, ...] = ()
    settings: str | None = None
    every: frozenset[str] = field(init=False)
    """All of them."""

    def __post_init__(self) -> None:
        """Put them together once."""
        object.__setattr__(self, "every", self.flags | self.valued | self.optional | self.many)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """All that is known of programs; a workspace adds its own wrappers and options to it.

    `shells` run scripts and, with `-c`, shell text; `pytest_names` are what pytest is called as.
    `modules` are Python modules that are programs of another name (`torch.distributed.run`). `inert` are programs
    that run no tests, whatever their arguments say; `conditions` those whose status is a question; `foreign` those
    that run tests by rules of their own.
    """

    wrappers: tuple[Wrapper, ...]
    launchers: tuple[Launcher, ...]
    pytest: PytestOptions
    pytest_names: frozenset[str]
    shells: frozenset[str]
    modules: tuple[tuple[str, str], ...]
    inert: frozenset[str]
    conditions: frozenset[str]
    foreign: frozenset[str]
    by_word: Mapping[str, tuple[Wrapper, ...]] = field(init=False)
    """Wrappers by the first word of their names; those that are scripts stand under the empty text."""

    def __post_init__(self) -> None:
        """Sort the wrappers by how they are found."""
        by_word: dict[str, tuple[Wrapper, ...]] = {}
        for wrapper in self.wrappers:
            word = "" if "/" in wrapper.name[0] else wrapper.name[0]
            by_word[word] = (*by_word.get(word, ()), wrapper)
        object.__setattr__(self, "by_word", by_word)
