"""Explanations as text for people and as data for programs."""

from collections.abc import Callable, Iterator
from typing import Final

from pipegen.diagnostics import Span
from pipegen.model import Outcome, Planned
from pipegen.plain import Plain, PlainMap
from pipegen.report.json import span_data
from pipegen.report.plan import counts, planned_data, reason_data
from pipegen.select.explain import JobExplained, LaneOwner, PathExplained, Runner
from pipegen.select.neighbours import Neighbour
from pipegen.select.words import quoted

WORDS: Final = {
    Outcome.RUN: "runs",
    Outcome.GATED: "waits at a gate",
    Outcome.SKIPPED: "is skipped",
    Outcome.OMITTED: "is left out",
}
MOST: Final = 40
"""How many jobs an answer lists one by one."""

ShownPath = Callable[[str], str]


def job_text(explained: JobExplained, compared: str, shown: ShownPath) -> str:
    """Why a job runs or does not, as a few lines."""
    planned = explained.planned
    job = planned.job
    lines = [
        f"{job.key}  {job.label}",
        f"  {_about(planned)}",
        f"  defined at   {_place(job.span, shown)}",
        f"  in this build it {WORDS[planned.outcome]}: {planned.reason.text}",
        f"  decided at   {_place(planned.reason.span, shown)}",
        f"  changes from {compared}",
    ]
    lines += [f"  gate         {job.gate.key}"] if planned.gated else []
    lines += [f"  pulls in     {', '.join(explained.pulls_in)}"] if explained.pulls_in else []
    lines += [f"  needed by    {_some(explained.needed_by)}"] if explained.needed_by else []
    return "\n".join(lines) + "\n"


def _about(planned: Planned) -> str:
    job = planned.job
    facts = [f"area {job.origin.area}"] if job.origin.area is not None else []
    facts += [f"lane {job.lane}", f"hardware {job.hardware.name}", f"when {', '.join(word.text for word in job.when)}"]
    return ", ".join(facts)


def _some(names: tuple[str, ...], most: int = 12) -> str:
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest


def _place(span: Span, shown: ShownPath) -> str:
    return f"{shown(span.path)}:{max(span.line, 1)}:{max(span.column, 1)}"


def path_text(explained: PathExplained, *, exists: bool, meant: str | None, shown: ShownPath) -> str:
    """What a file means to the workspace, as a few paragraphs."""
    test = f"::{explained.test}" if explained.test is not None else ""
    lines = [f"{explained.path}{test}"]
    if not exists:
        lines.append("  no such file" + (f": did you mean {quoted(meant)}?" if meant else ""))
    lines += ["", *_owner_lines(explained, shown)]
    lines += ["", *_runner_lines(explained, shown)] if explained.runners else []
    lines += ["", *_selection_lines(explained, shown)]
    lines += ["", *_miss_lines(explained, shown)] if explained.spared or explained.near else []
    return "\n".join(lines) + "\n"


def _owner_lines(explained: PathExplained, shown: ShownPath) -> Iterator[str]:
    if not explained.owners:
        yield "nobody owns it" + (", it is the workspace's own" if explained.own else "")
        return
    yield "who owns it"
    for owner in explained.owners:
        test = owner.claim.test
        yield f"  {owner.lane}: {owner.claim.area}, by {quoted(test.written)}  {_place(test.span, shown)}{_none(owner)}"
    if explained.unowned:
        yield f"  nobody on {', '.join(explained.unowned)}"


def _none(owner: LaneOwner) -> str:
    return "" if owner.absence is None else f" (no job there: {owner.absence.reason})"


def _runner_lines(explained: PathExplained, shown: ShownPath) -> Iterator[str]:
    yield "which jobs run it"
    for runner in explained.runners:
        touch = runner.touch
        line = f"  {runner.job.key}: {touch.word} {quoted(touch.pattern)}  {_place(touch.span, shown)}"
        yield line + _narrowing(runner) + _quarantine(runner, explained.path)


def _quarantine(runner: Runner, path: str) -> str:
    names = _quarantined(runner, path)
    return f" (without {', '.join(map(quoted, names))}, in quarantine)" if names else ""


def _quarantined(runner: Runner, path: str) -> tuple[str, ...]:
    """What the job leaves out of a file because it is in quarantine, as written."""
    return tuple(test.written for test in runner.job.quarantined if test.file == path)


