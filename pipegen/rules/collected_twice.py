"""A test file runs twice on one lane, and nobody says that it is meant to.

It costs a machine and hides which job answers for a failure. On purpose it is said: `also` runs what another area
owns, and a mirror on the same lane is a rerun. Parts, variants and mirrors of one step are no repetition, nor are
shards. Neither are two runs of which `-k` and `-m` leave different tests: this rule speaks only where all that one of
them runs is certainly among what the other runs.

Two runs of one job count too, where nothing is different about the second.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final, TypeAlias

from pipegen.commands import Collected, Expression, How, Named, Place, Setting
from pipegen.commands.programs.known import TABLES
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Code, Diagnostic, Related, Severity, Span, listing
from pipegen.expression import Coverage, ExpressionError, Kind, Not, covers, parse
from pipegen.rules.facts import Facts, JobFacts, Ran
from pipegen.rules.frame import Rule
from pipegen.rules.orphans import shown
from pipegen.rules.ownership import taken_in
from pipegen.rules.places import is_authored, span_of

COLLECTED_TWICE: Final = Code(
    code="PG208",
    name="collected-twice",
    summary="A test file runs twice on one lane, without also or a mirror that reruns it.",
    severity=Severity.FINDING,
)


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """A run of a job that certainly takes place."""

    job: JobFacts
    ran: Ran

    @property
    def step(self) -> tuple[Span, str | None, str | None]:
        """What parts, variants and mirrors of one step have in common."""
        origin = self.job.job.origin
        return self.job.job.span, origin.area, origin.step


_Runs: TypeAlias = list[tuple[_Run, Collected]]


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two runs of the same files: the second is to blame."""

    first: _Run
    second: _Run
    files: list[str] = field(default_factory=list)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    wanted = _also(facts)
    for pipeline in facts.pipelines:
        jobs = [job for job in facts.jobs if job.pipeline is pipeline]
        jobs.sort(key=lambda job: (job.job.span.order, job.job.key))
        for lane in sorted({job.job.lane for job in jobs}):
            pairs: dict[tuple[int, int], _Pair] = {}
            judged: dict[tuple[int, int], bool] = {}
            for path, runs in _by_file([job for job in jobs if job.job.lane == lane]).items():
                for found in _repetitions(path, runs, wanted, judged):
                    first, second = _ordered(*found, path, facts)
                    pairs.setdefault((id(first), id(second)), _Pair(first, second)).files.append(path)
            yield from _told(pairs.values(), lane, facts)


def _also(facts: Facts) -> Mapping[int, frozenset[str]]:
    """By job, the test files that it runs on purpose without owning them."""
    tests, files = facts.inventory.tests, facts.inventory.files
    return {
        id(job): frozenset(path for entry in job.job.also for path in taken_in(entry, tests, files))
        for job in facts.jobs
        if job.job.also
    }


def _by_file(jobs: Iterable[JobFacts]) -> Mapping[str, _Runs]:
    """The runs of each file that has several."""
    found: dict[str, _Runs] = {}
    for job in jobs:
        for ran in job.runs:
            if ran.run.executes and not ran.run.maybe:
                run = _Run(job, ran)
                for collected in ran.collection.files:
                    found.setdefault(collected.path, []).append((run, collected))
    return {path: runs for path, runs in found.items() if len(runs) > 1}


def _repetitions(
    path: str, runs: _Runs, wanted: Mapping[int, frozenset[str]], judged: dict[tuple[int, int], bool]
) -> Iterator[tuple[_Run, _Run]]:
    """Pairs of runs that certainly run the same tests of a file; of each two steps one pair at most."""
    open_to_all = [one for one in runs if path not in wanted.get(id(one[0].job), ())]
    told = set()
    for at, (second, its) in enumerate(open_to_all):
        for first, of_first in open_to_all[:at]:
            steps = (id(first.job), id(second.job)) if first.job is second.job else (first.step, second.step)
            if steps in told or (first.job is not second.job and first.step == second.step):
                continue
            key = (id(first), id(second))
            if key not in judged:
                judged[key] = _alike(first, second) and _overlap(first.ran, second.ran)
            if judged[key] and _share(of_first, its):
                told.add(steps)
                yield first, second


def _alike(first: _Run, second: _Run) -> bool:
    """Whether nothing says that one of the runs is about something else than the other.

    Their options must be the same, and inside of one area the machine and the environment too: another area that runs
    what it does not own has to say so.
    """
    one, other = first.ran.run, second.ran.run
    if (one.tool, _own(one.rest), one.overrides) != (other.tool, _own(other.rest), other.overrides):
        return False
    if first.job is second.job:
        if first.job.job.node_count > 1:
            return False  # its commands are for one machine each
        same = _set(one.environment) == _set(other.environment)
        return same and not _exports_between(first, second)
    mine, its = first.job.job, second.job.job
    if mine.origin.area is None or mine.origin.area != its.origin.area:
        return True
    return (mine.hardware.name, mine.gpus, mine.env) == (its.hardware.name, its.gpus, its.env)


