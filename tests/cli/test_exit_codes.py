"""Exit 0 clean, 1 problems found, 2 wrong usage, 3 could not do it; and what stands on which stream then."""

import errno
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

import click
import pytest

import pipegen
from pipegen import app
from pipegen.cli import cli
from tests.support.permissions import permissions_count
from tests.support.workspaces import (
    ENGINE,
    TEMPLATE,
    WORKSPACE,
    Content,
    command,
    process_environment,
    run,
    spawn,
    workspace,
)

BROKEN: Mapping[str, Content] = {"areas/engine.yaml": ENGINE.replace("hardware: l4", "hardware: l40")}
TWO_PIPELINES: Mapping[str, Content] = {
    ".buildkite/pipegen.yaml": WORKSPACE + "pipelines:\n  ci: {areas: [areas/]}\n  intel: {areas: [areas/]}\n"
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return workspace(tmp_path, {"templates/plain.yaml.j2": TEMPLATE})


@pytest.mark.parametrize(
    "arguments", [("generate", "--all"), ("list", "jobs"), ("list", "areas"), ("list", "hardware")]
)
def test_clean(root: Path, arguments: tuple[str, ...]) -> None:
    found = run(*arguments, cwd=root)
    assert (found.status, found.stderr) == (0, "")
    assert found.stdout


@pytest.mark.parametrize("arguments", [("generate", "--all"), ("generate",), ("list", "jobs"), ("list", "areas")])
def test_problems(root: Path, arguments: tuple[str, ...]) -> None:
    workspace(root, BROKEN)
    found = run(*arguments, cwd=root)
    assert found.status == 1
    assert found.stderr.endswith("\n\n1 error\n")
    assert '8:15 PG301 unknown hardware "l40" [unknown-hardware]' in found.stderr
    expected = f"{app.REFUSAL} (1 error, see standard error)\n" if "generate" in arguments else ""
    assert found.stdout == expected


USAGE = {
    "no command": ((), "Usage: pipegen [OPTIONS] COMMAND [ARGS]..."),
    "an unknown command": (("genrate", "--all"), 'pipegen: no such command "genrate". Did you mean "generate"?'),
    "an unknown option": (("generate", "--al"), 'pipegen: no such option "--al". (Did you mean one of:'),
    "a format": (("generate", "--format", "xml"), 'pipegen: invalid value for "--format": "xml" is not one of'),
    "a kind of list": (("list", "job"), 'pipegen: invalid value for "{areas|jobs|'),
    "an option without its value": (("generate", "-o"), 'pipegen: option "-o" requires an argument'),
    "an unknown variable": (
        ("generate", "--all", "--var", "REPOSTORY=x"),
        'pipegen: unknown variable "REPOSTORY" in --var: did you mean "REPOSITORY"?\n',
    ),
    "a variable without a value": (
        ("generate", "--var", "REPOSITORY"),
        'pipegen: --var "REPOSITORY": expected NAME=VALUE\n',
    ),
    "an unknown fact": (
        ("generate", "--set", "build.brnch=main"),
        'pipegen: unknown fact "build.brnch" in --set: did you mean "branch"?\n',
    ),
    "a fact that is none of the build": (
        ("generate", "--set", "branch=main"),
        'pipegen: --set "branch": expected build.NAME=VALUE\n',
    ),
    "a pipeline where there is one": (
        ("generate", "--pipeline", "ci"),
        'pipegen: the workspace has one pipeline without a name: leave out --pipeline "ci"\n',
    ),
    "a folder that is not there": (("-C", "nowhere", "generate"), 'pipegen: -C "nowhere": no such folder\n'),
    "a file as the folder": (("-C", "areas/engine.yaml", "list", "jobs"), 'pipegen: -C "areas/engine.yaml": no such'),
}


@pytest.mark.parametrize("name", USAGE)
def test_usage(root: Path, name: str) -> None:
    arguments, message = USAGE[name]
    found = run(*arguments, cwd=root)
    assert found.status == 2
    assert found.stderr.startswith(message)
    assert found.stdout.startswith(app.REFUSAL) == bool({"generate", "genrate"} & set(arguments))


def test_several_pipelines_and_none_is_named(root: Path) -> None:
    workspace(root, TWO_PIPELINES)
    for words in (("generate", "--all"), ("list", "jobs")):
        found = run(*words, cwd=root)
        assert found.status == 2
        assert found.stderr == "pipegen: the workspace has several pipelines: name one with --pipeline: ci, intel\n"
    assert run("generate", "--all", "--pipeline", "intel", cwd=root).status == 0
    unknown = run("generate", "--all", "--pipeline", "intl", cwd=root)
    assert (unknown.status, unknown.stderr) == (2, 'pipegen: unknown pipeline "intl": did you mean "intel"?\n')


def test_a_version_that_nobody_knows_yet(root: Path) -> None:
    workspace(root, {".buildkite/pipegen.yaml": WORKSPACE.replace("version: 1", "version: 2")})
    for words in (("generate", "--all"), ("list", "jobs")):
        found = run(*words, cwd=root)
        assert found.status == 3
        assert found.stderr == (
            'pipegen: .buildkite/pipegen.yaml is written in version "2" of the language; this pipegen knows version 1\n'
        )


class TestCouldNot:
    def test_no_workspace(self, tmp_path: Path) -> None:
        found = run("generate", "--all", cwd=tmp_path)
        assert found.status == 3
        assert found.stderr.startswith(
            f"pipegen: no .buildkite/pipegen.yaml is in {tmp_path} or in a folder above it: "
        )
        assert found.stdout.startswith(f"{app.REFUSAL} (")

    def test_a_named_workspace_that_is_not_there(self, root: Path) -> None:
        found = run("--workspace", "pipegen.yaml", "generate", "--all", cwd=root)
        assert found.status == 3
        assert found.stderr == f'pipegen: cannot read workspace file "{root}/pipegen.yaml": no such file\n'

    def test_an_output_that_cannot_be_written(self, root: Path) -> None:
        found = run("generate", "--all", "-o", "missing/pipeline.yaml", cwd=root)
        assert found.status == 3
        assert found.stderr == 'pipegen: cannot write "missing/pipeline.yaml": no such file or directory\n'
        assert found.stdout.startswith(app.REFUSAL), "where nothing can be written to the file, it stands here"

    def test_an_output_that_is_no_file(self, root: Path) -> None:
        """A device is written to or not, and never taken away: CI often runs as root."""
        os.mkfifo(root / "pipe")
        (root / "folder").mkdir()
        for option in ("-o", "--plan-out"):
            found = run("generate", "--all", option, "folder", cwd=root)
            assert found.status == 3
            assert found.stderr == 'pipegen: cannot write "folder": is a directory\n'
        reading = os.open(root / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        try:
            assert run("generate", "--all", "--plan-out", "pipe", cwd=root).status == 0
            assert os.read(reading, 10).startswith(b"{")
        finally:
            os.close(reading)
        assert (root / "pipe").is_fifo()
        assert (root / "folder").is_dir()

    def test_a_folder_that_may_not_be_looked_into(self, root: Path) -> None:
        hidden = root / "hidden"
        workspace(hidden / "inside")
        hidden.chmod(0)
        try:
            with permissions_count():
                found = run("-C", "hidden/inside", "generate", "--all", cwd=root)
        finally:
            hidden.chmod(0o755)
        assert found.status in (2, 3)
        assert found.stderr.startswith("pipegen: ")
        assert "Traceback" not in found.stderr
        assert found.stdout.startswith(app.REFUSAL)

    def test_a_name_that_no_system_takes(self, root: Path) -> None:
        found = run("-C", "x" * 5000, "generate", "--all", cwd=root)
        assert found.status in (2, 3)
        assert found.stderr.startswith("pipegen: ")
        assert found.stdout.startswith(app.REFUSAL)


class TestRefusal:
    """Whatever the exit code, an upload behind a pipe must not take the silence for an empty pipeline."""

    FAILING = (("--bogus",), ("--format", "xml"), ("--var", "X=1"), ("--pipeline", "ci"), ("--all", "--set", "x"))

    @pytest.mark.parametrize("words", FAILING)
    @pytest.mark.parametrize(
        "form", [["-o", "out.yaml"], ["-oout.yaml"], ["--output", "out.yaml"], ["--output=out.yaml"]]
    )
    def test_the_file_holds_it(self, root: Path, words: tuple[str, ...], form: list[str]) -> None:
        (root / "out.yaml").write_text("steps: [{command: stale}]\n", encoding="utf-8")
        found = run("generate", *form, *words, cwd=root)
        assert (found.status, found.stdout) == (2, "")
        assert (root / "out.yaml").read_text(encoding="utf-8").startswith(f"{app.REFUSAL} (")

    def test_the_file_holds_it_where_there_are_errors(self, root: Path) -> None:
        workspace(root, BROKEN)
        found = run("generate", "--all", "-o", "out.yaml", cwd=root)
        assert (found.status, found.stdout) == (1, "")
        assert (root / "out.yaml").read_text(encoding="utf-8") == f"{app.REFUSAL} (1 error, see standard error)\n"

    @pytest.mark.parametrize("words", [*FAILING, ("--bogus", "--help"), ("--output",)])
    def test_it_is_one_line_of_plain_text(self, root: Path, words: tuple[str, ...]) -> None:
        line = run("generate", *words, cwd=root).stdout
        assert line.count("\n") == 1
        assert line.endswith(")\n")
        assert ": " not in line
        assert " #" not in line
        assert line.isprintable() or line[:-1].isprintable()

    def test_help_is_no_failure(self, root: Path) -> None:
        found = run("generate", "--help", cwd=root)
        assert (found.status, found.stderr) == (0, "")
        assert found.stdout.startswith("Usage: pipegen generate [OPTIONS]\n")

    def test_other_commands_print_none(self, root: Path) -> None:
        assert run("list", "jobs", "--bogus", cwd=root).stdout == ""

    def test_a_bug_leaves_it_too(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A traceback is loud enough for people; the agent behind the pipe sees standard output alone."""

        @click.command("generate")
        @click.option("-o", "output")
        def broken(output: str) -> None:
            raise ZeroDivisionError("a bug")

        monkeypatch.setitem(cli.commands, "generate", broken)
        with pytest.raises(ZeroDivisionError) as caught:
            run("generate", "-o", "out.yaml", cwd=root)
        assert str(caught.value) == "a bug"
        assert (root / "out.yaml").read_text(encoding="utf-8").startswith(f"{app.REFUSAL} (pipegen has a bug")


class TestProcess:
    def test_version(self, root: Path) -> None:
        found = spawn("--version", cwd=root)
        assert (found.status, found.stdout, found.stderr) == (0, f"pipegen, version {pipegen.__version__}\n", "")

    def test_exit_codes_reach_the_shell(self, root: Path) -> None:
        assert spawn("list", "jobs", cwd=root).status == 0
        assert spawn("list", "job", cwd=root).status == 2
        workspace(root, BROKEN)
        assert spawn("list", "jobs", cwd=root).status == 1
        assert spawn("-C", str(root.parent), "list", "jobs", cwd=root).status == 3

    @pytest.mark.parametrize("words", [("generate", "--all"), ("list", "jobs"), ("generate", "--bogus")])
    def test_a_reader_that_is_gone(self, root: Path, words: tuple[str, ...]) -> None:
        """`pipegen list jobs | head -1` ends without a traceback."""
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb") as closed:
            done = _run_into(closed, root, words)
        assert done.returncode in (2, 3)
        assert b"Traceback" not in done.stderr
        assert b"BrokenPipe" not in done.stderr

    @pytest.mark.parametrize("words", [("generate", "--all"), ("list", "jobs")])
    @pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="this system has no /dev/full")
    def test_a_disk_that_is_full(self, root: Path, words: tuple[str, ...]) -> None:
        with os.fdopen(os.open("/dev/full", os.O_WRONLY), "wb") as full:
            done = _run_into(full, root, words)
        assert done.returncode == 3
        reason = os.strerror(errno.ENOSPC).lower()
        assert done.stderr.decode() == f"pipegen: cannot write standard output: {reason}\n"

    def test_no_standard_output_at_all(self, root: Path) -> None:
        line = " ".join(command("generate", "--all")) + " >&-"
        done = subprocess.run(
            ["bash", "-c", line], cwd=root, env=process_environment(), capture_output=True, check=False, timeout=60
        )
        assert done.returncode == 3
        assert done.stderr.decode() == "pipegen: cannot write standard output: it is closed\n"

    def test_odd_bytes_in_arguments(self, root: Path) -> None:
        done = subprocess.run(
            [os.fsencode(word) for word in command("generate", "--all", "--var")] + [b"\xff\x1b[31m=1"],
            cwd=root,
            env=process_environment(),
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 2
        assert b"Traceback" not in done.stderr
        assert b"\x1b" not in done.stderr
        assert done.stdout.startswith(app.REFUSAL.encode())


def _run_into(stdout: BinaryIO, root: Path, words: tuple[str, ...]) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        command(*words),
        cwd=root,
        env=process_environment(),
        stdout=stdout,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
    )
