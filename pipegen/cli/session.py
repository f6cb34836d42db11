"""What all commands share: the workspace, the process they run in, and how they print."""

import contextlib
import functools
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, TextIO, TypeVar

import click

from pipegen.dataclass import replace
from pipegen.diagnostics import Diagnostic, PipegenError, Severity, WrongUsageError
from pipegen.report.text import Style, clean, render_text
from pipegen.source import UnreadableError

if TYPE_CHECKING:
    from pipegen import app

CLEAN: Final = 0
PROBLEMS: Final = 1
USAGE: Final = 2
COULD_NOT: Final = 3

_UNCARRIED: Final = re.compile("[\ud800-\udfff\ufdd0-\ufdef]")
Command = TypeVar("Command", bound=Callable[..., None])


class Session:
    """What the options of `pipegen` itself say, and the process it runs in."""

    def __init__(self, start: Path, workspace: Path | None) -> None:
        self._start = start
        self._workspace = workspace

    def place(self) -> "app.Place":
        """The workspace."""
        from pipegen import app  # noqa: PLC0415 - no help text should wait for all of pipegen

        return app.find_workspace(self._start, self._workspace)


pass_session = click.make_pass_decorator(Session)


def of_a_build(command: Command) -> Command:
    """Options of every command that reads a build."""
    for option in (
        click.option("--pipeline", metavar="P", help="Which of the workspace's pipelines."),
        click.option("--var", "variables", metavar="N=V", multiple=True, help="Set a declared variable."),
        click.option("--set", "facts", metavar="build.F=V", multiple=True, help="Set a fact of the build."),
    ):
        command = option(command)
    return command


def of_a_change(command: Callable[..., None]) -> Callable[..., None]:
    """Options of every command that looks at what a build changes, which it is given together as `asked`."""

    @functools.wraps(command)
    def given(
        *arguments: object,
        changed_files: BinaryIO | None,
        base: str | None,
        only: tuple[str, ...],
        labels: tuple[str, ...],
        schedules: tuple[str, ...],
        **others: object,
    ) -> None:
        from pipegen import app  # noqa: PLC0415 - see `Session.place`

        content = None if changed_files is None else changed_files.read()
        asked = app.Asked(changed_files=content, base=base, only=only, labels=labels, schedules=schedules)
        command(*arguments, asked=asked, **others)

    for option in (
        click.option("--schedule", "schedules", metavar="S", multiple=True, help="Count as a build of this schedule."),
        click.option("--label", "labels", metavar="L", multiple=True, help="A label of the pull request."),
        click.option("--only", metavar="KEY", multiple=True, help="This job and what it waits for, alone."),
        click.option("--base", metavar="REV", help="Compare with this revision."),
        click.option(
            "--changed-files",
            "changed_files",
            metavar="FILE",
            type=click.File("rb"),
            help="The change set, one path a line or with NUL between, instead of asking git; - reads standard input.",
        ),
    ):
        given = option(given)
    return given


def of_a_choice(command: Callable[..., None]) -> Callable[..., None]:
    """Options of every command that makes the pipeline of a build, which it is told in `asked`; below `of_a_change`."""

    @functools.wraps(command)
    def given(*arguments: object, asked: "app.Asked", every: bool, no_timeouts: bool, **others: object) -> None:
        command(*arguments, asked=replace(asked, every=every, timeouts=not no_timeouts), **others)

    for option in (
        click.option("--no-timeouts", is_flag=True, help="Leave out every timeout."),
        click.option("--all", "every", is_flag=True, help="Every job of every `when`."),
    ):
        given = option(given)
    return given


def request(
    session: Session, pipeline: str | None, variables: Sequence[str] = (), facts: Sequence[str] = ()
) -> "app.Request":
    """The workspace and the build that a command is about."""
    from pipegen.app.request import Request  # noqa: PLC0415 - see `Session.place`

    return Request(
        place=session.place(),
        pipeline=pipeline,
        environment=_environment(),
        facts={name: _carried(value) for name, value in _facts(facts).items()},
        variables={name: _carried(value) for name, value in _pairs("--var", variables).items()},
    )


def _environment() -> dict[str, str]:
    """The variables of the process, as everything that is made of them has them."""
    return {name: _carried(value) for name, value in os.environ.items()}


def _carried(value: str) -> str:
    """A value of strangers (a commit's message) without bytes that are no text, and without marks of our own."""
    return _UNCARRIED.sub("\ufffd", value)


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