def _narrowing(runner: Runner) -> str:
    words = [f"-{letter} {quoted(text)}" for letter, text in (("k", runner.job.k), ("m", runner.job.m)) if text]
    match runner.takes:
        case True:
            return ""
        case False:
            return f" (but {' '.join(words)} leaves it out)"
        case None:
            return f" (as far as {' '.join(words)} takes it)"


def _selection_lines(explained: PathExplained, shown: ShownPath) -> Iterator[str]:
    """What the file alone would select; why everything runs, or nothing, in one line."""
    plan = explained.plan
    if plan.run_all is not None:
        yield f"a change to it runs everything: {plan.run_all.text}  {_place(plan.run_all.span, shown)}"
        return
    if plan.nothing is not None and plan.planned:
        reason = plan.planned[0].reason
        yield f"a change to it alone selects nothing: {plan.nothing}  {_place(reason.span, shown)}"
        return
    chosen = [one for one in plan.planned if one.outcome is Outcome.RUN]
    causes = [one for one in chosen if one.reason.file is not None]
    others = [one.job.key for one in chosen if one.reason.file is None]
    if not causes:
        yield "a change to it selects no job" + (f", but those that run anyway ({len(others)})" if others else "")
        return
    yield f"a change to it selects {len(causes)} job{'' if len(causes) == 1 else 's'}"
    for one in causes[:MOST]:
        pattern = f": {one.reason.text}" if one.reason.pattern is None else f" by {quoted(one.reason.pattern)}"
        yield f"  {one.job.key}{pattern}  {_place(one.reason.span, shown)}"
    if len(causes) > MOST:
        yield f"  and {len(causes) - MOST} more"
    if others:
        yield f"  with what they wait for, and what runs in every build: {_some(tuple(others))}"


def _miss_lines(explained: PathExplained, shown: ShownPath) -> Iterator[str]:
    yield "what nearly is about it"
    for selector in explained.spared[:MOST]:
        touch = selector.touch
        yield f"  {selector.job.key} excludes it by {quoted(touch.pattern)}  {_place(touch.span, shown)}"
    for near in explained.near:
        users = f" of {_some(near.keys, 3)}" if near.keys else ""
        yield f"  {near.word} {quoted(near.pattern)}{users}  {_place(near.span, shown)}"


def job_data(explained: JobExplained) -> PlainMap:
    """Why a job runs or does not, as data."""
    return {
        **planned_data(explained.planned),
        "pulls_in": list[Plain](explained.pulls_in),
        "needed_by": list[Plain](explained.needed_by),
    }


def path_data(explained: PathExplained, *, exists: bool, meant: str | None) -> PlainMap:
    """What a file means to the workspace, as data."""
    plan = explained.plan
    return {
        "path": explained.path,
        "test": explained.test,
        "exists": exists,
        "meant": meant,
        "owners": [_owner_data(owner) for owner in explained.owners],
        "unowned": list[Plain](explained.unowned),
        "run_by": [_runner_data(runner, explained.path) for runner in explained.runners],
        "own": explained.own,
        "run_all": None if plan.run_all is None else reason_data(plan.run_all),
        "nothing": plan.nothing,
        "counts": counts(plan.planned),
        "selects": [planned_data(one) for one in plan.planned if one.outcome is Outcome.RUN],
        "spared": [
            {"key": one.job.key, "pattern": one.touch.pattern, "place": span_data(one.touch.span)}
            for one in explained.spared
        ],
        "near": [_near_data(near) for near in explained.near],
    }


def _owner_data(owner: LaneOwner) -> PlainMap:
    test = owner.claim.test
    return {
        "lane": owner.lane,
        "area": owner.claim.area,
        "pattern": test.written,
        "runs": owner.claim.runs,
        "none": None if owner.absence is None else owner.absence.reason,
        "place": span_data(test.span),
    }


def _runner_data(runner: Runner, path: str) -> PlainMap:
    return {
        "key": runner.job.key,
        "word": runner.touch.word,
        "pattern": runner.touch.pattern,
        "k": runner.job.k,
        "m": runner.job.m,
        "takes": runner.takes,
        "quarantined": list[Plain](_quarantined(runner, path)),
        "place": span_data(runner.touch.span),
    }


def _near_data(near: Neighbour) -> PlainMap:
    return {"word": near.word, "pattern": near.pattern, "keys": list[Plain](near.keys), "place": span_data(near.span)}
