"""What a build is about: the change set, the entries of the workspace that changed, and what else is known of it."""

import posixpath
from collections.abc import Mapping
from contextlib import closing

from pipegen.app.expansion import Plan, labels_of, plan_of
from pipegen.app.request import Request
from pipegen.app.templates import folder_of
from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import Code, Diagnostic, PipegenError, WrongUsageError
from pipegen.git import ChangeSet, Comparison, RevisionTree, change_set, parse_changed_files
from pipegen.git import Everything as Unknown
from pipegen.manifest.load import load_workspaces
from pipegen.model import Workspace
from pipegen.select import ChangedFiles, Changes, Circumstances, Edit, Edits, Everything, codes
from pipegen.select.edits import Entries, compare, listed
from pipegen.select.switches import listen
from pipegen.select.unclassified import is_own, own_files
from pipegen.source import Tree, UnreadableError


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a caller says about a build. `changed_files` is the content of such a list; without one, git is asked."""

    changed_files: bytes | None = None
    base: str | None = None
    only: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    schedules: tuple[str, ...] = ()
    every: bool = False
    timeouts: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a build. `compared` says in one sentence where the change set is from."""

    circumstances: Circumstances
    compared: str
    diagnostics: tuple[Diagnostic, ...] = ()


def look(request: Request, plan: Plan, asked: Asked) -> Known:
    """Find out what a build is about. Where something else decides what runs, nobody is asked what changed.

    Raises:
        WrongUsageError: the list of changed files is none, or a switch's value cannot be read.
    """
    said = Circumstances(
        environment=request.environment,
        labels=(*asked.labels, *labels_of(request.environment)),
        schedules=asked.schedules,
        only=asked.only,
        every=asked.every,
        timeouts=asked.timeouts,
    )
    if asked.every:
        return Known(circumstances=said, compared="every job was asked for")
    heard = listen(plan.workspace, said)
    if heard.gate_all is not None or heard.only is not None:
        return Known(circumstances=said, compared="what changed does not matter")
    found = _changes(request, plan, asked)
    edits = _edits(request, plan, found)
    diagnostics = list(found.diagnostics)
    if found.changes == ChangedFiles(paths=()):
        diagnostics.append(
            Diagnostic(
                code=codes.NO_CHANGES,
                span=plan.workspace.selection.span,
                message=f"nothing changed, by {found.compared}: no change selects a job",
                help="see whether what made the change set failed; --all runs everything",
            )
        )
    if edits.unknown is not None:
        hint = "compare with a revision: --base"
        diagnostics.append(_warning(plan.workspace, codes.RUNS_EVERYTHING, edits.unknown.what, hint))
    return Known(
        circumstances=replace(said, changes=found.changes, edits=edits),
        compared=found.compared,
        diagnostics=tuple(diagnostics),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A change set, and the revision to compare entries with.

    That is None where there is none to ask: nobody named one, or (`is_first`) there was nothing before.
    """

    changes: Changes
    compared: str
    revision: str | None = None
    is_first: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()


def _changes(request: Request, plan: Plan, asked: Asked) -> _Found:
    workspace = plan.workspace
    if asked.changed_files is not None:
        return _Found(
            changes=ChangedFiles(paths=parse_changed_files(asked.changed_files)),
            compared="the list of changed files",
            revision=asked.base,
        )
    if workspace.listing is not None:
        cause = "the areas describe another repository, whose changes only --changed-files can name"
        hint = "hand over its change set: --changed-files FILE"
        warning = _warning(workspace, codes.RUNS_EVERYTHING, cause, hint)
        return _Found(changes=Everything(cause=cause), compared="no change set", diagnostics=(warning,))
    return _from_git(request, workspace, plan.build.facts, asked)


def _from_git(request: Request, workspace: Workspace, facts: Mapping[str, str], asked: Asked) -> _Found:
    git = request.place.git(request.environment)
    comparison = Comparison(
        base=asked.base,
        merge_queue_base=facts["merge_queue_base_commit"] or None,
        pull_request_base=facts["merge_queue_base_branch"] or facts["pull_request_base_branch"] or None,
        configured_base=workspace.selection.base,
    )
    match change_set(git, comparison, fetch=True):
        case Unknown() as unknown:
            found = _warning(workspace, unknown.code, unknown.why, unknown.help)
            return _Found(changes=Everything(cause=unknown.why), compared="no change set", diagnostics=(found,))
        case ChangeSet() as changed:
            return _Found(
                changes=ChangedFiles(paths=_from_root(changed.files, git.prefix())),
                compared=changed.why,
                revision=changed.base,
                is_first=changed.base is None,
            )


def _from_root(files: tuple[str, ...], prefix: str) -> tuple[str, ...]:
    """Paths of the repository as paths from the workspace's folder; what lies outside of it begins with `../`."""
    return files if not prefix else tuple(posixpath.relpath(file, prefix) for file in files)


def _warning(workspace: Workspace, code: Code, cause: str, hint: str) -> Diagnostic:
    return Diagnostic(code=code, span=workspace.selection.span, message=f"everything runs: {cause}", help=hint)


def _edits(request: Request, plan: Plan, found: _Found) -> Edits:
    """The entries that changed. Another revision is read only where one of the workspace's own files is among them."""
    changes, workspace = found.changes, plan.workspace
    if not isinstance(changes, ChangedFiles):
        return Edits()
    own = own_files(workspace)
    touched = [path for path in changes.paths if is_own(path, own)]
    if not touched:
        return Edits()
    now = Entries.of(plan.expansion, plan.catalogue.hardware, plan.templates.sources)
    if found.is_first:
        return compare(now, Entries(jobs=(), hardware={}, templates={}), folder_of(workspace))
    if found.revision is None:
        return listed(now, workspace, touched)
    try:
        with closing(RevisionTree.of(request.place.git(request.environment), found.revision)) as tree:
            before = _before(tree, request)
    except (PipegenError, UnreadableError) as error:
        cause = f"the workspace of {found.revision[:12]} cannot be read: {error}"
        return Edits(unknown=Edit(what=cause, file=workspace.path))
    return compare(now, before, folder_of(workspace))


def _before(tree: Tree, request: Request) -> Entries:
    """The entries of another revision, in the same build; none where it has no such workspace or pipeline."""
    known = request
    if request.variables:
        workspaces, _ = load_workspaces(tree, request.place.path)
        declared = {name for workspace in workspaces for name in workspace.variables}
        known = replace(request, variables={n: v for n, v in request.variables.items() if n in declared})
    try:
        plan = plan_of(tree, known)
    except WrongUsageError:
        plan = ()
    if isinstance(plan, tuple):
        return Entries(jobs=(), hardware={}, templates={})
    return Entries.of(plan.expansion, plan.catalogue.hardware, plan.templates.sources)
