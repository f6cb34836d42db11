"""`pipegen generate` as a user or a build types it; what is chosen by changes is in `test_selection`."""

import json
from pathlib import Path
from typing import Final

import pytest
import yaml

from pipegen import app
from pipegen.emit.yaml import to_yaml
from tests.support.workspaces import (
    ENGINE,
    HARDWARE,
    TEMPLATE,
    WORKSPACE,
    Ran,
    run,
    spawn,
    workspace,
)

PIPELINE = """\
steps:
  - group: Engine
    steps:
      - label: ":nvidia: Engine Core"
        key: engine-core
        depends_on:
          - image-build
        agents:
          queue: gpu_1
        command: pytest tests/engine/
        timeout_in_minutes: 30
  - group: Images
    steps:
      - label: Build image
        key: image-build
        depends_on: []
        agents:
          queue: cpu
        command: make image
        timeout_in_minutes: 60
"""
BRANCH = ENGINE + '    env: {BRANCH: "{{ build.branch }}", REPOSITORY: "{{ vars.REPOSITORY }}"}\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return workspace(tmp_path, {"templates/plain.yaml.j2": TEMPLATE})


def generate(root: Path, *words: str, env: dict[str, str] | None = None) -> Ran:
    return run("generate", "--all", *words, cwd=root, env=env)


def env_of(found: Ran) -> dict[str, str]:
    """The environment of the first job."""
    assert found.status == 0, found.stderr
    env = yaml.safe_load(found.stdout)["steps"][0]["steps"][0]["env"]
    assert isinstance(env, dict)
    return env


def test_the_pipeline(root: Path) -> None:
    found = generate(root)
    assert (found.status, found.stdout, found.stderr) == (0, PIPELINE, "")


def test_json_is_the_same_document(root: Path) -> None:
    found = generate(root, "--format", "json")
    assert (found.status, found.stderr) == (0, "")
    assert to_yaml(json.loads(found.stdout)) == PIPELINE


def test_a_packaged_template_is_used_where_the_workspace_has_none(root: Path) -> None:
    workspace(root, {"templates/plain.yaml.j2": None})
    step = yaml.safe_load(generate(root).stdout)["steps"][0]["steps"][0]
    assert step["key"] == "engine-core"
    assert step["command"].endswith("\npytest tests/engine/")
    assert "Command (1/1)" in step["command"]


