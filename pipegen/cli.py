"""The command line: reads what the user typed, calls a use case, prints, and sets the exit code.

Exit 0 clean, 1 problems found, 2 wrong usage, 3 could not do it. Diagnostics go to standard error, products to
standard output.
"""

import itertools
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NoReturn

import click

from pipegen import __version__, app, listing
from pipegen.diagnostics import Diagnostic, PipegenError, WrongUsageError, has_errors
from pipegen.manifest.json_schema import KINDS, json_schema
from pipegen.report.json import render_diagnostics, render_json
from pipegen.report.text import Style, render_text
from pipegen.source import UnreadableError

CLEAN: Final = 0
PROBLEMS: Final = 1
USAGE: Final = 2
COULD_NOT: Final = 3


class Session:
    """What the options of `pipegen` itself say, and the process it runs in."""

    def __init__(self, start: Path, workspace: Path | None) -> None:
        self._start = start
        self._workspace = workspace

    def place(self) -> app.Place:
        """The workspace."""
        return app.find_workspace(self._start, self._workspace)


def _pairs(option: str, values: Sequence[str]) -> dict[str, str]:
    result = {}
    for value in values:
        name, separator, text = value.partition("=")
        if not separator or not name:
            raise WrongUsageError(f'{option} "{value}": expected NAME=VALUE')
        result[name] = text
    return result


def _facts(values: Sequence[str]) -> dict[str, str]:
    facts = {}
    for name, value in _pairs("--set", values).items():
        if not name.startswith("build."):
            raise WrongUsageError(f'--set "{name}": expected build.NAME=VALUE')
        facts[name.removeprefix("build.")] = value
    return facts


def _style() -> Style:
    """Colour for people at a terminal, unless they said not to."""
    return Style(color=sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb")


def _show(diagnostics: Sequence[Diagnostic], place: app.Place) -> None:
    """Print diagnostics on standard error, paths as the caller's folder sees them."""
    tree = place.tree

    def source(path: str) -> str | None:
        try:
            return tree.read(path, limit=1 << 20).decode("utf-8", errors="replace").removeprefix("\ufeff")
        except UnreadableError:
            return None

    def shown(path: str) -> str:
        return os.path.relpath(place.root / path)

    click.echo(render_text(diagnostics, source, _style(), shown_path=shown), err=True, nl=False)


pass_session = click.make_pass_decorator(Session)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="pipegen")
@click.option("-C", "directory", metavar="DIR", type=click.Path(path_type=Path), help="Start in DIR instead of here.")
@click.option(
    "--workspace", metavar="FILE", type=click.Path(path_type=Path), help="The workspace file, instead of searching."
)
@click.pass_context
def cli(context: click.Context, directory: Path | None, workspace: Path | None) -> None:
    """Area manifests in, a checked Buildkite pipeline out.

    pipegen finds the workspace (.buildkite/pipegen.yaml) from the current folder upward.

    Exit codes: 0 clean, 1 problems found, 2 wrong usage, 3 could not do it.
    """
    start = Path.cwd() if directory is None else directory.absolute()
    if not start.is_dir():
        raise WrongUsageError(f'-C "{directory}": no such folder')
    context.obj = Session(start, None if workspace is None else workspace.absolute())


def _shared(command: Callable[..., None]) -> Callable[..., None]:
    """Options of every command that reads a build."""
    for option in (
        click.option("--pipeline", metavar="P", help="Which of the workspace's pipelines."),
        click.option("--var", "variables", metavar="N=V", multiple=True, help="Set a declared variable."),
        click.option("--set", "facts", metavar="build.F=V", multiple=True, help="Set a fact of the build."),
    ):
        command = option(command)
    return command


def _request(
    session: Session, pipeline: str | None, variables: Sequence[str] = (), facts: Sequence[str] = ()
) -> app.Request:
    return app.Request(
        place=session.place(),
        pipeline=pipeline,
        environment=dict(os.environ),
        facts=_facts(facts),
        variables=_pairs("--var", variables),
    )


