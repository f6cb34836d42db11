"""Hypothesis strategies: workspaces of a handful of jobs that wait for one another, and builds that change files."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hypothesis import strategies as st

from pipegen.select import ChangedFiles, Circumstances, Everything
from pipegen.select.edits import listed
from tests.support.selection import HARDWARE, PLAIN, Fleet, fleet

Json = dict[str, object]

SOURCES: Final = ("src/", "src/a/", "src/a/b/", "src/a/b/x.py", "lib/*.py", "**/*.md", "!src/a/b/", "!**/skip.py")
FOLDERS: Final = ("t/", "t/a/", "t/a/b/", "u/", "u/a/", "t/test_x.py", "t/test_*.py", "u/a/test_y.py::test_z")
FILES: Final = (
    "src/c.py",
    "src/skip.py",
    "src/a/x.py",
    "src/a/b/x.py",
    "src/a/b/notes.md",
    "lib/m.py",
    "lib/deep/m.py",
    "tests/t/test_x.py",
    "tests/t/test_w.py",
    "tests/t/a/test_x.py",
    "tests/t/a/b/conftest.py",
    "tests/u/test_y.py",
    "tests/u/a/test_y.py",
    "tests/other/test_o.py",
    "docs/index.rst",
    "README.md",
    "setup.py",
    "unknown.c",
    "areas/a.yaml",
    "areas/b.yaml",
    "templates/plain.yaml.j2",
    "templates/special.yaml.j2",
    ".buildkite/hardware.yaml",
    ".buildkite/pipegen.yaml",
)
WHENS: Final = ("changed", "sources", "nightly", "weekly", "manual", "always")
BUILDERS: Final = ("one", "two", "three", "four")


def _some(values: tuple[str, ...], least: int = 0) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(values), unique=True, min_size=least, max_size=3)


@st.composite
def _builders(draw: st.DrawFn) -> list[Json]:
    """Steps without tests, each waiting for some of those before it."""
    steps: list[Json] = []
    for number, key in enumerate(BUILDERS):
        step: Json = {"key": key, "hardware": "cpu", "commands": ["make"], "when": draw(_some(WHENS, 1))}
        step["depends_on"] = draw(_some(BUILDERS[:number])) if number else []
        step["sources"] = draw(_some(SOURCES, 1))
        steps.append(step)
    return steps


@st.composite
def _area(draw: st.DrawFn, folder: str) -> Json:
    """An area that owns one folder, with a mirror perhaps; its jobs wait for some of the builders."""
    area: Json = {
        "tests": [folder],
        "sources": draw(_some(SOURCES, 1)),
        "when": draw(_some(WHENS, 1)),
        "hardware": draw(st.sampled_from(["gpu", "big"])),
        "depends_on": draw(_some(BUILDERS)),
    }
    if draw(st.booleans()):
        area["gate"] = {"depends_on": draw(_some(BUILDERS))}
    if draw(st.booleans()):
        mirror: Json = {"hardware": "mi", "sources": ["+", "src/rocm/"], "depends_on": draw(_some(BUILDERS))}
        area["mirrors"] = {"amd": draw(st.sampled_from([mirror, {"none": "no card"}]))}
    if draw(st.booleans()):
        area |= {"also": [draw(st.sampled_from(FOLDERS))], "separate": True}
    return area


def _nests(folders: list[str]) -> bool:
    """Whether pytest could not be told exactly what one of them leaves to another: globs and node ids in play."""
    odd = [folder for folder in folders if "*" in folder or "::" in folder]
    return any(folder.startswith(one.split("/")[0] + "/") for one in odd for folder in folders if folder != one)


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomWorkspace:
    """The files of a workspace as data, so that they can be written in another order as well."""

    workspace: Json
    areas: Mapping[str, Json]
    builders: list[Json]

    def files(self, *, backwards: bool = False) -> Mapping[str, str | None]:
        """The files; with `backwards` everything whose order says nothing is in the other order."""
        names = sorted(self.areas, reverse=backwards)
        builders = self.builders[::-1] if backwards else self.builders
        manifests = {
            "areas/a.yaml": {
                "group": "A",
                "owner": "core",
                "timeout_in_minutes": 5,
                "areas": {n: self.areas[n] for n in names},
            },
            "areas/b.yaml": {"group": "B", "order": -1, "timeout_in_minutes": 5, "steps": builders},
        }
        if not self.areas:
            del manifests["areas/a.yaml"]
        found: dict[str, str | None] = {
            ".buildkite/pipegen.yaml": json.dumps(self.workspace),
            ".buildkite/hardware.yaml": HARDWARE.replace("depends_on: [image]", "depends_on: []").replace(
                "depends_on: [image-amd]", "depends_on: []"
            ),
            "areas/engine.yaml": None,
            "areas/images.yaml": None,
            "templates/special.yaml.j2": PLAIN,
            "templates/shared.j2": None,
            **{path: json.dumps(manifest) for path, manifest in manifests.items()},
        }
        return dict(reversed(found.items())) if backwards else found


@st.composite
def workspaces(draw: st.DrawFn) -> RandomWorkspace:
    """A workspace without errors."""
    folders = draw(st.lists(st.sampled_from(FOLDERS), unique=True, max_size=4).filter(lambda some: not _nests(some)))
    selection: Json = {
        "run_all": draw(_some(("setup.py", "lib/", "!lib/deep/", "src/a/b/x.py"))),
        "ignored": draw(_some(("docs/", "**/*.md", "unknown.c"))),
        "owned_tests": draw(st.booleans()),
        "edited": draw(st.sampled_from(["run", "gate"])),
        "unselected": draw(st.sampled_from(["block", "skip", "omit"])),
    }
    workspace: Json = {
        "version": 1,
        "owners": {"core": {"github": "@org/core"}},
        "selection": selection,
        "schedules": {"nightly": {"environment": {"NIGHTLY": "1"}}, "weekly": {}},
        "switches": [
            {"environment": {"RUN_ALL": "1"}, "does": "run_all"},
            {"environment": {"NOAUTO": "1"}, "does": "gate_all"},
            {"environment": "ONLY_KEYS", "does": "only"},
            {"environment": {"SKIP_TIMEOUT": "1"}, "does": "no_timeouts"},
            {"environment": {"PRIORITY": "HIGH"}, "does": {"priority": 1000}},
            {"label": "ready", "does": ["run_all", {"schedule": "nightly"}]},
        ],
        "lanes": {"cuda": {}, "amd": {}, "cpu": {}},
    }
    areas = {f"area{number}": draw(_area(folder)) for number, folder in enumerate(folders)}
    return RandomWorkspace(workspace=workspace, areas=areas, builders=draw(_builders()))


def fleets() -> st.SearchStrategy[Fleet]:
    """A workspace up to its jobs."""
    return workspaces().map(lambda workspace: fleet(workspace.files()))


def changes() -> st.SearchStrategy[tuple[str, ...]]:
    """Some changed files, mostly few."""
    return st.lists(st.sampled_from(FILES), unique=True, max_size=4).map(tuple)


@st.composite
def builds(draw: st.DrawFn) -> Circumstances:
    """What a build may say, switches that leave `when` to decide among them, and no changes yet."""
    environment = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "RUN_ALL": st.just("1"),
                "NIGHTLY": st.just("1"),
                "SKIP_TIMEOUT": st.just("1"),
                "PRIORITY": st.just("HIGH"),
            },
        )
    )
    return Circumstances(
        environment=environment,
        labels=tuple(draw(st.lists(st.sampled_from(["ready", "other"]), unique=True, max_size=1))),
        schedules=tuple(draw(st.lists(st.sampled_from(["nightly", "weekly"]), unique=True, max_size=1))),
    )


def changing(given: Fleet, build: Circumstances, paths: tuple[str, ...] | None) -> Circumstances:
    """A build in which these files changed, entries of changed manifests among them; None: nobody knows which."""
    if paths is None:
        return Circumstances(
            changes=Everything(cause="git is gone"),
            environment=build.environment,
            labels=build.labels,
            schedules=build.schedules,
        )
    return Circumstances(
        changes=ChangedFiles(paths=paths),
        edits=listed(given.entries, given.workspace, paths),
        environment=build.environment,
        labels=build.labels,
        schedules=build.schedules,
    )
