"""What steps of the old generator become, seen in the pipelines that the new workspace gives."""

from pathlib import Path

import pytest
import yaml

from tests.support.moving import FILES, PARSER, Moved, found, gated, move


@pytest.fixture
def moved(tmp_path: Path) -> Moved:
    return move(tmp_path)


class TestAStep:
    def test_nothing_is_wrong(self, moved: Moved) -> None:
        assert moved.ran.status == 0
        assert "1 warning" in moved.ran.stderr  # there is no owner yet
        assert moved.ran.stdout.splitlines()[:3] == [
            "read     1 pipeline, 2 files, 4 steps with 1 mirror",
            "wrote    2 areas and 2 steps that run no tests, all owned by unassigned",
            "         2 areas by tests alone; 1 export could be env",
        ]

    def test_every_job_is_there(self, moved: Moved) -> None:
        assert sorted(moved.steps()) == ["amd-parser", "image-build", "image-build-amd", "parser", "parser-slow"]

    def test_the_container_and_its_queue(self, moved: Moved) -> None:
        step = moved.steps(env={})["parser"]
        assert step["label"] == ":nvidia: (H200) Parser"
        assert step["agents"] == {"queue": "h200_18gb"}
        (plugin,) = step["plugins"]
        assert plugin["docker#v5.2.0"]["image"].endswith("/team/engine-test:${BUILDKITE_COMMIT}")
        lines = step["command"].splitlines()
        assert lines[0] == "cd /vllm-workspace/tests"
        assert lines[-2:] == ["echo '+++ :test_tube: Command (1/1): pytest -v -s parser/'", "pytest -v -s parser/"]

    def test_two_cards_ask_for_the_larger_machine_and_its_topology(self, moved: Moved) -> None:
        step = moved.steps()["parser-slow"]
        assert step["agents"] == {"queue": "gpu_4_queue"}
        assert "nvidia-smi topo -m" in step["command"]
        assert step["command"].splitlines()[-1] == 'pytest -v -s slow/test_slow.py -k "not fast"'

    def test_a_mirror_is_the_step_once_more(self, moved: Moved) -> None:
        step = moved.steps()["amd-parser"]
        assert step["group"] == "Hardware-AMD Tests"
        assert step["label"] == ":amd: (MI300) Parser"
        assert step["agents"] == {"queue": "amd_mi300_1"}
        assert step["timeout_in_minutes"] == 40
        assert step["priority"] == 200
        assert step["depends_on"] == ["image-build-amd"]
        assert step["env"]["AMD_CI_RUNTIME"] == "native"
        assert step["env"]["VLLM_TEST_COMMANDS"].endswith(" && pytest -v -s parser/")

    def test_a_builder_runs_its_commands_where_it_starts(self, moved: Moved) -> None:
        step = moved.steps(env={"BUILDKITE_BRANCH": "main"})["image-build"]
        assert step["agents"] == {"queue": "cpu_queue_postmerge_us_east_1"}
        assert "plugins" not in step
        assert step["depends_on"] == []
        assert step["command"].splitlines() == [
            "echo '+++ :test_tube: Command (1/1): ./build.sh REGISTRY/REPO BUILDKITE_COMMIT BRANCH'",
            "./build.sh registry.example/team/engine-main $$BUILDKITE_COMMIT main",
        ]

    def test_a_retry_of_lost_agents_comes_first(self, moved: Moved) -> None:
        steps = moved.steps()
        assert steps["parser"]["retry"] == {"automatic": [{"exit_status": -1, "limit": 1}]}
        assert steps["image-build-amd"]["retry"]["automatic"][0] == {"signal_reason": "stack_error", "limit": 1}


