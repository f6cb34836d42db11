"""Workspaces without mistakes, in memory: the reference fleet in pieces, this project's own CI, and the goldens."""

import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pipegen import app
from pipegen.diagnostics import Diagnostic
from pipegen.source import MappingTree
from tests.support import language
from tests.support.workspaces import FILES as SMALL
from tests.support.workspaces import REPOSITORY

FLEET: Final = ".buildkite/pipegen.yaml"
SELF: Final = ".buildkite/self.yaml"
DIAGNOSTICS: Final = Path(__file__).parents[1] / "golden" / "diagnostics"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Base:
    """One workspace: its files by path, and which of them people write for pipegen."""

    name: str
    files: Mapping[str, bytes]
    authored: tuple[str, ...]
    workspace: str = FLEET
    pipeline: str | None = None

    def request(self, changed: Mapping[str, bytes] | None = None) -> app.Request:
        """What a command is asked about it, with some of its files replaced."""
        tree = MappingTree(files={**self.files, **(changed or {})})
        place = app.Place(root=Path("/nowhere"), path=self.workspace, held=tree)
        return app.Request(place=place, pipeline=self.pipeline)

    def generate(self, changed: Mapping[str, bytes] | None = None) -> app.Product:
        """All of the pipeline."""
        return app.generate(self.request(changed), app.Output(), app.Asked(every=True))

    def plan(self, changed: Mapping[str, bytes] | None = None) -> app.Plan | tuple[Diagnostic, ...]:
        """All that is found before anything is rendered."""
        return app.make_plan(self.request(changed))

    def sound_plan(self) -> app.Plan:
        """The plan of the workspace as it is, which has no mistakes."""
        plan = self.plan()
        assert isinstance(plan, app.Plan), (self.name, plan)
        return plan

    def templates(self) -> tuple[str, ...]:
        """The names of its templates."""
        return self.sound_plan().templates.files.names


def _read(paths: Iterable[Path], root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(paths) if path.is_file()}


@functools.cache
def fleet_files() -> Mapping[str, bytes]:
    """The reference fleet."""
    found = [path for folder in ("areas", "templates") for path in (REPOSITORY / folder).rglob("*")]
    return _read([*found, *(REPOSITORY / ".buildkite").glob("*.*")], REPOSITORY)


def _manifest(path: str) -> bool:
    return path.startswith("areas/")


@functools.cache
def _waits() -> Mapping[str, frozenset[str]]:
    """Which other manifests each manifest of the fleet needs: its jobs wait for theirs."""
    whole = Base(name="fleet", files=fleet_files(), authored=())
    jobs = whole.sound_plan().expansion.jobs
    home = {job.key: job.span.path for job in jobs}
    found: dict[str, set[str]] = {path: set() for path in fleet_files() if _manifest(path)}
    for job in jobs:
        keys = [dependency.key for dependency in job.depends_on or ()] + list(job.gate.depends_on)
        found[job.span.path] |= {home[key] for key in keys}
    return {path: frozenset(needed) for path, needed in found.items()}


def _closed(paths: Iterable[str]) -> frozenset[str]:
    """Manifests with all that they need."""
    result: set[str] = set()
    pending = list(paths)
    while pending:
        path = pending.pop()
        if path not in result:
            result.add(path)
            pending += _waits()[path]
    return frozenset(result)


def _piece(manifests: Iterable[str], authored: tuple[str, ...]) -> Base:
    """The fleet with some of its manifests alone."""
    kept = _closed(manifests)
    files = {path: content for path, content in fleet_files().items() if not _manifest(path) or path in kept}
    return Base(name=f"fleet:{authored[0]}", files=files, authored=authored)


def fleet_pieces() -> Iterator[Base]:
    """The fleet, one manifest at a time with what it needs; the shared files with manifests that use all of them."""
    needed_by_all = frozenset.intersection(*(_closed([path]) - {path} | {path} for path in _waits()))
    for path in sorted(_waits()):
        users = [other for other, needs in _waits().items() if path in needs and path not in needed_by_all]
        yield _piece([path, *users], (path,))
    shared = tuple(path for path in sorted(fleet_files()) if path in (FLEET, ".buildkite/hardware.yaml"))
    for path in shared:
        yield _piece(_users_of_everything(), (path,))


def _users_of_everything() -> tuple[str, ...]:
    """A few manifests that use every machine that the whole fleet uses."""
    whole = Base(name="fleet", files=fleet_files(), authored=())
    used: dict[str, set[str]] = {}
    for job in whole.sound_plan().expansion.jobs:
        used.setdefault(job.span.path, set()).add(job.hardware.name)
    left, chosen = set().union(*used.values()), []
    while left:
        best = max(sorted(used), key=lambda path: (len(used[path] & left), -len(fleet_files()[path])))
        chosen.append(best)
        left -= used[best]
    return tuple(chosen)


def selection_cases() -> Base:
    """The whole fleet, for its file of selection cases."""
    return Base(name="fleet:cases", files=fleet_files(), authored=(".buildkite/selection_cases.yaml",))


def own_ci() -> Base:
    """This project's own CI."""
    files = {**fleet_files(), **_read((REPOSITORY / ".buildkite" / "self").rglob("*.yaml"), REPOSITORY)}
    authored = tuple(path for path in files if path == SELF or path.startswith(".buildkite/self/"))
    return Base(name="self", files=files, authored=authored, workspace=SELF)


def _golden(name: str, folder: Path, under: Mapping[str, bytes], pipeline: str | None = None) -> Base:
    apart = {"expected.yaml", "expected.txt", "arguments.txt", "environment.txt"}
    own = {path: content for path, content in _read(folder.rglob("*"), folder).items() if path not in apart}
    files = {**under, **own}
    yaml = tuple(path for path in files if path.endswith((".yaml", ".yml")) and path in own)
    return Base(name=name, files=files, authored=yaml, pipeline=pipeline)


def _bytes(files: Mapping[str, object]) -> dict[str, bytes]:
    return {path: text if isinstance(text, bytes) else str(text).encode() for path, text in files.items()}


def every_golden() -> Iterator[Base]:
    """Every golden workspace of the language and of the diagnostics, whatever is found in it."""
    yield Base(name="small", files=_bytes(SMALL), authored=tuple(SMALL))
    for name in language.names():
        below = _read(language.BASE.rglob("*"), language.BASE)
        yield _golden(f"language/{name}", language.CASES / name, below, _pipeline(name))
    for folder in sorted(DIAGNOSTICS.iterdir()):
        if folder.is_dir():
            yield _golden(f"diagnostics/{folder.name}", folder, _bytes(SMALL))


def goldens(step: int = 1) -> Iterator[Base]:
    """Every golden workspace of the language and of the diagnostics in which nothing at all is found.

    With `step` only every so many of them are looked at.
    """
    for base in itertools.islice(every_golden(), 0, None, step):
        try:
            product = base.generate()
        except Exception:  # noqa: BLE001 - not a workspace that stands by itself: its options are elsewhere
            continue
        if product.document is not None and not product.diagnostics:
            yield base


def _pipeline(name: str) -> str | None:
    words = language.CASES / name / "arguments.txt"
    given = words.read_text(encoding="utf-8").split() if words.is_file() else []
    return given[given.index("--pipeline") + 1] if "--pipeline" in given else None
