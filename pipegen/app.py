"""Use cases: what each command does, with every input given and every product returned."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Final

from pipegen import codes
from pipegen.build import FACTS, build_of, facts_of
from pipegen.diagnostics import (
    Diagnostic,
    PipegenError,
    Span,
    WrongUsageError,
    did_you_mean,
    has_errors,
    ordered,
)
from pipegen.dollar import escape_tree, literal_tree
from pipegen.emit.json import to_json
from pipegen.emit.yaml import to_yaml
from pipegen.expand import expand
from pipegen.expand.jobs import build_names
from pipegen.manifest.load import load, load_workspaces
from pipegen.model import Build, Catalogue, Expansion, Planned, Rendered, Workspace
from pipegen.render import render
from pipegen.resolve import resolve
from pipegen.select import select_all
from pipegen.source import FolderTree, Tree, UnreadableError
from pipegen.validate.rendered import validate

DEFAULT_WORKSPACE: Final = ".buildkite/pipegen.yaml"
MAX_TEMPLATE_BYTES: Final = 1 << 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A workspace on disk: the repository's root and the workspace file's path from there."""

    root: Path
    path: str

    @property
    def tree(self) -> FolderTree:
        """The files of the workspace."""
        return FolderTree(root=self.root)


def find_workspace(start: Path, named: Path | None) -> Place:
    """The workspace that holds `start`, or the one of the file that the caller names.

    Raises:
        PipegenError: there is none.
    """
    if named is not None:
        return _named_workspace(named)
    for folder in (start, *start.parents):
        if (folder / DEFAULT_WORKSPACE).is_file():
            return Place(root=folder, path=DEFAULT_WORKSPACE)
    raise PipegenError(
        f"no {DEFAULT_WORKSPACE} is in {start} or in a folder above it: "
        "go to a workspace, or name one with -C or --workspace"
    )


def _named_workspace(named: Path) -> Place:
    if not named.is_file():
        raise PipegenError(f'cannot read workspace file "{named}": no such file')
    folder = named.parent
    root = next((above for above in (folder, *folder.parents) if (above / ".git").exists()), None)
    if root is None:
        root = folder.parent if folder.name == ".buildkite" else folder
    return Place(root=root, path=named.relative_to(root).as_posix())


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a command was asked for, and the environment that it was asked in."""

    place: Place
    pipeline: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A pipeline up to its plan, with everything found on the way."""

    workspace: Workspace
    catalogue: Catalogue
    build: Build
    expansion: Expansion
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """What `generate` made: the document, or None where errors are in the way."""

    document: str | None
    diagnostics: tuple[Diagnostic, ...]
    jobs: int = 0


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
    tree = request.place.tree
    workspaces, found = load_workspaces(tree, request.place.path)
    if not workspaces:
        return ordered(found)
    workspace = choose_pipeline(workspaces, request.pipeline)
    _check_names(request, workspace)
    loaded, from_files = load(tree, workspace)
    whole = not any(d.code in _UNREAD for d in from_files)
    catalogue, from_references = resolve(loaded, complete=whole)
    facts = facts_of(request.environment, request.facts)
    build, from_build = build_of(workspace, facts, request.environment, request.variables)
    expansion, from_jobs = expand(catalogue, build)
    return Plan(
        workspace=workspace,
        catalogue=catalogue,
        build=build,
        expansion=expansion,
        diagnostics=ordered((*found, *from_files, *from_references, *from_build, *from_jobs)),
    )


_UNREAD: Final = frozenset(
    {
        codes.UNREADABLE_FILE,
        codes.NOT_UTF8,
        codes.YAML_SYNTAX,
        codes.EMPTY_FILE,
        codes.TOO_LARGE,
        codes.UNQUOTED_JINJA,
        codes.FORBIDDEN_CHARACTER,
    }
)
"""What keeps a whole manifest from being read, so that the keys it would give are not known."""


