"""What pipegen prints for people and programs holds no value of a secret variable, whatever a manifest does with it."""

import json
from pathlib import Path

import pytest

from tests.support.workspaces import ENGINE, TEMPLATE, WORKSPACE, run, workspace

SECRET = "hunter2-hunter2"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace in which a secret comes to be the name of a queue, which no queue can have."""
    variables = "environment: [TORCH_NIGHTLY, DEPLOY_TOKEN, MY_DSN]\nvariables:\n"
    variables += "  SECRET: '{{ env.DEPLOY_TOKEN }}{{ env.MY_DSN }} and more'\n"
    settings = WORKSPACE.replace("environment: [TORCH_NIGHTLY]\nvariables:\n", variables)
    template = TEMPLATE + "agents: {queue: '{{ vars.SECRET }}'}\n"
    return workspace(tmp_path, {".buildkite/pipegen.yaml": settings, "templates/plain.yaml.j2": template})


@pytest.mark.parametrize("secret", [SECRET, SECRET * 10], ids=["short", "cut"])
@pytest.mark.parametrize(
    "environment",
    [{"DEPLOY_TOKEN": ""}, {"MY_DSN": "", "BUILDKITE_REDACTED_VARS": "*_TOKEN,*_DSN"}],
    ids=["by-its-name", "by-the-agents-list"],
)
@pytest.mark.parametrize(
    "words",
    [
        ("generate", "--all"),
        ("upload", "--all", "--dry-run"),
        ("lint",),
        *(("lint", "--format", name) for name in ("json", "sarif", "github", "buildkite")),
    ],
    ids=" ".join,
)
def test_mistakes_show_no_secrets(root: Path, words: tuple[str, ...], environment: dict[str, str], secret: str) -> None:
    ran = run(*words, cwd=root, env={name: value or secret for name, value in environment.items()})
    told = ran.stderr if words[0] != "lint" else ran.stdout + ran.stderr
    assert "REDACTED" in told
    assert "hunter2" not in told


def test_what_is_no_secret_is_shown(root: Path) -> None:
    ran = run("lint", "--format", "json", cwd=root, env={"MY_DSN": SECRET})
    messages = [one["message"] for one in json.loads(ran.stdout)["diagnostics"]]
    assert any(f'"{SECRET} and more"' in message for message in messages)


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    """A workspace without mistakes in which a secret comes to be a part of titles."""
    settings = WORKSPACE.replace("[TORCH_NIGHTLY]", "[TORCH_NIGHTLY, DEPLOY_TOKEN]")
    settings += "toggles: {A_SWITCH: {values: [quick, slow], default: quick}}\n"
    engine = ENGINE + (
        '    title: "Engine {{ env.DEPLOY_TOKEN }}"\n'
        "    env: {A_SWITCH: {value: slow, because: it hangs, until: 2099-01-01}}\n"
    )
    files = {".buildkite/pipegen.yaml": settings, "areas/engine.yaml": engine, "templates/plain.yaml.j2": TEMPLATE}
    return workspace(tmp_path / "root", {**files, "tests/engine/test_core.py": "", "src/engine/core.py": ""})


@pytest.mark.parametrize(
    "words",
    [
        ("explain", "engine/core"),
        ("explain", "src/engine/core.py"),
        *(("list", what) for what in ("areas", "jobs", "tests", "hardware", "toggles")),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("format_", ["text", "json"])
def test_what_is_there_is_shown_without_secrets(sound: Path, words: tuple[str, ...], format_: str) -> None:
    ran = run(*words, "--format", format_, cwd=sound, env={"DEPLOY_TOKEN": SECRET})
    assert (ran.status, ran.stdout != "") == (0, True)
    assert "hunter2" not in ran.stdout + ran.stderr


def test_some_of_it_would_have_had_one(sound: Path) -> None:
    for words in (("explain", "engine/core"), ("list", "jobs")):
        assert "REDACTED" in run(*words, cwd=sound, env={"DEPLOY_TOKEN": SECRET}).stdout


def test_the_plan_on_disk_has_none(sound: Path, tmp_path: Path) -> None:
    ran = run("generate", "--all", "--plan-out", str(tmp_path / "plan.json"), cwd=sound, env={"DEPLOY_TOKEN": SECRET})
    assert ran.status == 0
    plan = (tmp_path / "plan.json").read_text(encoding="utf-8")
    assert ("hunter2" in plan, "Engine [REDACTED]" in plan) == (False, True)


def test_a_secret_that_is_no_text_is_hidden_as_it_is_shown(sound: Path) -> None:
    """An odd byte is replaced on the way in: what is looked for then is what it was replaced by."""
    ran = run("list", "jobs", cwd=sound, env={"DEPLOY_TOKEN": "hunter2\udcff-hunter2"})
    assert ("hunter2" in ran.stdout, "[REDACTED]" in ran.stdout) == (False, True)
