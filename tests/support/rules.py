"""Rules on workspaces in memory: the cases of `tests/rules`, each a small tree of files, and what the rules find there.

A case is laid over a small workspace without mistakes. What stands in it beside the files of the workspace:

    files.txt      further files of the repository, one path a line; they are empty
    renames.txt    what git saw renamed: OLD NEW
    landed.txt     the changes that are in the history of HEAD: #N
    history.txt    why the history of HEAD is not known
    before.txt     the defaults of toggles at the revision that is compared with: NAME VALUE
    expected.txt   of a bad case, all that `lint` prints
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeVar

from pipegen import app
from pipegen.commands import Files, test_files
from pipegen.diagnostics import Diagnostic, Span, ordered
from pipegen.manifest.load import load_workspaces
from pipegen.report.text import Style, render_text
from pipegen.rules import RULES
from pipegen.rules.choosing import untold
from pipegen.rules.edits import applied
from pipegen.rules.facts import Facts, Inventory, Landed, Pipeline
from pipegen.rules.gather import gather
from pipegen.source import MappingTree
from tests.support.workspaces import FILES, TEMPLATE

T = TypeVar("T")

CASES: Final = Path(__file__).parents[1] / "rules"
TODAY: Final = "2026-11-30"
WORKSPACE: Final = ".buildkite/pipegen.yaml"
FILE_LIST: Final = "files.txt"
RENAMES: Final = "renames.txt"
LANDED: Final = "landed.txt"
HISTORY: Final = "history.txt"
BEFORE: Final = "before.txt"
EXPECTED: Final = "expected.txt"
APART: Final = frozenset({FILE_LIST, RENAMES, LANDED, HISTORY, BEFORE, EXPECTED})
BASE: Final[Mapping[str, bytes]] = {
    **{path: str(content).encode() for path, content in FILES.items()},
    "templates/plain.yaml.j2": TEMPLATE.encode(),
    "tests/engine/test_core.py": b"",
    "src/engine/core.py": b"",
}
"""A workspace in which no rule finds anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A workspace and its repository, in memory."""

    files: Mapping[str, bytes]
    renames: Mapping[str, str] = field(default_factory=dict)
    landed: frozenset[str] = frozenset()
    history: str | None = None
    before: Mapping[str, str] = field(default_factory=dict)
    today: str = TODAY
    workspace: str = WORKSPACE

    def text(self, path: str) -> str | None:
        """The text of a file."""
        return self.files[path].decode() if path in self.files else None


def read_case(folder: Path) -> Case:
    """The case of a folder, laid over `BASE`."""
    laid = authored(folder)
    empty = dict.fromkeys(_lines(folder / FILE_LIST), b"")
    renames = dict(line.split() for line in _lines(folder / RENAMES))
    return Case(
        files={**BASE, **empty, **laid},
        renames=renames,
        landed=frozenset(_lines(folder / LANDED)),
        history="\n".join(_lines(folder / HISTORY)) or None,
        before=dict(line.split() for line in _lines(folder / BEFORE)),
    )


def authored(folder: Path) -> Mapping[str, bytes]:
    """The files of a case that have content."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in APART)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _lines(path: Path) -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8").splitlines()) if path.is_file() else ()


def facts_of(case: Case, *, chance: random.Random | None = None) -> Facts:
    """The facts of a case without mistakes; with `chance` everything that has no order of its own is shuffled."""
    plans = plans_of(case, chance=chance)
    for plan in plans:
        assert isinstance(plan, app.Plan), plan
        assert plan.diagnostics == (), [f"{one.span} {one.message}" for one in plan.diagnostics]
    return facts_from(case, [plan for plan in plans if isinstance(plan, app.Plan)], chance=chance)


def plans_of(case: Case, *, chance: random.Random | None = None) -> list[app.Plan | tuple[Diagnostic, ...]]:
    """Every pipeline of a case up to its jobs."""
    tree = MappingTree(files=_shuffled(case.files, chance))
    place = app.Place(root=Path("/nowhere"), path=case.workspace, held=tree)
    workspaces, _ = load_workspaces(tree, case.workspace)
    return [app.make_plan(app.Request(place=place, pipeline=workspace.pipeline)) for workspace in workspaces]


def facts_from(case: Case, plans: Sequence[app.Plan], *, chance: random.Random | None = None) -> Facts:
    """The facts of plans without errors."""
    pipelines = []
    for plan in plans:
        expansion = plan.expansion
        if chance is not None:
            expansion = replace(
                expansion,
                jobs=_permuted(expansion.jobs, chance),
                claims=_permuted(expansion.claims, chance),
                absences=_permuted(expansion.absences, chance),
            )
        pipelines.append(
            Pipeline(
                workspace=plan.workspace,
                catalogue=plan.catalogue,
                expansion=expansion,
                templates=plan.templates.files.sources,
            )
        )
    workspaces = [plan.workspace for plan in plans]
    listed = workspaces[0].listing
    paths = tuple(case.files) if listed is None else (case.text(listed.text) or "").splitlines()
    files = Files.of(paths)
    tests = {path for workspace in workspaces for path in test_files(files, workspace.tests)}
    inventory = Inventory(
        files=files,
        tests=tuple(sorted(tests)),
        content=case.text if listed is None else lambda _: None,
        readable=listed is None,
        renames=_shuffled(case.renames, chance),
        at=Span(path=case.workspace) if listed is None else listed.span,
    )
    return gather(
        pipelines=_permuted(tuple(pipelines), chance),
        inventory=inventory,
        today=case.today,
        landed=lambda: Landed(changes=case.landed, unknown=case.history),
        source=case.text,
        defaults_before=case.before,
    )


def _shuffled(entries: Mapping[str, T], chance: random.Random | None) -> dict[str, T]:
    return dict(_permuted(tuple(entries.items()), chance))


def _permuted(items: tuple[T, ...], chance: random.Random | None) -> tuple[T, ...]:
    return items if chance is None else tuple(chance.sample(items, len(items)))


def found_in(facts: Facts) -> tuple[Diagnostic, ...]:
    """What all rules find, each cause once; over a listing, without those that look into files."""
    rules = [rule for rule in RULES if facts.inventory.readable or not rule.reads_content]
    found = [diagnostic for rule in rules for diagnostic in rule.check(facts)]
    return ordered(untold(found, found))


def printed(case: Case, found: Iterable[Diagnostic]) -> str:
    """What `lint` prints of it."""
    return render_text(found, case.text, Style(color=False), shown_path=lambda path: path)


def fixed(case: Case, found: Iterable[Diagnostic]) -> Case:
    """The case with every fix made."""
    edits = [edit for diagnostic in found for edit in diagnostic.fix]
    files = dict(case.files)
    for path in sorted({edit.span.path for edit in edits}):
        text = applied(files[path].decode(), [edit for edit in edits if edit.span.path == path])
        files[path] = text.encode()
    return replace(case, files=files)
