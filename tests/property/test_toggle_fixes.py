"""What `--fix` takes out of `env` and of commands changes nothing that a job runs, as bash runs it."""

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pipegen.rules import RULES
from pipegen.rules.facts import JobFacts
from tests.support.rules import BASE, Case, facts_of, fixed

TOGGLES: Final = """\
toggles:
  A: {values: ["0", "1"], default: "1"}
  B: {values: ["0", "1"], default: "0"}
"""
APART: Final = (
    "p",
    "p x",
    "B=1 p",
    "p ${B-2}",
    "false || true",
    '[ -n "$X" ] && p',
    "bash -c 'p'",
    "bash ci/free.sh",
    "source /dev/null",
    "f() { p f; }",
    "f",
    'eval "$T"',
    "# note",
    "set -a",
    "! true",
    "export B=0",
    "exit 3",
)
"""Commands that have nothing to do with A, and ask for no status."""
PIECES: Final = (
    *APART,
    "export A=1",
    "export A=0",
    "export B=1",
    "A=0",
    "A=0 p",
    "A=1 p",
    "p $A",
    "p $?",
    "p ${A-1}",
    "(( A )) && p",
    "if (( A )); then p; fi",
    "[[ A -eq 1 ]] && p",
    "test -v A && p",
    'p "$(printenv A)"',
    "unset A",
    "unset B A",
    "export -n A",
    "env -u A p",
    "env A=0 p",
    "bash -c 'export A=0; p'",
    "(export A=0; p)",
    "export A=1 && p",
    "if true; then",
    "fi",
    "for A in 0 1; do p; done",
    "f() { return; }",
    "f() { p $?; }",
    "A=0 f",
    "read A <<< 0",
    ": ${A:=0}",
    "printf -v A 0",
    "eval 'export A=0'",
    "N=A; export $N=0",
    "unset $N",
    "export $(echo A=0)",
    "source ci/sets.sh",
    "source ci/ends.sh",
    "bash ci/reads.sh",
    "bash ci/counts.sh",
    "exit $?",
    "exit",
    "# note\nexit",
    "true; exit",
    "return",
    "(exit)",
    "p \\",
    "p &&",
)
SCRIPTS: Final = {
    "ci/sets.sh": "A=0\nexport B=1\n",
    "ci/reads.sh": 'p "script $A"\n',
    "ci/counts.sh": "if (( A )); then p counts; fi\n",
    "ci/ends.sh": "return\n",
    "ci/free.sh": "p free\n",
}
HOOKS: Final = (*("",) * 6, "export B=1", "export A=0", '[ -z "$A" ] || export B=1', "source ./ci/sets.sh")
"""What a hook of the agent does in front of the commands."""
TEXTS: Final = (*("",) * 4, "p text", "[[ A -eq 1 ]] && p text", 'p "$A"')
"""What a variable of the job holds, for a command that runs it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A job, in front of a last command that shows what it has."""

    commands: tuple[str, ...]
    env: Mapping[str, str]
    hook: str = ""

    @property
    def case(self) -> Case:
        """The small workspace with that job."""
        items = "".join(f"      - {json.dumps(command)}\n" for command in (*self.commands, "p last"))
        env = f"    env: {json.dumps(dict(self.env))}\n" if self.env else ""
        area = "group: Engine\nowner: core\nsources: [src/engine/]\nareas:\n  engine/core:\n    tests: [engine/]\n"
        area += "    hardware: l4\n    timeout_in_minutes: 30\n"
        files = {
            ".buildkite/pipegen.yaml": BASE[".buildkite/pipegen.yaml"].decode() + TOGGLES,
            "areas/engine.yaml": f"{area}{env}    commands:\n{items}",
            **SCRIPTS,
            **({".buildkite/hooks/pre-command": self.hook} if self.hook else {}),
        }
        return Case(files={**BASE, **{path: text.encode() for path, text in files.items()}})


PIECE: Final = st.one_of(*(st.sampled_from(APART),) * 3, st.sampled_from(PIECES))
ENV: Final = st.builds(
    lambda text, env: {**env, "T": text} if text else env,
    st.sampled_from(TEXTS),
    st.sampled_from(({}, {}, {}, {"A": "1"}, {"A": "0"}, {"B": "1"})),
)


def drawn(at_default: Mapping[str, str], *commands: str) -> st.SearchStrategy[Drawn]:
    """Jobs with something in `env`, and with commands somewhere among others."""
    return st.builds(
        lambda pieces, at, env, hook: Drawn(
            commands=(*pieces[:at], *commands, *pieces[at:]), env={**env, **at_default}, hook=hook
        ),
        st.lists(PIECE, max_size=5),
        st.integers(0, 5),
        ENV,
        st.sampled_from(HOOKS),
    )


def after_fix(rule: str, case: Case) -> Case | None:
    """A case with all that a rule takes out of it; None where it takes out nothing."""
    [check] = (one.check for one in RULES if one.name == rule)
    found = list(check(facts_of(case)))
    return fixed(case, found) if any(one.fix for one in found) else None


def job_of(case: Case) -> JobFacts:
    [job] = (one for one in facts_of(case).jobs if one.job.origin.area == "engine/core")
    return job


def commands_of(case: Case) -> tuple[str, ...]:
    return tuple(command.run for command in job_of(case).job.commands)


def ran(folder: Path, case: Case, hook: str) -> tuple[str, int]:
    """What programs were given, where an unset toggle is its default, and how the job ended."""
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", **job_of(case).job.env}
    script = "\n".join((hook, "set -e", *commands_of(case)))
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=20, check=False
    )
    return done.stdout, done.returncode


def nothing_else_runs(rule: str, folder: Path, job: Drawn) -> None:
    """The law of both rules."""
    case = job.case
    after = after_fix(rule, case)
    assume(after is not None)
    assert after is not None
    assert after.files != case.files
    assert ran(folder, after, job.hook) == ran(folder, case, job.hook)


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


LAW: Final = settings(
    max_examples=100,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,  # what is not fixed says nothing
    ],
)


@LAW
@given(drawn({}, "export A=1"))
def test_out_of_commands(folder: Path, job: Drawn) -> None:
    nothing_else_runs("toggle-in-commands", folder, job)


@LAW
@given(drawn({"A": "1"}))
def test_out_of_env(folder: Path, job: Drawn) -> None:
    nothing_else_runs("toggle-at-default", folder, job)


def test_some_are_fixed_in_commands() -> None:
    job = Drawn(commands=("export A=1", "p", "export B=0", "A=0 p"), env={})
    after = after_fix("toggle-in-commands", job.case)
    assert after is not None
    assert commands_of(after) == ("export A=1", "p", "A=0 p", "p last")


def test_some_are_fixed_in_env() -> None:
    job = Drawn(commands=("p", "p $B"), env={"A": "1", "B": "0", "T": "x"}, hook="export C=1")
    after = after_fix("toggle-at-default", job.case)
    assert after is not None
    assert job_of(after).job.env == {"B": "0", "T": "x"}
