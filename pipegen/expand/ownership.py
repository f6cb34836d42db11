"""Who owns which test path on which lane, and what a job must therefore leave out.

On one lane the most specific area owns a path, and an area never runs what a nested area owns there.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pipegen import codes
from pipegen.diagnostics import Related
from pipegen.expand.reading import texts
from pipegen.expand.testpaths import contains, test_path
from pipegen.expand.variations import Variation
from pipegen.manifest.layers import lay
from pipegen.manifest.located import Report
from pipegen.model import Absence, Claim, Step, TestPath, TestSettings


def claims(
    found: Iterable[Variation], absences: Iterable[Absence], steps: Sequence[Step], settings: TestSettings
) -> tuple[Claim, ...]:
    """One claim for each area, lane and path. A rerun on the same lane claims nothing."""
    result: dict[tuple[str, str, str], Claim] = {}
    for variation in found:
        if variation.rerun:
            continue
        for entry in texts(variation.nodes.get("tests")):
            _add(
                result,
                Claim(area=owner_name(variation.step), lane=variation.lane, test=test_path(entry, settings), runs=True),
            )
    by_name = {(step.area, step.name): step for step in steps}
    for absence in absences:
        step = by_name.get((absence.area, absence.step))
        if step is None:
            continue
        for entry in texts(lay(step.layers, Report()).get("tests")):
            _add(result, Claim(area=owner_name(step), lane=absence.lane, test=test_path(entry, settings), runs=False))
    return tuple(sorted(result.values(), key=lambda claim: (claim.lane, claim.test.path, claim.test.span)))


def _add(result: dict[tuple[str, str, str], Claim], claim: Claim) -> None:
    key = (claim.area, claim.lane, claim.test.path.rstrip("/"))
    if key not in result or (claim.runs and not result[key].runs):
        result[key] = claim


def owner_name(step: Step) -> str:
    """What owns the tests of a step: its area, or for a step of a manifest itself, by its key."""
    if step.area is not None:
        return step.area
    key = texts(step.layers[-1].nodes.get("key"))
    return key[0].text if key else ""


@dataclass(slots=True, kw_only=True)
class Ownership:
    """Answers, lane by lane, what lies inside of a path and belongs to others."""

    by_lane: dict[str, list[Claim]] = field(default_factory=dict)

    @classmethod
    def of(cls, all_claims: Sequence[Claim], report: Report) -> "Ownership":
        """Sort the claims by lane, and report each path that two areas own on one lane."""
        ownership = cls()
        first: dict[tuple[str, str], Claim] = {}
        for claim in sorted(all_claims, key=lambda claim: (claim.test.span, claim.lane)):
            earlier = first.setdefault((claim.lane, claim.test.path.rstrip("/")), claim)
            if earlier.area != claim.area:
                report.add(
                    codes.OWNED_TWICE,
                    claim.test.span,
                    f'"{claim.test.written}" is owned by "{claim.area}" and by "{earlier.area}" on lane {claim.lane}',
                    hint='take it out of one of them, or run it without owning it: "also" instead of "tests"',
                    related=(Related(span=earlier.test.span, note=f'"{earlier.area}" owns it here'),),
                )
                continue
            ownership.by_lane.setdefault(claim.lane, []).append(claim)
        return ownership

    def nested(
        self, area: str, lane: str, tests: Sequence[TestPath], also: Sequence[TestPath]
    ) -> tuple[tuple[TestPath, Claim], ...]:
        """What other areas own on the lane inside of `tests`, the outermost paths alone, with the entry they lie in.

        What `also` names is run on purpose and is not among them.
        """
        result: list[tuple[TestPath, Claim]] = []
        for claim in self.by_lane.get(lane, ()):
            if claim.area == area:
                continue
            outer = next((test for test in tests if contains(test, claim.test)), None)
            if outer is None or any(_wanted(entry, claim.test) for entry in also):
                continue
            result.append((outer, claim))
        return tuple(
            (outer, claim)
            for outer, claim in result
            if not any(
                contains(other.test, claim.test) for _, other in result if other is not claim and not other.test.is_glob
            )
        )


def _wanted(entry: TestPath, test: TestPath) -> bool:
    return entry.path.rstrip("/") == test.path.rstrip("/") or contains(entry, test)
