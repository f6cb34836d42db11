"""The first stage: a tree of files becomes a workspace, its catalogue and its manifests."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from pipegen import codes
from pipegen.diagnostics import Diagnostic, PipegenError
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
    hardware: Mapping[str, Hardware]
    manifests: tuple[Manifest, ...]
    lost_hardware: frozenset[str] | None = frozenset()
    """Names of entries that could not be decoded; None where a whole file of the catalogue could not be read."""
    whole: bool = True
    """Whether every manifest could be read, so that all keys are known."""


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
        root = read_yaml(tree, place.text, report, named_at=place.span)
        if root is not None:
            roots[place.text] = root
    hardware = decode_hardware(roots, workspace, report)
    whole_catalogue = len(roots) == len(workspace.hardware_files) and "hardware" not in workspace.faulty
    paths, all_listed = _manifest_paths(tree, workspace, report)
    manifests = []
    for path in paths:
        root = read_yaml(tree, path, report)
        manifest = None if root is None else decode_manifest(root, path, report)
        if manifest is not None and (manifest.areas or manifest.steps):
            manifests.append(manifest)
    loaded = Loaded(
        workspace=workspace,
        hardware=hardware,
        manifests=tuple(manifests),
        lost_hardware=_named(roots.values()) - hardware.keys() if whole_catalogue else None,
        whole=all_listed and len(manifests) == len(paths),
    )
    return loaded, tuple(report.found)


def _named(roots: Iterable[Node]) -> frozenset[str]:
    """The names of all entries of the catalogue, whatever stands below them."""
    entries = [root.get("hardware") for root in roots if isinstance(root, MappingNode)]
    return frozenset(entry.key.text for node in entries if isinstance(node, MappingNode) for entry in node.entries)


def _manifest_paths(tree: Tree, workspace: Workspace, report: Report) -> tuple[tuple[str, ...], bool]:
    """The manifests, and whether those are all that there are to be."""
    paths: set[str] = set()
    all_listed = "areas" not in workspace.faulty
    for folder in workspace.areas:
        try:
            below = tree.under(folder.text)
        except UnreadableError as error:
            report.add(codes.UNREADABLE_FILE, folder.span, f'cannot read "{folder.text}": {error}')
            all_listed = False
            continue
        found = {path for path in below if path.endswith(MANIFEST_SUFFIXES)}
        if not found:
            all_listed = False
            report.add(
                codes.UNREADABLE_FILE,
                folder.span,
                f'no manifest is in "{folder.text}"',
                hint="name a folder that holds .yaml files",
            )
        paths |= found
    return tuple(sorted(paths)), all_listed
