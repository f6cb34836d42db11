"""The functions of .ci/run, each taken out of the script and run by bash."""

import re
import shutil
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
BASH = shutil.which("bash") or "/bin/bash"
SCRIPT = (REPOSITORY / ".ci/run").read_text(encoding="utf-8")


def bash(*functions: str, then: str, path: str = "/usr/bin:/bin") -> str:
    """The output of `then` under the script's own settings, with only these functions of it."""
    bodies = []
    for name in functions:
        found = re.search(rf"^{name}\(\) \{{.*?(^\}}| \}})$", SCRIPT, re.M | re.S)
        assert found, name
        bodies.append(found[0])
    text = "\n".join(("set -euo pipefail", *bodies, then))
    done = subprocess.run(
        [BASH, "-c", text], cwd=REPOSITORY, env={"PATH": path}, check=True, capture_output=True, text=True
    )
    return done.stdout


def test_a_failed_check_is_remembered_and_the_next_one_runs() -> None:
    steps = "failed=(); check one false; check two true; check three bash -c 'exit 5'; echo \"${failed[*]}\""
    lines = bash("section", "check", then=steps).splitlines()
    assert lines[-1] == "one three"
    assert [line for line in lines if line.startswith("^^^")] == ["^^^ FAILED (1): one", "^^^ FAILED (5): three"]


def test_a_check_of_several_commands_fails_at_the_first_that_does() -> None:
    steps = 'several() { false; echo went on; }; failed=(); check all several; echo "${failed[*]}"'
    output = bash("section", "check", then=steps)
    assert output.endswith("\nall\n")
    assert "went on" not in output


def test_only_a_supported_python_is_used(tmp_path: Path) -> None:
    """python3 is too old here, and one of the others is a stub that cannot run."""
    for name, body in (("python3", "exit 1"), ("python3.13", "exit 127"), ("python3.12", "exit 0")):
        stub = tmp_path / name
        stub.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        stub.chmod(0o755)
    found = bash("pythons", then="pythons", path=str(tmp_path)).splitlines()
    assert found == [str(tmp_path / "python3.12")]


def test_the_oldest_dependencies_are_all_of_them() -> None:
    """What CI installs for its floor run is each dependency at the bound that pyproject.toml gives."""
    line = re.search(r"^    (sed -n .*) pyproject\.toml >", SCRIPT, re.M)
    assert line
    pinned = bash(then=f"{line[1]} pyproject.toml").split()
    project = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    (block,) = re.findall(r"^dependencies = \[\n(.*?)^\]", project, re.M | re.S)
    assert pinned == [dependency.replace(">=", "==") for dependency in re.findall(r'"(.*?)"', block)]
