"""`pipegen generate`."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from pipegen import app
from pipegen.cli.session import (
    PROBLEMS,
    Session,
    count,
    of_a_build,
    of_a_change,
    of_a_choice,
    pass_session,
    put,
    put_report,
    reason,
    request,
    show,
)
from pipegen.diagnostics import PipegenError, WrongUsageError
from pipegen.report.json import render_json

Paths = click.Path(path_type=Path)


@click.command()
@of_a_build
@of_a_change
@of_a_choice
@click.option("--format", "output_format", type=click.Choice(["yaml", "json"]), default="yaml", show_default=True)
@click.option("-o", "--output", metavar="FILE", type=Paths, help="Write to FILE.")
@click.option("--plan-out", metavar="FILE", type=Paths, help="Write the decision about every job to FILE, as JSON.")
@click.option("--no-interpolation", is_flag=True, help="For an upload that fills in no variables.")
@pass_session
def generate(
    session: Session,
    pipeline: str | None,
    variables: Sequence[str],
    facts: Sequence[str],
    asked: app.Asked,
    output_format: str,
    output: Path | None,
    plan_out: Path | None,
    no_interpolation: bool,
) -> None:
    """Print the pipeline of this build, for `buildkite-agent pipeline upload`.

    Jobs are chosen by what changed: by the files of --changed-files, or by git's difference to the merge base with
    the base branch. What cannot be known runs everything, and a warning says so.
    """
    if plan_out is not None:
        if output is not None and plan_out.absolute() == output.absolute():
            raise WrongUsageError(f'-o and --plan-out both name "{output}": the plan would be lost')
        _remove(plan_out)
    written = app.Output(
        format=output_format,
        interpolation=not no_interpolation,
        timeouts=asked.timeouts,
        plan=plan_out is not None,
    )
    wanted = request(session, pipeline, variables, facts)
    product = app.generate(wanted, written, asked)
    show(product.diagnostics, wanted.place)
    if product.document is None:
        put(app.refusal(count(product.diagnostics)), output)
        sys.exit(PROBLEMS)
    if plan_out is not None and product.plan is not None:
        put_report(render_json(product.plan), plan_out)
    put(product.document, output)


def _remove(file: Path) -> None:
    """An earlier build's plan must not pass for this one's."""
    try:
        if file.is_file():  # no device: for root, `--plan-out /dev/null` would be the end of it
            file.unlink()
    except OSError as error:
        raise PipegenError(f'cannot write "{file}": {reason(error)}') from error