@cli.command()
@_shared
@click.option("--all", "every", is_flag=True, help="Every job of every `when`.")
@click.option("--format", "output_format", type=click.Choice(["yaml", "json"]), default="yaml", show_default=True)
@click.option("-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="Write to FILE.")
@click.option("--no-timeouts", is_flag=True, help="Leave out every timeout.")
@click.option("--no-interpolation", is_flag=True, help="For an upload that fills in no variables.")
@pass_session
def generate(
    session: Session,
    pipeline: str | None,
    variables: Sequence[str],
    facts: Sequence[str],
    every: bool,
    output_format: str,
    output: Path | None,
    no_timeouts: bool,
    no_interpolation: bool,
) -> None:
    """Print the pipeline of this build, for `buildkite-agent pipeline upload`."""
    request = _request(session, pipeline, variables, facts)
    written = app.Output(format=output_format, interpolation=not no_interpolation, timeouts=not no_timeouts)
    why = "--all" if every else "selection by changes is not there yet"
    if not every:
        click.echo("pipegen: selection by changes is not there yet: every job runs, as with --all", err=True)
    product = app.generate(request, written, why=why)
    _show(product.diagnostics, request.place)
    if product.document is None:
        _put(app.refusal(_count(product.diagnostics)), output)
        sys.exit(PROBLEMS)
    _put(product.document, output)


def _count(diagnostics: Sequence[Diagnostic]) -> str:
    errors = sum(1 for diagnostic in diagnostics if diagnostic.severity.value == "error")
    return f"{errors} error{'' if errors == 1 else 's'}, see standard error"


def _put(text: str, output: Path | None) -> None:
    """Write a product, as UTF-8 whatever the locale."""
    if output is None:
        click.echo(text.encode(), nl=False)
        return
    try:
        output.write_bytes(text.encode())
    except OSError as error:
        raise PipegenError(f'cannot write "{output}": {error.strerror}') from error


@cli.command("list")
@_shared
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
    request = _request(session, pipeline, variables, facts)
    plan = app.make_plan(request)
    diagnostics = plan if isinstance(plan, tuple) else plan.diagnostics
    shown = [diagnostic for diagnostic in diagnostics if diagnostic.severity.value == "error"]
    if output_format == "json" and shown:
        click.echo(render_diagnostics(shown), err=True, nl=False)
    else:
        _show(shown, request.place)
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
        _put(render_json({what: list(rows)}), None)
    else:
        _put(listing.table(rows, columns), None)


@cli.command()
@click.argument("kind", type=click.Choice(KINDS))
def schema(kind: str) -> None:
    """Print the JSON Schema of a kind of file, for editors."""
    _put(render_json(json_schema(kind)), None)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        cli.main(given, prog_name="pipegen", standalone_mode=False)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except (click.UsageError, WrongUsageError) as error:
        _fail(given, error.format_message() if isinstance(error, click.UsageError) else str(error), USAGE)
    except (PipegenError, UnreadableError) as error:
        _fail(given, str(error), COULD_NOT)
    except (KeyboardInterrupt, click.Abort):
        _fail(given, "interrupted", 130)
    except BrokenPipeError:
        # The reader is gone; what is left cannot be printed, and Python would complain at its own exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(COULD_NOT)
    sys.exit(CLEAN)


def _fail(arguments: Sequence[str], message: str, code: int) -> NoReturn:
    """Say why on standard error. `generate` leaves its refusal as well: an empty pipeline would be a green build."""
    click.echo(f"pipegen: {message}", err=True)
    if "generate" in arguments and not {"-h", "--help"} & set(arguments):
        output = next((Path(b) for a, b in itertools.pairwise(arguments) if a in ("-o", "--output")), None)
        try:
            _put(app.refusal(message), output)
        except PipegenError as error:
            click.echo(f"pipegen: {error}", err=True)
    sys.exit(code)
