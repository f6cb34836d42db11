"""Fixtures for tests that run the real buildkite-agent."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.agent import Agent, find_agent
from tests.support.loopback import LoopbackServer

ENVIRONMENT = pytest.StashKey[dict[str, str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Remember the environment before it is scrubbed."""
    config.stash[ENVIRONMENT] = dict(os.environ)


@pytest.fixture(scope="session")
def agent_binary(pytestconfig: pytest.Config) -> Path:
    """The agent's binary. Without one, tests are skipped, and fail in CI."""
    environment = pytestconfig.stash[ENVIRONMENT]
    found = find_agent(environment)
    if found is not None:
        return found
    reason = "no buildkite-agent: put one on PATH, name it in PIPEGEN_AGENT or run .ci/install-agent"
    if environment.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def agent(agent_binary: Path, tmp_path: Path) -> Agent:
    """The agent, at home in a folder of its own below the test's."""
    home = tmp_path / "agent-home"
    home.mkdir()
    return Agent(binary=agent_binary, home=home, path=os.environ["PATH"])


@pytest.fixture
def loopback() -> Iterator[LoopbackServer]:
    """A Buildkite that answers as the real one does, with an empty build and no faults planned."""
    with LoopbackServer() as server:
        yield server
