"""What a command is asked for. Nothing that answers it is imported here: a remembered answer needs none of that."""

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Final

from pipegen.app.place import Place
from pipegen.dataclass import dataclass, replace

if TYPE_CHECKING:
    from pipegen.rules.frame import Rule

INDEX_FILE: Final = "GIT_INDEX_FILE"
"""In this variable git names the index of a commit, to the hooks of that commit and to no others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a command was asked for, and the environment that it was asked in.

    `schedules` and `labels` are what the caller says of the build; the environment may say more.
    """

    place: Place
    pipeline: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    schedules: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    @property
    def outside_of_a_hook(self) -> "Request":
        """The same about what is on disk, in the hook of a commit as well."""
        kept = {name: value for name, value in self.environment.items() if name != INDEX_FILE}
        return replace(self, environment=kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a caller of `lint` asked for. `paths` are from the workspace's root; none means everywhere.

    `today` is a date as `YYYY-MM-DD`. With `base` only what that revision does not have fails. `rules` are those that
    look; None means all of pipegen's own.
    """

    today: str
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    base: str | None = None
    rules: "tuple[Rule, ...] | None" = None
