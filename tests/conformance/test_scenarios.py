"""A real fleet moves in: in every scenario, the imported workspace gives the plan of the fleet's own generator."""

import fnmatch
import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from tests.conformance.fleet import Fleet
from tests.support.workspaces import run

pytestmark = pytest.mark.corpus

CI = ".buildkite/ci_config.yaml"
INTEL = ".buildkite/ci_config_intel.yaml"
ROCM = ".buildkite/ci_config_rocm.yaml"

REQUOTED = (
    "the wrapper puts quotes around the expressions of -m and -k among its arguments; quotes that arrive as the author "
    "wrote them would be the inner ones of two pairs, and pytest refuses the expression. Such tests travel in "
    "VLLM_TEST_COMMANDS instead"
)
DELIVERED_OTHERWISE: Mapping[str, Mapping[str, str]] = {
    "xpu-pr": dict.fromkeys(
        (
            "async-engine-inputs-utils-worker",
            "distributed-model-tests-2-gpus",
            "model-executor-intel",
            "model-runner-v2-core-tests-intel",
            "model-runner-v2-distributed-2-gpus",
            "multi-modal-models-standard-3-llava-qwen2-vl",
            "xpu-v1-test",
        ),
        REQUOTED,
    )
}
"""Steps by scenario whose delivery is right and not what the expected plan has, with the reason."""

SCENARIOS = (
    ("main-merge", 524),
    ("main-nightly", 310),
    ("main-torch-nightly", 397),
    ("pr-docs-only", 0),
    ("pr-eagle-test", 599),
    ("pr-excluded-subtree", 592),
    ("pr-high-priority", 537),
    ("pr-label-run-all", 310),
    ("pr-no-auto", 620),
    ("pr-only-keys", 2),
    ("pr-organize-spec-decode-tests", 497),
    ("pr-rocm-base", 539),
    ("pr-run-all", 397),
    ("pr-run-all-excluded", 600),
    ("pr-skip-timeout", 537),
    ("pr-spec-decode-source", 537),
    ("xpu-pr", 62),
    ("xpu-pr-docs", 0),
)


@pytest.fixture(scope="module")
def workspaces(fleet: Fleet) -> Mapping[str, Path]:
    """One workspace for each settings file, imported once."""
    result = {}
    for config in (CI, INTEL):
        root, ran = fleet.imported(config)
        assert ran.status == 0, ran.stderr
        result[config] = root
    return result


def test_every_scenario_is_here(corpus: Path) -> None:
    assert tuple(sorted(path.name for path in (corpus / "scenarios").iterdir())) == tuple(name for name, _ in SCENARIOS)


@pytest.mark.parametrize(("name", "steps"), SCENARIOS)
def test_the_plan_is_the_fleets_own(fleet: Fleet, workspaces: Mapping[str, Path], name: str, steps: int) -> None:
    excepted = tuple(DELIVERED_OTHERWISE.get(name, {}))
    output, ran = fleet.generate(name, workspaces[fleet.scenario(name)["config"]])
    assert ran.status == 0, ran.stderr
    left = steps - len(excepted)
    assert fleet.compared(name, output, excepted=excepted) == f"{left}/{left} steps identical, 0 missing, 0 extra"


def test_steps_that_are_delivered_otherwise_run_their_tests_right(fleet: Fleet, workspaces: Mapping[str, Path]) -> None:
    output, _ = fleet.generate("xpu-pr", workspaces[INTEL])
    groups = yaml.safe_load(output.read_text(encoding="utf-8"))["steps"]
    steps = {step["key"]: step for group in groups for step in group["steps"]}
    for key in DELIVERED_OTHERWISE["xpu-pr"]:
        assert steps[key]["command"] == "bash .buildkite/scripts/hardware_ci/run-intel-test.sh"
        assert "pytest -v -s " in steps[key]["env"]["VLLM_TEST_COMMANDS"]
    tests = steps["distributed-model-tests-2-gpus"]["env"]["VLLM_TEST_COMMANDS"]
    assert tests.endswith('model_executor/model_loader/test_sharded_state_loader.py -m "not slow_test"')


