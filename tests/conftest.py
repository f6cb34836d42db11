"""What every test runs under: an environment of its own, and no skip that CI would mistake for a pass."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.golden import Golden

pytest_plugins = ["tests.support.strict_skips"]

settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "local")

CORPUS = pytest.StashKey[str]()
IN_CI = pytest.StashKey[bool]()

AMBIENT_PREFIXES = ("BUILDKITE", "GIT_", "PIPEGEN_")
AMBIENT_NAMES = ("CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "FORCE_COLOR", "NO_COLOR", "TZ", "XDG_CONFIG_HOME")

GITCONFIG = """\
[user]
\tname = Pipegen Tests
\temail = tests@pipegen.invalid
[init]
\tdefaultBranch = main
[commit]
\tgpgSign = false
[core]
\thooksPath = /dev/null
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-golden` writes what golden files compare with; whoever uses it reads the difference."""
    parser.addoption("--update-golden", action="store_true", help="write golden files instead of comparing with them")


def pytest_configure(config: pytest.Config) -> None:
    """Remember the corpus, and whether this is CI, before the environment is scrubbed."""
    config.stash[CORPUS] = os.environ.get("PIPEGEN_CORPUS", "")
    config.stash[IN_CI] = bool(os.environ.get("CI"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests on the corpus need one."""
    if config.stash[CORPUS]:
        return
    without = pytest.mark.skip(reason="PIPEGEN_CORPUS names no folder with a fleet to test against")
    for item in items:
        if item.get_closest_marker("corpus"):
            item.add_marker(without)


@pytest.fixture(scope="session")
def corpus(pytestconfig: pytest.Config) -> Path:
    """The folder of the fleet that `corpus` tests run on; a wrong path fails a test rather than skip it."""
    folder = Path(pytestconfig.stash[CORPUS]).absolute()
    assert folder.is_dir(), f'PIPEGEN_CORPUS is "{folder}", which is no folder'
    return folder


@pytest.fixture(scope="session")
def golden(pytestconfig: pytest.Config) -> Golden:
    """Compares with golden files, or writes them under `--update-golden`; CI only ever compares."""
    return Golden(update=pytestconfig.getoption("--update-golden") and not pytestconfig.stash[IN_CI])


@pytest.fixture(scope="session", autouse=True)
def _clean_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test sees the build, the terminal, the home or the git settings of whoever runs the suite."""
    home = tmp_path_factory.mktemp("home")
    gitconfig = home / ".gitconfig"
    gitconfig.write_text(GITCONFIG, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for name in tuple(os.environ):
            if name.startswith(AMBIENT_PREFIXES) or name in AMBIENT_NAMES:
                patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.setenv("GIT_CONFIG_GLOBAL", str(gitconfig))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setenv("GIT_TERMINAL_PROMPT", "0")
        yield
