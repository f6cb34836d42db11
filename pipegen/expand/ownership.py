"""Who owns which test path on which lane, and what a job must therefore leave out.

On one lane the most specific area owns a path, and an area never runs what a nested area owns there.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipegen import codes
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Related
from pipegen.expand.reading import texts
from pipegen.expand.testpaths import contains, test_path
from pipegen.expand.variation import Variation
from pipegen.manifest.inheritance import lay
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
    return tuple(sorted(result.values(), key=lambda claim: (claim.lane, claim.test.path, claim.test.span.order)))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lane:
    """The claims of one lane in the order of their files, so that all inside of a folder stand together."""

    files: list[str]
    claims: list[Claim]

    def inside(self, outer: TestPath) -> Iterator[Claim]:
        """The claims whose paths a run of `outer` would take in."""
        if outer.is_glob:
            candidates: Iterable[Claim] = self.claims
        else:
            # "0" is the character after "/": everything from FILE to FILE/… lies between the two.
            candidates = self.claims[bisect_left(self.files, outer.file) : bisect_left(self.files, outer.file + "0")]
        return (claim for claim in candidates if contains(outer, claim.test))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ownership:
    """Answers, lane by lane, what lies inside of a path and belongs to others."""

    by_lane: Mapping[str, _Lane]

    @classmethod
    def of(cls, all_claims: Sequence[Claim], report: Report) -> "Ownership":
        """Sort the claims by lane, and report each path that two areas own on one lane."""
        first: dict[tuple[str, str], Claim] = {}
        by_lane: dict[str, list[Claim]] = {}
        for claim in sorted(all_claims, key=lambda claim: (claim.test.span.order, claim.lane)):
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
            by_lane.setdefault(claim.lane, []).append(claim)
        lanes = {}
        for lane, claims_there in by_lane.items():
            in_order = sorted(claims_there, key=lambda claim: (claim.test.file, claim.test.path))
            lanes[lane] = _Lane(files=[claim.test.file for claim in in_order], claims=in_order)
        return cls(by_lane=lanes)

    def nested(
        self, area: str, lane: str, tests: Sequence[TestPath], also: Sequence[TestPath]
    ) -> tuple[tuple[TestPath, Claim], ...]:
        """What other areas own on the lane inside of each entry of `tests`: the outermost paths in it alone.

        What `also` names is run on purpose and is not among them.
        """
        there = self.by_lane.get(lane)
        if there is None:
            return ()
        result: list[tuple[TestPath, Claim]] = []
        for outer in tests:
            found = {
                claim.test.path: claim
                for claim in there.inside(outer)
                if claim.area != area and not any(_wanted(entry, claim.test) for entry in also)
            }
            whole = {claim.test.path.rstrip("/") for claim in found.values() if not claim.test.is_glob}
            result += ((outer, found[path]) for path in sorted(found) if not whole & set(_above(found[path].test)))
        return tuple(result)


def _above(test: TestPath) -> Iterator[str]:
    """The paths that a test path lies in: of a node id the file (and class), of both the folders."""
    yield from (test.path[:at] for at in _places("::", test.path))
    yield from (test.file[:at] for at in _places("/", test.file))


def _places(what: str, text: str) -> Iterator[int]:
    at = text.find(what)
    while at > 0:
        yield at
        at = text.find(what, at + len(what))


def _wanted(entry: TestPath, test: TestPath) -> bool:
    return entry.path.rstrip("/") == test.path.rstrip("/") or contains(entry, test)
