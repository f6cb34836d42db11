"""Which files a run collects, as pytest collects them (checked against pytest 9)."""

import fnmatch
import posixpath
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Final

from pipegen.commands.collecting.collect_ignores import CollectIgnores
from pipegen.commands.collecting.files import NOT_ENTERED, Files, below
from pipegen.commands.collecting.given import common_folder, normalized
from pipegen.commands.collecting.lookup import expand, search
from pipegen.commands.collecting.own_settings import conftests_from, is_configured, left_out_by, unconfigured
from pipegen.commands.collecting.sweep import Sweep, folders_of, up_to
from pipegen.commands.reading import Globbed, Named, Searched, Spot, Target, TestRun, Tool
from pipegen.dataclass import dataclass

# A file of one of these names makes its folder pytest's root directory. Others (pyproject.toml, tox.ini, setup.cfg)
# do so only with a section of pytest's in them; it is taken to be the repository's root that has one.
_ROOT_FILES: Final = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """A file that a run collects: all of it, or the node ids in `nodes`; without those that begin as in `without`."""

    path: str
    nodes: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """What a run collects, by path, and what it names that is not there.

    pytest runs nothing at all when one of its `missing` targets does not exist; `files` are what it would run without
    that mistake. A search that finds nothing is missing too: what pytest then does depends on who passes it on.
    `absent` are the ignores and deselections of what does not exist. `left_out` are the files that the repository's own
    settings of pytest keep from being collected, each with the file that those are in.
    """

    files: tuple[Collected, ...]
    missing: tuple[Target, ...] = ()
    absent: tuple[Spot, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths alone."""
        return tuple(collected.path for collected in self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class Collector:
    """Says what runs collect.

    Args:
        files: the repository's files.
        checkout: where the repository lies on the machine.
        names: patterns of the names of test files (a workspace's `tests.files`, pytest's `python_files`).
        not_entered: names of folders that pytest does not enter by itself (its `norecursedirs`).
        testpaths: what pytest collects where it is called without paths in its root directory.
        conftests: what conftest files keep from being collected.
        settings: the file of pytest's own settings that all this was read in, if there is one.
    """

    files: Files
    checkout: str
    names: tuple[str, ...] = ("test_*.py", "*_test.py")
    not_entered: tuple[str, ...] = NOT_ENTERED
    testpaths: tuple[str, ...] = ()
    conftests: CollectIgnores = field(default_factory=CollectIgnores)
    settings: str | None = None
    swept: dict[tuple[tuple[str, ...], tuple[str, ...]], Sweep] = field(default_factory=dict, init=False)
    rooted: frozenset[str] = field(init=False)
    """The folders with a settings file of pytest's own."""

    def __post_init__(self) -> None:
        """Look for settings files once, not for each run in each folder above it."""
        parted = (path.rpartition("/") for path in self.files.paths if path.endswith(_ROOT_FILES))
        rooted = {folder for folder, _, name in parted if name in _ROOT_FILES}
        rooted |= set() if self.settings is None else {posixpath.dirname(self.settings)}
        object.__setattr__(self, "rooted", frozenset(rooted))

    def collect(self, run: TestRun) -> Collection:
        """What a run collects. A run that executes nothing collects what it would; ask `run.executes`."""
        return self._python(run) if run.tool is Tool.PYTHON else self._pytest(run)

    def settled(self, run: TestRun) -> TestRun:
        """The run as the settings that hold for it make it: where it finds others, not with those that were read."""
        if self.settings is None or run.tool is Tool.PYTHON or not is_configured(run):
            return run
        given, _ = self._given(run)
        folder = self._settings_folder(run, given)
        return run if folder == posixpath.dirname(self.settings) else unconfigured(run)

    def _python(self, run: TestRun) -> Collection:
        """A file that is run as a program: itself."""
        found = [target for target in run.targets if isinstance(target, Named)]
        missing = tuple(target for target in found if target.path not in self.files.known)
        files = tuple(Collected(path=target.path) for target in found if target not in missing)
        return Collection(files=files, missing=missing)

    def _pytest(self, run: TestRun) -> Collection:
        given, missing = self._given(run)
        sweep = self._sweep(run)
        settings_folder = self._settings_folder(run, given)
        top = conftests_from(run, settings_folder, self.checkout)
        kept = normalized(given) if not run.keeps_duplicates else list(given)
        # What is given itself is entered whatever leaves it out; so is every folder above it, which only matters where
        # one path contains another.
        initial = frozenset(path for path, _ in kept)
        if run.keeps_duplicates:
            initial |= {folder for path in initial for folder in folders_of(path)}
        found: dict[str, set[str]] = {}
        left_out: dict[str, str] = {}
        for path, node in kept:
            if path in self.files.known:
                if path.endswith(".py"):
                    found.setdefault(path, set()).add(node)
                continue
            for inner in self._below(sweep, path, run, initial, top, left_out):
                found.setdefault(inner, set()).add("")
        root = _root(run, settings_folder)
        collected = [
            _deselected(Collected(path=path, nodes=() if "" in nodes else tuple(sorted(nodes))), root, run.deselects)
            for path, nodes in sorted(found.items())
        ]
        files = tuple(one for one in collected if one is not None)
        return Collection(
            files=files,
            missing=missing,
            absent=tuple(self._absent(run, root)),
            left_out=tuple(sorted((path, by) for path, by in left_out.items() if path not in found)),
        )

    def _given(self, run: TestRun) -> tuple[tuple[tuple[str, str], ...], tuple[Target, ...]]:
        """Paths with node ids that the run is given, and the targets that name nothing."""
        given: list[tuple[str, str]] = []
        missing: list[Target] = []
        for target in run.targets or self._default(run):
            paths: list[tuple[str, str]]
            match target:
                case Named():
                    paths = [(target.path, target.node)] if self._is_there(target) else []
                case Globbed():
                    paths = [(path, "") for path in expand(self.files, target.glob)]
                case Searched():
                    paths = [(path, "") for path in search(self.files, target.search)]
            if not paths or any(self._is_refused(path) for path, _ in paths):
                missing.append(target)
            given += paths
        return tuple(given), tuple(missing)

    def _is_refused(self, path: str) -> bool:
        """Whether pytest refuses a path that exists.

        What stands behind a "[" are parameters to it, and a file that is neither Python nor text has no tests.
        """
        return "[" in path or (path in self.files.known and not path.endswith((".py", ".txt", ".rst")))

    def _is_there(self, target: Named) -> bool:
        """Whether it exists; a node id of a folder means nothing."""
        return target.path in self.files.known or (target.path in self.files.folders and not target.node)

    def _default(self, run: TestRun) -> tuple[Target, ...]:
        """What pytest collects without paths: `testpaths` in its root directory, else the folder it is called in."""
        folder = run.folder or ""
        overrides = dict(run.overrides)
        testpaths = overrides["testpaths"].split() if "testpaths" in overrides else self.testpaths
        if testpaths and folder == _root(run, self._settings_folder(run, [])):
            paths = [posixpath.normpath(posixpath.join(folder, path)) for path in testpaths]
            there = [path for path in paths if self.files.exists(path)]
            if there:
                return tuple(Named(path=path, written=path, place=run.place) for path in there)
        return (Named(path=folder, written=folder, place=run.place),)

    def _settings_folder(self, run: TestRun, given: Sequence[tuple[str, str]]) -> str:
        """The nearest folder above all that a run is given that has a settings file; else the repository's root."""
        folders = [path if path in self.files.folders else posixpath.dirname(path) for path, _ in given]
        folder = common_folder(folders) if folders else run.folder or ""
        while folder:
            if folder in self.rooted:
                return folder
            folder = posixpath.dirname(folder)
        return ""

    def _sweep(self, run: TestRun) -> Sweep:
        """What a run finds in folders by itself."""
        overrides = dict(run.overrides)
        names = tuple(overrides["python_files"].split()) if "python_files" in overrides else self.names
        skips = tuple(overrides["norecursedirs"].split()) if "norecursedirs" in overrides else self.not_entered
        if (names, skips) not in self.swept:
            self.swept[names, skips] = Sweep.of(self.files, names, skips)
        return self.swept[names, skips]

    def _below(  # noqa: PLR0913, PLR0917 - all that decides
        self,
        sweep: Sweep,
        folder: str,
        run: TestRun,
        initial: frozenset[str],
        top: str | None,
        left_out: dict[str, str],
    ) -> Iterator[str]:
        """Test files in a folder that nothing leaves out; those that settings do are noted in `left_out`."""
        ignored = {spot.path for spot in run.ignores if spot.path not in initial}
        prefixes = tuple(f"{path}/" for path in ignored if path != folder and not folder.startswith(path + "/"))
        globs = [spot.path for spot in run.ignore_globs]
        start, end = below(sweep.paths, folder)
        for path in sweep.paths[start:end]:
            if sweep.skips(path, folder, initial):
                continue
            entered = [one for one in up_to(path, folder) if one not in initial] if globs or self.conftests else []
            if path in ignored or path.startswith(prefixes) or (globs and self._globbed(entered, globs)):
                by = left_out_by(path, run, [self._absolute(one) for one in entered])
            elif (by := None if top is None else self._conftest(entered, top)) is None:
                yield path
            if by is not None:
                left_out[path] = by

    def _conftest(self, paths: Sequence[str], top: str) -> str | None:
        """The conftest that leaves out one of these paths: a file, or a folder that it lies in."""
        return next((by for path in paths if (by := self.conftests.by(path, top)) is not None), None)

    def _globbed(self, paths: Sequence[str], globs: Sequence[str]) -> bool:
        """Whether `--ignore-glob` leaves out one of these paths: a file, or a folder that it lies in."""
        return any(fnmatch.fnmatchcase(self._absolute(path), glob) for path in paths for glob in globs)

    def _absolute(self, path: str) -> str:
        return f"{self.checkout.rstrip('/')}/{path}"

    def _absent(self, run: TestRun, root: str) -> Iterator[Spot]:
        """Ignores and deselections of what does not exist, as far as commands hold them."""
        yield from (spot for spot in run.ignores if not spot.configured and not self.files.exists(spot.path))
        ignore_globs = [spot for spot in run.ignore_globs if not spot.configured]
        if ignore_globs:
            names = [self._absolute(path) for path in (*self.files.paths, *self.files.folders)]
            yield from (spot for spot in ignore_globs if not fnmatch.filter(names, spot.path))
        for spot in run.deselects:
            if spot.configured:
                continue
            path, inside, _ = spot.path.partition("::")
            path = posixpath.join(root, path)
            if path not in self.files.known and (inside or not self._begins(path)):
                yield spot

    def _begins(self, text: str) -> bool:
        """Whether the path of any file begins with a text."""
        at = bisect_left(self.files.paths, text)
        return at < len(self.files.paths) and self.files.paths[at].startswith(text)


def _root(run: TestRun, settings_folder: str) -> str:
    """Pytest's root directory: `--rootdir`, or the folder of its settings."""
    return settings_folder if run.root is None else run.root


def _deselected(collected: Collected, root: str, deselects: Sequence[Spot]) -> Collected | None:
    """A file without what `--deselect` leaves out; None where that is all of it.

    pytest drops every test whose node id, which counts from the root directory, begins with the text.
    """
    relative = posixpath.relpath(collected.path, root or ".") if root else collected.path
    whole = relative + "::"
    without: list[str] = []
    for spot in deselects:
        if whole.startswith(spot.path):
            return None
        if spot.path.startswith(whole):
            without.append(spot.path[len(whole) :])
    if not without:
        return collected
    nodes = tuple(node for node in collected.nodes if not node.startswith(tuple(without)))
    if collected.nodes and not nodes:
        return None
    return Collected(path=collected.path, nodes=nodes, without=tuple(without))
