"""How long `generate` and `lint` take, as a multiple of a floor: a process that composes the same files with libyaml.

python -m bench.speed                      this repository's fleet, or the one in PIPEGEN_CORPUS
python -m bench.speed --runs 15            more of each, for a machine that others use
python -m bench.speed --growth 1 10 40     the fleet once and several times over
python -m bench.speed --git                the change set from git, in a repository of the fleet's paths

Floor and runs take turns, and their medians are compared: what else a machine does hits them all. A warm `lint` is one
that another one came before, with nothing changed in between.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import yaml

from pipegen.dataclass import dataclass
from tests.support.workspaces import REPOSITORY

FLOOR: Final = """\
import pathlib, sys, yaml
for path in sys.argv[1:]:
    yaml.compose(pathlib.Path(path).read_bytes(), Loader=yaml.CSafeLoader)
"""
RUN: Final = "from pipegen.cli import main; main()"
"""As the installed `pipegen` begins."""
FOUND: Final = 1
"""The exit code of a lint that finds something."""
SETTINGS: Final = ".buildkite/ci_config.yaml"
LIMITS: Final = {"jobs_per_upload": "100000", "jobs_per_build": "100000"}
GIT: Final = ("git", "-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """A workspace, the step files that the floor composes, and the build that `generate` is for."""

    root: Path
    composed: tuple[Path, ...]
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str]
    paths: tuple[str, ...] = ()

    @property
    def floor(self) -> list[str]:
        """The words of the floor."""
        return [sys.executable, "-c", FLOOR, *map(str, self.composed)]

    @property
    def generate(self) -> list[str]:
        """The words of the run."""
        out = str(self.root / "pipeline.yaml")
        return [sys.executable, "-c", RUN, "-C", str(self.root), "generate", *self.arguments, "-o", out]

    @property
    def runs(self) -> Mapping[str, list[str]]:
        """The words of everything that is compared, by its name."""
        base = self.arguments[self.arguments.index("--base") :] if "--base" in self.arguments else ()
        lint = [sys.executable, "-c", RUN, "-C", str(self.root), "lint", *base]
        return {
            "floor": self.floor,
            "generate": self.generate,
            "lint": [*lint, "--no-cache"],
            "lint warm": [*lint, "--cache"],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one process took: seconds of the clock and of the processor, and at most how many MiB."""

    wall: float
    processor: float
    memory: float


