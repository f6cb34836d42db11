"""What jobs wait for: authored keys and areas, with the image of their hardware in front."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pipegen import codes
from pipegen.diagnostics import did_you_mean
from pipegen.expand.variations import Variation
from pipegen.manifest.layers import Layer, is_plus
from pipegen.manifest.located import Items, Node, Report, Scalar
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.model import Catalogue, Dependency, Job


def stated(variation: Variation, lane: Layer | None) -> tuple[Dependency, ...] | None:
    """What a job states that it waits for: names of keys and areas, not looked up yet; None if nothing does.

    The lane's and the hardware's own (their image) stand in front of what is authored; an authored `[]` drops them.
    """
    authored = variation.nodes.get("depends_on")
    if isinstance(authored, Items) and not authored.items:
        return ()
    supplied = [_read(layer.nodes.get("depends_on")) for layer in (lane, variation.hardware.layer) if layer is not None]
    both = [dependency for found in (*supplied, _read(authored)) for dependency in found]
    if not both:
        return None
    return tuple({dependency.key: dependency for dependency in reversed(both)}.values())[::-1]


def _read(node: Node | None) -> list[Dependency]:
    items = node.items if isinstance(node, Items) else () if node is None else (node,)
    result = []
    for item in items:
        match item:
            case Scalar() if not is_plus(item) and not item.is_null:
                result.append(Dependency(key=item.text, allow_failure=False, span=item.span))
            case MappingNode():
                step, may_fail = item.get("step"), item.get("allow_failure")
                if isinstance(step, Scalar):
                    allowed = isinstance(may_fail, Scalar) and may_fail.text == "true"
                    result.append(Dependency(key=step.text, allow_failure=allowed, span=step.span))
            case _:
                pass
    return result


def resolve_dependencies(jobs: Sequence[Job], catalogue: Catalogue, report: Report) -> tuple[Job, ...]:
    """Replace areas by their jobs on the same lane, and report names that are neither key nor area.

    A key wins over an area. A job never waits for itself because its own area is named by a default of its file.
    """
    keys = {job.key for job in jobs}
    by_area: dict[tuple[str, str], list[str]] = {}
    for job in jobs:
        if job.origin.area is not None:
            by_area.setdefault((job.origin.area, job.lane), []).append(job.key)
    known = keys | set(catalogue.workspace.external_keys)
    result = []
    for job in jobs:
        if job.depends_on is None:
            result.append(job)
            continue
        found: dict[str, Dependency] = {}
        for dependency in job.depends_on:
            for key in _keys_of(dependency, job, known, by_area, catalogue, report):
                found.setdefault(key, replace(dependency, key=key))
        result.append(replace(job, depends_on=tuple(found.values())))
    return tuple(result)


def _keys_of(  # noqa: PLR0913, PLR0917 - the tables of one look-up
    dependency: Dependency,
    job: Job,
    known: set[str],
    by_area: Mapping[tuple[str, str], list[str]],
    catalogue: Catalogue,
    report: Report,
) -> list[str]:
    name = dependency.key
    if name in known:
        return [name]
    areas = {area for area, _ in by_area}
    if name in areas:
        if (name, job.lane) in by_area:
            return by_area[name, job.lane]
        report.add(
            codes.UNKNOWN_REFERENCE,
            dependency.span,
            f'area "{name}" has no job on lane {job.lane}, where "{job.key}" waits for it',
            hint="name a key, or give the area a mirror on that lane",
        )
        return []
    uncertain = catalogue.uncertain
    if uncertain is None or any(
        name == prefix or name.startswith(prefix) or name.endswith(prefix) for prefix in uncertain
    ):
        return []
    report.add(
        codes.UNKNOWN_REFERENCE,
        dependency.span,
        f'unknown key "{name}" in depends_on',
        hint=did_you_mean(name, known | areas) or "declare it under external_keys if something else uploads it",
    )
    return []
