"""The command line: reads what the user typed, calls a use case, prints, and sets the exit code.

Exit 0 clean, 1 problems found, 2 wrong usage, 3 could not do it. Diagnostics go to standard error, products to
standard output.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import click

from pipegen import __version__, app
from pipegen.cli.catalogue import list_, schema
from pipegen.cli.explain import explain
from pipegen.cli.generate import generate
from pipegen.cli.session import CLEAN, COULD_NOT, USAGE, Session, put
from pipegen.diagnostics import PipegenError, WrongUsageError
from pipegen.source import UnreadableError


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


for _command in (generate, explain, list_, schema):
    cli.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        cli.main(given, prog_name="pipegen", standalone_mode=False)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except click.ClickException as error:
        _fail(given, error.format_message(), USAGE)
    except WrongUsageError as error:
        _fail(given, str(error), USAGE)
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
        try:
            put(app.refusal(message), _output(arguments))
        except PipegenError as error:
            click.echo(f"pipegen: {error}", err=True)
    sys.exit(code)


def _output(arguments: Sequence[str]) -> Path | None:
    """The file that `generate` was told to write to, however that was typed; what was typed may be wrong elsewhere."""
    for at, word in enumerate(arguments):
        if word in ("-o", "--output") and at + 1 < len(arguments):
            return Path(arguments[at + 1])
        if word.startswith("--output="):
            return Path(word.removeprefix("--output="))
        if word.startswith("-o") and len(word) > 2:
            return Path(word.removeprefix("-o"))
    return None
