"""A lane is `required`, and an area has neither a job on it nor a reasoned `none`.

A required lane is one on which every owned test runs. Without this rule an area could come without its mirror, and
nobody would ask. Add a mirror on the lane's hardware, or say there why the tests do not run: a `none` with its reason
counts, and stays visible.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Severity, listing
from pipegen.model import Claim
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.missing import exists

MISSING_ON_REQUIRED_LANE: Final = Code(
    code="PG211",
    name="missing-on-required-lane",
    summary="Tests have neither a job on a required lane nor a reasoned none.",
    severity=Severity.FINDING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    for pipeline in facts.pipelines:
        for lane in sorted(lane.name for lane in pipeline.workspace.lanes.values() if lane.required):
            yield from _missing(lane, pipeline.expansion.claims, facts)


def _missing(lane: str, claims: Iterable[Claim], facts: Facts) -> Iterator[Diagnostic]:
    """What a pipeline owns, and no pipeline has on one of its required lanes."""
    found: dict[str, list[Claim]] = {}
    for claim in sorted(claims, key=lambda claim: (claim.test.span.order, claim.lane)):
        if claim.lane != lane and not _is_there(claim, lane, facts) and exists(claim.test, facts.inventory.files):
            found.setdefault(claim.area, []).append(claim)
    for area, missed in found.items():
        tests = listing(dict.fromkeys(claim.test.written for claim in missed), limit=4)
        runs = "runs" if len({claim.test.path for claim in missed}) == 1 else "run"
        yield Diagnostic(
            code=MISSING_ON_REQUIRED_LANE,
            span=missed[0].test.span,
            message=f'lane {lane} is required, and {tests} of area "{area}" {runs} only on {_others(missed)}',
            help=f"add mirrors: {{{lane}: {{hardware: …}}}}, or say why not: {{{lane}: {{none: REASON}}}}",
        )


def _others(claims: list[Claim]) -> str:
    return ", ".join(sorted({claim.lane for claim in claims}))


def _is_there(claim: Claim, lane: str, facts: Facts) -> bool:
    """Whether some area has all that a claim takes in on a lane as well."""
    owners = facts.ownership.on(lane)
    files = facts.ownership.files[claim.test.path]
    if files:
        return all(path in owners for path in files)
    return any(
        other.lane == lane and (claim.test.file == other.test.file or claim.test.file.startswith(other.test.file + "/"))
        for other in facts.ownership.claims
    )


RULE: Final = Rule(codes=(MISSING_ON_REQUIRED_LANE,), check=_check)
