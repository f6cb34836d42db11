"""The command line: reads what the user typed, calls a use case, prints, and sets the exit code.

Exit 0 clean, 1 problems found, 2 wrong usage, 3 could not do it. Diagnostics go to standard error, products to
standard output.
"""

import atexit
import gc
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import click

from pipegen import __version__
from pipegen.cli.commands import Commands
from pipegen.cli.session import CLEAN, COULD_NOT, USAGE, ReaderGoneError, Session, discard_output, put, reason
from pipegen.diagnostics import PipegenError, WrongUsageError
from pipegen.report.text import clean
from pipegen.source import UnreadableError


@click.group(commands=Commands(), context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
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
    # Without links and "..": folders are searched upward by their names.
    start = Path.cwd() if directory is None else directory.resolve()
    if not start.is_dir():
        raise WrongUsageError(f'-C "{directory}": no such folder')
    context.obj = Session(start, None if workspace is None else workspace.parent.resolve() / workspace.name)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:
        _collect_nothing()
    try:
        cli.main(given, prog_name="pipegen", standalone_mode=False)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except (click.ClickException, WrongUsageError) as error:
        _fail(given, _words(error), USAGE)
    except (PipegenError, UnreadableError, OSError) as error:
        _fail(given, _words(error), COULD_NOT)
    except ReaderGoneError:
        discard_output()
        sys.exit(COULD_NOT)
    except (KeyboardInterrupt, click.Abort):
        _fail(given, "interrupted", 130)
    except Exception:
        _refuse(given, "pipegen has a bug, see standard error")
        raise
    sys.exit(CLEAN)


def _collect_nothing() -> None:
    """Let Python look for no cycles in a process that is ours, neither at work nor once more at its end.

    A run makes a million objects that stay and next to no cycle; to look for some took a sixth of it.
    """
    gc.disable()
    atexit.register(gc.freeze)


def _words(error: Exception) -> str:
    """What went wrong, as all messages say it: in lower case, without a full stop, what was typed in double quotes."""
    match error:
        case click.ClickException() if error.format_message().startswith("Usage: "):
            return error.format_message()
        case click.ClickException():
            text = re.sub(r"'([^']*)'", r'"\1"', error.format_message()).rstrip(".")
            return text[:1].lower() + text[1:]
        case OSError() if error.filename:
            return f'{reason(error)}: "{error.filename}"'
        case OSError():
            return reason(error)
        case _:
            return str(error)


def _fail(arguments: Sequence[str], message: str, code: int) -> NoReturn:
    """Say why on standard error, and refuse; without any arguments the message is the help."""
    click.echo(f"pipegen: {clean(message)}" if arguments else message, err=True)
    _refuse(arguments, message)
    sys.exit(code)


def _refuse(arguments: Sequence[str], why: str) -> None:
    """Leave the line that the agent refuses, as `generate` has to: an empty pipeline would be a green build.

    A word that is no command at all may have been meant to be `generate`.
    """
    if not arguments or ("generate" not in arguments and cli.commands.keys() & set(arguments)):
        return
    from pipegen import app  # noqa: PLC0415 - no help text should wait for all of pipegen

    for output in dict.fromkeys((_output(arguments), None)):
        try:
            put(app.refusal(clean(why)), output)
        except PipegenError as error:
            if str(error) != why:
                click.echo(f"pipegen: {clean(str(error))}", err=True)
        except ReaderGoneError:
            discard_output()
        else:
            return


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
