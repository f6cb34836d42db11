"""What drops the failure of a command: forms beyond those that are compared with real shells."""

import pytest

from pipegen.commands.ending import Lost, Options, Whole, ending_of, fails_at_once
from pipegen.commands.shell.parser import parse

E = Options(errexit=True)
PLAIN = Options()


def ending(text: str, options: Options = E, runs: tuple[str, ...] = ()) -> Lost | None:
    """What drops the failure of the command T."""
    offsets = tuple(text.index(run) for run in runs)
    return ending_of(Whole.of(parse(text).script), text.index("T"), options, offsets)


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("T", None),
        ("T || true", Lost.OR),
        ("T || :", Lost.OR),
        ("T || echo failed", Lost.OR),
        ("T || { echo failed; exit 1; }", None),
        ("T | tee log", Lost.PIPE),
        ("T |& tee log; echo ${PIPESTATUS[0]}", Lost.PIPE),
        ("set -o pipefail\nT | tee log", None),
        ("T | grep passed", None),
        ("T | grep -v warning", Lost.PIPE),
        ("T; true", None),
        ("set +e\nT\ntrue", Lost.NEXT),
        ("set +e\nT", None),
        ("set +e; T; status=$?; set -e; exit $status", None),
        ("set +e; T; status=$?; set -e; echo $status", Lost.NEXT),
        ("T && echo good\necho done", Lost.AND),
        ("T && echo good", None),
        ("(T; echo done)", None),
        ("(set +e; T; echo done)", Lost.NEXT),
        ("(set -e; T; echo done) || exit 2", Lost.TESTED),
        ("for x in a b; do T $x; done; echo done", None),
        ("set +e; for x in a b; do T $x; done", Lost.NEXT),
        ("for x in a b; do T $x || failed=1; done; exit ${failed:-0}", None),
        ("for x in a b; do T $x || failed=1; done; echo $failed", Lost.OR),
        ("for try in 1 2 3; do T && break; done", None),
        ("for try in 1 2 3; do T && break; done; echo done", Lost.AND),
        ("until T; do sleep 1; done", None),
        ("while ! T; do sleep 1; done; echo done", None),
        ("while read x; do T $x; done < list; echo done", None),
        ("set +e; while read x; do T $x; done < list; echo done", Lost.NEXT),
        ("T &\nwait", Lost.BACKGROUND),
        ("T &\npid=$!\nwait $pid", None),
        ("server &\nT", None),
        ("if T; then echo good; fi", Lost.CONDITION),
        ("if T; then echo good; else exit 1; fi", None),
        ("if ! T; then exit 1; fi", None),
        ("if [ -f x ]; then T; fi; echo done", None),
        ("if which x; then T || true; fi", Lost.OR),
        ("case $x in a) T;; b) T;; esac", None),
        ("! T", Lost.NEGATED),
        ("out=$(T)", None),
        ("echo $(T)", Lost.SUBSTITUTED),
        ("export out=$(T)", Lost.SUBSTITUTED),
        ("f() { local out=$(T); echo $out; }; f", Lost.SUBSTITUTED),
        ("f() { T; echo done; }; f", None),
        ("f() { T; echo done; }; f || exit 1", Lost.TESTED),
        ("find . -exec T {} \\;", Lost.FIND),
        ("find . -exec T {} +", None),
        ("exec T", None),
        ("timeout 10 T || exit 1", None),
        ("T || [ $? -eq 5 ]", None),
        ("T || (( $? == 5 ))", None),
        ("rc=0; T || rc=$?; echo done; exit $status", Lost.OR),
        ("rc=0; T || rc=$?; echo done; exit $STATUS", None),
        ("T || (( rc = $? )); echo done; exit $rc", None),
        ("T || read rc < status; echo done; exit $rc", None),
        ("set +e; T; local rc=$?; echo done; exit $rc", None),
        ("T || test $? = 1", Lost.OR),
        ("bash -c 'T; echo done'", Lost.NEXT),
        ("bash -ec 'T; echo done'", None),
        ("bash -euo pipefail -c 'T | tee log'", None),
        ("timeout 10 bash -c 'T | tee log'", Lost.PIPE),
        ("eval 'T; echo done'", None),
        ("docker run image sh -c 'cd x && T; ls'", Lost.NEXT),
        ('bash -c "$UNKNOWN T"; echo done', None),
    ],
)
def test_with_errexit(text: str, lost: Lost | None) -> None:
    assert ending(text) == lost


@pytest.mark.parametrize(
    ("text", "lost"), [("T\necho done", Lost.NEXT), ("T", None), ("cd x && T\nls", Lost.NEXT), ("T && ls", None)]
)
def test_without_errexit(text: str, lost: Lost | None) -> None:
    assert ending(text, PLAIN) == lost


def test_a_second_try_is_no_loss() -> None:
    assert ending("T a || again a", runs=("again",)) is None
    assert ending("T a || again a") is Lost.OR


def test_too_many_ways_say_nothing() -> None:
    text = "\n".join(f"if [ -f f{i} ]; then x{i}=1; else x{i}=2; fi" for i in range(12)) + "\nT || true"
    assert ending(text) is None


@pytest.mark.parametrize(
    ("text", "at_once"),
    [("T", True), ("cd x\nT a\nls", True), ("T || true", False), ("set +e\nT", False), ("bash -c 'T; ls'", False)],
)
def test_most_fail_at_once(text: str, at_once: bool) -> None:
    assert fails_at_once(Whole.of(parse(text).script), text.index("T"), E) is at_once


def test_a_text_that_takes_for_ever_says_nothing() -> None:
    calls = "\n".join(f"f{i}() {{ {'; '.join([f'f{i + 1}'] * 12)}; }}" for i in range(8))
    assert ending(f"{calls}\nf8() {{ T; }}\nf0 || true") is None
