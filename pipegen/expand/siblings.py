"""Steps that narrow one area's tests are parts of it: what each takes, lane by lane, and whether anything is left.

On a lane only steps with a place there count (a job, or a reasoned `none`), with what they say for that lane: the
rest of an area on a lane where it has no other step is everything. A rerun takes nothing from anybody.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from pipegen import codes
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span, listing
from pipegen.expand.narrowing import OPTIONS, proven, shares
from pipegen.expand.reading import Reader, texts
from pipegen.expand.testpaths import contains, test_path
from pipegen.expand.variation import Variation
from pipegen.manifest.fields import Level
from pipegen.manifest.inheritance import lay
from pipegen.manifest.layers import Nodes
from pipegen.manifest.located import Report
from pipegen.model import Absence, Step, TestPath, TestSettings

SPEAKING_FOR_THEMSELVES = frozenset({Level.STEP, Level.VARIANT, Level.MIRROR})


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """What one step of an area takes on one lane: of these tests those that its own `k` and `m` leave."""

    step: Step
    narrowed_by: Nodes
    tests: tuple[TestPath, ...]

    @property
    def span(self) -> Span:
        """The place of the step."""
        return self.step.span

    def covers(self, tests: Sequence[TestPath]) -> bool:
        """Whether its tests, before narrowing, are among them all of these."""
        return all(any(_same(own, test) or contains(own, test) for own in self.tests) for test in tests)

    def touches(self, tests: Sequence[TestPath]) -> bool:
        """Whether any of its tests is one of these, lies in one or has one in it."""
        return any(
            _same(own, test) or contains(own, test) or contains(test, own) for own in self.tests for test in tests
        )


def _same(one: TestPath, other: TestPath) -> bool:
    return one.path.rstrip("/") == other.path.rstrip("/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Siblings:
    """What the steps of each area take, by area and lane."""

    takes: Mapping[tuple[str, str], tuple[Take, ...]]

    @classmethod
    def of(
        cls,
        found: Iterable[Variation],
        absences: Iterable[Absence],
        steps: Iterable[Step],
        settings: TestSettings,
    ) -> "Siblings":
        """Collect what named steps of areas take."""
        takes: dict[tuple[str, str], list[Take]] = {}
        named: dict[tuple[str | None, str | None], Step] = {(s.area, s.name): s for s in steps if s.name is not None}

        def add(step: Step, lane: str, narrowed_by: Nodes, tests: Nodes) -> None:
            paths = tuple(test_path(entry, settings) for entry in texts(tests.get("tests")))
            take = Take(step=step, narrowed_by=narrowed_by, tests=paths)
            if step.area is not None:
                known = takes.setdefault((step.area, lane), [])
                if all(_told(other) != _told(take) for other in known):
                    known.append(take)

        for variation in found:
            if variation.step.name is not None and not variation.rerun:
                own = [layer for layer in variation.layers if layer.level in SPEAKING_FOR_THEMSELVES]
                add(variation.step, variation.lane, _narrowed_by(lay(own, Report())), variation.nodes)
        for absence in absences:
            step = named.get((absence.area, absence.step))
            if step is not None:
                add(step, absence.lane, _narrowed_by(lay(step.layers[-1:], Report())), lay(step.layers, Report()))
        return cls(takes={place: tuple(known) for place, known in takes.items()})

    def left_by_others(self, variation: Variation, tests: Sequence[TestPath], reader: Reader) -> tuple[Nodes, ...]:
        """What the other steps of the area write to narrow the same tests on the lane, for a step that takes the rest.

        What cannot be said exactly is reported: a step that narrows other tests, or by `k` and `m` at once.
        """
        step = variation.step
        if not step.rest or step.area is None:
            return ()
        result = []
        takes = self.takes.get((step.area, variation.lane), ())
        for take in sorted(takes, key=lambda take: take.step.name or ""):
            if take.step is step or not take.touches(tests):
                continue
            if take.step.rest:
                _report(reader.report, step, take, "take the rest of the same tests", "let one of them narrow")
            elif not take.narrowed_by:
                continue
            elif not take.covers(tests):
                _report(reader.report, step, take, "narrow different tests of the area", "give them the same tests")
            elif len(take.narrowed_by) > 1:
                hint = f'narrow "{take.step.name}" by k alone, or by m alone'
                _report(reader.report, step, take, "cannot share: what k and m leave together has no words", hint)
            else:
                result.append(take.narrowed_by)
        return tuple(result)

    def unproven(self, required: Collection[str], reader: Reader, names: Mapping[str, object]) -> None:
        """Report narrowing steps that logic cannot prove to take, with their siblings, every test of theirs.

        What one lane leaves another may take (tests for CPUs, and all else), unless every test has to run on it.
        """
        trial = Reader(expressions=reader.expressions, report=Report())
        everywhere: dict[str, list[Take]] = {}
        for (area, _), takes in self.takes.items():
            everywhere.setdefault(area, []).extend(takes)
        for (area, lane), takes in self.takes.items():
            told: set[tuple[str | None, ...]] = set()
            for take in takes:
                if not take.narrowed_by or take.step.rest:
                    continue
                proven_by = takes if lane in required else everywhere[area]
                together = tuple(dict.fromkeys(other.step.name for other in takes if other.covers(take.tests)))
                if together not in told and not _proven(take, proven_by, trial, names):
                    told.add(together)
                    steps = listing(name or "" for name in together)
                    reader.report.add(
                        codes.UNPROVEN_PARTS,
                        take.span,
                        f'of area "{area}" the steps {steps} are not proven to take every test on lane {lane}',
                        hint="add a step with rest: true, or write the last one as the complement of the others",
                    )


def _proven(take: Take, others: Iterable[Take], reader: Reader, names: Mapping[str, object]) -> bool:
    """Whether logic shows that the steps with the same tests take all of them, or cannot even read what they say."""
    together = [other for other in others if other.covers(take.tests)]
    if not take.tests or any(other.step.rest or not other.narrowed_by for other in together):
        return True
    found = [shares(other.narrowed_by, reader, names) for other in together]
    single = [one[0] for one in found if len(one) == 1]
    return not all(found) or any(
        proven([share.expression for share in single if share.kind is kind]) for _, kind in OPTIONS
    )


def _told(take: Take) -> object:
    places = [node.span for _, node in sorted(take.narrowed_by.items())]
    return id(take.step), places, [test.path for test in take.tests]


def _narrowed_by(nodes: Nodes) -> Nodes:
    return {name: nodes[name] for name, _ in OPTIONS if name in nodes}


def _report(report: Report, step: Step, take: Take, what: str, hint: str) -> None:
    report.add(codes.CONTRADICTION, step.span, f'steps "{take.step.name}" and "{step.name}" {what}', hint=hint)