def _own(words: Sequence[str]) -> tuple[str, ...]:
    """The options of a run that the project's own plugins and conftest files define: pytest's say how, not what."""
    found = []
    known = TABLES.pytest
    at = 0
    while at < len(words):
        if words[at] in known.every:
            at += 1 if words[at] in known.flags else 2
        else:
            found.append(words[at])
            at += 1
    return tuple(found)


def _set(environment: Iterable[Setting]) -> list[tuple[str, str | None]]:
    return sorted((setting.name, setting.value or "") for setting in environment)


def _exports_between(first: _Run, second: _Run) -> bool:
    """Whether a job sets anything between two of its runs."""
    start, end = (_order(run.ran.run.place) for run in (first, second))
    settings = first.job.reading.settings
    return any(setting.how is not How.PREFIX and start < _order(setting.place) < end for setting in settings)


def _order(place: Place) -> tuple[int, int]:
    while place.via is not None:
        place = place.via
    return place.command, place.offset


def _overlap(one: Ran, other: Ran) -> bool:
    """Whether all that `-k` and `-m` leave of one run is certainly left of the other as well."""
    return any(
        _within(inner.run.k, outer.run.k, Kind.KEYWORD) and _within(inner.run.m, outer.run.m, Kind.MARK)
        for inner, outer in ((one, other), (other, one))
    )


def _within(inner: Expression | None, outer: Expression | None, kind: Kind) -> bool:
    """Whether what an expression takes is certainly among what another one takes."""
    if outer is None:
        return True
    if inner is None:
        return False
    if inner.text == outer.text:
        return True
    try:
        return covers([Not(operand=parse(inner.text, kind)), parse(outer.text, kind)]) is Coverage.PROVEN
    except ExpressionError:
        return False


def _share(one: Collected, other: Collected) -> bool:
    """Whether two runs of a file have a node in common."""
    if not (one.nodes and other.nodes):
        whole, part = (other, one) if one.nodes else (one, other)
        return any(not node.startswith(whole.without) for node in part.nodes or ("",))
    return any(
        mine == its or mine.startswith((its + "::", its + "[")) or its.startswith((mine + "::", mine + "["))
        for mine in one.nodes
        for its in other.nodes
    )


def _ordered(first: _Run, second: _Run, path: str, facts: Facts) -> tuple[_Run, _Run]:
    """The two with the one to blame last: not the file's owner, or the one that stands last."""
    if first.job is second.job:
        return first, second
    owner = facts.ownership.on(first.job.job.lane).get(path)
    area = None if owner is None else owner.area
    owns = [run.job.job.origin.area == area for run in (first, second)]
    if owns[0] != owns[1]:
        return (first, second) if owns[0] else (second, first)
    one, other = sorted((first, second), key=lambda run: (run.job.job.span, run.job.job.key))
    return one, other


def _told(pairs: Iterable[_Pair], lane: str, facts: Facts) -> Iterator[Diagnostic]:
    """One diagnostic for each place and each step that it meets, however many of their jobs and files do."""
    found: dict[tuple[Span, object], tuple[_Pair, Span, set[str]]] = {}
    for pair in pairs:
        for path in pair.files:
            place, other = _place(pair.second, path, facts), _place(pair.first, path, facts)
            found.setdefault((place, pair.first.step), (pair, other, set()))[2].add(path)
    for (place, _), (pair, other, paths) in found.items():
        names = listing((shown(path, facts) for path in sorted(paths)), limit=4)
        runs = "runs" if len(paths) == 1 else "run"
        first, second = pair.first.job.job, pair.second.job.job
        it = "it" if len(paths) == 1 else "them"
        if first is second:
            where, hint = f'in "{first.key}"', "take one of them out"
        else:
            where = f'on lane {lane}: in "{first.key}" and in "{second.key}"'
            hint = f"leave {it} out here; if it is on purpose, name {it} under also:, or make it a mirror"
        yield Diagnostic(
            code=COLLECTED_TWICE,
            span=place,
            message=f"{names} {runs} twice {where}",
            help=hint,
            related=(Related(span=other, note="and here"),),
        )


def _place(run: _Run, path: str, facts: Facts) -> Span:
    """Where a job says that it runs a file."""
    job = run.job.job
    if not is_authored(job, run.ran.run.place):
        files = facts.inventory.files
        entries = [entry for entry in (*job.tests, *job.also) if taken_in(entry, [path], files)]
        return entries[0].span if entries else job.span
    for target in run.ran.run.targets:
        if isinstance(target, Named) and (path == target.path or path.startswith(target.path + "/")):
            return span_of(job, target.place, target.written)
    return span_of(job, run.ran.run.place)


RULE: Final = Rule(codes=(COLLECTED_TWICE,), check=_check)
