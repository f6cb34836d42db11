"""What is known of a build when its jobs are chosen. All of it is given: nothing here looks anything up."""

from collections.abc import Mapping
from dataclasses import field
from typing import TypeAlias

from pipegen.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFiles:
    """The files that a build is about, from the repository's root: of a rename both names, of a deletion its own."""

    paths: tuple[str, ...]

    @property
    def ordered(self) -> tuple[str, ...]:
        """Each once and sorted: in what order changes are listed never decides anything."""
        return tuple(sorted(set(self.paths)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Everything:
    """No change set can be trusted, so that any file may have changed. `cause` says why in one sentence."""

    cause: str


Changes: TypeAlias = ChangedFiles | Everything | None
"""The change set; None where nobody asked for one, because something else decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What became of an entry, as the end of a sentence ("is new"), and the file that it happened in."""

    what: str
    file: str
    new: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """Which entries of the workspace changed in meaning: jobs by key, templates and hardware by name.

    `removed` are the keys of jobs that are there no more under any name. `unknown` says why they could not be
    told apart, so that every job may be meant.
    """

    jobs: Mapping[str, Edit] = field(default_factory=dict)
    templates: Mapping[str, Edit] = field(default_factory=dict)
    hardware: Mapping[str, Edit] = field(default_factory=dict)
    removed: tuple[str, ...] = ()
    unknown: Edit | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """A build as selection sees it.

    `environment` and `labels` are what switches and schedules look at; `schedules`, `only` (keys) and `every` are what
    the caller asks for by name, `timeouts` is false where the caller wants none.
    """

    changes: Changes = None
    edits: Edits = field(default_factory=Edits)
    environment: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    schedules: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    every: bool = False
    timeouts: bool = True
