"""`pipegen import`."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from pipegen import app
from pipegen.cli.session import PROBLEMS, put, show
from pipegen.diagnostics import has_errors
from pipegen.importer import IMPORTERS
from pipegen.report.json import diagnostic_data, render_json

_Folder = click.Path(path_type=Path)


@click.command("import")
@click.argument("kind", type=click.Choice(sorted(IMPORTERS)))
@click.argument("tree", metavar="TREE", type=_Folder)
@click.argument("more", metavar="[FILE…]", nargs=-1)
@click.option("--config", "configs", metavar="FILE…", multiple=True, required=True, help="Settings of its pipelines.")
@click.option("--paths", metavar="FILE", type=_Folder, required=True, help="What `git ls-files` prints there.")
@click.option("--into", metavar="DIR", type=_Folder, required=True, help="Where the workspace is written.")
@click.option("--owner", metavar="NAME", default="unassigned", show_default=True, help="Who owns every area for now.")
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def import_(
    kind: str,
    tree: Path,
    more: Sequence[str],
    configs: Sequence[str],
    paths: Path,
    into: Path,
    owner: str,
    output_format: str,
) -> None:
    """Make a workspace of the step files that a repository keeps for another generator.

    TREE is that repository, one pipeline is made for each --config (more FILEs may follow the first). Every step
    becomes an area or a plain step with the same meaning. What is wrong in the old files is reported where it stands,
    and the rest is imported; the exit code is 1 where something of them is not in the workspace.
    """
    imported = app.import_fleet(kind, tree, [*configs, *more], paths, owner)
    beside = app.write_workspace(imported, into)
    lines = imported.summary.lines() if imported.summary is not None else ()
    if output_format == "json":
        found = [diagnostic_data(diagnostic) for diagnostic in (*imported.diagnostics, *beside)]
        summary = None if imported.summary is None else imported.summary.plain()
        put(render_json({"summary": summary, "diagnostics": found}), None)
    else:
        show(imported.diagnostics, app.Place(root=tree, path=""))
        show(beside, app.Place(root=into, path=""))
        put("".join(f"{line}\n" for line in lines), None)
    if has_errors(imported.diagnostics):
        sys.exit(PROBLEMS)
