"""The reference fleet: large enough to be real, every path in it there, no area another's copy."""

import re
from collections import Counter
from pathlib import Path

import pytest

from pipegen import app
from pipegen.model import Job
from pipegen.patterns import Patterns

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def plan() -> app.Plan:
    plan = app.make_plan(app.Request(place=app.Place(root=REPOSITORY, path=app.DEFAULT_WORKSPACE)))
    assert isinstance(plan, app.Plan)
    assert plan.diagnostics == ()
    return plan


@pytest.fixture(scope="module")
def tree() -> tuple[str, ...]:
    return tuple((REPOSITORY / ".buildkite" / "tree.txt").read_text(encoding="utf-8").splitlines())


def test_it_has_the_size_of_a_real_fleet(plan: app.Plan) -> None:
    jobs = plan.expansion.jobs
    assert len({job.origin.area for job in jobs} - {None}) >= 40
    assert len(jobs) >= 70
    assert len({job.queue for job in jobs}) >= 12
    assert {job.lane for job in jobs} == {"cuda", "amd", "xpu", "cpu", "arm", "npu"}


def test_it_has_every_shape_of_machine(plan: app.Plan) -> None:
    jobs = plan.expansion.jobs
    distributed = {job.gpus for job in jobs}
    assert distributed >= {2, 4, 8}
    assert any(job.node_count == 2 for job in jobs)
    assert any(job.parallelism > 1 and (job.origin.area or "").startswith("lora") for job in jobs)
    assert {job.template.text for job in jobs} >= {
        "docker",
        "kubernetes",
        "amd_native",
        "amd_docker",
        "intel_wrapper",
        "plain",
        "multi_node",
    }
    assert any("35gb" in job.queue or "18gb" in job.queue for job in jobs), "a MIG slice"


@pytest.mark.parametrize(
    "area",
    [
        "spec_decode/draft_model",
        "spec_decode/eagle",
        "spec_decode/mtp",
        "spec_decode/ngram_suffix",
        "spec_decode/speculators",
        "acceptance_rates/dflash",
        "acceptance_rates/dspark",
        "acceptance_rates/mtp_other",
        "disaggregated/spec_decode_acceptance",
    ],
)
def test_it_has_the_areas_of_the_three_changes(plan: app.Plan, area: str) -> None:
    assert any(job.origin.area == area for job in plan.expansion.jobs)


def test_the_sweep_is_one_job_for_each_configuration(plan: app.Plan) -> None:
    sweep = {
        job.origin.variant: job.env
        for job in plan.expansion.jobs
        if job.origin.area == "disaggregated/spec_decode_acceptance" and job.lane == "cuda"
    }
    assert set(sweep) == {"eagle3", "mtp"}
    assert sweep["eagle3"]["MODEL_NAME"] == "meta-llama/Llama-3.1-8B-Instruct"
    assert sweep["eagle3"]["NUM_SPEC_TOKENS"] == "3"
    assert sweep["mtp"]["MODEL_NAME"] == "Qwen/Qwen3.5-0.8B-Base"
    assert sweep["mtp"]["NUM_SPEC_TOKENS"] == "1"
    assert sweep["mtp"]["VLLM_SSM_CONV_STATE_LAYOUT"] == "DS"


def test_every_test_path_is_in_the_tree(plan: app.Plan, tree: tuple[str, ...]) -> None:
    missing = {
        test.written for job in plan.expansion.jobs for test in (*job.tests, *job.also) if not _matches(test.file, tree)
    }
    assert missing == set()


def _matches(path: str, tree: tuple[str, ...]) -> bool:
    if any(character in path for character in "*?["):
        parts = "/".join(re.escape(part).replace(r"\*", "[^/]*").replace(r"\?", "[^/]") for part in path.split("/"))
        return any(re.fullmatch(parts + "(?:/.*)?", line) for line in tree)
    return any(line == path or line.startswith(path + "/") for line in tree)


def test_every_pattern_matches_the_tree(plan: app.Plan, tree: tuple[str, ...]) -> None:
    selection = plan.workspace.selection
    written = {source.text for job in plan.expansion.jobs for source in job.sources}
    written |= {pattern.text for pattern in (*selection.run_all, *selection.ignored)}
    dead = set()
    for pattern in written:
        compiled = Patterns.compile([pattern.removeprefix("!")])
        if not any(compiled.match(line) for line in tree):
            dead.add(pattern)
    assert dead == set()


def test_every_test_file_of_the_tree_is_owned(plan: app.Plan, tree: tuple[str, ...]) -> None:
    owned = {claim.test.file for claim in plan.expansion.claims}
    tests = [line for line in tree if line.startswith("tests/") and re.search(r"/(?:test_[^/]*|[^/]*_test)\.py$", line)]
    orphans = [line for line in tests if not any(_matches(path, (line,)) for path in owned)]
    assert orphans == []
    assert len(tests) > 300


def test_no_area_is_the_copy_of_another(plan: app.Plan) -> None:
    """Two areas may look alike, but never in what they run on a machine."""

    def what(job: Job) -> tuple[object, ...]:
        return (job.hardware.name, job.gpus, tuple(command.run for command in job.commands), tuple(job.env.items()))

    seen = Counter(what(job) for job in plan.expansion.jobs if job.origin.area is not None)
    assert [found for found, count in seen.items() if count > 1] == []


@pytest.mark.corpus
def test_every_line_of_the_tree_is_a_file_of_the_real_fleet(tree: tuple[str, ...], corpus: Path) -> None:
    real = set((corpus / "paths.txt").read_text(encoding="utf-8").splitlines())
    assert set(tree) - real == set()
    assert list(tree) == sorted(tree)


@pytest.mark.corpus
def test_no_account_of_others_is_in_the_fleet(corpus: Path) -> None:
    settings = (corpus / "tree" / ".buildkite" / "ci_config.yaml").read_text(encoding="utf-8")
    accounts = re.findall(r"registries: \S*/(\w+)", settings)
    assert accounts
    for path in [*(REPOSITORY / "areas").rglob("*.yaml"), *(REPOSITORY / "templates").iterdir()]:
        text = path.read_text(encoding="utf-8")
        assert not any(account in text for account in accounts), path
