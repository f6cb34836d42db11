"""Which agents `pipegen upload` goes on with. Scripts stand in for those that no test can install."""

from pathlib import Path

import pytest

from pipegen.app.agent import Agent, AgentError
from tests.support.repositories import script


def found(folder: Path, text: str, **environment: str) -> tuple[Agent, list[str]]:
    script(folder / "buildkite-agent", text)
    told: list[str] = []
    known = {"PATH": f"{folder}:/usr/bin:/bin", "BUILDKITE_JOB_ID": "a", **environment}
    return Agent.find(known, clock=lambda: 0.0, seconds=30, tell=told.append), told


@pytest.mark.parametrize("version", ["3.1.0", "3.137.0+x..dirty", "4.0.0-beta.15"])
def test_known(tmp_path: Path, version: str) -> None:
    assert found(tmp_path, f"echo buildkite-agent version {version}")[1] == []


def test_newer_ones_may_do(tmp_path: Path) -> None:
    assert found(tmp_path, "echo buildkite-agent version 5.0.0")[1] == [
        "buildkite-agent is version 5.0.0, of which pipegen knows nothing: expected 3 or 4, going on"
    ]


@pytest.mark.parametrize("text", ["echo hello", "exit 1"])
def test_strangers_may_do(tmp_path: Path, text: str) -> None:
    _, told = found(tmp_path, text)
    assert len(told) == 1
    assert "names no version" in told[0]


def test_old_ones_do_not(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match=r"is version 2\.6\.10: expected 3 or 4"):
        found(tmp_path, "echo buildkite-agent version 2.6.10")


def test_arguments_pass_no_shell(tmp_path: Path) -> None:
    agent, _ = found(
        tmp_path, 'case "$1" in --version) echo version 3.0.0;; *) for word; do echo "<$word>"; done;; esac'
    )
    assert agent.run("a b", "$HOME;`id`", "*").output == "<a b>\n<$HOME;`id`>\n<*>\n"


def test_a_call_that_does_not_end(tmp_path: Path) -> None:
    agent, _ = found(tmp_path, 'case "$1" in --version) echo version 3.0.0;; *) exec sleep 30;; esac')
    with pytest.raises(AgentError, match=r"buildkite-agent meta-data get did not end within 0 seconds"):
        agent.run("meta-data", "get", seconds=0.1)


def test_behind_the_deadline_nothing_is_started(tmp_path: Path) -> None:
    agent, _ = found(tmp_path, 'case "$1" in --version) echo version 3.0.0;; *) touch "$0.ran";; esac')
    late = type(agent)(
        program=agent.program, environment=agent.environment, clock=lambda: 31.0, ends=30.0, tell=print, secrets=()
    )
    with pytest.raises(AgentError, match="the deadline has passed"):
        late.run("annotate")
    assert not (tmp_path / "buildkite-agent.ran").exists()
    late.with_grace(5).run("annotate")
    assert (tmp_path / "buildkite-agent.ran").exists()


def test_what_the_agent_is_told_by_variables(tmp_path: Path) -> None:
    agent, _ = found(tmp_path, "echo version 3.0.0; env", BUILDKITE_PIPELINE_REPLACE="true", OTHER="kept")
    lines = agent.run("x").output.splitlines()
    assert "OTHER=kept" in lines
    assert "BUILDKITE_AGENT_PIPELINE_UPLOAD_REJECT_SECRETS=true" in lines
    assert not any(line.startswith("BUILDKITE_PIPELINE_REPLACE=") for line in lines)
