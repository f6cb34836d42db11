"""`pipegen list` and `pipegen schema`: what there is, whatever changed."""

import sys
from collections.abc import Sequence

import click

from pipegen import app, listing
from pipegen.cli.session import PROBLEMS, Session, of_a_build, pass_session, put, request, show
from pipegen.diagnostics import Severity, has_errors
from pipegen.manifest.json_schema import KINDS, json_schema
from pipegen.report.json import render_diagnostics, render_json


@click.command("list")
@of_a_build
@click.argument("what", type=click.Choice(["areas", "jobs", "hardware"]))
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@pass_session
def list_(
    session: Session,
    pipeline: str | None,
    variables: Sequence[str],
    facts: Sequence[str],
    what: str,
    output_format: str,
) -> None:
    """Show the resolved catalogue: areas, jobs or hardware."""
    wanted = request(session, pipeline, variables, facts)
    plan = app.make_plan(wanted)
    diagnostics = plan if isinstance(plan, tuple) else plan.diagnostics
    shown = [diagnostic for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR]
    if output_format == "json" and shown:
        click.echo(render_diagnostics(shown), err=True, nl=False)
    else:
        show(shown, wanted.place)
    if isinstance(plan, tuple) or has_errors(diagnostics):
        sys.exit(PROBLEMS)
    columns: tuple[str, ...]
    match what:
        case "areas":
            rows, columns = listing.areas(plan.catalogue, plan.expansion), ("area", "owner", "lanes", "jobs", "tests")
        case "jobs":
            rows = listing.jobs(plan.expansion)
            columns = ("key", "lane", "queue", "gpus", "parallelism", "timeout_in_minutes", "when", "label")
        case _:
            rows = listing.hardware(plan.catalogue, plan.expansion)
            columns = ("hardware", "title", "lane", "queues", "gpus", "tags", "jobs")
    if output_format == "json":
        put(render_json({what: list(rows)}), None)
    else:
        put(listing.table(rows, columns), None)


@click.command()
@click.argument("kind", type=click.Choice(KINDS))
def schema(kind: str) -> None:
    """Print the JSON Schema of a kind of file, for editors."""
    put(render_json(json_schema(kind)), None)
