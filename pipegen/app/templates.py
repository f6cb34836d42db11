"""The templates of a workspace, and jobs through them."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from pipegen import codes
from pipegen.app.expansion import Plan
from pipegen.diagnostics import Diagnostic, PipegenError, Span
from pipegen.expand.jobs import build_names
from pipegen.manifest.located import Report
from pipegen.manifest.yaml import read_text
from pipegen.model import Planned, Rendered, Workspace
from pipegen.render import TemplateFiles, render
from pipegen.source import FolderTree, Tree, UnreadableError

MAX_TEMPLATE_BYTES: Final = 1 << 18
MAX_TEMPLATES: Final = 200
"""Files in the folder of templates."""


def render_plan(tree: Tree, plan: Plan, planned: tuple[Planned, ...]) -> tuple[Rendered, tuple[Diagnostic, ...]]:
    """Render the planned jobs with the workspace's templates, which win over the packaged ones."""
    files, found = read_templates(tree, plan.workspace)
    rendered, from_rendering = render(planned, files, build_names(plan.build))
    return rendered, (*found, *from_rendering)


def folder_of(workspace: Workspace) -> str:
    """The folder of a workspace's templates, with `/` at its end."""
    return workspace.templates.rstrip("/") + "/"


def templates_of(tree: Tree, workspace: Workspace) -> Mapping[str, str]:
    """The files of the templates folder by their path from there, over the packaged ones.

    Raises:
        PipegenError: one of them cannot be read.
    """
    files, found = read_templates(tree, workspace)
    if found:
        raise PipegenError(f"{found[0].span.path}: {found[0].message}")
    return files.sources


def read_templates(tree: Tree, workspace: Workspace) -> tuple[TemplateFiles, tuple[Diagnostic, ...]]:
    """The files of the templates folder over the packaged ones, and what is wrong with those that cannot be read."""
    folder = folder_of(workspace)
    packaged, _ = _read(_packaged())
    if "templates" in workspace.faulty:
        return TemplateFiles(sources=packaged, folder=folder, lost=None), ()
    own, report = _read(_Folder(tree=tree, path=folder))
    lost = frozenset(found.span.path.removeprefix(folder) for found in report.found)
    files = TemplateFiles(
        sources={name: text for name, text in {**packaged, **own}.items() if name not in lost},
        folder=folder,
        own=frozenset(own),
        lost=None if "" in lost else lost,
    )
    return files, tuple(report.found)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Folder:
    """A folder of templates, with `/` at its end."""

    tree: Tree
    path: str


def _packaged() -> _Folder:
    """The reference fleet's templates: in the wheel beside this module, in a checkout at its top."""
    package = resources.files("pipegen")
    inside = package / "_fleet" / "templates"
    folder = Path(str(inside)) if inside.is_dir() else Path(str(package)).parent / "templates"
    return _Folder(tree=FolderTree(root=folder.parent), path="templates/")


def _read(folder: _Folder) -> tuple[Mapping[str, str], Report]:
    report = Report()
    try:
        paths = [path for path in folder.tree.under(folder.path) if path.endswith(".j2")]
    except UnreadableError as error:
        found = f'cannot read "{folder.path}": {error}'
        report.add(codes.UNREADABLE_FILE, Span(path=folder.path), found, hint="make it a folder that can be read")
        return {}, report
    if len(paths) > MAX_TEMPLATES:
        message = f"the folder holds more than {MAX_TEMPLATES:,} templates"
        report.add(codes.TOO_LARGE, Span(path=folder.path), message, hint="name a folder that holds templates alone")
        return {}, report
    texts = {path: read_text(folder.tree, path, report, limit=MAX_TEMPLATE_BYTES) for path in paths}
    return {path.removeprefix(folder.path): text for path, text in texts.items() if text is not None}, report
