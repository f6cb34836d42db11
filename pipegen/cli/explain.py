"""`pipegen explain`."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from pipegen import app
from pipegen.app.explain import explain as answer_to
from pipegen.cli.session import (
    PROBLEMS,
    Session,
    of_a_build,
    of_a_change,
    pass_session,
    put_report,
    request,
    show,
    shown_path,
)
from pipegen.dataclass import replace
from pipegen.diagnostics import has_errors
from pipegen.plain import PlainMap
from pipegen.report.explain import job_data, job_text, path_data, path_text
from pipegen.report.json import render_json


@click.command()
@click.argument("what", metavar="KEY|PATH|PATH::TEST")
@of_a_build
@of_a_change
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@pass_session
def explain(
    session: Session,
    what: str,
    pipeline: str | None,
    variables: Sequence[str],
    facts: Sequence[str],
    asked: app.Asked,
    output_format: str,
) -> None:
    """Say why a job runs or does not, or what a file means.

    KEY is a job, its gate, or an area with all its jobs: the decision in this build, the file, the pattern and the
    place that decided, and what comes with it. PATH is a file: who owns it on which lane, which jobs run it, and which
    a change to it alone would select.
    """
    wanted = replace(request(session, pipeline, variables, facts), schedules=asked.schedules, labels=asked.labels)
    plan = app.make_plan(wanted)
    diagnostics = plan if isinstance(plan, tuple) else plan.diagnostics
    if isinstance(plan, tuple) or has_errors(diagnostics):
        show(diagnostics, wanted.place)
        sys.exit(PROBLEMS)
    answer = answer_to(wanted, plan, asked, what, Path.cwd())
    match answer:
        case app.JobsAnswer():
            show(answer.diagnostics, wanted.place)
        case app.PathAnswer():
            pass
    put_report(render_json(_data(answer)) if output_format == "json" else _text(answer, wanted.place))


def _data(answer: app.Answer) -> PlainMap:
    match answer:
        case app.JobsAnswer():
            return {"compared": answer.known.compared, "jobs": [job_data(job) for job in answer.jobs]}
        case app.PathAnswer():
            return path_data(answer.path, exists=answer.exists, meant=answer.meant)


def _text(answer: app.Answer, place: app.Place) -> str:
    shown = shown_path(place)
    match answer:
        case app.JobsAnswer():
            return "\n".join(job_text(job, answer.known.compared, shown) for job in answer.jobs)
        case app.PathAnswer():
            return path_text(answer.path, exists=answer.exists, meant=answer.meant, shown=shown)
