"""A workspace up to its jobs: everything that holds whatever a build is about."""

from collections.abc import Mapping
from typing import Final

from pipegen import codes
from pipegen.app.request import Request
from pipegen.app.templates import TemplateFolders, Templates
from pipegen.build import FACTS, build_of, facts_of
from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import Code, Diagnostic, WrongUsageError, did_you_mean, ordered
from pipegen.expand import expand
from pipegen.manifest.load import load, load_workspaces
from pipegen.model import Build, Catalogue, Expansion, Workspace
from pipegen.resolve import resolve
from pipegen.select import Circumstances
from pipegen.select.switches import heard_schedules
from pipegen.source import Tree

LABELS: Final = "BUILDKITE_PULL_REQUEST_LABELS"
"""Buildkite: the labels of the pull request, with commas between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A pipeline up to its plan, with everything found on the way; what is wrong with its templates they say."""

    workspace: Workspace
    catalogue: Catalogue
    build: Build
    expansion: Expansion
    templates: Templates
    diagnostics: tuple[Diagnostic, ...]


def choose_pipeline(workspaces: tuple[Workspace, ...], wanted: str | None) -> Workspace:
    """The view of the workspace for one of its pipelines.

    Raises:
        WrongUsageError: it has several and none is named, or none of that name.
    """
    names = [workspace.pipeline for workspace in workspaces if workspace.pipeline is not None]
    if wanted is None:
        if len(workspaces) == 1:
            return workspaces[0]
        raise WrongUsageError(f"the workspace has several pipelines: name one with --pipeline: {', '.join(names)}")
    for workspace in workspaces:
        if workspace.pipeline == wanted:
            return workspace
    if not names:
        raise WrongUsageError(f'the workspace has one pipeline without a name: leave out --pipeline "{wanted}"')
    raise WrongUsageError(f'unknown pipeline "{wanted}": {did_you_mean(wanted, names)}')


def make_plan(request: Request) -> Plan | tuple[Diagnostic, ...]:
    """Load, resolve and expand; the diagnostics alone where there is no workspace to speak of.

    Raises:
        PipegenError: the workspace speaks a language that this pipegen does not know.
        WrongUsageError: the request names a pipeline, variable or fact that is not there.
    """
    return plan_of(request.place.tree, request)


def plan_of(tree: Tree, request: Request) -> Plan | tuple[Diagnostic, ...]:
    """The same from any tree, such as another revision's."""
    workspaces, found = load_workspaces(tree, request.place.path)
    if not workspaces:
        return ordered(found)
    if any("pipelines" in workspace.faulty and workspace.pipeline is None for workspace in workspaces):
        return ordered(found)
    workspace = choose_pipeline(workspaces, request.pipeline)
    return plan_for(workspace, found, tree, request, TemplateFolders(tree))


def plan_for(
    workspace: Workspace, found: tuple[Diagnostic, ...], tree: Tree, request: Request, folders: TemplateFolders
) -> Plan:
    """The plan of one pipeline of a workspace that was read, with what was found then."""
    _check_names(request, workspace)
    loaded, from_files = load(tree, workspace)
    catalogue, from_references = resolve(loaded)
    facts = facts_of(request.environment, request.facts)
    build, from_build = build_of(workspace, facts, request.environment, request.variables)
    expansion, from_jobs = expand(catalogue, replace(build, schedules=_schedules(workspace, request)))
    explained = {code for key in workspace.faulty for code in _CONSEQUENCES.get(key, ())}
    from_jobs = tuple(diagnostic for diagnostic in from_jobs if diagnostic.code not in explained)
    return Plan(
        workspace=workspace,
        catalogue=catalogue,
        build=build,
        expansion=expansion,
        templates=folders.of(workspace),
        diagnostics=ordered((*found, *from_files, *from_references, *from_build, *from_jobs)),
    )


def _schedules(workspace: Workspace, request: Request) -> frozenset[str]:
    said = Circumstances(
        environment=request.environment,
        labels=(*request.labels, *labels_of(request.environment)),
        schedules=request.schedules,
    )
    return heard_schedules(workspace, said)


def labels_of(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The labels that Buildkite says a pull request has."""
    return tuple(label for label in (part.strip() for part in environment.get(LABELS, "").split(",")) if label)


_CONSEQUENCES: Final[Mapping[str, tuple[Code, ...]]] = {
    "limits": (codes.NO_TIMEOUT,),
    "limits.timeout_in_minutes": (codes.NO_TIMEOUT,),
    "tests": (codes.NO_SHARD_ARGUMENTS,),
    "tests.shards": (codes.NO_SHARD_ARGUMENTS,),
}
"""What jobs lack only because of a mistake in a key of the workspace file, which is reported itself."""


def _check_names(request: Request, workspace: Workspace) -> None:
    for name in request.variables:
        if name not in workspace.variables and "variables" not in workspace.faulty:
            raise WrongUsageError(
                f'unknown variable "{name}" in --var: {did_you_mean(name, workspace.variables) or "none is declared"}'
            )
    for name in request.facts:
        if name not in FACTS:
            raise WrongUsageError(f'unknown fact "build.{name}" in --set: {did_you_mean(name, FACTS)}')
