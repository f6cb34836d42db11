"""The first stage: a tree of files becomes a workspace, its catalogue and its manifests."""

from dataclasses import dataclass
from typing import Final

from pipegen import codes
from pipegen.diagnostics import Diagnostic, PipegenError, Span
from pipegen.manifest.areas import decode_manifest
from pipegen.manifest.hardware import decode_hardware
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.located import Node, Report, Scalar
from pipegen.manifest.workspace import LANGUAGE_VERSION, decode_workspaces
from pipegen.manifest.yaml import read_yaml
from pipegen.model import Hardware, Manifest, Workspace
from pipegen.source import Tree, UnreadableError

MANIFEST_SUFFIXES: Final = (".yaml", ".yml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What one pipeline of a workspace is made of, as written."""

    workspace: Workspace
    hardware: dict[str, Hardware]
    manifests: tuple[Manifest, ...]


def load_workspaces(tree: Tree, path: str) -> tuple[tuple[Workspace, ...], tuple[Diagnostic, ...]]:
    """Read the workspace file: one view of it for each pipeline.

    Raises:
        PipegenError: the file speaks a version of the language that this pipegen does not know.
    """
    report = Report()
    root = read_yaml(tree, path, report)
    if root is None:
        return (), tuple(report.found)
    _check_version(root, path)
    return decode_workspaces(root, path, report), tuple(report.found)


def _check_version(root: Node, path: str) -> None:
    version = root.get("version") if isinstance(root, MappingNode) else None
    if isinstance(version, Scalar) and version.text not in ("", LANGUAGE_VERSION):
        raise PipegenError(
            f'{path} is written in version "{version.text}" of the language; '
            f"this pipegen knows version {LANGUAGE_VERSION}"
        )


def load(tree: Tree, workspace: Workspace) -> tuple[Loaded, tuple[Diagnostic, ...]]:
    """Read the catalogue and the manifests of one pipeline. Every mistake is in the diagnostics."""
    report = Report()
    roots = {}
    for place in workspace.hardware_files:
        root = _read(tree, place.text, place.span, report)
        if root is not None:
            roots[place.text] = root
    hardware = dict(decode_hardware(roots, workspace, report))
    manifests = []
    for path in _manifest_paths(tree, workspace, report):
        root = read_yaml(tree, path, report)
        manifest = None if root is None else decode_manifest(root, path, report)
        if manifest is not None:
            manifests.append(manifest)
    return Loaded(workspace=workspace, hardware=hardware, manifests=tuple(manifests)), tuple(report.found)


def _read(tree: Tree, path: str, named_at: Span, report: Report) -> Node | None:
    """Read a file that the workspace names; where it is missing, the place that names it is to blame."""
    trial = Report()
    root = read_yaml(tree, path, trial)
    for found in trial.found:
        at = named_at if found.code is codes.UNREADABLE_FILE else found.span
        report.add(found.code, at, found.message, hint=found.help, related=found.related)
    return root


def _manifest_paths(tree: Tree, workspace: Workspace, report: Report) -> tuple[str, ...]:
    paths: set[str] = set()
    for folder in workspace.areas:
        try:
            below = tree.under(folder.text)
        except UnreadableError as error:
            report.add(codes.UNREADABLE_FILE, folder.span, f'cannot read "{folder.text}": {error}')
            continue
        found = {path for path in below if path.endswith(MANIFEST_SUFFIXES)}
        if not found:
            report.add(
                codes.UNREADABLE_FILE,
                folder.span,
                f'no manifest is in "{folder.text}"',
                hint="name a folder that holds .yaml files",
            )
        paths |= found
    return tuple(sorted(paths))
