"""What a diagnostic is about, in the words that a waiver may use: a file, an area, the key of a job, what it quotes."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Diagnostic, Span
from pipegen.model import Job, Step
from pipegen.rules.facts import Pipeline

_QUOTED: Final = re.compile(r'"([^"]+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """Lines of a file that one area or step has, and what it is called there: its area, and the keys of its jobs."""

    start: tuple[int, int]
    end: tuple[int, int]
    area: str | None
    keys: tuple[str, ...]
    owner: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What stands where in the manifests, to tell what a diagnostic is about."""

    regions: Mapping[str, Sequence[Region]] = field(default_factory=dict)

    @classmethod
    def of(cls, pipelines: Iterable[Pipeline]) -> "Names":
        """Collect the areas and steps of all pipelines."""
        found: dict[str, set[Region]] = {}
        for pipeline in pipelines:
            jobs: dict[tuple[Span, str | None], list[Job]] = {}
            for job in pipeline.expansion.jobs:
                jobs.setdefault((job.span, job.origin.area), []).append(job)
            for step in pipeline.catalogue.steps:
                for region in _regions(step, jobs.get((step.span, step.area), ())):
                    found.setdefault(step.span.path, set()).add(region)
        return cls(regions={path: sorted(regions, key=_place) for path, regions in found.items()})

    def around(self, span: Span) -> tuple[Region, ...]:
        """The areas and steps that a place lies in."""
        at = (span.line, span.column)
        return tuple(region for region in self.regions.get(span.path, ()) if region.start <= at < region.end)

    def subjects(self, diagnostic: Diagnostic) -> tuple[str, ...]:
        """All that a diagnostic is about, each as a path is written."""
        found = [diagnostic.span.path]
        for region in self.around(diagnostic.span):
            found += [*([] if region.area is None else [region.area]), *region.keys]
        found += quoted(diagnostic)
        return tuple(dict.fromkeys(found))


def _regions(step: Step, jobs: Sequence[Job]) -> Iterator[Region]:
    """Where a step stands, and the area that it is of."""
    owner = next((job.owner for job in jobs if job.owner is not None), None)
    keys = tuple(sorted(job.key for job in jobs))
    layer = step.layers[-1]
    start = _start(layer.place)
    yield Region(start=start, end=_end(layer.span), area=step.area, keys=keys, owner=owner)
    if step.area is not None and step.name is not None:
        area = step.layers[1]
        yield Region(start=_start(area.place), end=_end(area.span), area=step.area, keys=(), owner=owner)


def _start(span: Span) -> tuple[int, int]:
    return span.line, span.column


def _end(span: Span) -> tuple[int, int]:
    return span.end_line, span.end_column


def _place(region: Region) -> tuple[object, ...]:
    return region.start, region.end, region.area or "", region.keys, region.owner or ""


def quoted(diagnostic: Diagnostic) -> tuple[str, ...]:
    """What a message quotes, each as a path is written."""
    return tuple(word.rstrip("/") for word in _QUOTED.findall(diagnostic.message))