class TestSelection:
    @pytest.mark.parametrize(
        ("files", "waiting"),
        [
            (["engine/parser/lexer.py"], {"parser-slow"}),
            (["tests/parser/test_lexer.py"], {"parser-slow"}),
            (["engine/parser/docs/a.md", "setup.cfg"], {"parser", "amd-parser", "parser-slow"}),
            (["engine/rocm.py"], {"parser", "parser-slow"}),
            (["csrc/a.cu"], {"parser-slow"}),
            (["csrc/notes/a.txt"], {"parser", "amd-parser", "parser-slow"}),
            (["setup.pyx"], {"parser-slow"}),
            (["tests/test_top.py"], {"parser", "amd-parser", "parser-slow"}),
            ([".buildkite/steps/parser.yaml"], {"parser-slow"}),
            (["docker/Dockerfile.rocm_base"], {"parser", "parser-slow"}),
            ([".buildkite/scripts/hardware_ci/run-amd-test.sh"], {"parser", "parser-slow"}),
        ],
    )
    def test_what_a_change_leaves_gated(self, moved: Moved, files: list[str], waiting: set[str]) -> None:
        assert gated(moved.changed(*files)) == waiting

    def test_documentation_alone_runs_nothing(self, moved: Moved) -> None:
        assert moved.changed("docs/index.md") == {}

    @pytest.mark.parametrize(
        ("env", "waiting"),
        [
            ({"NIGHTLY": "1"}, set()),
            ({"RUN_ALL": "1"}, {"parser-slow"}),
            ({"NOAUTO": "1"}, {"parser", "amd-parser", "parser-slow", "image-build", "image-build-amd"}),
        ],
    )
    def test_what_a_build_can_say(self, moved: Moved, env: dict[str, str], waiting: set[str]) -> None:
        assert gated(moved.changed("tests/test_top.py", env=env)) == waiting

    def test_one_key_brings_what_it_waits_for(self, moved: Moved) -> None:
        steps = moved.changed("tests/test_top.py", env={"VLLM_CI_ONLY_STEP_KEYS": '["parser-slow"]'})
        assert sorted(steps) == ["image-build", "parser-slow"]

    def test_a_mirror_of_an_optional_step_waits_for_its_base_image_alone(self, tmp_path: Path) -> None:
        optional = PARSER.replace("  device: h200_18gb\n", "  device: h200_18gb\n  optional: true\n")
        moved = move(tmp_path, {".buildkite/steps/parser.yaml": optional})
        assert "amd-parser" in gated(moved.changed("engine/rocm.py"))
        assert "amd-parser" in gated(moved.changed("csrc/a.cu"))
        assert "amd-parser" not in gated(moved.changed("docker/Dockerfile.rocm_base"))


