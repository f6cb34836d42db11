"""The facts of a build that expressions may read, taken from Buildkite's environment of a job.

Source of the variables: Buildkite's documentation of a job's environment.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pipegen import codes
from pipegen.diagnostics import Diagnostic
from pipegen.jinja import Expressions, JinjaError, Names
from pipegen.model import Build, Workspace

FACTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "branch": "BUILDKITE_BRANCH",
        "commit": "BUILDKITE_COMMIT",
        "tag": "BUILDKITE_TAG",
        "message": "BUILDKITE_MESSAGE",
        "source": "BUILDKITE_SOURCE",
        "number": "BUILDKITE_BUILD_NUMBER",
        "id": "BUILDKITE_BUILD_ID",
        "url": "BUILDKITE_BUILD_URL",
        "creator": "BUILDKITE_BUILD_CREATOR",
        "author": "BUILDKITE_BUILD_AUTHOR",
        "pipeline": "BUILDKITE_PIPELINE_SLUG",
        "organization": "BUILDKITE_ORGANIZATION_SLUG",
        "default_branch": "BUILDKITE_PIPELINE_DEFAULT_BRANCH",
        "repository": "BUILDKITE_REPO",
        "pull_request": "BUILDKITE_PULL_REQUEST",
        "pull_request_base_branch": "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
        "pull_request_repository": "BUILDKITE_PULL_REQUEST_REPO",
        "pull_request_draft": "BUILDKITE_PULL_REQUEST_DRAFT",
        "merge_queue_base_branch": "BUILDKITE_MERGE_QUEUE_BASE_BRANCH",
        "merge_queue_base_commit": "BUILDKITE_MERGE_QUEUE_BASE_COMMIT",
    }
)
"""Fields of `build` by the variable that holds them; what is not set is empty text."""


def facts_of(environment: Mapping[str, str], overrides: Mapping[str, str]) -> Mapping[str, str]:
    """The fields of `build`. A build that is of no pull request has an empty `pull_request`.

    Buildkite sets that variable to `false` then, which would count as true.
    """
    facts = {name: environment.get(variable, "") for name, variable in FACTS.items()}
    facts["pull_request"] = "" if facts["pull_request"] == "false" else facts["pull_request"]
    return {**facts, **overrides}


def build_of(
    workspace: Workspace, facts: Mapping[str, str], environment: Mapping[str, str], variables: Mapping[str, str]
) -> tuple[Build, tuple[Diagnostic, ...]]:
    """The build as expressions see it: variables given from outside as they are, the others evaluated."""
    declared = {name: environment.get(name, "") for name in workspace.environment}
    hint = "declare it under environment in the workspace file"
    uncertain = "environment" in workspace.faulty
    env = Names("env", dict(declared), unknown=hint, uncertain=uncertain)
    names = {"build": Names("build", dict(facts)), "env": env}
    expressions = Expressions()
    values: dict[str, str] = {}
    found: list[Diagnostic] = []
    for name, text in workspace.variables.items():
        try:
            values[name] = variables[name] if name in variables else expressions.evaluate(text.text, names)
        except JinjaError as error:
            found.append(
                Diagnostic(code=codes.JINJA_ERROR, span=text.span, message=f"expression: {error}", help=error.hint)
            )
            values[name] = ""
    build = Build(facts=facts, environment=declared, variables=values, uncertain=workspace.faulty)
    return build, tuple(found)
