"""Every kind of machine that step files name, and every way to reach it."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.moving import Moved, found, move


def _moved(
    folder: Path, fields: str, *, head: str = "group: G\ndepends_on: [image-build]\n", options: Any = ()
) -> Moved:
    text = f"{head}steps:\n- label: Step\n  key: step\n  timeout_in_minutes: 5\n  commands: [./run.sh]\n"
    text += "".join(f"  {line}\n" for line in fields.splitlines())
    return move(folder, {".buildkite/steps/parser.yaml": text}, options=options)


def _step(folder: Path, fields: str, **rest: Any) -> dict[str, Any]:
    return _moved(folder, fields, **rest).steps()["step"]


@pytest.mark.parametrize(
    ("fields", "queue", "way"),
    [
        ("", "gpu_1_queue", "docker#v5.2.0"),
        ("num_devices: 2", "gpu_4_queue", "docker#v5.2.0"),
        ("num_devices: 4", "gpu_4_queue", "docker#v5.2.0"),
        ("device: h200", "H200", "docker#v5.2.0"),
        ("device: h200_18gb", "h200_18gb", "docker#v5.2.0"),
        ("device: h100\nnum_devices: 8", "mithril-h100-pool", "kubernetes"),
        ("device: a100", "a100_queue", "kubernetes"),
        ("device: b200-k8s", "b200-k8s", "kubernetes"),
        ("device: dgx-spark", "dgx-spark", "docker#v5.2.0"),
        ("device: cpu", "cpu_queue_premerge_us_east_1", "docker#v5.2.0"),
        ("device: cpu-small", "small_cpu_queue_premerge", "docker#v5.2.0"),
        ("no_gpu: true", "cpu_queue_premerge_us_east_1", "docker#v5.2.0"),
        ("device: intel_cpu\nno_plugin: true", "intel-cpu", None),
        ("device: intel_cpu", "intel-cpu", "docker#v5.2.0"),
        ("device: intel_hpu\nno_plugin: true", "intel-hpu", None),
        ("device: arm_cpu\nno_plugin: true", "arm-cpu", None),
        ("device: ascend_npu\nno_plugin: true", "ascend", None),
        ("device: gh200\nno_plugin: true", "gh200_queue", None),
        ("device: mi300_4\ndind: false", "amd_mi300_4", "kubernetes"),
        ("device: mi250_1", "amd_mi250_1", None),
        ("device: mi355_2", "amd_mi355_2", None),
    ],
)
def test_where_and_how(tmp_path: Path, fields: str, queue: str, way: str | None) -> None:
    step = _step(tmp_path, fields)
    assert step["agents"]["queue"] == queue
    assert [name for plugin in step.get("plugins", []) for name in plugin] == ([] if way is None else [way])


@pytest.mark.parametrize(
    ("fields", "head", "first"),
    [
        ("no_plugin: true", "group: G\ndepends_on: [image-build]\n", "cd /vllm-workspace/tests"),
        ("no_plugin: true\nworking_dir: .", "group: G\n", "cd ."),
        ("no_plugin: true", "group: G\ndepends_on: []\n", "echo '+++ :test_tube: Command (1/1): ./run.sh'"),
        ("device: intel_gpu\nno_plugin: true", "group: G\n", "echo '+++ :test_tube: Command (1/1): ./run.sh'"),
        ("device: intel_gpu\nno_plugin: true\nworking_dir: .", "group: G\n", "cd ."),
        ("num_nodes: 2\nno_plugin: true", "group: G\n", "echo '+++ :test_tube: Command (1/1): ./run.sh'"),
        ("num_nodes: 2", "group: G\ndepends_on: [image-build]\n", "echo '--- :nvidia: GPU Info'"),
        ("working_dir: /vllm-workspace/x", "group: G\n", "cd /vllm-workspace/x"),
        ("device: h100", "group: G\ndepends_on: [image-build]\n", "cd /vllm-workspace/tests"),
    ],
)
def test_where_the_commands_begin(tmp_path: Path, fields: str, head: str, first: str) -> None:
    assert _step(tmp_path, fields, head=head)["command"].splitlines()[0] == first


def test_agent_tags_choose_an_intel_machine(tmp_path: Path) -> None:
    moved = _moved(tmp_path, "device: intel_gpu\nno_plugin: true\nagent_tags: {gpu: 2+, mem: 24+, label: production}")
    assert moved.steps()["step"]["agents"] == {"queue": "intel-gpu", "gpu": "2+", "mem": "24+", "label": "production"}


def test_a_step_of_its_own_on_an_amd_card(tmp_path: Path) -> None:
    moved = _moved(tmp_path, "device: mi355_2\ndind: false\ndepends_on: [image-build, parser-image]")
    step = moved.changed("tests/test_top.py")["step"]
    assert step["label"] == "AMD: Step (mi355_2)"
    assert step["depends_on"] == ["block-amd-step", "image-build-amd", "parser-image"]
    assert step["env"]["VLLM_TEST_COMMANDS"].startswith("export VLLM_TEST_GROUP_NAME=step && cd ")
    gate = moved.changed("tests/test_top.py")["block-amd-step"]
    assert gate["depends_on"] == ["image-build-amd", "parser-image"]


def test_amd_without_the_wrapper_runs_its_text_itself(tmp_path: Path) -> None:
    step = _step(tmp_path, "device: mi300_1\nno_plugin: true")
    assert step["command"].startswith("export VLLM_TEST_GROUP_NAME=step && cd ")
    assert step["command"].endswith(" && ./run.sh")


def test_a_mirror_without_a_label_says_what_it_mirrors(tmp_path: Path) -> None:
    moved = _moved(tmp_path, "mirror: {amd: {device: mi300_1}}")
    steps = moved.changed("tests/test_top.py")
    assert steps["amd-step"]["label"] == "AMD: Step (mi300_1)"
    assert steps["amd-step"]["timeout_in_minutes"] == 180
    assert steps["block-amd-step"]["block"] == "Run AMD: Step"


def test_a_timeout_above_the_cap_is_the_cap(tmp_path: Path) -> None:
    moved = _moved(tmp_path, "mirror: {amd: {device: mi300_1, timeout_in_minutes: 400}}", options=["--format", "json"])
    assert moved.steps()["amd-step"]["timeout_in_minutes"] == 180
    assert found(moved.ran) == [("PG909", 8, 35, '400 minutes are above what "mi300" allows: it gets 180')]


def test_the_agent_is_mounted_for_jobs_that_use_it(tmp_path: Path) -> None:
    (plugin,) = _step(tmp_path, "device: h200_35gb\nmount_buildkite_agent: true")["plugins"]
    assert plugin["docker#v5.2.0"]["mount-buildkite-agent"] is True


def test_shards_that_are_none_are_copies_and_said_to_be(tmp_path: Path) -> None:
    moved = _moved(tmp_path, "parallelism: 3", options=["--format", "json"])
    step = moved.steps()["step"]
    assert (step["parallelism"], step["label"]) == (3, "Step")
    assert step["plugins"]
    assert [(code, line, column) for code, line, column, _ in found(moved.ran)] == [("PG909", 8, 3)]


class TestNewMachines:
    def test_a_new_card_is_made_like_the_others(self, tmp_path: Path) -> None:
        step = _step(tmp_path, "device: mi400_2\ndind: false")
        assert step["agents"] == {"queue": "amd_mi400_2"}
        assert step["label"] == "AMD: Step (mi400_2)"

    def test_an_unknown_machine_is_a_queue_of_its_name_and_reported(self, tmp_path: Path) -> None:
        moved = _moved(tmp_path, "device: b300", options=["--format", "json"])
        assert moved.ran.status == 0
        assert moved.steps()["step"]["agents"] == {"queue": "b300"}
        message = 'unknown machine "b300": it gets an entry like "h200" with a queue of its name'
        assert found(moved.ran) == [("PG908", 8, 3, message)]

    def test_a_number_of_cards_that_nothing_offers_gets_an_entry(self, tmp_path: Path) -> None:
        moved = _moved(tmp_path, "device: h200_18gb\nnum_devices: 3")
        assert "nvidia-smi topo -m" in moved.steps()["step"]["command"]
        assert "h200_18gb_3gpus:" in moved.text(".buildkite/hardware.yaml")

    def test_additions_stand_behind_the_catalogue_as_it_is(self, tmp_path: Path) -> None:
        moved = _moved(tmp_path, "device: mi400_2")
        text = moved.text(".buildkite/hardware.yaml")
        entries = yaml.safe_load(text)["hardware"]
        assert list(entries)[-1] == "mi400_own"
        assert entries["mi400_own"]["queue"] == {1: "amd_mi400_1", 2: "amd_mi400_2", 4: "amd_mi400_4", 8: "amd_mi400_8"}
        assert {**entries["mi400_own"], "title": "", "queue": "", "label": ""} == {
            **entries["mi300_own"],
            "title": "",
            "queue": "",
            "label": "",
        }
