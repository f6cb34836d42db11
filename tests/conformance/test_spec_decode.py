"""A real fleet's speculative decoding, rewritten by hand as one manifest, must give that fleet's very steps."""

import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.corpus

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
SCENARIO = "pr-label-run-all"
GROUP = "Spec Decode"


def _expected(corpus: Path) -> dict[str, dict[str, object]]:
    with gzip.open(corpus / "scenarios" / SCENARIO / "expected.json.gz", "rt", encoding="utf-8") as stream:
        plan: dict[str, dict[str, object]] = json.load(stream)
    return plan


def _keys(plan: dict[str, dict[str, object]]) -> list[str]:
    own = [key for key, step in plan.items() if step["group"] == GROUP]
    return [*own, *(key for key in plan if key.removeprefix("amd-") in own and key not in own)]


def _registries(corpus: Path, plan: dict[str, dict[str, object]]) -> dict[str, str]:
    """The fleet's accounts, which are data of its configuration and of no manifest."""
    settings = yaml.safe_load((corpus / "tree" / ".buildkite" / "ci_config.yaml").read_text(encoding="utf-8"))
    plugins = plan["spec-decode-dflash-nightly"]["plugins"]
    assert isinstance(plugins, list)
    image = str(plugins[0]["docker#v5.2.0"]["image"])
    base = plan["amd-v1-spec-decode"]["env"]
    assert isinstance(base, dict)
    return {
        "REGISTRY": settings["registries"],
        "REPOSITORY": settings["repositories"]["premerge"],
        "PULL_THROUGH": image.partition("/" + settings["repositories"]["premerge"])[0],
        "ROCM_BASE_IMAGE": str(base["VLLM_CI_BASE_IMAGE"]).partition("-build-")[0],
    }


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / ".buildkite").mkdir()
    (tmp_path / "areas").mkdir()
    for name in ("pipegen.yaml", "hardware.yaml", "tree.txt", "selection_cases.yaml"):
        shutil.copy(REPOSITORY / ".buildkite" / name, tmp_path / ".buildkite" / name)
    shutil.copytree(REPOSITORY / "templates", tmp_path / "templates")
    shutil.copy(HERE / "spec_decode.yaml", tmp_path / "areas" / "spec_decode.yaml")
    return tmp_path


def test_the_rewritten_manifest_gives_the_very_steps_of_the_fleet(workspace: Path, corpus: Path) -> None:
    plan = _expected(corpus)
    keys = _keys(plan)
    variables = [word for name, value in _registries(corpus, plan).items() for word in ("--var", f"{name}={value}")]
    generated = subprocess.run(
        [sys.executable, "-m", "pipegen", "-C", str(workspace), "generate", "--all", *variables, "-o", "out.yaml"],
        cwd=workspace,
        capture_output=True,
        text=True,
        check=False,
    )
    assert generated.returncode == 0, generated.stderr
    compared = subprocess.run(
        [
            sys.executable,
            str(corpus.parent / "compare.py"),
            str(corpus / "scenarios" / SCENARIO / "expected.json.gz"),
            str(workspace / "out.yaml"),
            "--only",
            *keys,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert len(keys) == 24
    assert compared.stdout.splitlines()[-1] == "24/24 steps identical, 0 missing, 0 extra", compared.stdout
    assert compared.returncode == 0


def test_one_plain_pytest_call_is_never_written_as_a_command() -> None:
    """What `tests` can say is said by `tests`: commands stand only where a step is more than one pytest call."""
    manifest = yaml.safe_load((HERE / "spec_decode.yaml").read_text(encoding="utf-8"))
    with_commands = {name for name, area in manifest["areas"].items() if "commands" in area}
    assert with_commands == {"spec_decode/unit", "spec_decode/ngram_suffix"}
