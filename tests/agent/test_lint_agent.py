"""`pipegen lint --format buildkite` in a job: the real agent puts the annotation on the build."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.loopback import LoopbackServer, Operation, Status
from tests.support.workspaces import ENGINE, TEMPLATE, Ran, run, workspace, write

pytestmark = pytest.mark.agent

NAME = "[draw](https://x.invalid)<b>"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {"templates/plain.yaml.j2": TEMPLATE, "tests/engine/test_core.py": "", "src/engine/core.py": ""}
    return workspace(tmp_path / "root", files)


@pytest.fixture
def job(agent_binary: Path, loopback: LoopbackServer, tmp_path: Path) -> Mapping[str, str]:
    """The environment of a job of the server's build, with the agent on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "buildkite-agent").symlink_to(agent_binary)
    return {**loopback.environment, "PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(tmp_path)}


def lint(root: Path, job: Mapping[str, str]) -> Ran:
    return run("lint", "--format", "buildkite", cwd=root, env=job)


def test_findings(root: Path, job: Mapping[str, str], loopback: LoopbackServer) -> None:
    write(root, {"areas/engine.yaml": ENGINE.replace("hardware: l4", f'hardware: "{NAME}"')})
    found = lint(root, job)
    assert (found.status, found.stderr) == (1, "")
    assert f'"{NAME}"' in found.stdout, "the log has the text"
    (annotation,) = loopback.build.annotations
    assert (annotation.context, annotation.style) == ("pipegen-lint", "error")
    assert annotation.body.startswith("**pipegen lint**: 1 error in ")
    assert r"\[draw\]\(https\://x\.invalid\)\<b\>" in annotation.body


def test_a_later_run_takes_the_place_of_an_earlier_one(
    root: Path, job: Mapping[str, str], loopback: LoopbackServer
) -> None:
    write(root, {"tests/alone/test_alone.py": ""})
    assert lint(root, job).status == 1
    write(root, {"tests/alone/test_alone.py": None})
    assert lint(root, job).status == 0
    (annotation,) = loopback.build.annotations
    assert (annotation.style, annotation.body.strip()) == ("success", "**pipegen lint**: no findings in 5 files")


def test_what_is_too_much_for_an_annotation(root: Path, job: Mapping[str, str], loopback: LoopbackServer) -> None:
    write(root, {f"tests/{at:04}{'x' * 200}/test_alone.py": "" for at in range(3000)})
    found = lint(root, job)
    assert (found.status, found.stderr) == (1, "")
    (annotation,) = loopback.build.annotations
    shown = annotation.body.count("PG201")
    assert 0 < shown < 3000
    assert f"and {3000 - shown} more: the job prints all of them" in annotation.body
    assert found.stdout.count("PG201") == 3000


def test_an_annotation_that_fails_changes_no_verdict(
    root: Path, job: Mapping[str, str], loopback: LoopbackServer
) -> None:
    loopback.plan(Status(status=422, on=Operation.ANNOTATE))
    found = lint(root, job)
    assert (found.status, found.stdout) == (0, "no findings in 5 files\n")
    assert found.stderr.startswith("pipegen: no annotation: buildkite-agent annotate: ")