def cache_folder(wanted: bool | None) -> Path | None:
    """Where a run leaves what the next one may use; None for nowhere.

    In CI that is so unless it is asked for: a machine that stays keeps what a stranger's build may have left there.
    """
    if wanted is False or (wanted is None and os.environ.get("CI")):
        return None
    named = os.environ.get("XDG_CACHE_HOME", "")
    if Path(named).is_absolute():
        return Path(named) / "pipegen"
    home = Path(os.environ.get("HOME", ""))
    return home / ".cache" / "pipegen" if home.is_absolute() else None


def show(diagnostics: Sequence[Diagnostic], place: "app.Place") -> None:
    """Print diagnostics on standard error, paths as the caller's folder sees them."""
    tree = place.tree

    def source(path: str) -> str | None:
        try:
            return tree.read(path, limit=1 << 20).decode("utf-8", errors="replace").removeprefix("\ufeff")
        except UnreadableError:
            return None

    shown = render_text(without_secrets(diagnostics), source, _style(), shown_path=shown_path(place))
    click.echo(shown, err=True, nl=False)


def without_secrets(diagnostics: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    """Diagnostics as they may be printed: a message that quotes what an expression came to may hold a secret."""
    from pipegen.report.secrets import secrets_of  # noqa: PLC0415 - see `Session.place`

    secrets = secrets_of(_environment())
    return [_hidden(diagnostic, secrets) for diagnostic in diagnostics] if secrets else diagnostics


def _hidden(diagnostic: Diagnostic, secrets: tuple[str, ...]) -> Diagnostic:
    from pipegen.report.secrets import redacted  # noqa: PLC0415 - see `Session.place`

    related = tuple(replace(one, note=redacted(one.note, secrets)) for one in diagnostic.related)
    message, hint = redacted(diagnostic.message, secrets), redacted(diagnostic.help, secrets)
    return replace(diagnostic, message=message, help=hint, related=related)


def warn(line: str) -> None:
    """Say something that is no product and no diagnostic, and that nothing depends on."""
    with contextlib.suppress(OSError):
        click.echo(f"pipegen: {clean(line)}", err=True)


def shown_path(place: "app.Place") -> Callable[[str], str]:
    """How paths of the workspace are shown: as the caller's folder sees them."""

    def shown(path: str) -> str:
        return os.path.relpath(place.root / path)

    return shown


def out_style() -> Style:
    """How standard output is shown."""
    return _styled(sys.stdout)


def _style() -> Style:
    """How standard error is shown."""
    return _styled(sys.stderr)


def _styled(stream: TextIO | None) -> Style:
    """Colour for people at a terminal, unless they said not to; Python has no stream for one that is closed."""
    colored = stream is not None and stream.isatty()
    return Style(color=colored and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb")


def count(diagnostics: Sequence[Diagnostic]) -> str:
    """How many errors there are, for one line."""
    errors = sum(1 for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR)
    return f"{errors} error{'' if errors == 1 else 's'}, see standard error"


class ReaderGoneError(Exception):
    """Nobody reads standard output any more: there is no one to tell, and nothing left to do."""


def put(text: str, output: Path | None) -> None:
    """Write a product, as UTF-8 whatever the locale.

    Raises:
        PipegenError: it cannot be written.
        ReaderGoneError: the reader of standard output has ended.
    """
    output = None if output == Path("-") else output
    content = text.encode("utf-8", errors="backslashreplace")  # half characters: odd bytes of arguments, file names
    name = "standard output" if output is None else f'"{output}"'
    if output is None and sys.stdout is None:
        raise PipegenError(f"cannot write {name}: it is closed")
    try:
        if output is None:
            click.echo(content, nl=False)
        else:
            output.write_bytes(content)
    except BrokenPipeError as error:
        raise ReaderGoneError from error
    except OSError as error:
        if output is None:
            discard_output()
        raise PipegenError(f"cannot write {name}: {reason(error)}") from error


def put_report(text: str, output: Path | None = None) -> None:
    """Write what is no pipeline, so that it holds no secret; see `put`."""
    from pipegen.report.secrets import redacted, secrets_of  # noqa: PLC0415 - see `Session.place`

    put(redacted(text, secrets_of(_environment())), output)


def discard_output() -> None:
    """Send what is left of standard output nowhere: Python would try again at its own exit, and complain."""
    with contextlib.suppress(io.UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def reason(error: OSError) -> str:
    """Why the system refused something, in words."""
    return (error.strerror or type(error).__name__).lower()
