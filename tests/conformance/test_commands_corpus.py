"""The command reader on a real fleet: how much of it is read, and which test files no step collects."""

import fnmatch
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

import pytest
import yaml

from pipegen.commands.collecting.collector import Collector
from pipegen.commands.collecting.files import Files
from pipegen.commands.programs.tables import Carries, Wrapper
from pipegen.commands.reader import CommandReader, tables_with
from pipegen.commands.reading import Reading, Tool, Why

pytestmark = pytest.mark.corpus

CHECKOUT: Final = "/vllm-workspace"
TESTS: Final = f"{CHECKOUT}/tests"
SCRIPTS: Final = ".buildkite/scripts"
WRAPPERS: Final = (
    Wrapper(name=(f"{SCRIPTS}/hardware_ci/run-cpu-test.sh",), carries=Carries.TEXT, skip=1, folder=CHECKOUT),
    Wrapper(
        name=(f"{SCRIPTS}/hardware_ci/run-intel-test.sh",),
        carries=Carries.JOINED,
        folder=CHECKOUT,
        variable="VLLM_TEST_COMMANDS",
    ),
    Wrapper(name=(f"{SCRIPTS}/run-multi-node-test.sh",), carries=Carries.TEXTS, skip=4, folder_argument=1),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step of the fleet, or its mirror, with the commands that reach its shell."""

    file: str
    label: str
    working_dir: str
    commands: tuple[str, ...]


def steps(corpus: Path) -> Iterator[Step]:
    """Every step of every file in the folders of the fleet's pipelines, once; mirrors where they have own commands."""
    files: set[Path] = set()
    for settings in sorted((corpus / "tree" / ".buildkite").glob("ci_config*.yaml")):
        for folder in yaml.safe_load(settings.read_text(encoding="utf-8"))["job_dirs"]:
            files |= set((corpus / "tree" / folder).rglob("*.yaml"))
    for path in sorted(files):
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        default = TESTS if document.get("depends_on") else ""
        for step in document["steps"]:
            yield from _with_mirrors(path.name, step, default)


def _with_mirrors(file: str, step: Mapping[str, object], default: str) -> Iterator[Step]:
    # Steps of several nodes, and those that build images, run where the agent has its checkout.
    stays = str(step["label"]).startswith(":docker:") or int(str(step.get("num_nodes", 1))) > 1
    folder = "" if stays else str(step.get("working_dir") or default)
    yield Step(file=file, label=str(step["label"]), working_dir=folder, commands=_commands(step))
    mirrors = step.get("mirror")
    for mirror in mirrors.values() if isinstance(mirrors, dict) else ():
        own = _commands(mirror)
        if own:
            yield Step(
                file=file,
                label=f"{step['label']} (mirror)",
                working_dir=str(mirror.get("working_dir") or folder),
                commands=own,
            )


def _commands(step: Mapping[str, object]) -> tuple[str, ...]:
    found = step.get("commands") or step.get("command") or []
    texts = [found] if isinstance(found, str) else found
    assert isinstance(texts, list)
    # The upload takes one of two dollars away.
    return tuple(str(text).replace("$$", "$") for text in texts)


@pytest.fixture(scope="module")
def readings(corpus: Path) -> list[tuple[Step, Reading]]:
    """Every step with what its commands say."""
    reader = CommandReader(checkout=CHECKOUT, tables=tables_with(WRAPPERS))
    return [(step, reader.read(step.commands, working_dir=step.working_dir)) for step in steps(corpus)]


@pytest.fixture(scope="module")
def files(corpus: Path) -> Files:
    """Every file of the fleet's repository."""
    return Files.of((corpus / "paths.txt").read_text(encoding="utf-8").splitlines())


class TestReading:
    def test_how_much_is_read(self, readings: list[tuple[Step, Reading]]) -> None:
        """A command counts as read if nothing of it is unread.

        Scripts and programs whose content the corpus does not hold are followed to their paths and no further; they
        count as read here, and are counted below.
        """
        total = sum(len(step.commands) for step, _ in readings)
        unread = [(step, one) for step, reading in readings for one in reading.unread if one.why is not Why.CONTENT]
        commands = {(step.file, step.label, one.place.command) for step, one in unread}
        shown = [f"{step.file}: {step.label}: {one.text}: {one.reason}" for step, one in unread]
        assert total >= 700
        assert len(commands) / total <= 0.02, "\n".join(shown)

    def test_what_is_not_read(self, readings: list[tuple[Step, Reading]]) -> None:
        """One option that the fleet's own conftest defines: nothing in the command says that it takes a value."""
        unread = [one for _, reading in readings for one in reading.unread if one.why is not Why.CONTENT]
        assert [(one.why, one.text) for one in unread] == [(Why.OPTION, "llama3.2")]

    def test_scripts_without_content_exist(self, readings: list[tuple[Step, Reading]], files: Files) -> None:
        """What cannot be followed for want of content is a file of the repository, named as it lies there."""
        calls = [call for _, reading in readings for call in reading.calls]
        contents = [one for _, reading in readings for one in reading.unread if one.why is Why.CONTENT]
        assert len(calls) == len(contents) == 158
        assert [call.path for call in calls if call.path not in files.known] == []

    def test_every_place_is_in_its_command(self, readings: list[tuple[Step, Reading]]) -> None:
        for step, reading in readings:
            for run in reading.runs:
                assert step.commands[run.place.command].startswith(("pytest", "torchrun", "python"), run.place.offset)


class TestCollection:
    def test_targets_exist(self, readings: list[tuple[Step, Reading]], files: Files) -> None:
        """One path does not: an inner quote closed the outer one, so that a word of a mark became a path."""
        collector = Collector(files=files, checkout=CHECKOUT)
        runs = [run for _, reading in readings for run in reading.runs]
        found = [collector.collect(run) for run in runs]
        assert [getattr(target, "written", None) for one in found for target in one.missing] == ["cpu_test"]
        assert [spot.written for one in found for spot in one.absent] == ["kernels/test_kda.py"]

    def test_files_that_no_step_collects(self, readings: list[tuple[Step, Reading]], files: Files) -> None:
        """60 files; another tool found 48.

        It could follow scripts, of which the corpus has no content: they run nine of the 60 (in
        `nixl_integration/` six, in `mooncake_integration/` two, in `weight_loading/` one). And it read one more
        pipeline, `.buildkite/test-amd.yaml`, which no settings file names: that runs three files of ROCm's.
        """
        collector = Collector(files=files, checkout=CHECKOUT)
        runs = [run for _, reading in readings for run in reading.runs if run.executes]
        collected = {path for run in runs for path in collector.collect(run).paths}
        tests = [path for path in files.paths if path.startswith("tests/") and _is_test(path)]
        orphans = [path for path in tests if path not in collected]
        by_scripts = {path for path in orphans if path.split("/")[-2] in _RUN_BY_SCRIPTS} - _RUN_BY_NONE
        of_rocm = {path for path in orphans if "quick" in path or "rocm" in path}
        assert (len(tests), len(orphans)) == (1419, 60), "\n".join(orphans)
        assert (len(by_scripts), len(of_rocm)) == (9, 3)
        assert len(set(orphans) - by_scripts - of_rocm) == 48

    def test_programs_are_few(self, readings: list[tuple[Step, Reading]]) -> None:
        """Test files that are only ever run as programs: whether that runs a test is in their content."""
        runs = [run for _, reading in readings for run in reading.runs if run.tool is Tool.PYTHON]
        assert {run.complete for run in runs} == {False}
        assert len({target for run in runs for target in run.targets if hasattr(target, "path")}) >= 6


_RUN_BY_SCRIPTS: Final = frozenset({"nixl_integration", "mooncake_integration", "weight_loading"})
# Its script names it by a variable that the other tool could not resolve.
_RUN_BY_NONE: Final = frozenset({"tests/v1/kv_connector/nixl_integration/test_disagg_accuracy.py"})


def _is_test(path: str) -> bool:
    name = PurePosixPath(path).name
    return fnmatch.fnmatch(name, "test_*.py") or fnmatch.fnmatch(name, "*_test.py")
