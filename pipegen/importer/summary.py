"""What an import read, wrote and could not carry, in a few lines."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Diagnostic
from pipegen.importer import codes
from pipegen.importer.drafts import Draft, Unit
from pipegen.plain import PlainMap

_EXPORT: Final = re.compile(r"export [A-Za-z_][A-Za-z0-9_]*=\S*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Counts of an import. `exports` are commands that could be `env`, `told_by_tests` steps without commands.

    `left` says of each kind of diagnostic how many there are.
    """

    pipelines: int
    files: int
    steps: int
    mirrors: int
    areas: int
    plain_steps: int
    told_by_tests: int
    exports: int
    machines: tuple[str, ...]
    owner: str
    left: Mapping[str, int]

    def lines(self) -> tuple[str, ...]:
        """The summary for people."""
        rows = [
            f"read     {_count(self.pipelines, 'pipeline')}, {_count(self.files, 'file')}, "
            f"{_count(self.steps, 'step')} with {_count(self.mirrors, 'mirror')}",
            f"wrote    {_count(self.areas, 'area')} and {_count(self.plain_steps, 'step')} that run no tests, "
            f"all owned by {self.owner}",
            f"         {_count(self.told_by_tests, 'area')} by tests alone; "
            f"{_count(self.exports, 'export')} could be env",
        ]
        if self.machines:
            rows.append(f"         entries to check in the catalogue: {', '.join(self.machines)}")
        if self.left:
            rows.append("wrong or not carried:")
            width = max(len(name) for name in self.left)
            rows += [f"  {name.ljust(width)}  {number}" for name, number in sorted(self.left.items())]
        return tuple(rows)

    def plain(self) -> PlainMap:
        """The summary for programs."""
        return {
            "pipelines": self.pipelines,
            "files": self.files,
            "steps": self.steps,
            "mirrors": self.mirrors,
            "areas": self.areas,
            "plain_steps": self.plain_steps,
            "told_by_tests": self.told_by_tests,
            "exports": self.exports,
            "machines": list(self.machines),
            "owner": self.owner,
            "left": dict(self.left),
        }


def left(found: Iterable[Diagnostic]) -> Mapping[str, int]:
    """How many diagnostics there are of each kind that says something about the old files."""
    kinds = Counter(diagnostic.code.name for diagnostic in found if diagnostic.code is not codes.NO_OWNER)
    return dict(kinds)


def exports(drafts: Iterable[Draft]) -> int:
    """Commands that do nothing but set a variable for what follows."""
    return sum(_exports(unit) for draft in drafts for unit in _own_units(draft))


def _own_units(draft: Draft) -> Sequence[Unit]:
    return [draft.unit, *(mirror.unit for mirror in draft.mirrors if mirror.own_commands)]


def _exports(unit: Unit) -> int:
    return sum(1 for line in unit.lines if _EXPORT.fullmatch(line.run))


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
