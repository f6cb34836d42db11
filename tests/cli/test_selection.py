"""`pipegen generate` with every way to say what a build is about, as a user types it."""

import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import yaml

from tests.support.repositories import Repository
from tests.support.selection import FILES, WORKSPACE
from tests.support.workspaces import Ran, command, process_environment, run, write

Generate = Callable[..., Ran]
EVERY = {"base", "image", "image-amd", "engine", "amd-engine", "engine-deep"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "fleet", FILES)


@pytest.fixture
def generate(root: Path) -> Generate:
    def call(*words: str, changed: str | None = None, env: Mapping[str, str] | None = None) -> Ran:
        given = list(words)
        if changed is not None:
            (root.parent / "changed.txt").write_text(changed, encoding="utf-8")
            given += ["--changed-files", "../changed.txt"]
        return run("generate", *given, cwd=root, env=env)

    return call


def _steps(ran: Ran) -> dict[str, dict[str, object]]:
    """Every step of what was printed, by key."""
    assert ran.status == 0, ran.stderr
    document = yaml.safe_load(ran.stdout)
    return {step["key"]: step for group in document["steps"] for step in group["steps"]}


def _running(ran: Ran) -> set[str]:
    """The jobs without a gate."""
    return {
        key
        for key, step in _steps(ran).items()
        if "block" not in step and not any(str(one).startswith("block-") for one in step.get("depends_on") or ())  # type: ignore[attr-defined]
    }


def test_changed_files_from_a_file(generate: Generate) -> None:
    assert _running(generate(changed="src/rocm/a.py\n")) == {"amd-engine", "image-amd"}
    assert _running(generate(changed="src/rocm/a.py\0docs/a.md\0")) == {"amd-engine", "image-amd"}