class TestOutput:
    def test_a_file(self, root: Path) -> None:
        found = generate(root, "-o", "pipeline.yaml")
        assert (found.status, found.stdout, found.stderr) == (0, "", "")
        assert (root / "pipeline.yaml").read_text(encoding="utf-8") == PIPELINE

    def test_a_file_is_from_the_folder_of_the_caller(self, root: Path) -> None:
        (root / "areas" / "deep").mkdir()
        found = run("-C", "..", "generate", "--all", "--output=pipeline.yaml", cwd=root / "areas" / "deep")
        assert found.status == 0, found.stderr
        assert (root / "areas" / "deep" / "pipeline.yaml").read_text(encoding="utf-8") == PIPELINE

    def test_utf8_whatever_the_locale(self, root: Path) -> None:
        workspace(root, {"areas/engine.yaml": ENGINE + "    title: Größe 測試 🚀\n"})
        found = spawn("generate", "--all", cwd=root, env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"})
        assert found.status == 0, found.stderr
        assert "Größe 測試 🚀" in found.stdout

    def test_diagnostics_that_stop_nothing_are_on_standard_error(self, root: Path) -> None:
        workspace(root, {"areas/engine.yaml": ENGINE.replace("    timeout_in_minutes: 30\n", "")})
        found = generate(root)
        assert found.status == 0
        assert "PG306 finding: " in found.stderr
        assert found.stderr.endswith("\n1 finding\n")
        assert yaml.safe_load(found.stdout)["steps"]
        assert "PG306" not in found.stdout

    def test_no_timeouts(self, root: Path) -> None:
        assert "timeout_in_minutes" not in generate(root, "--no-timeouts").stdout


class TestPlace:
    """Where pipegen looks for a workspace, and how it shows paths then."""

    BROKEN = ENGINE.replace("hardware: l4", "hardware: l40")

    @pytest.fixture
    def broken(self, root: Path) -> Path:
        (root / "areas" / "deep").mkdir()
        return workspace(root, {"areas/engine.yaml": self.BROKEN})

    def place(self, found: Ran) -> str:
        assert found.status == 1, found.stderr
        return found.stderr.split(":8:15 PG301", 1)[0]

    def test_from_the_root(self, broken: Path) -> None:
        assert self.place(generate(broken)) == "areas/engine.yaml"

    def test_from_a_folder_below(self, broken: Path) -> None:
        assert self.place(generate(broken / "areas")) == "engine.yaml"
        assert self.place(generate(broken / "areas" / "deep")) == "../engine.yaml"

    def test_from_elsewhere(self, broken: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
        elsewhere = tmp_path_factory.mktemp("elsewhere")
        found = run("-C", str(broken / "areas" / "deep"), "generate", "--all", cwd=elsewhere)
        assert (elsewhere / self.place(found)).resolve() == broken / "areas" / "engine.yaml"
        assert not self.place(found).startswith("/")

    def test_a_named_workspace_file(self, broken: Path) -> None:
        found = run("--workspace", "../.buildkite/pipegen.yaml", "generate", "--all", cwd=broken / "areas")
        assert self.place(found) == "engine.yaml"

    def test_a_workspace_file_of_another_name(self, root: Path) -> None:
        (root / ".buildkite" / "pipegen.yaml").rename(root / ".buildkite" / "self.yaml")
        assert generate(root).status == 3
        found = run("--workspace", ".buildkite/self.yaml", "generate", "--all", cwd=root)
        assert (found.status, found.stdout) == (0, PIPELINE)

    def test_a_workspace_file_at_the_root(self, root: Path) -> None:
        (root / ".buildkite" / "pipegen.yaml").rename(root / "pipegen.yaml")
        found = run("--workspace", "pipegen.yaml", "generate", "--all", cwd=root)
        assert (found.status, found.stdout) == (0, PIPELINE)

    def test_the_nearest_one_above_wins(self, root: Path) -> None:
        inner = workspace(root / "inner", {"areas/engine.yaml": ENGINE + "    title: Inner\n"})
        assert '":nvidia: Inner"' in generate(inner / "areas").stdout
        assert '":nvidia: Engine Core"' in generate(root).stdout

    def test_up_from_below_does_not_find_what_is_beside(self, root: Path) -> None:
        """`-C ..` starts in the folder above, not in the one that its text seems to lie in."""
        inner = workspace(root / "inner", {"areas/engine.yaml": ENGINE + "    title: Inner\n"})
        assert '":nvidia: Engine Core"' in run("-C", "..", "generate", "--all", cwd=inner).stdout

    def test_the_repository_is_where_git_is(self, root: Path) -> None:
        (root / ".git").mkdir()
        (root / "ci").mkdir()
        (root / ".buildkite" / "pipegen.yaml").rename(root / "ci" / "pipegen.yaml")
        found = run("--workspace", "ci/pipegen.yaml", "generate", "--all", cwd=root)
        assert (found.status, found.stdout) == (0, PIPELINE)


class TestBuild:
    """Facts come from Buildkite's environment and from `--set`, variables from the workspace and from `--var`."""

    @pytest.fixture
    def root(self, root: Path) -> Path:
        return workspace(root, {"areas/engine.yaml": BRANCH})

    def test_outside_of_buildkite(self, root: Path) -> None:
        assert env_of(generate(root)) == {"BRANCH": "", "REPOSITORY": "test"}

    def test_in_a_build(self, root: Path) -> None:
        found = generate(root, env={"BUILDKITE_BRANCH": "main"})
        assert env_of(found) == {"BRANCH": "main", "REPOSITORY": "release"}

    def test_set_wins_over_the_environment(self, root: Path) -> None:
        found = generate(root, "--set", "build.branch=main", env={"BUILDKITE_BRANCH": "topic"})
        assert env_of(found) == {"BRANCH": "main", "REPOSITORY": "release"}

    def test_var_wins_over_what_is_declared_and_is_no_expression(self, root: Path) -> None:
        assert env_of(generate(root, "--var", "REPOSITORY={{ x }}=y"))["REPOSITORY"] == "{{ x }}=y"
        assert env_of(generate(root, "--var", "REPOSITORY=a", "--var", "REPOSITORY="))["REPOSITORY"] == ""

    def test_no_other_variable_of_the_environment_is_seen(self, root: Path) -> None:
        plain = generate(root).stdout
        assert generate(root, env={"REPOSITORY": "x", "TORCH_NIGHTLY": "1", "PIPEGEN": "y"}).stdout == plain

    @pytest.mark.parametrize("odd", ["\udcff", "\ufdd0BUILDKITE_TOKEN\ufdd1", "\ufddf"])
    def test_texts_of_strangers_are_text(self, root: Path, odd: str) -> None:
        """A branch or message may hold any bytes: none of them crashes, and none becomes a reference to a secret."""
        plain = "".join("\ufffd" if ord(letter) > 127 else letter for letter in odd)
        assert env_of(generate(root, env={"BUILDKITE_BRANCH": odd}))["BRANCH"] == plain
        assert env_of(generate(root, "--set", f"build.branch={odd}"))["BRANCH"] == plain
        assert env_of(generate(root, "--var", f"REPOSITORY={odd}"))["REPOSITORY"] == plain


class TestUpload:
    """`upload.NAME` and dollars, with and without the agent's interpolation."""

    @pytest.fixture
    def root(self, root: Path) -> Path:
        return workspace(
            root, {"areas/engine.yaml": ENGINE + "    env: {HOME: $HOME, COMMIT: '{{ upload.BUILDKITE_COMMIT }}'}\n"}
        )

    def test_the_agent_fills_in(self, root: Path) -> None:
        assert env_of(generate(root)) == {"COMMIT": "${BUILDKITE_COMMIT}", "HOME": "$$HOME"}

    def test_nobody_fills_in(self, root: Path) -> None:
        found = generate(root, "--no-interpolation")
        assert found.status == 1
        assert "PG119" in found.stderr

    def test_pipegen_fills_in(self, root: Path) -> None:
        found = generate(root, "--no-interpolation", env={"BUILDKITE_COMMIT": "abc"})
        assert env_of(found) == {"COMMIT": "abc", "HOME": "$HOME"}


class TestStyle:
    """Colour is for terminals alone, and for those who want it."""

    @pytest.mark.parametrize("env", [{}, {"FORCE_COLOR": "1"}, {"NO_COLOR": "1"}, {"TERM": "dumb"}])
    def test_no_colour_without_a_terminal(self, root: Path, env: dict[str, str]) -> None:
        workspace(root, {"areas/engine.yaml": TestPlace.BROKEN})
        assert "\x1b" not in generate(root, env=env).stderr

    @pytest.mark.parametrize(
        ("env", "colour"),
        [
            ({"TERM": "xterm"}, True),
            ({"TERM": "xterm", "NO_COLOR": ""}, True),
            ({"TERM": "xterm", "NO_COLOR": "1"}, False),
            ({"TERM": "dumb"}, False),
        ],
    )
    def test_colour_at_a_terminal(self, root: Path, env: dict[str, str], colour: bool) -> None:
        workspace(root, {"areas/engine.yaml": TestPlace.BROKEN})
        found = run("generate", "--all", cwd=root, env=env, terminal=True)
        assert ("\x1b[1;31mPG301\x1b[0m" in found.stderr) is colour
        assert ("\x1b" in found.stderr) is colour
        assert "\x1b" not in found.stdout


class TestDeterminism:
    """The same workspace gives the same bytes, whatever the process, the hash seed or the order of files."""

    MANY: Final = {
        f"areas/{name}.yaml": ENGINE.replace("engine", name).replace("Engine", name.title())
        + "    variants: {b: {env: {Z: 1, A: 2}}, a: {env: {M: 3}}}\n"
        + "    mirrors: {amd: {hardware: mi300, timeout_in_minutes: 20}}\n"
        for name in ("zeta", "alpha", "mu")
    }

    def test_hash_seeds(self, root: Path) -> None:
        workspace(root, self.MANY)
        found = [spawn("generate", "--all", cwd=root, env={"PYTHONHASHSEED": seed}) for seed in ("0", "1", "4242")]
        assert {ran.status for ran in found} == {0}, found[0].stderr
        assert len({ran.stdout for ran in found}) == 1
        assert found[0].stdout == generate(root).stdout
        assert found[0].stdout.count("key: ") == 3 * 4 + 2

    def test_hash_seeds_and_mistakes(self, root: Path) -> None:
        workspace(root, {path: text.replace("l4", "l44") for path, text in self.MANY.items()})
        found = [spawn("generate", "--all", cwd=root, env={"PYTHONHASHSEED": seed}) for seed in ("0", "1")]
        assert {ran.status for ran in found} == {1}
        assert len({ran.stderr for ran in found}) == 1

    def test_files_written_in_another_order(self, root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
        workspace(root, self.MANY)
        other = tmp_path_factory.mktemp("other")
        workspace(other, {"templates/plain.yaml.j2": TEMPLATE, **dict(reversed(self.MANY.items()))})
        assert generate(root).stdout == generate(other).stdout

    def test_the_order_of_keys_in_a_file(self, root: Path) -> None:
        before = generate(root).stdout
        lines = HARDWARE.splitlines(keepends=True)
        moved = [lines[0], *lines[-4:], *lines[1:-4]]
        workspace(root, {".buildkite/hardware.yaml": "".join(moved)})
        assert generate(root).stdout == before


def test_nothing_to_emit_is_a_comment(root: Path) -> None:
    """An empty file instead would be a green build; a comment is one on purpose."""
    selection = "selection: {unselected: omit, ignored: [docs/]}\n"
    workspace(root, {".buildkite/pipegen.yaml": WORKSPACE + selection, "changes.txt": "docs/index.md\n"})
    for form in ("yaml", "json"):
        found = run("generate", "--changed-files", "changes.txt", "--format", form, cwd=root)
        assert (found.status, found.stderr) == (0, "")
        assert found.stdout.startswith("# pipegen: nothing selected: ")
        assert found.stdout.count("\n") == 1
        assert app.REFUSAL not in found.stdout


def test_a_group_that_cannot_be_carried_is_told_once_behind_gates_as_well(tmp_path: Path) -> None:
    engine = ENGINE.replace("group: Engine", "group: 'Engine \\$HOME'")
    root = workspace(tmp_path, {"areas/engine.yaml": engine, "templates/plain.yaml.j2": TEMPLATE, "changed": "a.md\n"})
    ran = run("generate", "--changed-files", "changed", cwd=root)
    assert (ran.status, ran.stderr.count("PG119")) == (1, 1)
    assert (
        'areas/engine.yaml:1:8 PG119 the agent takes the backslash in "\\$" for its own ("engine-core")' in ran.stderr
    )
