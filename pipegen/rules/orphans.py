"""Test files that no area owns on any lane: whole directories of them, and those that lie beside owned ones."""

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from posixpath import commonprefix
from typing import Final, TypeAlias

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Related, Span
from pipegen.model import Claim, TestPath
from pipegen.rules.facts import Facts
from pipegen.rules.missing import folders_of, missing

_SHORT: Final = 3


Causes: TypeAlias = tuple[Span, ...]
"""Places of paths of manifests that are gone, and whose new places hold all of some files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Orphans:
    """Unowned test files: by the topmost directory that holds no owned one, and those without such a directory.

    What a misspelt or renamed path of a manifest was meant to own comes apart, with the places of such paths: it is
    told there, unless somebody asks not to hear of that.
    """

    folders: tuple[tuple[str, tuple[str, ...], Causes], ...]
    files: tuple[tuple[str, Causes], ...]


def orphans(facts: Facts) -> Orphans:
    """What nobody owns."""
    return facts.once(_orphans)


def _orphans(facts: Facts) -> Orphans:
    loose = [path for path in facts.inventory.tests if path not in facts.ownership.owned]
    if not loose:
        return Orphans(folders=(), files=())
    causes = _meant(loose, facts)
    taken = {"", *_above(facts.ownership.owned), *roots(facts)}
    found = Orphans(folders=(), files=())
    for explained in (False, True):
        group = [path for path in loose if (path in causes) is explained]
        shared = {*taken, *_above(path for path in loose if (path in causes) is not explained)}
        here = _grouped(group, shared, causes)
        found = Orphans(folders=(*found.folders, *here.folders), files=(*found.files, *here.files))
    return found


def _grouped(paths: Iterable[str], shared: Container[str], causes: Mapping[str, Span]) -> Orphans:
    """Files by the topmost folder that is not shared with others."""
    folders: dict[str, list[str]] = {}
    files = []
    for path in paths:
        whole = [folder for folder in folders_of(path) if folder not in shared]
        if whole:
            folders.setdefault(whole[-1], []).append(path)
        else:
            files.append(path)

    def causes_of(inside: Iterable[str]) -> Causes:
        return tuple(sorted({causes[path] for path in inside if path in causes}))

    return Orphans(
        folders=tuple((folder, tuple(inside), causes_of(inside)) for folder, inside in folders.items()),
        files=tuple((path, causes_of([path])) for path in files),
    )


def _meant(loose: Iterable[str], facts: Facts) -> Mapping[str, Span]:
    """The files that lie where a path that is gone went, or probably did, with the place of that path.

    Of short names too many look alike to tell.
    """
    places: dict[str, Span] = {}
    for one in missing(facts):
        for successor in one.successors:
            several = len(one.successors) > 1  # which git alone says
            if successor.sure or several or len(successor.path.rpartition("/")[2]) > _SHORT:
                places.setdefault(successor.path, one.test.span)
    if not places:
        return {}
    found = ((path, next((at for at in (path, *folders_of(path)) if at in places), None)) for path in loose)
    return {path: places[at] for path, at in found if at is not None}


def _above(paths: Iterable[str]) -> frozenset[str]:
    """All folders that files lie in."""
    found: set[str] = set()
    for path in paths:
        for folder in folders_of(path):
            if folder in found:
                break  # and with it all that it lies in
            found.add(folder)
    return frozenset(found)


def roots(facts: Facts) -> Iterator[str]:
    """The test roots, and the folders that they lie in."""
    for pipeline in facts.pipelines:
        for root in pipeline.workspace.tests.roots:
            yield root.strip("/")
            yield from folders_of(root.strip("/"))


def shown(path: str, facts: Facts) -> str:
    """A path from the repository's root as it would stand in a manifest's `tests`."""
    root = facts.pipelines[0].workspace.tests.roots[0].rstrip("/") + "/" if facts.pipelines else ""
    root = root.removeprefix("./")
    return path[len(root) :] if path.startswith(root) else f"//{path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """What areas own, by the folders that it lies in."""

    facts: Facts
    inside: Mapping[str, Sequence[Claim]]
    in_commands: frozenset[TestPath]
    """The tests that authors run with commands of their own."""

    @classmethod
    def of(cls, facts: Facts) -> "Neighbours":
        """Sort the claims by where they lie; test roots are everybody's, and make no neighbours."""
        tops = set(roots(facts))
        inside: dict[str, dict[tuple[str, str], Claim]] = {}
        for claim in sorted(facts.ownership.claims, key=lambda claim: claim.test.span.order):
            for folder in (claim.test.file, *folders_of(claim.test.file)):
                if folder not in tops:
                    inside.setdefault(folder, {}).setdefault((claim.area, claim.test.path), claim)
        authored = frozenset(test for job in facts.jobs if not job.generated for test in job.job.tests)
        claims_of = {folder: tuple(claims.values()) for folder, claims in inside.items()}
        return cls(facts=facts, inside=claims_of, in_commands=authored)

    def nearest(self, path: str) -> Claim | None:
        """A claim of the area that owns what lies nearest to a path; None where they have only a root in common.

        Of several as near it is the one whose path begins most alike: `test_eplb_a.py` goes where `test_eplb_b.py` is.
        """
        for folder in folders_of(path):
            claims = self.inside.get(folder)
            if claims:
                return min(
                    claims,
                    key=lambda claim: (-len(commonprefix([path, claim.test.file])), claim.area, claim.test.path),
                )
        return None

    def what_to_add(self, path: str) -> tuple[str, tuple[Related, ...]]:
        """The help line that says what to type so that somebody owns a path, and where."""
        word = json.dumps(shown(path, self.facts), ensure_ascii=False)  # YAML reads it as JSON does
        claim = self.nearest(path.rstrip("/"))
        if claim is None:
            return f"write an area that owns it: tests: [{word}]", ()
        place = f"{claim.test.span.path}:{claim.test.span.line}"
        also = " and to its commands" if claim.test in self.in_commands else ""
        hint = f'add {word} to tests of area "{claim.area}" ({place}){also}, or write an area for it'
        note = f'the nearest area, "{claim.area}", owns "{claim.test.written}"'
        return hint, (Related(span=claim.test.span, note=note),)


def runs_somewhere(paths: Iterable[str], facts: Facts) -> bool:
    """Whether any job collects any of some files."""
    return not facts.once(_collected).isdisjoint(paths)


def _collected(facts: Facts) -> frozenset[str]:
    return frozenset[str]().union(*(job.collected for job in facts.jobs))
