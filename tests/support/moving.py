"""A small repository with step files of another generator, moved into a workspace as a user would move it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from tests.support.workspaces import Content, Ran, run, write

SETTINGS: Final = """\
name: small_ci
job_dirs: [.buildkite/builds, .buildkite/steps]
run_all_patterns: [setup.py, csrc/]
run_all_exclude_patterns: [csrc/notes/]
registries: registry.example/team
repositories: {main: engine-main, premerge: engine-test}
"""

IMAGES: Final = """\
group: Images
steps:
  - label: ":docker: Build image"
    key: image-build
    depends_on: []
    timeout_in_minutes: 60
    commands:
      - ./build.sh $REGISTRY/$REPO $BUILDKITE_COMMIT $BRANCH
  - label: "AMD: :docker: build image"
    key: image-build-amd
    depends_on: []
    device: amd_cpu
    no_plugin: true
    timeout_in_minutes: 60
    commands: [./build.sh rocm]
"""

PARSER: Final = """\
group: Parser
depends_on: [image-build]
steps:
- label: ":nvidia: (H200) Parser"
  key: parser
  timeout_in_minutes: 20
  device: h200_18gb
  source_file_dependencies:
  - engine/parser/
  - "!engine/parser/docs/"
  - tests/parser
  commands:
  - pytest -v -s parser/
  mirror:
    amd:
      label: ":amd: (MI300) Parser"
      device: mi300_1
      dind: false
      timeout_in_minutes: 40
      depends_on: [image-build-amd]
      source_file_dependencies: [engine/rocm.py]

- label: ":nvidia: (L4) Parser Slow"
  key: parser-slow
  timeout_in_minutes: 30
  num_devices: 2
  optional: true
  source_file_dependencies:
  - engine/parser/
  commands:
  - export ENGINE_MODE=slow
  - pytest -v -s slow/test_slow.py -k "not fast"
"""

PATHS: Final = """\
csrc/a.cu
csrc/notes/a.txt
docs/index.md
engine/parser/docs/a.md
engine/parser/lexer.py
engine/rocm.py
setup.py
tests/parser/run.sh
tests/parser/test_lexer.py
tests/slow/test_slow.py
tests/test_top.py
"""

FILES: Final[Mapping[str, str]] = {
    ".buildkite/ci.yaml": SETTINGS,
    ".buildkite/builds/images.yaml": IMAGES,
    ".buildkite/steps/parser.yaml": PARSER,
}
"""A pipeline of two image builds and two steps, one with a mirror, and nothing wrong with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A workspace that an import wrote, and how the import went."""

    root: Path
    ran: Ran

    def text(self, path: str) -> str:
        """A file of the new workspace."""
        return (self.root / path).read_text(encoding="utf-8")

    def generate(self, *arguments: str, env: Mapping[str, str] | None = None) -> Ran:
        """`pipegen generate` there."""
        return run("generate", *arguments, cwd=self.root, env=env)

    def steps(self, *arguments: str, env: Mapping[str, str] | None = None) -> dict[str, dict[str, Any]]:
        """The steps of a pipeline by key; each knows its group."""
        ran = self.generate(*(arguments or ("--all",)), env=env)
        assert ran.status == 0, ran.stderr
        document = yaml.safe_load(ran.stdout) or {"steps": []}
        return {
            step["key"]: {**step, "group": group["group"]} for group in document["steps"] for step in group["steps"]
        }

    def changed(self, *files: str, env: Mapping[str, str] | None = None) -> dict[str, dict[str, Any]]:
        """The steps of a pipeline for a change of these files."""
        listed = self.root.parent / "changed.txt"
        listed.write_text("".join(f"{file}\n" for file in files), encoding="utf-8")
        return self.steps("--changed-files", str(listed), env=env)


def gated(steps: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """The keys of jobs that wait for somebody to open their gate."""
    gates = {key for key, step in steps.items() if "block" in step}
    return {key for key, step in steps.items() if gates & set(step.get("depends_on") or ())}


def move(
    folder: Path,
    overrides: Mapping[str, Content] | None = None,
    *,
    paths: str = PATHS,
    configs: Sequence[str] = (".buildkite/ci.yaml",),
    options: Sequence[str] = (),
) -> Moved:
    """Write `FILES`, with `overrides` in their places or beside them, below `folder`, and import them beside that."""
    write(folder / "old", {**FILES, **(overrides or {})})
    (folder / "paths.txt").write_text(paths, encoding="utf-8")
    named = [word for config in configs for word in ("--config", config)]
    ran = run("import", "vllm", "old", *named, "--paths", "paths.txt", "--into", "new", *options, cwd=folder)
    return Moved(root=folder / "new", ran=ran)


def found(ran: Ran) -> list[tuple[str, int, int, str]]:
    """Code, line, column and message of what an import with `--format json` found."""
    return [
        (each["code"], each["line"], each["column"], each["message"])
        for each in json.loads(ran.stdout)["diagnostics"]
        if each["code"] != "PG911"
    ]
