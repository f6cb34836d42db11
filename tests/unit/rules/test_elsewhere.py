"""What names a toggle beside `env`, which keeps a fix from it: commands, scripts, hooks; and who asks for a status."""

import json
from collections.abc import Mapping

import pytest

from pipegen.diagnostics import Diagnostic
from pipegen.rules.elsewhere import is_named, is_set_elsewhere, scripts_of
from pipegen.rules.facts import Facts, JobFacts
from tests.support.rules import BASE, Case, facts_of, found_in

TOGGLE = 'toggles:\n  A: {values: ["0", "1"], default: "1"}\n'
HOOK = ".buildkite/hooks/pre-command"
RUN = "pytest tests/engine/"


def case_of(
    *commands: str, env: Mapping[str, str] | None = None, files: Mapping[str, str] | None = None, more: str = ""
) -> Case:
    area = BASE["areas/engine.yaml"].decode() + f"    env: {json.dumps(dict(env or {}))}\n"
    told = {
        ".buildkite/pipegen.yaml": BASE[".buildkite/pipegen.yaml"].decode() + TOGGLE + more,
        "areas/engine.yaml": area + f"    commands: {json.dumps([*commands])}\n",
        **(files or {}),
    }
    return Case(files={**BASE, **{path: text.encode() for path, text in told.items()}})


def job_of(facts: Facts) -> JobFacts:
    [job] = (one for one in facts.jobs if one.job.origin.area == "engine/core")
    return job


def only(case: Case, code: str) -> Diagnostic:
    [found] = (one for one in found_in(facts_of(case)) if one.code.code == code)
    return found


class TestNamed:
    @pytest.mark.parametrize(
        "command", ["p $A", "(( A ))", "[[ A -eq 1 ]]", "test -v A", "p $(printenv A)", "p ${A:-1}", "A=0 p", "p $$A"]
    )
    def test_by_a_command(self, command: str) -> None:
        facts = facts_of(case_of(command, RUN))
        assert is_named(job_of(facts), "A", facts)
        assert not is_named(job_of(facts), "A", facts, besides=0)

    @pytest.mark.parametrize("command", ["p $AB", "p $B_A", "p a A2"])
    def test_by_none(self, command: str) -> None:
        facts = facts_of(case_of(command, RUN, env={"A": "1"}, files={HOOK: "export AB=A2\n"}))
        assert not is_named(job_of(facts), "A", facts)

    def test_by_a_value_of_env(self) -> None:
        facts = facts_of(case_of('eval "$T"', RUN, env={"T": "p $A"}))
        assert is_named(job_of(facts), "A", facts)

    def test_by_a_script(self) -> None:
        facts = facts_of(case_of("bash ci/a.sh", RUN, files={"ci/a.sh": "(( A )) || true\n"}))
        assert is_named(job_of(facts), "A", facts)

    def test_perhaps_by_a_script_that_is_not_there(self) -> None:
        facts = facts_of(case_of("ci/a.sh 'p'", RUN, more="tests: {wrappers: [{run: ci/a.sh, carries: text}]}\n"))
        assert is_named(job_of(facts), "A", facts)


class TestHooks:
    def test_are_scripts_of_every_job(self) -> None:
        facts = facts_of(case_of(RUN, files={HOOK: "", ".buildkite/hooks/lib/log.sh": ""}))
        assert {scripts_of(job, facts) for job in facts.jobs} == {(".buildkite/hooks/lib/log.sh", HOOK)}

    @pytest.mark.parametrize("word", ["ci/a.sh", "./ci/a.sh", "$BUILDKITE_BUILD_CHECKOUT_PATH/ci/a.sh", "/w/ci/a.sh"])
    def test_with_what_they_name(self, word: str) -> None:
        files = {HOOK: f'. "{word}"\n', "ci/a.sh": "source ci/b.sh; source ci/a.sh", "ci/b.sh": "export A=0"}
        facts = facts_of(case_of(RUN, files=files))
        assert scripts_of(job_of(facts), facts) == (HOOK, "ci/a.sh", "ci/b.sh")
        assert is_set_elsewhere(job_of(facts), "A", facts)

    @pytest.mark.parametrize("text", ["export A=0", "if [ $A = 1 ]; then export R=2; fi", "(( A ))", "# A"])
    def test_may_set_it(self, text: str) -> None:
        files = {HOOK: f"{text}\n"}
        assert not any(
            one.code.code == "PG505" for one in found_in(facts_of(case_of(RUN, env={"A": "1"}, files=files)))
        )
        found = only(case_of("export A=1", RUN, files=files), "PG507")
        assert found.fix == ()
        assert found.help == "write env: {A: 1}; the machine, its template, a hook or a build may say otherwise"

    def test_that_nobody_can_read(self) -> None:
        """Over a listing no file has a content: what a hook does is not known, and nothing is fixed."""
        case = case_of(RUN, env={"A": "1"}, files={HOOK: "p"}, more="listing: files.txt\n")
        listed = Case(files={**case.files, "files.txt": "\n".join(case.files).encode()})
        assert only(listed, "PG505").fix == ()
        without = Case(files={**listed.files, "files.txt": b"tests/engine/test_core.py\nsrc/engine/core.py\n"})
        assert only(without, "PG505").fix


class TestStatus:
    @pytest.mark.parametrize(
        "following",
        [
            ("exit",),
            ("return",),
            ("exit $?",),
            ("  exit  # done", RUN),
            ("{ exit; }", RUN),
            ("(exit)", RUN),
            ("if true; then exit; fi", RUN),
            ("# note\nexit", RUN),
            ("# note", "# another", "exit"),
            ("exit 2>log",),
            ("exit>log",),
            ("test ${PIPESTATUS[0]} = 0", RUN),
            ("test ${?} = 0", RUN),
            ("# note",),
            ("source ci/ends.sh", RUN),
            ("f() { return; }", "f"),
        ],
    )
    def test_may_count(self, following: tuple[str, ...]) -> None:
        case = case_of(RUN, "export A=1", *following, files={"ci/ends.sh": "return\n"})
        assert only(case, "PG507").fix == ()

    @pytest.mark.parametrize(
        "following",
        [
            (RUN, "exit"),
            (f"{RUN} --exit-first",),
            (f"{RUN} || exit 3",),
            (f'{RUN} || exit "$CODE"',),
            ("# note", RUN),
            ("bash ci/ends.sh", RUN),
            ("p exit.py return_values",),
        ],
    )
    def test_does_not_count(self, following: tuple[str, ...]) -> None:
        case = case_of(RUN, "export A=1", *following, files={"ci/ends.sh": "return\n"})
        assert only(case, "PG507").fix
