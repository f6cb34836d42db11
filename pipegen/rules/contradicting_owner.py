"""An area names one owner, and CODEOWNERS gives its tests to another.

Whoever breaks such a test is sent to one team by the build and to another by the review. Let both say the same: change
`owner` of the area, or the line of CODEOWNERS that decides, which for each file is the last one that matches.

Compared are test files that an area owns, if its owner has a `github` name. Files that CODEOWNERS says nothing about
are not reported.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Related, Severity, Span, listing
from pipegen.model import Owner
from pipegen.rules.code_owners import CodeOwners, Line, read_code_owners
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule

CONTRADICTING_OWNER: Final = Code(
    code="PG220",
    name="contradicting-owner",
    summary="CODEOWNERS gives the tests of an area to another owner.",
    severity=Severity.WARNING,
)
_SHOWN: Final = 3


def _check(facts: Facts) -> Iterator[Diagnostic]:
    owners = _owners(facts)
    file = read_code_owners(facts.inventory.content) if owners else None
    if file is None:
        return
    found: dict[tuple[Span, Line], tuple[Owner, dict[str, None]]] = {}
    for path, area in _owned(facts):
        if area not in owners:
            continue
        owner, span = owners[area]
        line = _other(path, owner, file)
        if line is not None:
            found.setdefault((span, line), (owner, {}))[1][path] = None
    for (span, line), (owner, paths) in found.items():
        yield Diagnostic(
            code=CONTRADICTING_OWNER,
            span=span,
            message=(
                f'owner "{owner.name}" is {owner.github}, and {file.path} gives {listing(sorted(paths), limit=_SHOWN)} '
                f"to {' '.join(line.owners)}"
            ),
            help="let both name the same",
            related=(Related(span=line.span, note=f"the line that decides: {line.pattern}"),),
        )


def _owners(facts: Facts) -> Mapping[str, tuple[Owner, Span]]:
    """By area, its owner and the place that names it, for owners whose name on GitHub is known."""
    found: dict[str, tuple[Owner, Span]] = {}
    for one in facts.jobs:
        job = one.job
        owner = one.pipeline.workspace.owners.get(job.owner or "")
        if job.origin.area is not None and owner is not None and owner.github and "owner" in job.nodes:
            found.setdefault(job.origin.area, (owner, job.nodes["owner"].span))
    return found


def _owned(facts: Facts) -> Iterator[tuple[str, str]]:
    """Test files, each with the areas that own it on any lane."""
    pairs = {(path, claim.area) for by_file in facts.ownership.owners.values() for path, claim in by_file.items()}
    yield from sorted(pairs)


def _other(path: str, owner: Owner, file: CodeOwners) -> Line | None:
    """The line that decides about a file, if it names owners and this one is not among them."""
    line = file.deciding(path)
    if line is None or not line.owners:
        return None
    return None if (owner.github or "").lower() in {name.lower() for name in line.owners} else line


RULE: Final = Rule(codes=(CONTRADICTING_OWNER,), check=_check, reads_content=True)
