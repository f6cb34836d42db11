"""The templates of a workspace, as they are read."""

from collections.abc import Mapping
from typing import Final

from pipegen import codes
from pipegen.app.installed import packaged_templates
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Diagnostic, PipegenError, Span
from pipegen.manifest.located import Report
from pipegen.manifest.yaml import read_text
from pipegen.model import Workspace
from pipegen.render import TemplateFiles
from pipegen.source import FolderTree, Tree, UnreadableError

MAX_TEMPLATE_BYTES: Final = 1 << 18
MAX_TEMPLATES: Final = 200
"""Files in the folder of templates."""


def folder_of(workspace: Workspace) -> str:
    """The folder of a workspace's templates, with `/` at its end."""
    return workspace.templates.rstrip("/") + "/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Templates:
    """The files of a workspace's templates over the packaged ones, and what is wrong with those that cannot be read."""

    files: TemplateFiles
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def sources(self) -> Mapping[str, str]:
        """Their texts by their path in the folder.

        Raises:
            PipegenError: one of them could not be read.
        """
        if self.diagnostics:
            raise PipegenError(f"{self.diagnostics[0].span.path}: {self.diagnostics[0].message}")
        return self.files.sources


class TemplateFolders:
    """The templates folders of a tree, each read once: pipelines that name the same one share what it compiles to."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._read: dict[tuple[str, bool], Templates] = {}

    def of(self, workspace: Workspace) -> Templates:
        """Those of one pipeline's view of the workspace."""
        key = (folder_of(workspace), "templates" in workspace.faulty)
        if key not in self._read:
            self._read[key] = read_templates(self._tree, workspace)
        return self._read[key]


def read_templates(tree: Tree, workspace: Workspace) -> Templates:
    """Read the templates folder, whose files win over the packaged ones of the same name."""
    folder = folder_of(workspace)
    packaged, _ = _read(_packaged())
    if "templates" in workspace.faulty:
        return Templates(files=TemplateFiles(sources=packaged, folder=folder, lost=None))
    own, report = _read(_Folder(tree=tree, path=folder))
    lost = frozenset(found.span.path.removeprefix(folder) for found in report.found)
    files = TemplateFiles(
        sources={name: text for name, text in {**packaged, **own}.items() if name not in lost},
        folder=folder,
        own=frozenset(own),
        lost=None if "" in lost else lost,
    )
    return Templates(files=files, diagnostics=tuple(report.found))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Folder:
    """A folder of templates, with `/` at its end."""

    tree: Tree
    path: str


def _packaged() -> _Folder:
    folder = packaged_templates()
    return _Folder(tree=FolderTree(root=folder.parent), path=f"{folder.name}/")


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
