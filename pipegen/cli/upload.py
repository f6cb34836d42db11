"""`pipegen upload`."""

import math
import sys
import time
from collections.abc import Sequence
from typing import Final

import click

from pipegen import app
from pipegen.app.agent import Agent
from pipegen.app.prepared import prepare
from pipegen.app.upload import DEADLINE_MINUTES, Voice
from pipegen.app.upload import upload as upload_pipeline
from pipegen.cli.session import (
    PROBLEMS,
    ReaderGoneError,
    Session,
    count,
    discard_output,
    of_a_build,
    of_a_change,
    of_a_choice,
    pass_session,
    put,
    put_report,
    request,
    show,
    warn,
)
from pipegen.diagnostics import PipegenError, WrongUsageError
from pipegen.report.text import clean

MOST_MINUTES: Final = 24 * 60.0
"""Of --deadline: no job that uploads takes a day, and systems cannot wait for any number of seconds."""


@click.command()
@of_a_build
@of_a_change
@of_a_choice
@click.option(
    "--deadline",
    metavar="MINUTES",
    type=click.FloatRange(min=0, min_open=True, max=MOST_MINUTES),
    default=DEADLINE_MINUTES,
    help=f"Give up after so long; {DEADLINE_MINUTES:g} unless said. Another attempt goes on where this one ended.",
)
@click.option("--dry-run", is_flag=True, help="Print what would be uploaded, and ask no agent.")
@pass_session
def upload(
    session: Session,
    pipeline: str | None,
    variables: Sequence[str],
    facts: Sequence[str],
    asked: app.Asked,
    deadline: float,
    dry_run: bool,
) -> None:
    """Upload the pipeline of this build with `buildkite-agent`, in as many parts as Buildkite needs.

    Run it in a job of the build. Nothing is uploaded before all of it is checked; a retried job uploads what is not
    there yet, by the plan of its first attempt. The build's annotation says what runs and why.
    """
    if math.isnan(deadline):  # which no range excludes
        raise WrongUsageError('--deadline "nan": expected a number of minutes')
    wanted = request(session, pipeline, variables, facts)
    if dry_run:
        _print(wanted, asked)
        return
    agent = Agent.find(wanted.environment, clock=time.monotonic, seconds=deadline * 60, tell=warn)
    voice = Voice(tell=_tell, show=lambda found: show(found, wanted.place))
    problem = upload_pipeline(wanted, asked, agent, voice)
    if problem is not None:
        warn(problem)
        sys.exit(PROBLEMS)


def _print(wanted: app.Request, asked: app.Asked) -> None:
    prepared = prepare(wanted, asked)
    if isinstance(prepared, tuple):
        show(prepared, wanted.place)
        warn(f"nothing would be uploaded: {count(prepared)}")
        sys.exit(PROBLEMS)
    show(prepared.diagnostics, wanted.place)
    put_report(prepared.preview)


def _tell(line: str) -> None:
    """What is done, for the job's log, as it happens. No upload stops halfway because nobody can read of it."""
    try:
        put(f"{clean(line)}\n", None)
    except ReaderGoneError:
        discard_output()
    except PipegenError:
        pass
