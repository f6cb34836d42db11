"""What a build's page says of its plan, as Markdown."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.model import Outcome, Planned, Reason
from pipegen.report.commonmark import MAX_BYTES, code, escaped
from pipegen.select import BuildPlan, Circumstances, Everything

MOST_IN_VIEW: Final = 10
"""Entries of a list; of more, the page shows how many, and the list on a click."""

_OUTCOMES: Final = (Outcome.RUN, Outcome.GATED, Outcome.SKIPPED, Outcome.OMITTED)
_IN_WORDS: Final = {
    Outcome.GATED: ("waits behind a gate", "wait behind a gate"),
    Outcome.SKIPPED: ("is skipped", "are skipped"),
    Outcome.OMITTED: ("is left out", "are left out"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What an annotation tells of: the plan and what it rests on. `compared` says where the change set is from."""

    pipeline: str | None
    plan: BuildPlan
    circumstances: Circumstances
    compared: str
    unclassified: tuple[str, ...]


def style_of(told: Told) -> str:
    """The colour: a warning where something could not be known, or nothing is about a changed file."""
    unsure = isinstance(told.circumstances.changes, Everything) or told.circumstances.edits.unknown is not None
    return "warning" if unsure or told.unclassified else "info"


def summary(told: Told) -> str:
    """All that is said of a plan."""
    paragraphs = [_counts(told), *_why(told)]
    if told.plan.planned:
        paragraphs.append("\n".join(_lanes(told.plan.planned)))
    paragraphs += _lists(told)
    return "\n\n".join(paragraphs) + "\n"


def annotation(head: str, body: str, *, limit: int = MAX_BYTES) -> str:
    """A first paragraph and the summary, cut between lines where there is more than the agent takes."""
    text = f"{head}\n\n{body}"
    if len(text.encode(errors="replace")) <= limit:
        return text
    notice = "\n\nThere is more than an annotation can hold: the artifact has the whole plan.\n"
    room = limit - len(notice.encode()) - len("\n\n</details>")
    kept: list[str] = []
    for line in text.splitlines():
        room -= len(line.encode(errors="replace")) + 1
        if room < 0:
            break
        kept.append(line)
    shown = "\n".join(kept)
    # As lines: what somebody called a file stands behind a bullet.
    inside = sum(line.startswith("<details>") for line in kept) > kept.count("</details>")
    return shown + ("\n\n</details>" if inside else "") + notice


def _counts(told: Told) -> str:
    whose = "" if told.pipeline is None else f"Pipeline {code(told.pipeline)}: "
    if told.plan.nothing is not None:
        return f"{whose}**no job runs**, since {escaped(told.plan.nothing)}"
    run, *others = (_number(told.plan.planned, outcome) for outcome in _OUTCOMES)
    jobs = len(told.plan.planned)
    first = f"**{run:,} of {jobs:,} job{'' if jobs == 1 else 's'} {'runs' if run == 1 else 'run'}**"
    rest = [
        f"{count:,} {_IN_WORDS[outcome][count > 1]}"
        for outcome, count in zip(_OUTCOMES[1:], others, strict=True)
        if count
    ]
    return whose + ", ".join((first, *rest))


def _number(planned: Iterable[Planned], outcome: Outcome) -> int:
    return sum(1 for one in planned if one.outcome is outcome)


def _why(told: Told) -> Iterator[str]:
    """What decided about all jobs at once."""
    yield f"Basis: {escaped(told.compared)}"
    if told.plan.run_all is not None:
        why = told.plan.run_all
        yield f"**Everything runs**: {_reason(replace(why, text=why.text.removeprefix('everything runs: ')))}"
    unknown = told.circumstances.edits.unknown
    if unknown is not None:
        yield f"**Any job may be edited**: {escaped(unknown.what)}"
    for name, reason in told.plan.schedules.items():
        yield f"A build of the schedule {code(name)}: {_reason(reason)}"


def _reason(reason: Reason) -> str:
    return f"{escaped(reason.text)} ({code(str(reason.span))})"


def _lanes(planned: Sequence[Planned]) -> Iterator[str]:
    """A table of lanes, in the order of the pipeline."""
    shown = [outcome for outcome in _OUTCOMES if outcome is Outcome.RUN or _number(planned, outcome)]
    yield "| lane | " + " | ".join(outcome.value for outcome in shown) + " |"
    yield "| --- |" + " ---: |" * len(shown)
    for lane in dict.fromkeys(one.job.lane for one in planned):
        here = [one for one in planned if one.job.lane == lane]
        yield f"| {escaped(lane)} | " + " | ".join(f"{_number(here, outcome):,}" for outcome in shown) + " |"


def _lists(told: Told) -> Iterator[str]:
    edits = told.circumstances.edits
    new = [key for key, edit in edits.jobs.items() if edit.new]
    edited = [f"{code(key)} {escaped(edit.what)}" for key, edit in edits.jobs.items() if not edit.new]
    yield from _listed("changed file that nothing is about", "changed files that nothing is about", told.unclassified)
    yield from _listed("new job", "new jobs", new)
    yield from _listed("edited job", "edited jobs", edited, as_code=False)
    yield from _listed("removed job", "removed jobs", edits.removed)


def _listed(one: str, many: str, entries: Sequence[str], *, as_code: bool = True) -> Iterator[str]:
    """A list with its heading; folded away where it is long."""
    if not entries:
        return
    heading = f"{len(entries):,} {one if len(entries) == 1 else many}"
    rows = "\n".join(f"* {code(entry) if as_code else entry}" for entry in entries)
    if len(entries) <= MOST_IN_VIEW:
        yield f"**{heading}**\n\n{rows}"
    else:
        yield f"<details><summary>{heading}</summary>\n\n{rows}\n\n</details>"