def _check_names(request: Request, workspace: Workspace) -> None:
    for name in request.variables:
        if name not in workspace.variables:
            raise WrongUsageError(
                f'unknown variable "{name}" in --var: {did_you_mean(name, workspace.variables) or "none is declared"}'
            )
    for name in request.facts:
        if name not in FACTS:
            raise WrongUsageError(f'unknown fact "build.{name}" in --set: {did_you_mean(name, FACTS)}')


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """How the document is written: its format, and whether the upload will fill in variables."""

    format: str = "yaml"
    interpolation: bool = True
    timeouts: bool = True


def generate(request: Request, output: Output, *, why: str) -> Product:
    """The pipeline of this build as one document."""
    plan = make_plan(request)
    if isinstance(plan, tuple):
        return Product(document=None, diagnostics=plan)
    planned = select_all(plan.expansion.jobs, why, timeouts=output.timeouts)
    rendered, from_rendering = render_plan(request.place.tree, plan, planned)
    workspace = plan.workspace
    from_validation = validate(
        rendered,
        workspace.limits,
        workspace.external_keys,
        Span(path=workspace.path),
        interpolation=output.interpolation,
    )
    diagnostics = ordered((*plan.diagnostics, *from_rendering, *from_validation))
    if has_errors(diagnostics):
        return Product(document=None, diagnostics=diagnostics)
    return Product(document=write(rendered, output), diagnostics=diagnostics, jobs=len(planned))


def render_plan(tree: Tree, plan: Plan, planned: tuple[Planned, ...]) -> tuple[Rendered, tuple[Diagnostic, ...]]:
    """Render the planned jobs with the workspace's templates, which win over the packaged ones."""
    folder = plan.workspace.templates.rstrip("/") + "/"
    sources = {**_packaged_templates(), **_templates(tree, folder)}
    return render(planned, sources, folder, build_names(plan.build))


def _templates(tree: Tree, folder: str) -> Mapping[str, str]:
    result = {}
    try:
        for path in tree.under(folder):
            if path.endswith(".j2"):
                result[path.removeprefix(folder)] = _text(tree, path)
    except UnreadableError as error:
        raise PipegenError(f'cannot read templates in "{folder}": {error}') from error
    return result


def _text(tree: Tree, path: str) -> str:
    content = tree.read(path, limit=MAX_TEMPLATE_BYTES)
    if len(content) > MAX_TEMPLATE_BYTES:
        raise PipegenError(f'template "{path}" has more than {MAX_TEMPLATE_BYTES:,} bytes')
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PipegenError(f'template "{path}" is not UTF-8: {error.reason} at byte {error.start}') from error


def _packaged_templates() -> Mapping[str, str]:
    """The reference fleet's templates: in the wheel beside this module, in a checkout at its top."""
    package = resources.files("pipegen")
    packaged = package / "_fleet" / "templates"
    folder = Path(str(packaged)) if packaged.is_dir() else Path(str(package)).parent / "templates"
    return _templates(FolderTree(root=folder.parent), "templates/") if folder.is_dir() else {}


def write(rendered: Rendered, output: Output) -> str:
    """The pipeline as text, with every dollar as the upload needs it.

    Raises:
        PipegenError: a value passed validation and cannot be written (a bug, not a mistake of the user).
    """
    pipeline = rendered.pipeline
    if not rendered.groups:
        return "# pipegen: nothing selected: the workspace has no jobs\n"
    try:
        tree = escape_tree(pipeline) if output.interpolation else literal_tree(pipeline)
        return to_json(tree) if output.format == "json" else to_yaml(tree)
    except ValueError as error:
        raise PipegenError(f"the pipeline cannot be written: {error}") from error


REFUSAL: Final = "pipegen made no pipeline"
"""What stands on standard output instead of one: a lone text, which the agent refuses, where nothing would be green."""


def refusal(reason: str) -> str:
    """The line that stands for a pipeline that could not be made."""
    return f"{REFUSAL} ({' '.join(reason.split())})\n".replace(": ", " - ").replace(" #", " ")
