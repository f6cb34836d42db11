"""Selection cases: what changes must select, written down by those who know it, held against what they do select."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipegen.diagnostics import Diagnostic, Related, Span, WrongUsageError, did_you_mean
from pipegen.manifest.cases import SelectionCase
from pipegen.model import Expansion, Located, Outcome, Planned, Workspace
from pipegen.select import codes
from pipegen.select.circumstances import ChangedFiles, Circumstances
from pipegen.select.decide import ALWAYS
from pipegen.select.edits import Entries, listed
from pipegen.select.plan import select
from pipegen.select.reach import Reach
from pipegen.select.words import joined, quoted


def check_cases(
    expansion: Expansion, workspace: Workspace, entries: Entries, cases: Sequence[SelectionCase]
) -> tuple[Diagnostic, ...]:
    """What each case says and selection does not do.

    An entry counts as changed if its file is among the case's. Jobs of every build run whatever changed, so `exactly`
    may name them and need not.
    """
    found: list[Diagnostic] = []
    reach = Reach.of(expansion)
    for case in cases:
        if case.schedule is not None and case.schedule.text not in workspace.schedules:
            hint = did_you_mean(case.schedule.text, workspace.schedules) or "the workspace has none"
            found.append(_found(case, case.schedule.span, f'unknown schedule "{case.schedule.text}"', hint=hint))
            continue
        changes = ChangedFiles(paths=case.changed)
        circumstances = Circumstances(
            changes=changes,
            edits=listed(entries, workspace, changes.ordered),
            environment=case.environment,
            labels=case.labels,
            schedules=() if case.schedule is None else (case.schedule.text,),
        )
        try:
            plan = select(expansion, workspace, circumstances, reach)
        except WrongUsageError as error:
            found.append(_found(case, case.name.span, str(error)))
            continue
        found += _unmet(case, {planned.job.key: planned for planned in plan.planned})
    return tuple(found)


def _unmet(case: SelectionCase, planned: Mapping[str, Planned]) -> Iterator[Diagnostic]:
    wanted = (*(case.exactly or ()), *(case.at_least or ()))
    for key in (*wanted, *(case.never or ())):
        if key.text not in planned:
            yield _found(case, key.span, f'unknown key "{key.text}"', hint=_meant(key.text, planned))
    for key in _known(wanted, planned):
        one = planned[key.text]
        if one.outcome is not Outcome.RUN:
            yield _found(case, key.span, f'"{key.text}" does not run: {one.reason.text}', planned=one)
    for key in _known(case.never or (), planned):
        one = planned[key.text]
        if one.outcome is Outcome.RUN:
            yield _found(case, key.span, f'"{key.text}" runs: {one.reason.text}', planned=one)
    if case.exactly is not None and all(key.text in planned for key in case.exactly):
        yield from _surplus(case, {key.text for key in case.exactly}, planned.values())


def _surplus(case: SelectionCase, wanted: set[str], planned: Iterable[Planned]) -> Iterator[Diagnostic]:
    """Jobs that run and that `exactly` does not name, those of every build left out."""
    for one in planned:
        always = any(word.text == ALWAYS for word in one.job.when)
        if one.outcome is Outcome.RUN and one.job.key not in wanted and not always:
            message = f'"{one.job.key}" runs as well: {one.reason.text}'
            yield _found(
                case, case.name.span, message, planned=one, hint=f"add {one.job.key}, or narrow what selects it"
            )


def _known(keys: Iterable[Located], planned: Mapping[str, Planned]) -> Iterator[Located]:
    return (key for key in keys if key.text in planned)


def _meant(key: str, planned: Mapping[str, Planned]) -> str:
    renamed = [one.job.key for one in planned.values() if key in one.job.was]
    return f"it is {joined(map(quoted, renamed))} now" if renamed else did_you_mean(key, planned)


def _found(
    case: SelectionCase, span: Span, message: str, *, planned: Planned | None = None, hint: str = ""
) -> Diagnostic:
    related = () if planned is None else (Related(span=planned.reason.span, note="this decides"),)
    return Diagnostic(
        code=codes.SELECTION_CASE,
        span=span,
        message=f"case {quoted(case.name.text)}: {message}",
        help=hint,
        related=related,
    )