class TestTheManifest:
    def test_it_reads_as_if_it_had_been_typed(self, moved: Moved) -> None:
        assert (
            moved.text("areas/steps/parser.yaml")
            == """\
group: Parser
owner: unassigned
sources: [.buildkite/steps/parser.yaml, engine/parser/]
depends_on: [image-build]

areas:
  parser/parser:
    key: parser
    title: Parser
    tests: [parser/]
    sources: [+, tests/parser, "!engine/parser/docs/"]
    hardware: h200_18gb
    timeout_in_minutes: 20
    mirrors:
      amd:
        hardware: mi300
        timeout_in_minutes: 40
        sources: [+, .buildkite/scripts/hardware_ci/run-amd-test.sh, docker/Dockerfile.rocm_base, engine/rocm.py]

  parser/slow:
    title: Parser Slow
    tests: [slow/test_slow.py]
    k: not fast
    hardware: l4
    gpus: 2
    when: nightly
    timeout_in_minutes: 30
    setup: [export ENGINE_MODE=slow]
"""
        )

    def test_the_file_that_it_comes_from_stays_a_source_until_it_is_gone(self, moved: Moved) -> None:
        manifest = yaml.safe_load(moved.text("areas/steps/parser.yaml"))
        assert manifest["sources"][0] == ".buildkite/steps/parser.yaml"

    def test_comments_stay_with_what_they_are_about(self, tmp_path: Path) -> None:
        text = """\
group: Parser
depends_on: [image-build]
steps:
# Slow on purpose.
- label: ":nvidia: (L4) One"
  key: one
  timeout_in_minutes: 25 # twice what it takes
  source_file_dependencies:
  # what it guards
  - engine/parser/
  commands:
  # a mode of its own
  - export ENGINE_MODE=slow # for now
  - pytest -v -s slow/test_slow.py
  # - pytest -v -s parser/test_gone.py
"""
        moved = move(tmp_path, {".buildkite/steps/parser.yaml": text})
        assert (
            moved.text("areas/steps/parser.yaml").partition("areas:\n")[2]
            == """\
  # Slow on purpose.
  parser/one:
    key: one
    title: One
    # - pytest -v -s parser/test_gone.py
    tests: [slow/test_slow.py]
    sources:
      - +
      # what it guards
      - engine/parser/
    hardware: l4
    timeout_in_minutes: 25  # twice what it takes
    setup:
      # a mode of its own
      - export ENGINE_MODE=slow  # for now
"""
        )

    def test_a_step_that_was_commented_out_stays_behind_and_its_explanation_does_not(self, tmp_path: Path) -> None:
        dead = "\n# No card has room for it.\n# - label: Parser Huge\n#   commands: [./huge.sh]\n"
        moved = move(tmp_path, {".buildkite/steps/parser.yaml": PARSER + dead}, options=["--format", "json"])
        (place,) = found(moved.ran)
        assert (place[0], place[3]) == ("PG910", '"- label: Parser Huge" is commented out: it is left behind')
        assert moved.text("areas/steps/parser.yaml").endswith(
            "\n# No card has room for it.\n"
            '# (That is about "Parser Huge", which was commented out and is left behind.)\n'
        )

    def test_nothing_of_the_old_generator_is_left_in_the_catalogue(self, moved: Moved) -> None:
        """What was told by a key or a label is told by hardware, lane and rule now."""
        written = moved.text(".buildkite/hardware.yaml") + moved.text(".buildkite/pipegen.yaml")
        for word in ("refresh-rocm-base-amd", "ensure-ci-base-amd", ":docker: Build", "parser"):
            assert word not in written


class TestTwice:
    def test_the_same_bytes(self, tmp_path: Path) -> None:
        first = move(tmp_path)
        before = {path: path.read_bytes() for path in sorted(first.root.rglob("*")) if path.is_file()}
        second = move(tmp_path)
        after = {path: path.read_bytes() for path in sorted(second.root.rglob("*")) if path.is_file()}
        assert second.ran.status == 0
        assert after == before

    def test_a_manifest_of_an_earlier_import_is_named(self, tmp_path: Path) -> None:
        move(tmp_path)
        moved = move(tmp_path, {".buildkite/steps/parser.yaml": None, ".buildkite/steps/reader.yaml": PARSER})
        assert moved.ran.status == 0
        assert "new/areas/steps/parser.yaml:1:1 PG912 warning" in moved.ran.stderr


class TestSeveralPipelines:
    def test_each_settings_file_is_one(self, tmp_path: Path) -> None:
        other = "name: other\njob_dirs: [.buildkite/builds]\n"
        moved = move(
            tmp_path, {".buildkite/other.yaml": other}, configs=(".buildkite/ci.yaml", ".buildkite/other.yaml")
        )
        assert sorted(moved.steps("--all", "--pipeline", "other")) == ["image-build", "image-build-amd"]
        assert "parser" in moved.steps("--all", "--pipeline", "small_ci")
        assert moved.generate("--all").status == 2

    def test_a_pipeline_may_leave_every_name_to_the_upload(self, tmp_path: Path) -> None:
        settings = FILES[".buildkite/ci.yaml"].replace("small_ci", "vllm_intel_ci")
        moved = move(tmp_path, {".buildkite/ci.yaml": settings})
        command = moved.steps()["image-build"]["command"]
        assert command.splitlines()[-1] == "./build.sh ${REGISTRY}/${REPO} ${BUILDKITE_COMMIT} ${BRANCH}"
