"""What a failure does to a script, compared with real shells: one command fails, and the script's status tells."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pipegen.commands.ending import Options, Whole, ending_of
from pipegen.commands.shell.parser import parse

FAILS = "pytest_it"
OTHERS = st.sampled_from(
    ["true", "false", ":", "[ 1 -eq 2 ]", "test 1 -eq 1", "exit 0", "exit 3", "set +e", "set -e", "echo x", "a=1"]
)
FORMS = (
    "{inner} || {other}",
    "{inner} && {other}",
    "{other} && {inner}",
    "{other} || {inner}",
    "{inner}; {other}",
    "{other}\n{inner}",
    "( {inner} )",
    "( {other}; {inner}; {other} )",
    "! {inner}",
    "{inner} | cat",
    "echo x | {inner}",
    "if {inner}; then {other}; fi",
    "if {inner}; then {other}; else {other}; fi",
    "if {other}; then {inner}; else {inner}; fi",
    "x=$({inner})",
    "echo $({inner})",
    "echo x$({inner}) && {other}",
    "{name}() {{ {inner}; }}; {name}",
    "{name}() {{ {inner}\n {other}; }}; {name} || {other}",
    "{name}() {{ {inner} || return 1; }}; {name}; {other}",
    "{inner} & wait",
    "{inner} & wait $!",
    "{inner}; rc=$?; {other}; exit $rc",
    "rc=0; {inner} || rc=$?; {other}; exit $rc",
    "rc=0; {inner} || rc=1; [ $rc -eq 0 ]",
    "rc=0; {inner} || rc=1; if [ $rc -ne 0 ]; then exit $rc; fi",
    "{inner} || [ $? -eq 5 ]",
    "{inner} || exit $?",
    "set +e; {inner}; {other}",
    "set -e; {inner}; {other}",
    "eval '{quoted}'",
    "sh -c '{quoted}'; {other}",
    "bash -e -c '{quoted}'",
    "bash -euo pipefail -c '{quoted}' || {other}",
)
PIPED = (
    "set -o pipefail; {inner}; {other}",
    "{inner} | cat; exit ${{PIPESTATUS[0]}}",
    "{inner} | cat; {other}; exit ${{PIPESTATUS[0]}}",
)
"""Forms that only bash knows."""


def texts(forms: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Scripts with one command in them that fails."""

    @st.composite
    def around(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
        text = draw(inner)
        form = draw(st.sampled_from(forms))
        if "{quoted}" in form:
            assume("'" not in text)
            return form.format(quoted=text, other=draw(OTHERS))
        braced = text if text == FAILS else f"{{ {text}\n}}"
        return form.format(inner=braced, other=draw(OTHERS), name=f"f{len(text)}")

    return st.recursive(st.just(FAILS), around, max_leaves=4).filter(lambda text: text.count(FAILS) == 1)


def is_lost(text: str, options: Options) -> bool:
    whole = Whole.of(parse(text).script)
    return ending_of(whole, text.index(FAILS), options) is not None


def really_lost(shell: list[str], text: str, folder: Path) -> bool | None:
    """Whether the command ran, and the whole ended well all the same; None if it never ran."""
    mark = folder / "mark"
    mark.unlink(missing_ok=True)
    done = subprocess.run(
        [*shell, "-c", text],
        env={"PATH": f"{folder}:/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=20,
    )
    return done.returncode == 0 if mark.exists() else None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the command that fails, and says that it ran."""
    made = tmp_path_factory.mktemp("bin")
    program = made / FAILS
    program.write_text(f"#!/bin/sh\n: > {made}/mark\nexit 1\n", encoding="utf-8")
    program.chmod(0o755)
    return made


LAW = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


@LAW
@given(text=texts((*FORMS, *PIPED)), errexit=st.booleans(), pipefail=st.booleans())
def test_bash_says_the_same(folder: Path, text: str, errexit: bool, pipefail: bool) -> None:
    shell = ["bash", *(["-e"] if errexit else []), *(["-o", "pipefail"] if pipefail else [])]
    real = really_lost(shell, text, folder)
    if real is not None:
        assert is_lost(text, Options(errexit=errexit, pipefail=pipefail)) == real


@pytest.mark.skipif(shutil.which("dash") is None, reason="there is no dash here")
@LAW
@given(text=texts(FORMS), errexit=st.booleans())
def test_dash_says_the_same(folder: Path, text: str, errexit: bool) -> None:
    real = really_lost(["dash", *(["-e"] if errexit else [])], text, folder)
    if real is not None:
        assert is_lost(text, Options(errexit=errexit)) == real
