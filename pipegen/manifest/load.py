"""The first stage: a tree of files becomes a workspace, its catalogue and its manifests."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Final

from pipegen import codes
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Diagnostic, PipegenError, Span
from pipegen.manifest.areas import decode_manifest
from pipegen.manifest.fields import NAME_PATTERN
from pipegen.manifest.hardware import decode_hardware
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.located import Node, Report, Scalar
from pipegen.manifest.workspace import LANGUAGE_VERSION, decode_workspaces, outside
from pipegen.manifest.yaml import near_path, read_yaml
from pipegen.model import Hardware, Manifest, Workspace
from pipegen.plain import show
from pipegen.source import MissingError, Tree, UnreadableError

MANIFEST_SUFFIXES: Final = (".yaml", ".yml")
MAX_FILES: Final = 5_000
"""Manifests of one pipeline."""
MAX_ALL_BYTES: Final = 1 << 25
"""Bytes of all manifests of one pipeline together."""
MAX_TEST_BYTES: Final = 1 << 20
"""Bytes of a test file that is looked into, because quarantine names a test of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What one pipeline of a workspace is made of, as written."""

    workspace: Workspace
    hardware: Mapping[str, Hardware]
    manifests: tuple[Manifest, ...]
    lost_hardware: frozenset[str] | None = frozenset()
    """Names of entries that could not be decoded; None where a file, or the name of an entry, could not be read."""
    whole: bool = True
    """Whether every manifest could be read, so that all keys are known."""
    test_files: Mapping[str, str | None] = field(default_factory=dict)
    """See `Catalogue.test_files`."""


@dataclass(slots=True, kw_only=True)
class Metered:
    """A tree that knows how many bytes were read of it."""

    tree: Tree
    read_so_far: int = 0

    def under(self, folder: str) -> tuple[str, ...]:
        """See `Tree.under`."""
        return self.tree.under(folder)

    def read(self, path: str, *, limit: int) -> bytes:
        """See `Tree.read`."""
        content = self.tree.read(path, limit=limit)
        self.read_so_far += len(content)
        return content


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
            f"{path} is written in version {show(version.text)} of the language; "
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
    names = [_named(root) for root in roots.values()]
    whole = len(names) == len(workspace.hardware_files) and "hardware" not in workspace.faulty
    known = [name for found in names for name in found or ()]
    whole = whole and None not in names and all(NAME_PATTERN.fullmatch(name) for name in known)
    lost = frozenset(known) if whole else None
    _check_places(tree, workspace, report)
    paths, all_listed = _manifest_paths(tree, workspace, report)
    manifests = []
    metered = Metered(tree=tree)
    for path in paths:
        root = read_yaml(metered, path, report)
        if metered.read_so_far > MAX_ALL_BYTES:
            message = f"the manifests up to this one have more than {MAX_ALL_BYTES:,} bytes together"
            report.add(codes.TOO_LARGE, Span(path=path), message, hint="make several pipelines of them")
            break
        manifest = None if root is None else decode_manifest(root, path, report)
        if manifest is not None and (manifest.areas or manifest.steps):
            manifests.append(manifest)
    loaded = Loaded(
        workspace=workspace,
        hardware=hardware,
        manifests=tuple(manifests),
        lost_hardware=None if lost is None else lost - hardware.keys(),
        whole=all_listed and len(manifests) == len(paths),
        test_files=dict(_test_files(tree, workspace)),
    )
    return loaded, tuple(report.found)


def _test_files(tree: Tree, workspace: Workspace) -> Iterator[tuple[str, str | None]]:
    """What files hold of which quarantine names tests; a listing's are in another repository."""
    named = {workspace.tests.path_of(entry.test.text).partition("::") for entry in workspace.quarantine}
    for path in sorted({file for file, separator, _ in named if separator and not outside(file)}):
        try:
            content = tree.read(path, limit=MAX_TEST_BYTES) if workspace.listing is None else None
            yield path, None if content is None or len(content) > MAX_TEST_BYTES else content.decode("utf-8")
        except MissingError:
            continue
        except (UnreadableError, UnicodeDecodeError):
            yield path, None


def _check_places(tree: Tree, workspace: Workspace, report: Report) -> None:
    """Report files and folders that are named, not there, and read only later, or in whose stead others would be."""
    named = [*workspace.selection.cases, *([] if workspace.listing is None else [workspace.listing])]
    for place in named:
        if not outside(place.text) and not _files(tree, place.text):
            hint = near_path(tree, place.text, workspace.path)
            report.add(codes.UNREADABLE_FILE, place.span, f'cannot read "{place.text}": no such file', hint=hint)
    at, folder = workspace.templates_at, workspace.templates
    if at is not None and not outside(folder) and not any(path.endswith(".j2") for path in _files(tree, folder)):
        near = near_path(tree, folder.rstrip("/") + "/", workspace.path, "templates/")
        hint = near or "name a folder that holds .j2 files, or take it out to use the packaged ones"
        report.add(codes.UNREADABLE_FILE, at, f'no template is in "{folder}"', hint=hint)


def _files(tree: Tree, path: str) -> tuple[str, ...]:
    """The files at or below a path; the path itself where that is not for us to know."""
    try:
        return tree.under(path)
    except UnreadableError:
        return (f"{path}/unknown.j2",)


def _named(root: Node) -> tuple[str, ...] | None:
    """The names of all entries of a file of the catalogue, whatever stands below them; None if it has none."""
    entries = root.get("hardware") if isinstance(root, MappingNode) else None
    return tuple(entry.key.text for entry in entries.entries) if isinstance(entries, MappingNode) else None


def _manifest_paths(tree: Tree, workspace: Workspace, report: Report) -> tuple[tuple[str, ...], bool]:
    """The manifests, and whether those are all that there are to be."""
    paths: set[str] = set()
    all_listed = "areas" not in workspace.faulty
    for folder in workspace.areas:
        try:
            below = tree.under(folder.text)
        except UnreadableError as error:
            hint = "make it a folder that can be read"
            report.add(codes.UNREADABLE_FILE, folder.span, f'cannot read "{folder.text}": {error}', hint=hint)
            all_listed = False
            continue
        found = {path for path in below if path.endswith(MANIFEST_SUFFIXES)}
        if not found:
            all_listed = False
            report.add(
                codes.UNREADABLE_FILE,
                folder.span,
                f'no manifest is in "{folder.text}"',
                hint=near_path(tree, folder.text.rstrip("/") + "/", folder.span.path, "areas/")
                or "name a folder that holds .yaml files",
            )
        paths |= found
        if len(paths) > MAX_FILES:
            message = f'with "{folder.text}" there are more than {MAX_FILES:,} manifests'
            hint = "name a folder that holds manifests alone, or put several areas into one file"
            report.add(codes.TOO_LARGE, folder.span, message, hint=hint)
            return (), False
    return tuple(sorted(paths)), all_listed