def cost_of(words: Sequence[str], environment: Mapping[str, str]) -> Cost:
    """Run a process and weigh it."""
    known = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    start = time.perf_counter()
    process = subprocess.Popen(
        words,
        env={**known, "PYTHONPATH": str(REPOSITORY), **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    said = "" if process.stderr is None else process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode and not (process.returncode == FOUND and "lint" in words):
        raise SystemExit(f"exit {process.returncode}: {said[-2000:]}")
    return Cost(wall=wall, processor=usage.ru_utime + usage.ru_stime, memory=usage.ru_maxrss / 1024)


def median(costs: Sequence[Cost]) -> Cost:
    """The middle one in each respect."""
    return Cost(
        wall=statistics.median(cost.wall for cost in costs),
        processor=statistics.median(cost.processor for cost in costs),
        memory=statistics.median(cost.memory for cost in costs),
    )


def corpus_fleet(corpus: Path, folder: Path) -> Fleet:
    """The fleet of the corpus, imported, in its nightly build: the one that renders everything."""
    root = folder / "fleet"
    scenario = corpus / "scenarios" / "main-nightly"
    words = ["import", "vllm", str(corpus / "tree"), "--config", SETTINGS, "--paths", str(corpus / "paths.txt")]
    cost_of([sys.executable, "-c", RUN, *words, "--into", str(root)], {})
    return Fleet(
        root=root,
        composed=tuple(sorted((corpus / "tree").rglob("*.yaml"))),
        arguments=("--changed-files", str(scenario / "changed.txt"), "--var", "CACHE_FROM=a", "--var", "CACHE_TO=b"),
        environment=json.loads((scenario / "scenario.json").read_text(encoding="utf-8"))["environment"],
        paths=tuple((corpus / "paths.txt").read_text(encoding="utf-8").splitlines()),
    )


def own_fleet(folder: Path) -> Fleet:
    """The reference fleet of this repository, every job of it."""
    root = folder / "fleet"
    for name in ("areas", "templates", ".buildkite"):
        shutil.copytree(REPOSITORY / name, root / name)
    composed = (*sorted((root / "areas").rglob("*.yaml")), *sorted((root / ".buildkite").glob("*.yaml")))
    return Fleet(root=root, composed=composed, arguments=("--all",), environment={})


def grown(fleet: Fleet, times: int, folder: Path) -> Fleet:
    """The fleet several times over: each further time with other names, keys and tests, and the same dependencies."""
    root = folder / f"fleet-{times}"
    shutil.copytree(fleet.root, root)
    _lift_limits(root / ".buildkite" / "pipegen.yaml")
    for path in sorted((fleet.root / "areas").rglob("*.yaml")):
        for number in range(1, times):
            node = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.CBaseLoader)
            _rename(node, number)
            copy = root / "areas" / f"copy{number}" / path.relative_to(fleet.root / "areas")
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(yaml.serialize(node, Dumper=yaml.CBaseDumper), encoding="utf-8")
    return Fleet(root=root, composed=fleet.composed, arguments=fleet.arguments, environment=fleet.environment)


def _lift_limits(settings: Path) -> None:
    """Allow as many jobs as there are: Buildkite's own limit is far below fifty fleets."""
    workspace = yaml.compose(settings.read_text(encoding="utf-8"), Loader=yaml.CBaseLoader)
    assert isinstance(workspace, yaml.MappingNode)
    found = [(key, value) for key, value in workspace.value if key.value == "limits"]
    if not found:
        found = [(_word("limits"), yaml.MappingNode("tag:yaml.org,2002:map", []))]
        workspace.value += found
    limits = found[0][1]
    limits.value = [(key, value) for key, value in limits.value if key.value not in LIMITS]
    limits.value += [(_word(name), _word(value)) for name, value in LIMITS.items()]
    text = yaml.serialize(workspace, Dumper=yaml.CBaseDumper)
    settings.write_text(text, encoding="utf-8")


def _word(text: str) -> yaml.ScalarNode:
    return yaml.ScalarNode("tag:yaml.org,2002:str", text)


def _rename(node: yaml.Node | None, number: int, *, areas: bool = False) -> None:
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _rename(item, number)
    if not isinstance(node, yaml.MappingNode):
        return
    for key, value in node.value:
        if key.value in ("tests", "also", "ignore"):
            _move(value, number)
        elif key.value == "key":
            value.value = f"{value.value}-{number}"
        else:
            _rename(value, number, areas=key.value == "areas")
        if areas:
            key.value = f"copy{number}/{key.value}"


def _move(tests: yaml.Node, number: int) -> None:
    for item in tests.value if isinstance(tests, yaml.SequenceNode) else [tests]:
        outside = "//" if item.value.startswith("//") else ""
        item.value = f"{outside}copy{number}/{item.value.removeprefix('//')}"


def in_git(fleet: Fleet) -> Fleet:
    """The same in a repository of the fleet's paths, where one commit changes what the build is about."""
    settings = fleet.root / ".buildkite" / "pipegen.yaml"
    lines = settings.read_text(encoding="utf-8").splitlines(keepends=True)
    # The areas are now about this repository, not about another whose files are listed.
    settings.write_text("".join(line for line in lines if not line.startswith("listing:")), encoding="utf-8")
    for path in fleet.paths:
        place = fleet.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists():
            place.write_bytes(b"")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "all"), ("checkout", "-qb", "x")):
        subprocess.run([*GIT, *words], cwd=fleet.root, check=True)
    changed = fleet.root / (fleet.paths[len(fleet.paths) // 2] if fleet.paths else "README.md")
    changed.write_bytes(b"changed\n")
    for words in (("add", "-A"), ("commit", "-q", "-m", "change")):
        subprocess.run([*GIT, *words], cwd=fleet.root, check=True)
    arguments = [word for word in fleet.arguments if word != "--all"]
    if "--changed-files" in arguments:
        at = arguments.index("--changed-files")
        del arguments[at : at + 2]
    return Fleet(
        root=fleet.root,
        composed=fleet.composed,
        arguments=(*arguments, "--base", "main"),
        environment=fleet.environment,
    )


def measure(fleet: Fleet, runs: int) -> Iterator[str]:
    """Lines about floor and runs."""
    environment = {**fleet.environment, "XDG_CACHE_HOME": str(fleet.root.parent / "cache")}
    costs: dict[str, list[Cost]] = {name: [] for name in fleet.runs}
    for words in fleet.runs.values():
        cost_of(words, environment)  # compiles what Python keeps, and leaves what a warm run finds
    for _ in range(runs):
        for name, words in fleet.runs.items():
            costs[name].append(cost_of(words, environment))
    medians = {name: median(found) for name, found in costs.items()}
    floor = medians["floor"]
    for name, cost in medians.items():
        yield (
            f"{name:9} {cost.wall:7.3f} s wall {cost.processor:7.3f} s processor {cost.memory:6.0f} MiB"
            f"{cost.wall / floor.wall:7.1f} and {cost.processor / floor.processor:.1f} times the floor"
        )


def growth(fleet: Fleet, sizes: Sequence[int], runs: int, folder: Path) -> Iterator[str]:
    """Lines about the fleet several times over; the last one says whether time grows faster than work."""
    times = []
    for size in sizes:
        larger = grown(fleet, size, folder)
        cost = median([cost_of(larger.generate, larger.environment) for _ in range(max(1, runs // size))])
        times.append(cost.processor)
        yield f"x {size:<7} {cost.wall:7.3f} s wall {cost.processor:7.3f} s processor {cost.memory:6.0f} MiB"
    if len(times) == 3 and times[1] > times[0]:
        even = (sizes[2] - sizes[1]) / (sizes[1] - sizes[0])
        ratio = (times[2] - times[1]) / (times[1] - times[0])
        yield f"growth    {ratio:7.1f} between the last two, as a multiple of that between the first (even: {even:.1f})"


def main() -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=7, help="how often each of them runs")
    parser.add_argument(
        "--growth",
        type=int,
        nargs="*",
        default=(),
        metavar="N",
        help="sizes to compare, as 1 10 40 (no workspace may hold 2,000 manifests)",
    )
    parser.add_argument("--git", action="store_true", help="take the change set from git")
    arguments = parser.parse_args()
    corpus = os.environ.get("PIPEGEN_CORPUS")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fleet = own_fleet(folder) if corpus is None else corpus_fleet(Path(corpus), folder)
        lines = (
            growth(fleet, arguments.growth, arguments.runs, folder)
            if arguments.growth
            else measure(in_git(fleet) if arguments.git else fleet, arguments.runs)
        )
        for line in lines:
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