def test_one_workspace_holds_all_pipelines(fleet: Fleet) -> None:
    root, ran = fleet.imported(CI, INTEL, ROCM)
    assert ran.status == 0, ran.stderr
    output, generated = fleet.generate("pr-organize-spec-decode-tests", root, pipeline="vllm_ci")
    assert generated.status == 0, generated.stderr
    assert fleet.compared("pr-organize-spec-decode-tests", output) == "497/497 steps identical, 0 missing, 0 extra"
    _, generated = fleet.generate("xpu-pr", root, pipeline="vllm_rocm_ci")
    assert generated.status == 0, generated.stderr


def test_what_the_import_says(fleet: Fleet) -> None:
    _, ran = fleet.imported(CI, INTEL, ROCM, into="said")
    assert ran.stdout.splitlines()[:2] == [
        "read     3 pipelines, 56 files, 281 steps with 73 mirrors",
        "wrote    244 areas and 37 steps that run no tests, all owned by unassigned",
    ]
    assert ran.stderr.count(" PG904 warning: ") == 8  # three fields by six steps, and two numbers of cards
    assert ran.stderr.count(" PG907 warning: ") == 2
    assert ran.stderr.count(" PG914 warning: ") == len(DELIVERED_OTHERWISE["xpu-pr"])


def test_what_nobody_owns_runs_nowhere(fleet: Fleet) -> None:
    """By an independent check, 48 test files run in no job: these, and one that the step of its folder leaves out."""
    root, _ = fleet.imported(CI, INTEL, ROCM, into="owned")
    owned: set[str] = set()
    for pipeline in ("vllm_ci", "vllm_intel_ci", "vllm_rocm_ci"):
        listed = run("list", "areas", "--pipeline", pipeline, "--format", "json", cwd=root)
        owned |= {path for area in json.loads(listed.stdout)["areas"] for path in area["tests"]}
    files = [path for path in _listed(fleet) if re.fullmatch(r"tests/(?:.*/)?(?:test_[^/]*|[^/]*_test)\.py", path)]
    nowhere = [path for path in files if not any(_holds(owner, path) for owner in owned)]
    assert (len(files), len(nowhere)) == (1419, 47)
    assert not any(_holds("tests/kernels", path) for path in nowhere)
    kernels = (root / "areas" / "test_areas" / "kernels.yaml").read_text(encoding="utf-8")
    assert "--ignore=kernels/test_shuffle_rows.py" in kernels


def _listed(fleet: Fleet) -> list[str]:
    return (fleet.corpus / "paths.txt").read_text(encoding="utf-8").splitlines()


def _holds(owner: str, path: str) -> bool:
    """Whether a test path of an area takes in a file."""
    file = owner.partition("::")[0].rstrip("/")
    return (
        path == file
        or path.startswith(file + "/")
        or (fnmatch.fnmatch(path, file) and path.count("/") == file.count("/"))
    )


def test_importing_twice_gives_the_same_bytes(fleet: Fleet, workspaces: Mapping[str, Path]) -> None:
    again, _ = fleet.imported(CI, into="again")
    assert _bytes(again) == _bytes(workspaces[CI])


def test_a_broken_file_costs_its_own_steps_alone(fleet: Fleet, workspaces: Mapping[str, Path], tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(fleet.corpus / "tree", tree)
    broken = tree / ".buildkite" / "test_areas" / "lora.yaml"
    broken.chmod(0o644)
    broken.write_text("group: LoRA\nsteps: 'not closed\n", encoding="utf-8")
    root, ran = fleet.imported(CI, into="broken", tree=tree)
    assert ran.status == 1
    assert "lora.yaml:2:8 PG104 not YAML" in ran.stderr
    before = _bytes(workspaces[CI])
    assert set(before) - set(_bytes(root)) == {"areas/test_areas/lora.yaml"}
    assert fleet.generate("main-nightly", root)[1].status == 0


def _bytes(root: Path) -> Mapping[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_every_explaining_comment_is_still_there(fleet: Fleet) -> None:
    """Line by line, but for steps that were commented out themselves."""
    root, _ = fleet.imported(CI, INTEL, into="comments")
    written = "".join(path.read_text(encoding="utf-8") for path in sorted((root / "areas").rglob("*.yaml")))
    lost = []
    for path in sorted((fleet.corpus / "tree" / ".buildkite").rglob("*/*.yaml")):
        dead = False
        for line in path.read_text(encoding="utf-8").splitlines():
            text = line.strip()
            dead = text.startswith("#") and (dead or text.startswith("# - label:"))
            if text.startswith("#") and not dead and text.removeprefix("#").strip() not in written:
                lost.append(f"{path.name}: {text}")
    assert lost == []
