"""`pipegen list` and `pipegen schema`: what there is, whatever changed."""

import sys
from collections.abc import Sequence

import click

from pipegen import app, listing
from pipegen.app.checking import every_plan, facts_of
from pipegen.cli.session import (
    PROBLEMS,
    Session,
    of_a_build,
    pass_session,
    put,
    put_report,
    request,
    show,
    shown_path,
    without_secrets,
)
from pipegen.diagnostics import Diagnostic, Severity, WrongUsageError, did_you_mean
from pipegen.manifest.json_schema import KINDS, json_schema
from pipegen.report.json import render_diagnostics, render_json


@click.command("list")
@of_a_build
@click.argument("what", type=click.Choice(["areas", "jobs", "tests", "hardware", "toggles"]))
@click.option("--lane", metavar="LANE", help="Of tests: those that this lane owns or runs.")
@click.option("--unrun", is_flag=True, help="Of tests: those that no job collects, or none on the lane.")
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@pass_session
def list_(
    session: Session,
    pipeline: str | None,
    variables: Sequence[str],
    facts: Sequence[str],
    what: str,
    lane: str | None,
    unrun: bool,
    output_format: str,
) -> None:
    """Show the resolved catalogue: areas, jobs, tests, hardware or toggles.

    Tests are those of all pipelines, or of one: who owns each on which lane, and which jobs collect it there. Of each
    toggle every place that sets it, with the reason and the end that it gives.
    """
    if what != "tests" and (lane is not None or unrun):
        raise WrongUsageError(f"--lane and --unrun are for tests: pipegen list tests, not {what}")
    wanted = request(session, pipeline, variables, facts)
    if what == "tests":
        _tests(wanted, lane, unrun=unrun, output_format=output_format)
        return
    if what == "toggles":
        _toggles(wanted, output_format)
        return
    plan = app.make_plan(wanted)
    diagnostics = plan if isinstance(plan, tuple) else plan.diagnostics
    _stop_at_errors(diagnostics, wanted, output_format)
    if isinstance(plan, tuple):
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
        put_report(render_json({what: list(rows)}))
    else:
        put_report(listing.table(rows, columns))


def _stop_at_errors(diagnostics: Sequence[Diagnostic], wanted: app.Request, output_format: str) -> None:
    """Show the errors, and exit if there are any."""
    shown = [diagnostic for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR]
    if output_format == "json" and shown:
        click.echo(render_diagnostics(without_secrets(shown)), err=True, nl=False)
    else:
        show(shown, wanted.place)
    if shown:
        sys.exit(PROBLEMS)


def _tests(wanted: app.Request, lane: str | None, *, unrun: bool, output_format: str) -> None:
    """`pipegen list tests`."""
    plans, diagnostics = every_plan(wanted.place.tree, wanted)
    _stop_at_errors(diagnostics, wanted, output_format)
    lanes = dict.fromkeys(name for plan in plans for name in plan.workspace.lanes)
    if lane is not None and lane not in lanes:
        raise WrongUsageError(f'unknown lane "{lane}": {did_you_mean(lane, lanes)}')
    today = ""  # no rule is asked
    rows = listing.by_test(facts_of(wanted, plans, today), lane, unrun=unrun)
    put_report(render_json({"tests": list(rows)}) if output_format == "json" else listing.table_by_test(rows))


def _toggles(wanted: app.Request, output_format: str) -> None:
    """`pipegen list toggles`."""
    plans, diagnostics = every_plan(wanted.place.tree, wanted)
    _stop_at_errors(diagnostics, wanted, output_format)
    today = ""  # no rule is asked
    rows = listing.toggles(facts_of(wanted, plans, today))
    shown = shown_path(wanted.place)
    put_report(
        render_json({"toggles": list(rows)}) if output_format == "json" else listing.table_of_toggles(rows, shown)
    )


@click.command()
@click.argument("kind", type=click.Choice(KINDS))
def schema(kind: str) -> None:
    """Print the JSON Schema of a kind of file, for editors."""
    put(render_json(json_schema(kind)), None)
