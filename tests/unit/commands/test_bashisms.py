"""What bash reads and dash does not, each tried on the real shells."""

import shutil
import subprocess

import pytest

from pipegen.commands.bashisms import bashisms
from pipegen.commands.shell.parser import parse

BASH = (
    ("[[ -n x ]] && echo yes", "[["),
    ("(( 1 + 1 )) && echo yes", "(("),
    ("function f { echo a; }; f", "function"),
    ("for ((i = 0; i < 2; i++)); do echo $i; done", "for (("),
    ("a=(1 2); echo two", "a=(…)"),
    ("a=1; a+=2; echo $a", "a+="),
    ("echo a &> /dev/null; echo $?b &>> /dev/null; ls /nowhere &> /dev/null; echo end", "&>"),
    ("cat <<< word", "<<<"),
    ("cat <(echo a)", "<(…)"),
    ("a=x.y; echo ${a//./-}", "${a//./-}"),
    ("a=xyz; echo ${a:1:1}", "${a:1:1}"),
    ("a=xyz; echo ${a^^}", "${a^^}"),
    ("b=1; a=b; echo ${!a}", "${!a}"),
    ("echo ${RANDOM:+set}", "${RANDOM:+set}"),
    ("false | true; echo ${PIPESTATUS[0]}", "${PIPESTATUS[0]}"),
    ("echo $'a\\tb'", "$'…'"),
    ("echo x{a,b}", "{a,b}"),
    ("echo x{1..3}", "{1..3}"),
    ("[ a == a ] && echo yes", "=="),
    ("set -o pipefail && echo set", "set -o pipefail"),
    ("echo -e 'a'", "echo -e"),
    ("source /dev/null && echo read", "source"),
    ("declare a=1 && echo $a", "declare"),
    ("let a=1 && echo $a", "let"),
    ("shopt -s globstar && echo on", "shopt"),
    ("pushd / > /dev/null && echo there", "pushd"),
    ("mapfile a < /dev/null && echo read", "mapfile"),
    ("f() { echo a; }; export -f f && echo out", "export -f"),
    ("true & wait -n && echo waited", "wait -n"),
    ("{ echo a; echo b >&2; } |& wc -l | tr -d ' '", "|&"),
    ("case a in a) echo a ;& b) echo b ;; esac", ";&"),
)
POSIX = (
    "[ -n x ] && [ a = a ] && echo yes",
    "f() { local a=1; echo $a; }; f",
    "a=$((1 + 1)); echo $a ${a:-1} ${a%2} ${a#2} ${#a} ${a:+x}",
    "echo a > /dev/null 2>&1; echo b >&2",
    "cat <<EOF\n$(echo a) `echo b`\nEOF",
    "for a in 1 2; do echo $a; done; while false; do :; done",
    "case a in a|b) echo a;; *) echo b;; esac",
    ". /dev/null; export A=1; unset A; set -eu; shift 0; trap 'echo bye' EXIT",
    "printf '%s\\n' \"{a,b}\" '[[' {} a{b}c",
    "echo a | { read -r line; echo $line; } && (cd / && pwd)",
    "bash -c '[[ a == a ]] && echo {a,b}'",
    "true & wait $!; echo $?",
)


def found(text: str) -> list[str]:
    return [one.what for one in bashisms(parse(text).script, text)]


def output(shell: str, text: str) -> tuple[int, str]:
    done = subprocess.run([shell, "-c", text], capture_output=True, text=True, check=False, timeout=20)
    return done.returncode, done.stdout


@pytest.mark.parametrize(("text", "what"), BASH)
def test_bash_is_found(text: str, what: str) -> None:
    assert what in found(text)
    assert all(text[one.at :] for one in bashisms(parse(text).script, text))


@pytest.mark.parametrize("text", POSIX)
def test_posix_is_none(text: str) -> None:
    assert found(text) == []


@pytest.mark.skipif(shutil.which("dash") is None, reason="there is no dash here")
@pytest.mark.parametrize(("text", "what"), BASH)
def test_dash_does_something_else(text: str, what: str) -> None:
    assert output("dash", text) != output("bash", text), what


@pytest.mark.skipif(shutil.which("dash") is None, reason="there is no dash here")
@pytest.mark.parametrize("text", POSIX)
def test_dash_does_the_same(text: str) -> None:
    assert output("dash", text) == output("bash", text)
