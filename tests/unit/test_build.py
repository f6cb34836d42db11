"""The facts of a build that expressions may read, from Buildkite's environment and from what the caller says."""

from collections.abc import Mapping

import pytest

from pipegen import codes
from pipegen.build import FACTS, build_of, facts_of
from pipegen.diagnostics import Diagnostic
from pipegen.manifest.load import load_workspaces
from pipegen.model import Build, Workspace
from pipegen.source import MappingTree

LANES = "lanes: {cuda: {}}\n"


def workspace(text: str) -> Workspace:
    tree = MappingTree(files={"pipegen.yaml": f"version: 1\n{LANES}{text}".encode()})
    (found,), _ = load_workspaces(tree, "pipegen.yaml")
    return found


def build(
    text: str,
    environment: Mapping[str, str] | None = None,
    variables: Mapping[str, str] | None = None,
    facts: Mapping[str, str] | None = None,
) -> tuple[Build, tuple[Diagnostic, ...]]:
    around = environment or {}
    return build_of(workspace(text), facts_of(around, facts or {}), around, variables or {})


class TestFacts:
    def test_each_has_its_variable(self) -> None:
        environment = {variable: f"value of {name}" for name, variable in FACTS.items()}
        assert facts_of(environment, {}) == {name: f"value of {name}" for name in FACTS}
        assert len(set(FACTS.values())) == len(FACTS)
        assert all(variable.startswith("BUILDKITE_") for variable in FACTS.values())

    def test_what_is_not_set_is_empty_text(self) -> None:
        assert facts_of({}, {}) == dict.fromkeys(FACTS, "")
        assert facts_of({"BRANCH": "x", "PATH": "y"}, {}) == dict.fromkeys(FACTS, "")

    @pytest.mark.parametrize(("value", "fact"), [("false", ""), ("", ""), ("123", "123"), ("true", "true")])
    def test_no_pull_request_counts_as_false(self, value: str, fact: str) -> None:
        """Buildkite says `false` in that variable, a text that would count as true."""
        assert facts_of({"BUILDKITE_PULL_REQUEST": value}, {})["pull_request"] == fact

    def test_overrides_win_as_they_are(self) -> None:
        around = {"BUILDKITE_BRANCH": "main", "BUILDKITE_PULL_REQUEST": "7"}
        facts = facts_of(around, {"branch": "topic", "pull_request": "false"})
        assert (facts["branch"], facts["pull_request"]) == ("topic", "false")


class TestEnvironment:
    def test_only_what_is_declared(self) -> None:
        made, found = build("environment: [A, B]\n", {"A": "1", "C": "3"})
        assert found == ()
        assert made.environment == {"A": "1", "B": ""}


class TestVariables:
    TEXT = (
        "environment: [NIGHTLY]\nvariables:\n  PLAIN: text\n  BRANCH: '{{ build.branch }}'\n  N: '{{ env.NIGHTLY }}'\n"
    )

    def test_text_and_expressions(self) -> None:
        made, found = build(self.TEXT, {"BUILDKITE_BRANCH": "main", "NIGHTLY": "1"})
        assert found == ()
        assert made.variables == {"PLAIN": "text", "BRANCH": "main", "N": "1"}

    def test_one_that_is_given_is_not_evaluated(self) -> None:
        made, found = build(self.TEXT, variables={"PLAIN": "{{ x }}", "BRANCH": ""})
        assert found == ()
        assert made.variables == {"PLAIN": "{{ x }}", "BRANCH": "", "N": ""}

    def test_what_they_give_is_not_evaluated_again(self) -> None:
        made, _ = build(self.TEXT, {"BUILDKITE_BRANCH": "{{ env.NIGHTLY }}"})
        assert made.variables["BRANCH"] == "{{ env.NIGHTLY }}"

    def test_numbers_and_words_are_text(self) -> None:
        made, _ = build("variables: {A: 1.10, B: on, C: '', D: 08}\n")
        assert made.variables == {"A": "1.10", "B": "on", "C": "", "D": "08"}

    @pytest.mark.parametrize(
        ("expression", "message"),
        [
            ("{{ build.brnch }}", 'expression: "build.brnch" is not defined'),
            ("{{ env.HOME }}", 'expression: "env.HOME" is not defined'),
            ("{{ vars.A }}", 'expression: "vars" is not defined'),
            ("{{ hardware.title }}", 'expression: "hardware" is not defined'),
            ("{{ upload.X }}", 'expression: "upload" is not defined'),
            ("{{ 1 +", "expression: "),
        ],
    )
    def test_mistakes(self, expression: str, message: str) -> None:
        made, found = build(f"variables:\n  A: '{expression}'\n  B: b\n")
        assert [(one.code, one.span.line) for one in found] == [(codes.JINJA_ERROR, 4)]
        assert found[0].message.startswith(message)
        assert made.variables == {"A": "", "B": "b"}

    def test_one_that_is_given_hides_no_mistake_of_another(self) -> None:
        _, found = build("variables: {A: '{{ x }}', B: '{{ y }}'}\n", variables={"A": "a"})
        assert [one.message for one in found] == ['expression: "y" is not defined']


def test_where_the_declaration_is_broken_any_variable_will_do() -> None:
    """The mistake is reported where it is; a second diagnostic for each use would say nothing new."""
    made, found = build("enviroment: [NIGHTLY]\nvariables: {A: 'x{{ env.NIGHTLY }}'}\n")
    assert found == ()
    assert made.variables == {"A": "x"}
    assert "environment" in made.uncertain
