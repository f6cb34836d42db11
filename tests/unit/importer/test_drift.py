"""Step files of other months: whatever stands in them, nothing crashes, what is unknown is named, the rest is there."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipegen.build import build_of, facts_of
from pipegen.diagnostics import Severity
from pipegen.expand import expand
from pipegen.importer import IMPORTERS
from pipegen.manifest.load import load, load_workspaces
from pipegen.resolve import resolve
from pipegen.source import FolderTree, MappingTree
from tests.support.moving import FILES, PARSER, PATHS, found, move
from tests.support.workspaces import REPOSITORY

FLEET = FolderTree(root=REPOSITORY / "pipegen" / "importer" / "fleet")
STEP = ".buildkite/steps/parser.yaml"
ERROR = Severity.ERROR
JSON = ("--format", "json")


def _step(*lines: str) -> str:
    return "group: G\nsteps:\n- label: One\n  key: one\n  commands: [./run.sh]\n" + "".join(f"  {x}\n" for x in lines)


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("timeout_in_minuts: 5", "PG903", 'unknown field "timeout_in_minuts" of the step'),
        ("mirror_hardwares: [amd]", "PG903", 'unknown field "mirror_hardwares" of the step'),
        ("fast_check: true", "PG903", 'unknown field "fast_check" of the step'),
        ("num_gpus: 2", "PG904", '"num_gpus" of the step has no effect'),
        ("gpu: h100", "PG904", '"gpu" of the step has no effect'),
        ("autorun_on_main: true", "PG904", '"autorun_on_main" of the step has no effect'),
        ("optional: maybe", "PG909", 'optional of the step: expected true or false, found "maybe"'),
        (
            "timeout_in_minutes: soon",
            "PG909",
            'timeout_in_minutes of the step: expected an integer of at least 1, found "soon"',
        ),
        (
            "timeout_in_minutes: 0",
            "PG909",
            'timeout_in_minutes of the step: expected an integer of at least 1, found "0"',
        ),
        ("env: [A=1]", "PG909", "env of the step: expected a mapping, found a list"),
        ("env: {'A-B': 1}", "PG909", '"A-B" is no variable with a text'),
        ("mirror: {cuda: {device: h100}}", "PG903", 'nothing reads a mirror "cuda"'),
        ("mirror: {amd: {timeout_in_minutes: 5}}", "PG902", 'mirror "amd" names no device: it is left behind'),
        ("mirror: [amd]", "PG909", "mirror of the step: expected a mapping, found a list"),
        ("agent_tags: {gpu: 1+}", "PG904", 'agent tag "gpu" has no effect on "l4"'),
        ("depends_on: [image-bild]", "PG906", 'no step has the key "image-bild"'),
        (
            "source_file_dependencies: [engine/gone.py]",
            "PG905",
            'source "engine/gone.py" is no file or folder of the repository',
        ),
        ("source_file_dependencies: [../up.py]", "PG909", None),
    ],
)
def test_a_field_that_cannot_be_taken_is_named_where_it_stands(
    tmp_path: Path, line: str, code: str, message: str | None
) -> None:
    moved = move(tmp_path, {STEP: _step(line)}, options=JSON)
    (first, *_) = found(moved.ran)
    assert (first[0], first[1]) == (code, 6)
    assert message is None or first[3] == message
    assert "one" in moved.steps()


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("group: G\n", 1, "steps: expected a list of steps, found nothing"),
        ("group: G\nsteps: {a: b}\n", 2, "steps: expected a list of steps, found a mapping"),
        ("- label: One\n", 1, "expected a mapping, found a list"),
        ("group: G\nsteps:\n- wait\n", 3, 'expected a step, found "wait"'),
        (
            "group: G\nsteps:\n- commands: [x]\n",
            3,
            "the step has neither label nor key: nothing can be called after it",
        ),
        ("group: G\nsteps:\n- label: One\n", 3, "the step has no commands: it is left behind"),
        ("group: G\nsteps:\n- label: 'One\n", 3, "not YAML: a quote that is never closed"),
        ("group: G\nsteps:\n- {label: One, key: a, key: b, commands: [x]}\n", 3, 'key "key" stands here twice'),
    ],
)
def test_a_broken_file_is_an_error_and_the_rest_is_imported(tmp_path: Path, text: str, line: int, message: str) -> None:
    moved = move(tmp_path, {".buildkite/steps/broken.yaml": text}, options=JSON)
    assert moved.ran.status == 1
    assert (line, message) in [(at, said) for _, at, _, said in found(moved.ran)]
    assert "parser" in moved.steps()


def test_two_steps_of_one_key_are_both_there(tmp_path: Path) -> None:
    text = _step() + "- {label: Two, key: one, commands: [./other.sh]}\n"
    moved = move(tmp_path, {STEP: text}, options=JSON)
    assert moved.ran.status == 1
    assert ("PG913", 6, 16) in [each[:3] for each in found(moved.ran)]
    assert {"one", "one-2"} <= set(moved.steps())


def test_a_key_that_buildkite_refuses_becomes_one_that_it_takes(tmp_path: Path) -> None:
    moved = move(tmp_path, {STEP: "group: G\nsteps:\n- {label: A & B, commands: [x]}\n"}, options=JSON)
    assert moved.ran.status == 0
    assert found(moved.ran)[0][3] == '"a-&-b" is no key that Buildkite takes: it becomes "a---b"'
    assert "a---b" in moved.steps()


def test_a_missing_dependency_is_declared_so_that_the_pipeline_stays_as_it_was(tmp_path: Path) -> None:
    moved = move(tmp_path, {STEP: _step("depends_on: [somewhere-else]")})
    assert moved.steps()["one"]["depends_on"] == ["somewhere-else"]
    assert yaml.safe_load(moved.text(".buildkite/pipegen.yaml"))["external_keys"] == ["somewhere-else"]


@pytest.mark.parametrize("text", ["yes", "on", "True", "y"])
def test_booleans_are_spelled_as_yaml_11_lets_them(tmp_path: Path, text: str) -> None:
    moved = move(tmp_path, {STEP: _step(f"optional: {text}")})
    assert "when: nightly" in moved.text("areas/steps/parser.yaml")


def test_null_is_nothing_however_it_is_spelled(tmp_path: Path) -> None:
    moved = move(tmp_path, {STEP: _step("optional: ~", "device: null", "env:")}, options=JSON)
    assert found(moved.ran) == []
    assert moved.steps()["one"]["agents"] == {"queue": "gpu_1_queue"}


def test_settings_that_say_little(tmp_path: Path) -> None:
    moved = move(tmp_path, {".buildkite/ci.yaml": "job_dirs: .buildkite/builds\nextra: 1\n"}, options=JSON)
    assert moved.ran.status == 0
    assert [each[0] for each in found(moved.ran)] == ["PG909", "PG903"]
    assert sorted(moved.steps()) == ["image-build", "image-build-amd"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: x\n", 'the settings lack "job_dirs"'),
        ("[]", "expected a mapping, found an empty list"),
        ("job_dirs: [.buildkite/none]\n", 'no step file is in ".buildkite/none"'),
    ],
)
def test_settings_that_say_nothing(tmp_path: Path, text: str, message: str) -> None:
    moved = move(tmp_path, {".buildkite/ci.yaml": text}, options=JSON)
    assert moved.ran.status == 1
    assert message in [each[3] for each in found(moved.ran)]


_SCALARS: st.SearchStrategy[Any] = st.sampled_from(
    [
        "",
        "x",
        "$A",
        "${A:-b}",
        "$$A",
        "{{ x }}",
        "-1",
        "1e3",
        "~",
        None,
        True,
        0,
        7,
        "a b",
        "!x/",
        "*",
        "'",
        '"',
        ":docker:",
    ]
)
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
)
_NAMES = st.sampled_from(
    "label key depends_on commands command device num_devices num_nodes working_dir env timeout_in_minutes parallelism "
    "optional soft_fail source_file_dependencies mirror retry concurrency concurrency_group agent_tags dind no_plugin "
    "no_gpu mount_buildkite_agent new_field".split()
)
_MACHINES = st.sampled_from(["h100", "mi300_1", "mi999_9", "intel_gpu", "amd_cpu", "cpu", "new", "a/b", None])


@st.composite
def _steps(draw: st.DrawFn) -> dict[str, Any]:
    step: dict[str, Any] = {"label": draw(_SCALARS), "commands": ["pytest -v -s parser/"], "device": draw(_MACHINES)}
    step |= draw(st.dictionaries(_NAMES, _VALUES, max_size=5))
    if draw(st.booleans()):
        step["mirror"] = {"amd": {"device": draw(_MACHINES), **draw(st.dictionaries(_NAMES, _VALUES, max_size=3))}}
    return step


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    steps=st.lists(_steps() | _VALUES, max_size=4), top=st.dictionaries(st.sampled_from(["depends_on", "x"]), _VALUES)
)
def test_whatever_stands_there_nothing_crashes(steps: list[Any], top: dict[str, Any]) -> None:
    text = yaml.safe_dump({"group": "G", **top, "steps": steps}, allow_unicode=True)
    files = {path: content.encode() for path, content in {**FILES, STEP: text}.items()}
    imported = IMPORTERS["vllm"](MappingTree(files=files), [".buildkite/ci.yaml"], PATHS.encode(), "me", FLEET)
    assert ".buildkite/pipegen.yaml" in imported.files
    assert "areas/builds/images.yaml" in imported.files
    assert all(each.span.path in files for each in imported.diagnostics)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=st.lists(_steps(), max_size=4), group=_SCALARS)
def test_what_is_written_is_a_workspace_without_a_mistake(steps: list[Any], group: Any) -> None:
    text = yaml.safe_dump({"group": group, "depends_on": ["image-build"], "steps": steps}, allow_unicode=True)
    files = {path: content.encode() for path, content in {**FILES, STEP: text}.items()}
    imported = IMPORTERS["vllm"](MappingTree(files=files), [".buildkite/ci.yaml"], PATHS.encode(), "me", FLEET)
    tree = MappingTree(files=imported.files)
    (workspace,), in_file = load_workspaces(tree, ".buildkite/pipegen.yaml")
    loaded, in_files = load(tree, workspace)
    catalogue, in_references = resolve(loaded)
    build, in_build = build_of(workspace, facts_of({}, {}), {}, {})
    _, in_jobs = expand(catalogue, build)
    wrong = [each for each in (*in_file, *in_files, *in_references, *in_build, *in_jobs) if each.severity is ERROR]
    assert wrong == []


def test_every_severity_says_what_it_should(tmp_path: Path) -> None:
    """A warning is about what was carried; an error about what is not there."""
    tree = MappingTree(files={path: content.encode() for path, content in {**FILES, STEP: PARSER + "- wait\n"}.items()})
    imported = IMPORTERS["vllm"](tree, [".buildkite/ci.yaml"], PATHS.encode(), "me", FLEET)
    assert [each.message for each in imported.diagnostics if each.severity is Severity.ERROR] == [
        'expected a step, found "wait"'
    ]
