"""`pipegen lint`."""

import datetime
import os
import re
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipegen import __version__
from pipegen.app.installed import fingerprint
from pipegen.app.place import from_root, path_from_top
from pipegen.app.request import Request, Wanted
from pipegen.app.verdict import Verdict
from pipegen.cli.session import (
    PROBLEMS,
    Session,
    cache_folder,
    out_style,
    pass_session,
    put,
    request,
    shown_path,
    warn,
    without_secrets,
)
from pipegen.diagnostics import PipegenError, WrongUsageError
from pipegen.report.lint import FORMATS, Findings

if TYPE_CHECKING:  # what a remembered verdict does without is imported where it is needed
    from pipegen.app.fixing import Change
    from pipegen.app.waiving import Terms

CONTEXT = "pipegen-lint"
"""Of the annotation: a later one takes the place of an earlier one."""
AGENT_SECONDS = 60.0
DAYS_OF_A_WAIVER = 90


@click.command()
@click.argument("paths", metavar="[PATHS]...", nargs=-1)
@click.option("--select", metavar="CODES", multiple=True, help="Report only these: PG201, its beginning, or its name.")
@click.option("--ignore", metavar="CODES", multiple=True, help="Do not report these.")
@click.option("--base", metavar="REV", help="Fail only on what this revision does not have.")
@click.option("--fix", "mend", is_flag=True, help="Write what has one safe fix, and report the rest.")
@click.option("--diff", "differ", is_flag=True, help="Print what --fix would write.")
@click.option("--today", metavar="DATE", help="Count ends from this day (YYYY-MM-DD) instead of today.")
@click.option("--write-waivers", "waiving", is_flag=True, help="Waive what is found, in the workspace file.")
@click.option("--waiver-owner", metavar="NAME", help="Who ends such waivers, where an area does not say so.")
@click.option("--waiver-until", metavar="DATE", help="Their last day; 90 days from today otherwise.")
@click.option("--waiver-reason", metavar="TEXT", help="Why they are there.")
@click.option("--format", "output_format", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option(
    "--cache/--no-cache",
    "remember",
    default=None,
    help="Remember what was found for as long as nothing changes that it depends on; by default outside of CI.",
)
@pass_session
def lint(
    session: Session,
    paths: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    base: str | None,
    mend: bool,
    differ: bool,
    today: str | None,
    waiving: bool,
    waiver_owner: str | None,
    waiver_until: str | None,
    waiver_reason: str | None,
    output_format: str,
    remember: bool | None,
) -> None:
    """Find everything that is wrong: in manifests, in what Buildkite would take, and in who owns and runs which tests.

    All pipelines of the workspace are looked at, whatever a build would select. PATHS limit what is reported, never
    what is read. CODES may be a list with commas.

    Exit code 0: nothing but warnings; 1: errors or findings.
    """
    if mend and differ:
        raise WrongUsageError("--fix writes and --diff only shows: give one of them")
    _check_waiving(waiving, alone=not (mend or differ or base), terms=(waiver_owner, waiver_until, waiver_reason))
    wanted_request = request(session, None)
    root = wanted_request.place.root
    wanted = Wanted(
        today=_day(today),
        select=select,
        ignore=ignore,
        paths=tuple(from_root(path, root, Path.cwd()) for path in paths),
        base=base,
    )
    terms = None
    if waiving:
        reason = waiver_reason or f"was there on {wanted.today}, when waivers began"
        from pipegen.app.waiving import Terms  # noqa: PLC0415

        terms = Terms(owner=waiver_owner, until=_last_day(wanted.today, waiver_until), reason=reason)
    folder = cache_folder(remember)
    verdict, changes, notes = _looked(wanted_request, wanted, terms, folder, fixing=mend or differ)
    if differ:
        from pipegen.report.diff import unified_diff  # noqa: PLC0415

        named = _for_apply(wanted_request)
        put(unified_diff({named(path): (_text(one.before), _text(one.after)) for path, one in changes.items()}), None)
    elif changes:
        from pipegen.app.fixing import write_changes  # noqa: PLC0415

        write_changes(root, changes)
    findings = Findings(
        diagnostics=without_secrets(verdict.diagnostics),
        old=without_secrets(verdict.old),
        ignored=verdict.ignored,
        waived=verdict.waived,
        texts=verdict.texts,
        notes=[*verdict.notes, *([] if differ else notes)],
    )
    _print(findings, output_format, wanted_request, to_errors=differ)
    if verdict.fails or (differ and changes):
        sys.exit(PROBLEMS)


def _day(given: str | None) -> str:
    """The day that ends are counted from, as YYYY-MM-DD."""
    if given is None:
        return datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    return _date("--today", given)


def _date(option: str, given: str) -> str:
    try:
        if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", given):
            return datetime.date.fromisoformat(given).isoformat()
    except ValueError:
        pass
    raise WrongUsageError(f'{option} "{given}": expected a date as YYYY-MM-DD')


def _last_day(today: str, given: str | None) -> str:
    """The last day of new waivers."""
    if given is not None:
        return _date("--waiver-until", given)
    return (datetime.date.fromisoformat(today) + datetime.timedelta(days=DAYS_OF_A_WAIVER)).isoformat()


def _check_waiving(waiving: bool, *, alone: bool, terms: tuple[str | None, ...]) -> None:
    if waiving and not alone:
        raise WrongUsageError("--write-waivers is about all that is found: leave out --fix, --diff and --base")
    if not waiving and any(term is not None for term in terms):
        raise WrongUsageError("--waiver-owner, --waiver-until and --waiver-reason go with --write-waivers")


def _looked(
    asked: Request, wanted: Wanted, terms: "Terms | None", folder: Path | None, *, fixing: bool
) -> "tuple[Verdict, Mapping[str, Change], list[str]]":
    """What is found, after the changes that are wanted, and in words what those are."""
    if terms is not None:
        from pipegen.app.waiving import write_waivers  # noqa: PLC0415

        drafted = write_waivers(asked, wanted, terms)
        changes = {} if drafted.change is None else {drafted.path: drafted.change}
        note = f"wrote {drafted.count} waiver{'' if drafted.count == 1 else 's'}"
        return Verdict.of(drafted.linted), changes, [note] if changes else []
    if fixing:
        from pipegen.app.fixing import fix  # noqa: PLC0415

        fixed = fix(asked, wanted)
        return Verdict.of(fixed.linted), fixed.changes, [_fixed(len(fixed.changes))] if fixed.changes else []
    if folder is not None:
        from pipegen.app.memory import Memory  # noqa: PLC0415
        from pipegen.app.remembering import Remembering  # noqa: PLC0415

        return Remembering(memory=Memory(folder=folder / "lint"), program=fingerprint).verdict(asked, wanted), {}, []
    from pipegen.app.linting import lint as found_in  # noqa: PLC0415

    return Verdict.of(found_in(asked, wanted)), {}, []


def _for_apply(asked: Request) -> Callable[[str], str]:
    """How a diff names files: as the caller's folder sees them, where git apply goes below it alone."""
    shown = shown_path(asked.place)
    return lambda path: path if shown(path).startswith("..") else shown(path)


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _fixed(count: int) -> str:
    return f"fixed {count} file{'' if count == 1 else 's'}"


def _print(findings: Findings, output_format: str, asked: Request, *, to_errors: bool) -> None:
    """The report is what `lint` makes: it goes to standard output, unless a diff is there already."""
    from_top = path_from_top(asked.place, asked.environment) if output_format in _FROM_THE_TOP else str
    match output_format:
        case "json":
            text = findings.json()
        case "sarif":
            text = findings.sarif(__version__, from_top)
        case "github":
            text = findings.github(from_top)
        case "buildkite":
            text = _annotated(findings, findings.markdown(from_top), asked)
        case _:
            text = _for_people(findings, asked)
    if to_errors:
        click.echo(text, nl=False, err=True)
    else:
        put(text, None)


_FROM_THE_TOP = frozenset({"sarif", "github", "buildkite"})


def _for_people(findings: Findings, asked: Request) -> str:
    return findings.text(out_style(), shown_path(asked.place))


def _annotated(findings: Findings, markdown: str, asked: Request) -> str:
    """What is left to print: in a job of a build the annotation goes to the agent, and the log gets the text."""
    if not os.environ.get("BUILDKITE_JOB_ID"):
        return markdown
    from pipegen.app.agent import Agent  # noqa: PLC0415 - no other format should wait for it

    try:
        agent = Agent.find(asked.environment, clock=time.monotonic, seconds=AGENT_SECONDS, tell=warn)
        agent.annotate(CONTEXT, findings.style, markdown)
    except PipegenError as error:
        warn(f"no annotation: {error}")
    return _for_people(findings, asked)
