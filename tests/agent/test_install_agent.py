"""Where .ci/install-agent and the tests look for the agent."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.agent import AGENT_VERSION, find_agent

pytestmark = pytest.mark.agent

SCRIPT = Path(__file__).parents[2] / ".ci" / "install-agent"


def executable(path: Path, script: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script, encoding="utf-8")
    path.chmod(0o755)
    return path


def install(tmp_path: Path, path: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"HOME": str(tmp_path), "PATH": str(path), **variables}
    bash = shutil.which("bash")
    assert bash is not None
    return subprocess.run([bash, SCRIPT], env=environment, capture_output=True, text=True, check=False, timeout=60)


def bin_folder(tmp_path: Path) -> Path:
    """A PATH with what the script itself uses, and no agent and no go on it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("cat", "dirname", "env", "grep", "mkdir", "mktemp", "mv", "rm"):
        found = shutil.which(tool)
        assert found is not None
        (folder / tool).symlink_to(found)
    return folder


def test_agent_on_path_comes_first(tmp_path: Path) -> None:
    path = bin_folder(tmp_path)
    on_path = executable(path / "buildkite-agent")
    executable(tmp_path / f".cache/pipegen/buildkite-agent-{AGENT_VERSION}/buildkite-agent")
    run = install(tmp_path, path)
    assert (run.returncode, run.stdout, run.stderr) == (0, f"{on_path}\n", "")
    assert find_agent({"HOME": str(tmp_path), "PATH": str(path)}) == on_path


@pytest.mark.parametrize("variable", ["HOME", "XDG_CACHE_HOME"])
def test_built_agent_is_kept(tmp_path: Path, variable: str) -> None:
    path = bin_folder(tmp_path)
    elsewhere = {"XDG_CACHE_HOME": str(tmp_path / "xdg")} if variable == "XDG_CACHE_HOME" else {}
    cache = tmp_path / ("xdg" if elsewhere else ".cache")
    built = executable(cache / f"pipegen/buildkite-agent-{AGENT_VERSION}/buildkite-agent")
    run = install(tmp_path, path, **elsewhere)
    assert (run.returncode, run.stdout, run.stderr) == (0, f"{built}\n", "")
    assert find_agent({"HOME": str(tmp_path), "PATH": str(path), **elsewhere}) == built


def test_without_go_it_says_so(tmp_path: Path) -> None:
    run = install(tmp_path, bin_folder(tmp_path))
    assert (run.returncode, run.stdout) == (1, "")
    assert "no buildkite-agent on PATH, and no go to build it with" in run.stderr


FAKE_GO = """\
#!/bin/sh
echo "$*" >>"$HOME/calls"
case "$1" in
  env) echo "$SUMDB" ;;
  install) echo "$PROBLEM" >&2; [ -z "$PROBLEM" ] || exit 1; cp "$HOME/fake-agent" "$GOBIN/agent" ;;
  build) cat go.mod >"$HOME/go.mod"; cp "$HOME/fake-agent" "$4" ;;
esac
"""


def install_with_go(tmp_path: Path, *, problem: str = "", sumdb: str = "on") -> subprocess.CompletedProcess[str]:
    path = bin_folder(tmp_path)
    executable(path / "go", FAKE_GO)
    (path / "cp").symlink_to(shutil.which("cp") or "")
    executable(tmp_path / "fake-agent", f"#!/bin/sh\necho buildkite-agent version {AGENT_VERSION}+x\n")
    return install(tmp_path, path, PROBLEM=problem, SUMDB=sumdb)


def test_go_installs_the_released_agent(tmp_path: Path) -> None:
    run = install_with_go(tmp_path)
    built = tmp_path / f".cache/pipegen/buildkite-agent-{AGENT_VERSION}/buildkite-agent"
    assert (run.returncode, run.stdout, run.stderr) == (0, f"{built}\n", "")
    assert os.access(built, os.X_OK)
    assert list(built.parent.iterdir()) == [built]
    assert f"install github.com/buildkite/agent/v3@v{AGENT_VERSION}" in (tmp_path / "calls").read_text()


def test_one_missing_module_is_replaced_by_its_stand_in(tmp_path: Path) -> None:
    run = install_with_go(tmp_path, problem="x.go:1: drjosh.dev/zzglob@v0.4.3: 403 Forbidden")
    assert run.returncode == 0, run.stderr
    built = Path(run.stdout.strip())
    assert os.access(built, os.X_OK)
    stand_in = (tmp_path / "go.mod").read_text().partition("replace drjosh.dev/zzglob => ")[2].strip()
    assert (Path(stand_in) / "README.md").is_file()


def test_other_failures_of_go_are_shown(tmp_path: Path) -> None:
    run = install_with_go(tmp_path, problem="go: the network is down")
    assert (run.returncode, run.stdout) == (1, "")
    assert "go: the network is down" in run.stderr
    assert "build" not in (tmp_path / "calls").read_text().split()


def test_checksums_must_be_verified(tmp_path: Path) -> None:
    run = install_with_go(tmp_path, sumdb="off")
    assert (run.returncode, run.stdout) == (1, "")
    assert "GOSUMDB is off" in run.stderr


def test_named_agent_must_exist(tmp_path: Path) -> None:
    named = executable(tmp_path / "mine")
    assert find_agent({"PIPEGEN_AGENT": str(named), "PATH": ""}) == named
    with pytest.raises(FileNotFoundError):
        find_agent({"PIPEGEN_AGENT": str(tmp_path / "gone"), "PATH": ""})
    assert find_agent({"HOME": str(tmp_path), "PATH": str(tmp_path)}) is None
