"""The `notify` entries that a workspace gives its owners' jobs, checked once where they are written."""

from collections.abc import Iterator, Mapping

from pipegen import codes
from pipegen.diagnostics import Diagnostic
from pipegen.dollar import TextError, escape_tree, literal_tree
from pipegen.model import Workspace
from pipegen.plain import PlainMap
from pipegen.validate.notify import check_step_notify
from pipegen.validate.problem import Problem


def check_notices(
    workspace: Workspace, notices: Mapping[str, PlainMap], *, interpolation: bool
) -> tuple[Diagnostic, ...]:
    """What Buildkite or its agent would not take: a channel stands at its owner, the condition under `notify`."""
    found: dict[Diagnostic, None] = {}
    for name, notice in notices.items():
        problems = (*check_step_notify([notice], (), "notify"), *_uncarriable(notice, interpolation=interpolation))
        found.update((_diagnostic(problem, workspace, name), None) for problem in problems)
    return tuple(found)


def _uncarriable(notice: PlainMap, *, interpolation: bool) -> Iterator[Problem]:
    """A text that does not survive the upload."""
    try:
        escape_tree([notice]) if interpolation else literal_tree([notice])
    except TextError as error:
        message, _, hint = str(error).partition("; ")
        yield Problem(code=codes.UNCARRIABLE_TEXT, path=error.path, message=message, help=hint)


def _diagnostic(problem: Problem, workspace: Workspace, owner: str) -> Diagnostic:
    if workspace.notify is None or "slack" in problem.path:
        span, hint = workspace.owners[owner].span, 'write the channel alone, as in slack: "#ci"'
    else:
        span, hint = workspace.notify.condition_span, "leave it out to hear of failures"
    return Diagnostic(code=problem.code, span=span, message=problem.message, help=problem.help or hint)