def test_changed_files_from_standard_input(root: Path) -> None:
    done = subprocess.run(
        command("generate", "--changed-files", "-"),
        input=b"src/rocm/a.py\n",
        cwd=root,
        env=process_environment(),
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert _running(Ran(status=0, stdout=done.stdout.decode(), stderr="")) == {"amd-engine", "image-amd"}


def test_a_gate_stands_in_front_of_its_job_which_waits_for_it(generate: Generate) -> None:
    steps = _steps(generate(changed="src/rocm/a.py\n"))
    order = list(steps)
    assert order[order.index("block-engine") + 1] == "engine"
    assert steps["block-engine"] == {"block": "Run Engine", "key": "block-engine", "depends_on": []}
    assert steps["engine"]["depends_on"] == ["block-engine", "image"]
    assert "block-amd-engine" not in steps


@pytest.mark.parametrize("output_format", ["yaml", "json"])
def test_nothing_selected_is_a_comment(generate: Generate, output_format: str) -> None:
    ran = generate("--format", output_format, changed="docs/a.md\n")
    assert (ran.status, ran.stderr) == (0, "")
    assert ran.stdout == ('# pipegen: nothing selected: the changed file is ignored, "docs/a.md" by "docs/"\n')


@pytest.mark.parametrize("unselected", ["skip", "omit"])
def test_unselected_jobs(root: Path, generate: Generate, unselected: str) -> None:
    text = WORKSPACE.replace("selection:\n", f"selection:\n  unselected: {unselected}\n")
    write(root, {".buildkite/pipegen.yaml": text})
    steps = _steps(generate(changed="src/rocm/a.py\n"))
    if unselected == "omit":
        assert set(steps) == {"amd-engine", "image-amd"}
    else:
        assert set(steps) == EVERY
        assert steps["engine"]["skip"] == "no changed file is of its tests or sources"
        assert steps["engine-deep"]["skip"] == "it runs in nightly builds, and this is none"
        assert "skip" not in steps["amd-engine"]


@pytest.mark.parametrize(
    ("words", "env", "running"),
    [
        (("--all",), {}, EVERY),
        (("--only", "engine"), {}, {"engine", "image", "base"}),
        (("--only", "base", "--only", "image-amd"), {}, {"base", "image-amd"}),
        (("--schedule", "nightly"), {}, {"engine-deep", "image-amd", "image", "base"}),
        (("--label", "ready"), {}, EVERY),
        (("--label", "other"), {}, {"image-amd"}),
        ((), {"BUILDKITE_PULL_REQUEST_LABELS": "other, ready"}, EVERY),
        ((), {"NIGHTLY": "1"}, {"engine-deep", "image-amd", "image", "base"}),
        ((), {"RUN_ALL": "1"}, EVERY - {"engine-deep"}),
        ((), {"ONLY_KEYS": '["amd-engine"]'}, {"amd-engine", "image-amd"}),
        ((), {"NOAUTO": "1"}, set()),
        ((), {"NOAUTO": "0"}, {"image-amd"}),
    ],
)
def test_what_a_build_says(
    generate: Generate, words: tuple[str, ...], env: Mapping[str, str], running: set[str]
) -> None:
    assert _running(generate(*words, changed="other/a.py\n", env=env)) == running


def test_timeouts_and_priorities_by_switch(generate: Generate) -> None:
    steps = _steps(generate(changed="setup.py\n", env={"SKIP_TIMEOUT": "1", "PRIORITY": "HIGH"}))
    jobs = [step for step in steps.values() if "block" not in step]
    assert {step.get("timeout_in_minutes") for step in jobs} == {None}
    assert {step.get("priority") for step in jobs} == {1000}


@pytest.mark.parametrize(
    ("words", "env", "message"),
    [
        (("--only", "engin"), {}, 'unknown key "engin" in --only: did you mean "engine"?'),
        (("--all", "--only", "engine"), {}, "--all and --only exclude each other: leave out one of them"),
        (("--schedule", "night"), {}, 'unknown schedule "night" in --schedule: did you mean "nightly"?'),
        ((), {"ONLY_KEYS": "engine"}, 'ONLY_KEYS is "engine": expected a JSON list of keys, such as ["image-build"]'),
        (("--changed-files", "gone.txt"), {}, '"gone.txt": No such file or directory'),
    ],
)
def test_wrong_usage_leaves_a_refusal(
    generate: Generate, words: tuple[str, ...], env: Mapping[str, str], message: str
) -> None:
    ran = generate(*words, changed=None if "--changed-files" in words else "", env=env)
    assert ran.status == 2
    assert message in ran.stderr
    assert ran.stdout.startswith("pipegen made no pipeline (")


@pytest.mark.parametrize("option", [("-o", "out.yaml"), ("--output=out.yaml",), ("-oout.yaml",)])
def test_a_refusal_goes_where_the_pipeline_would(root: Path, generate: Generate, option: tuple[str, ...]) -> None:
    ran = generate(*option, "--only", "engin", changed="")
    assert (ran.status, ran.stdout) == (2, "")
    assert (root / "out.yaml").read_text(encoding="utf-8").startswith("pipegen made no pipeline (")


def test_a_list_of_paths_that_leave_the_repository_is_refused(generate: Generate) -> None:
    assert generate(changed="../secret\n").status == 2


def test_unclassified_files_are_warnings(generate: Generate) -> None:
    ran = generate(changed="other/a.py\nsrc/rocm/a.py\n")
    assert ran.status == 0
    assert 'PG411 warning: "other/a.py" changed, and nothing in the workspace is about it' in ran.stderr
    assert "src/rocm" not in ran.stderr


class TestPlan:
    def test_every_job_has_a_reason_with_a_place(self, root: Path, generate: Generate) -> None:
        ran = generate("--plan-out", "plan.json", changed="src/rocm/a.py\nother/a.py\ndocs/a.md\n")
        plan = json.loads((root / "plan.json").read_text(encoding="utf-8"))
        assert ran.status == 0
        assert {job["key"] for job in plan["jobs"]} == EVERY
        for job in plan["jobs"]:
            reason = job["reason"]
            assert reason["text"]
            text = (root / reason["place"]["path"]).read_text(encoding="utf-8").splitlines()
            assert 1 <= reason["place"]["line"] <= len(text)
            assert 1 <= reason["place"]["column"] <= len(text[reason["place"]["line"] - 1])
        assert plan["changes"] == {
            "compared": "the list of changed files",
            "files": ["docs/a.md", "other/a.py", "src/rocm/a.py"],
            "unknown": None,
            "unclassified": ["other/a.py"],
        }
        assert plan["counts"] == {"run": 2, "gated": 4}

    def test_of_nothing(self, root: Path, generate: Generate) -> None:
        generate("--plan-out", "plan.json", changed="docs/a.md\n")
        plan = json.loads((root / "plan.json").read_text(encoding="utf-8"))
        assert plan["nothing"] == 'the changed file is ignored, "docs/a.md" by "docs/"'
        assert {job["outcome"] for job in plan["jobs"]} == {"omitted"}
        assert {job["reason"]["pattern"] for job in plan["jobs"]} == {"docs/"}

    def test_an_earlier_plan_does_not_outlive_a_refusal(self, root: Path, generate: Generate) -> None:
        (root / "plan.json").write_text("{}", encoding="utf-8")
        assert generate("--plan-out", "plan.json", "--only", "engin", changed="").status == 2
        assert not (root / "plan.json").exists()


class TestGit:
    """Without a list, the change set is git's."""

    @pytest.fixture
    def repository(self, root: Path) -> Repository:
        repository = Repository.create(root)
        text = WORKSPACE.replace("selection:\n", "selection:\n  base: main\n")
        write(root, {".buildkite/pipegen.yaml": text, "src/engine/a.py": "1\n", "docs/a.md": "1\n"})
        repository.commit("first")
        repository.branch("change")
        return repository

    def test_files_that_differ_from_the_merge_base(self, repository: Repository, generate: Generate) -> None:
        repository.commit_files("src/rocm/a.py")
        ran = generate("--plan-out", "plan.json")
        assert _running(ran) == {"amd-engine", "image-amd"}
        assert ran.stderr == ""
        plan = json.loads((repository.path / "plan.json").read_text(encoding="utf-8"))
        base = repository.id_of("main")[:12]
        assert plan["changes"]["compared"] == f"merge base {base} of main and HEAD"

    def test_documentation_alone(self, repository: Repository, generate: Generate) -> None:
        repository.commit_files("docs/a.md")
        assert generate().stdout.startswith("# pipegen: nothing selected: ")

    def test_a_base_by_name(self, repository: Repository, generate: Generate) -> None:
        repository.commit_files("src/rocm/a.py")
        repository.branch("second")
        repository.commit_files("docs/a.md")
        assert generate("--base", "change").stdout.startswith("# pipegen: nothing selected: ")
        assert _running(generate()) == {"amd-engine", "image-amd"}

    def test_the_pull_requests_base(self, repository: Repository, generate: Generate) -> None:
        repository.commit_files("src/rocm/a.py")
        repository.branch("second")
        repository.commit_files("docs/a.md")
        env = {"BUILDKITE_PULL_REQUEST": "7", "BUILDKITE_PULL_REQUEST_BASE_BRANCH": "change"}
        assert generate(env=env).stdout.startswith("# pipegen: nothing selected: ")

    def test_the_merge_queues_base(self, repository: Repository, generate: Generate) -> None:
        repository.commit_files("src/rocm/a.py")
        commit = repository.head
        repository.branch("second")
        repository.commit_files("docs/a.md")
        env = {"BUILDKITE_MERGE_QUEUE_BASE_COMMIT": commit, "BUILDKITE_MERGE_QUEUE_BASE_BRANCH": "main"}
        assert generate(env=env).stdout.startswith("# pipegen: nothing selected: ")
        env = {"BUILDKITE_MERGE_QUEUE_BASE_BRANCH": "change"}
        assert generate(env=env).stdout.startswith("# pipegen: nothing selected: ")

    def test_reformatting_a_manifest_selects_nothing(self, repository: Repository, generate: Generate) -> None:
        text = FILES["areas/engine.yaml"].replace("group: Engine", '# the engine\ngroup:   "Engine"')
        repository.write("areas/engine.yaml", text)
        repository.commit("reformat")
        assert _running(generate()) == {"image-amd"}

    def test_an_edited_entry_selects_its_jobs_alone(self, repository: Repository, generate: Generate) -> None:
        text = FILES["areas/engine.yaml"].replace("timeout_in_minutes: 50", "timeout_in_minutes: 55")
        repository.write("areas/engine.yaml", text)
        repository.commit("more time")
        ran = generate("--plan-out", "plan.json")
        assert _running(ran) == {"amd-engine", "image-amd"}
        plan = json.loads((repository.path / "plan.json").read_text(encoding="utf-8"))
        (job,) = (job for job in plan["jobs"] if job["key"] == "amd-engine")
        assert job["reason"]["text"] == "its entry changed in timeout_in_minutes"
        assert job["reason"]["file"] == job["reason"]["place"]["path"] == "areas/engine.yaml"

    def test_an_edited_nightly_entry_runs_once(self, repository: Repository, generate: Generate) -> None:
        text = FILES["areas/engine.yaml"].replace("    when: nightly", "    when: nightly\n    env: {A: 1}")
        repository.write("areas/engine.yaml", text)
        repository.commit("a variable")
        assert _running(generate()) == {"engine-deep", "image", "base", "image-amd"}

    def test_a_template_and_hardware(self, repository: Repository, generate: Generate) -> None:
        hardware = FILES[".buildkite/hardware.yaml"].replace("queue: mi,", "queue: mi, facts: {a: 1},")
        repository.write(".buildkite/hardware.yaml", hardware)
        repository.commit("facts")
        assert _running(generate()) == {"amd-engine", "image-amd"}
        repository.write("templates/plain.yaml.j2", FILES["templates/plain.yaml.j2"] + "\n# more\n")
        repository.commit("template")
        assert _running(generate()) == {"image", "base", "engine", "amd-engine", "engine-deep", "image-amd"}

    def test_a_lane_in_the_workspace_file(self, repository: Repository, generate: Generate) -> None:
        place = repository.path / ".buildkite/pipegen.yaml"
        repository.write(
            ".buildkite/pipegen.yaml", place.read_text(encoding="utf-8").replace("  amd: {", "  amd: {label: AMD, ")
        )
        repository.commit("label")
        assert _running(generate()) == {"amd-engine", "image-amd"}

    def test_selection_settings_are_no_edit(self, repository: Repository, generate: Generate) -> None:
        place = repository.path / ".buildkite/pipegen.yaml"
        repository.write(".buildkite/pipegen.yaml", place.read_text(encoding="utf-8").replace("csrc/,", "csrc/, new/,"))
        repository.commit("run_all")
        assert _running(generate()) == {"image-amd"}

    def test_the_commit_that_brings_the_workspace(self, tmp_path: Path) -> None:
        """Nobody has seen any job run yet."""
        repository = Repository.create(tmp_path / "young")
        repository.commit_files("README.md")
        repository.branch("change")
        write(repository.path, FILES)
        repository.commit("pipegen")
        ran = run("generate", "--base", "main", cwd=repository.path)
        assert _running(ran) == EVERY

    def test_a_list_with_a_base_compares_entries_alone(self, repository: Repository, generate: Generate) -> None:
        text = FILES["areas/engine.yaml"].replace("timeout_in_minutes: 50", "timeout_in_minutes: 55")
        repository.write("areas/engine.yaml", text)
        repository.commit("more time")
        assert _running(generate("--base", "main", changed="areas/engine.yaml\n")) == {"amd-engine", "image-amd"}
        without = generate(changed="areas/engine.yaml\n")
        assert _running(without) == {"engine", "amd-engine", "engine-deep", "image", "base", "image-amd"}

    def test_a_base_workspace_that_cannot_be_read_runs_everything(
        self, repository: Repository, generate: Generate
    ) -> None:
        repository.switch("main")
        repository.write(".buildkite/pipegen.yaml", "version: 9\n")
        repository.commit("another language")
        repository.branch("next")
        write(repository.path, FILES)
        repository.commit("back")
        ran = generate("--base", "main")
        assert _running(ran) == EVERY - {"engine-deep"}
        assert "PG410 warning: everything runs: the workspace of " in ran.stderr
        assert 'version "9" of the language' in ran.stderr

    def test_the_workspace_file_without_a_revision_runs_everything(self, generate: Generate) -> None:
        ran = generate(changed=".buildkite/pipegen.yaml\n")
        assert _running(ran) == EVERY - {"engine-deep"}
        assert "there is no revision to compare it with" in ran.stderr

    def test_a_workspace_below_the_repositorys_root(self, tmp_path: Path) -> None:
        repository = Repository.create(tmp_path / "outer")
        write(repository.path / "inner", FILES)
        repository.commit("first")
        repository.branch("change")
        repository.commit_files("inner/src/rocm/a.py", "src/engine/a.py")
        ran = run("generate", "--base", "main", cwd=repository.path / "inner")
        assert _running(ran) == {"amd-engine", "image-amd"}
        assert '"../src/engine/a.py" changed, and nothing in the workspace is about it' in ran.stderr


class TestFailWide:
    """Never fewer jobs because something went wrong, and a warning says what."""

    def test_no_repository(self, generate: Generate) -> None:
        ran = generate()
        assert _running(ran) == EVERY - {"engine-deep"}
        assert "PG452 warning: everything runs: not in the working tree of a git repository" in ran.stderr

    def test_an_unknown_base(self, root: Path, generate: Generate) -> None:
        repository = Repository.create(root)
        repository.commit("first")
        ran = generate("--base", "gone")
        assert _running(ran) == EVERY - {"engine-deep"}
        assert "PG456 warning" in ran.stderr

    def test_an_unknown_base_of_a_list(self, root: Path, generate: Generate) -> None:
        repository = Repository.create(root)
        repository.commit("first")
        ran = generate("--base", "gone", changed="areas/engine.yaml\n")
        assert _running(ran) == EVERY - {"engine-deep"}
        assert 'unknown revision "gone"' in ran.stderr

    def test_areas_of_another_repository(self, root: Path, generate: Generate) -> None:
        write(root, {".buildkite/pipegen.yaml": WORKSPACE + "listing: files.txt\n", "files.txt": "a.py\n"})
        ran = generate()
        assert _running(ran) == EVERY - {"engine-deep"}
        assert "the areas describe another repository, whose changes only --changed-files can name" in ran.stderr

    def test_what_was_asked_for_by_name_needs_no_change_set(self, generate: Generate) -> None:
        for words in (("--all",), ("--only", "engine")):
            assert generate(*words).stderr == ""
        assert generate(env={"NOAUTO": "1"}).stderr == ""

    def test_the_plan_says_so(self, root: Path, generate: Generate) -> None:
        generate("--plan-out", "plan.json")
        plan = json.loads((root / "plan.json").read_text(encoding="utf-8"))
        assert plan["changes"]["unknown"] == "not in the working tree of a git repository"
        assert plan["run_all"]["text"] == ("everything runs: not in the working tree of a git repository")
