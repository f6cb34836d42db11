"""What a step of an old file becomes, before it is decided which of its tests it owns and how its commands are said."""

from collections.abc import Mapping

from pipegen.dataclass import dataclass
from pipegen.importer.collecting import Collected
from pipegen.importer.machines import Placement
from pipegen.importer.reading import OldStep
from pipegen.importer.writing import Pair, Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One command: its text in the new language, its title (None: goes without saying), and the text of the file."""

    run: str
    title: str | None
    written: str
    said: Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A step, or a mirror with its own part of the story: where it runs, what, and which tests that collects.

    `working_dir` is the directory of the commands for what their paths mean; `parallelism` is 1 where the shards are
    no shards (`Machines.copies`).
    """

    placement: Placement
    lines: tuple[Line, ...]
    commands_said: Said
    after: tuple[str, ...]
    collected: Collected
    working_dir: str
    parallelism: int
    pairs: Mapping[str, Pair]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirror:
    """A mirror. `own_commands` says that it does not run its step's."""

    name: str
    unit: Unit
    own_commands: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A step. `key` is unique in its pipelines, `path` the file that it is from."""

    step: OldStep
    path: str
    key: str
    said: Said
    unit: Unit
    mirrors: tuple[Mirror, ...]

    @property
    def units(self) -> tuple[Unit, ...]:
        """The step and its mirrors."""
        return (self.unit, *(mirror.unit for mirror in self.mirrors))

    @property
    def runs_tests(self) -> bool:
        """Whether it becomes an area."""
        return any(unit.collected.tests for unit in self.units)
