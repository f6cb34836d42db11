"""Moving in: the step files of another tool on disk become a workspace on disk."""

import posixpath
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from pipegen.diagnostics import Diagnostic, PipegenError, Span, WrongUsageError, did_you_mean
from pipegen.importer import IMPORTERS
from pipegen.importer.codes import LEFT_OVER
from pipegen.manifest.fields import NAME
from pipegen.source import FolderTree, UnreadableError

if TYPE_CHECKING:
    from pipegen.importer.imported import Imported


def import_fleet(kind: str, tree: Path, configs: Sequence[str], paths: Path, owner: str) -> "Imported":
    """Import what `kind` keeps below `tree`.

    Args:
        kind: where it comes from, a name in `IMPORTERS`.
        tree: the folder of the repository, or of as much of it as is needed.
        configs: settings files, from `tree` or as the caller's folder sees them.
        paths: a file that lists the repository's files, as `git ls-files` prints them.
        owner: who owns every area for now.

    Raises:
        WrongUsageError: a file that the caller names is not there.
        PipegenError: a file that the caller names cannot be read.
    """
    if kind not in IMPORTERS:
        raise WrongUsageError(f'nothing is known of "{kind}": {did_you_mean(kind, IMPORTERS)}')
    if NAME.pattern is None or not NAME.pattern.fullmatch(owner):
        raise WrongUsageError(f'--owner "{owner}": expected {NAME.what}')
    if not tree.is_dir():
        raise WrongUsageError(f'"{tree}": no such folder')
    named = [_config(tree, config) for config in configs]
    try:
        listed = paths.read_bytes()
    except FileNotFoundError as error:
        raise WrongUsageError(f'--paths "{paths}": no such file') from error
    except OSError as error:
        raise PipegenError(f'cannot read "{paths}": {error.strerror}') from error
    fleet = Path(str(resources.files("pipegen.importer") / "fleet"))
    return IMPORTERS[kind](FolderTree(root=tree), named, listed, owner, FolderTree(root=fleet))


def _config(tree: Path, config: str) -> str:
    """A settings file's path from the tree."""
    if (tree / config).is_file():
        return posixpath.normpath(config)
    place = Path(config).resolve()
    if place.is_file() and tree.resolve() in place.parents:
        return place.relative_to(tree.resolve()).as_posix()
    raise WrongUsageError(f'--config "{config}": no such file in "{tree}"')


def write_workspace(imported: "Imported", into: Path) -> tuple[Diagnostic, ...]:
    """Write the new workspace, and name the manifests beside it that are of no import: jobs would be there twice.

    Raises:
        PipegenError: a file cannot be written.
    """
    for path, content in sorted(imported.files.items()):
        place = into / path
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        except OSError as error:
            raise PipegenError(f'cannot write "{place}": {error.strerror}') from error
    return _left_over(imported, into)


def _left_over(imported: "Imported", into: Path) -> tuple[Diagnostic, ...]:
    folders = sorted({path.split("/", 1)[0] for path in imported.files if not path.startswith(".")})
    found = []
    for folder in folders:
        try:
            there = FolderTree(root=into).under(folder)
        except UnreadableError as error:
            raise PipegenError(f'cannot read "{into / folder}": {error}') from error
        found += [path for path in there if path.endswith((".yaml", ".yml")) and path not in imported.files]
    return tuple(
        Diagnostic(
            code=LEFT_OVER,
            span=Span(path=path),
            message=f'"{path}" was there and is of no file that was imported',
            help="remove it, unless its jobs are to stand beside the imported ones",
        )
        for path in found
    )
