"""`lint --write-waivers`: waivers for what is there today, so that whatever comes tomorrow is seen."""

from collections.abc import Iterable, Mapping
from typing import Final

from pipegen.app.checking import every_plan
from pipegen.app.expansion import Plan
from pipegen.app.fixing import Change
from pipegen.app.linting import Linted, lint
from pipegen.app.request import Request, Wanted
from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import Diagnostic, PipegenError, Severity, WrongUsageError, did_you_mean, has_errors
from pipegen.manifest.load import load_workspaces
from pipegen.rules import suppress
from pipegen.rules.edits import applied
from pipegen.rules.facts import Pipeline
from pipegen.rules.fixing import with_breaks_of
from pipegen.rules.subjects import Names
from pipegen.rules.waiver_drafts import Draft, drafts, written
from pipegen.rules.waivers import CODES
from pipegen.source import OverlaidTree, Tree

MAX_WORKSPACE_BYTES: Final = 1 << 20
_APART: Final = frozenset((*CODES, *suppress.CODES))
"""What is wrong with exceptions themselves needs no further exception."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What the new waivers say: who ends them where no area says so, their last day, and why they are there."""

    owner: str | None
    until: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """The workspace file with its new waivers, None where none are needed, and what `lint` finds then."""

    change: Change | None
    path: str
    count: int
    linted: Linted


def write_waivers(request: Request, wanted: Wanted, terms: Terms) -> Drafted:
    """Waive all findings that `lint` reports, grouped by rule and place. Nothing is written here.

    Raises:
        WrongUsageError: an owner is needed and none is named, or one that nobody declares.
        PipegenError: the workspace file is written in a way that nothing can be added to; see `lint`.
    """
    request = request.outside_of_a_hook  # what is written is on disk
    path, tree = request.place.path, request.place.tree
    linted = lint(request, wanted)
    plans, _ = every_plan(tree, request)
    found = [one for one in (*linted.diagnostics, *linted.implied) if one.code not in _APART]  # it would be told next
    if has_errors(linted.diagnostics) or not plans:
        return Drafted(change=None, path=path, count=0, linted=linted)
    wanted_waivers = _drafts(found, plans)
    if not wanted_waivers:
        return Drafted(change=None, path=path, count=0, linted=linted)
    entries = [_entry(draft, terms, plans) for draft in wanted_waivers]
    before = tree.read(path, limit=MAX_WORKSPACE_BYTES)
    after = _with(before, path, entries)
    held = OverlaidTree(tree=tree, files={path: after})
    _check(held, path, len(entries), plans)
    then = lint(replace(request, place=replace(request.place, held=held)), wanted)
    return Drafted(change=Change(before=before, after=after), path=path, count=len(entries), linted=then)


def _drafts(found: Iterable[Diagnostic], plans: Iterable[Plan]) -> tuple[Draft, ...]:
    pipelines = [
        Pipeline(workspace=plan.workspace, catalogue=plan.catalogue, expansion=plan.expansion) for plan in plans
    ]
    own = {plan.workspace.path for plan in plans}
    own |= {plan.workspace.listing.text for plan in plans if plan.workspace.listing is not None}
    return drafts(found, Names.of(pipelines), own)


def _entry(draft: Draft, terms: Terms, plans: Iterable[Plan]) -> Mapping[str, str]:
    owners = {name for plan in plans for name in plan.workspace.owners}
    if terms.owner is not None and terms.owner not in owners:
        raise WrongUsageError(f'unknown owner "{terms.owner}" in --waiver-owner: {did_you_mean(terms.owner, owners)}')
    alone = next(iter(owners)) if len(owners) == 1 else None
    owner = draft.owner or terms.owner or alone
    if owner is None:
        raise WrongUsageError(
            f'nobody owns "{draft.at}", for which {draft.code.code} is to be waived: name who ends such waivers with '
            "--waiver-owner"
        )
    return {
        "rule": draft.code.code,
        "at": draft.at,
        "reason": terms.reason,
        "owner": owner,
        "until": terms.until,
    }


def _with(before: bytes, path: str, entries: list[Mapping[str, str]]) -> bytes:
    try:
        text = before.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PipegenError(f'cannot write waivers into "{path}": it is not UTF-8') from error
    edit = written(text, path, entries)
    if edit is None:
        raise PipegenError(f'cannot write waivers into "{path}": write "waivers: []" at the end of it, and try again')
    mark = b"\xef\xbb\xbf" if before.startswith(b"\xef\xbb\xbf") else b""
    return mark + applied(text, with_breaks_of(text, [edit])).encode("utf-8")


def _check(tree: Tree, path: str, count: int, plans: Iterable[Plan]) -> None:
    """See that every pipeline has the new waivers: one with a list of its own does not see the others."""
    workspaces, found = load_workspaces(tree, path)
    wrong = next((one.message for one in found if one.severity is Severity.ERROR), None)
    if wrong is not None:
        raise WrongUsageError(f"--waiver-reason cannot stand in a waiver: {wrong}")
    before = {plan.workspace.pipeline: len(plan.workspace.waivers) for plan in plans}
    for workspace in workspaces:
        if workspace.pipeline in before and len(workspace.waivers) != before[workspace.pipeline] + count:
            whose = "" if workspace.pipeline is None else f': pipeline "{workspace.pipeline}" has waivers of its own'
            raise PipegenError(f'cannot write waivers into "{path}"{whose}')
