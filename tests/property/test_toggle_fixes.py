"""What `--fix` takes out of commands changes nothing that they run, as bash runs them."""

import os
import subprocess
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipegen.rules import RULES
from tests.support.rules import BASE, Case, facts_of, fixed

TOGGLES: Final = """\
toggles:
  A: {values: ["0", "1"], default: "1"}
  B: {values: ["0", "1"], default: "0"}
"""
PIECES: Final = (
    "export A=1",
    "export B=0",
    "export A=0",
    "export B=1",
    "A=0",
    "p",
    "p x",
    "A=0 p",
    "A=1 p",
    "B=1 p",
    "p $A",
    "p ${B-2}",
    "p $?",
    "false || true",
    '[ -n "$X" ] && p',
    "unset A",
    "unset B A",
    "export -n A",
    "env -u A p",
    "env A=0 p",
    "bash -c 'p'",
    "bash -c 'export A=0; p'",
    "(export A=0; p)",
    "export A=1 && p",
    "if true; then",
    "fi",
    "for A in 0 1; do p; done",
    "f() { p; }",
    "f",
    "A=0 f",
    "set -a",
    "read A <<< 0",
    ": ${A:=0}",
    "printf -v A 0",
    "eval 'export A=0'",
    "N=A; export $N=0",
    "unset $N",
    "export $(echo A=0)",
    "source ci/sets.sh",
    "bash ci/reads.sh",
    "source /dev/null",
    "exit $?",
    "! true",
)
SCRIPTS: Final = {"ci/sets.sh": "A=0\nexport B=1\n", "ci/reads.sh": 'p "script $A"\n'}
RULE: Final = next(rule for rule in RULES if rule.name == "toggle-in-commands")


def case_of(commands: list[str], env: dict[str, str]) -> Case:
    items = "".join(
        f"      - {command!r}\n" if "'" not in command else f'      - "{escaped(command)}"\n' for command in commands
    )
    area = "group: Engine\nowner: core\nsources: [src/engine/]\nareas:\n  engine/core:\n    tests: [engine/]\n"
    area += "    hardware: l4\n    timeout_in_minutes: 30\n"
    area += f"    env: {{{', '.join(f'{name}: {value}' for name, value in env.items())}}}\n" if env else ""
    files = {
        ".buildkite/pipegen.yaml": BASE[".buildkite/pipegen.yaml"] + TOGGLES.encode(),
        "areas/engine.yaml": (area + "    commands:\n" + items).encode(),
        **{path: text.encode() for path, text in SCRIPTS.items()},
    }
    return Case(files={**BASE, **files})


def escaped(command: str) -> str:
    return command.replace("\\", "\\\\").replace('"', '\\"')


def commands_of(case: Case) -> tuple[str, ...]:
    [job] = (one for one in facts_of(case).jobs if one.job.origin.area == "engine/core")
    return tuple(command.run for command in job.job.commands)


def ran(folder: Path, commands: tuple[str, ...], env: dict[str, str]) -> tuple[str, int]:
    """What programs were given, where an unset toggle is its default, and how the job ended."""
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", **env}
    script = "\n".join(("set -e", *commands))
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=20, check=False
    )
    return done.stdout, done.returncode


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("machine")
    program = root / "p"
    program.write_text('#!/bin/sh\necho "A=${A-1} B=${B-0} $*"\n', encoding="utf-8")
    program.chmod(0o755)
    for path, text in SCRIPTS.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from(PIECES), max_size=5),
    st.integers(0, 5),
    st.sampled_from(({}, {}, {"A": "1"}, {"A": "0"})),
)
def test_nothing_else_runs(folder: Path, pieces: list[str], at: int, env: dict[str, str]) -> None:
    commands = [*pieces[:at], "export A=1", *pieces[at:]]
    case = case_of([*commands, "p last"], env)
    found = list(RULE.check(facts_of(case)))
    if not any(one.fix for one in found):
        return
    after = commands_of(fixed(case, found))
    assert len(after) <= len(commands)
    assert ran(folder, after, env) == ran(folder, commands_of(case), env)


def test_some_are_fixed() -> None:
    case = case_of(["export A=1", "p", "export B=0", "A=0 p", "p last"], {})
    assert commands_of(fixed(case, list(RULE.check(facts_of(case))))) == ("export A=1", "p", "A=0 p", "p last")
