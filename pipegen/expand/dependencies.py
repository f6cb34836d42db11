"""What jobs wait for: authored keys and areas, with the image of their hardware in front."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from pipegen import codes
from pipegen.diagnostics import Span, did_you_mean
from pipegen.dollar import references
from pipegen.expand.reading import Reader
from pipegen.expand.variations import Variation
from pipegen.manifest.fields import Level
from pipegen.manifest.layers import is_plus
from pipegen.manifest.located import Items, Node, Report, Scalar, has_jinja
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.model import Catalogue, Dependency, Job


def stated(variation: Variation, reader: Reader, names: Mapping[str, object]) -> tuple[Dependency, ...] | None:
    """What a job states that it waits for: names of keys and areas, not looked up yet; None if nothing does.

    The hardware's own (its image) stand in front of what is authored; an authored `[]` drops them. Of one that is
    named twice the later says whether it may fail.
    """
    authored = _evaluated(variation.nodes.get("depends_on"), reader, names)
    if isinstance(authored, Items) and not authored.items:
        return ()
    supplied = _evaluated(variation.supplied, reader, names)
    if authored is None and supplied is None:
        if variation.supplied is None and "depends_on" not in variation.nodes:
            reader.report.add(
                codes.IMPLICIT_DEPENDENCIES,
                variation.step.span,
                f'"{names["key"]}" states no dependencies and so waits for every gate in front of it',
                hint="write depends_on: [], or what it waits for",
            )
        return None
    own = _own_places(variation)
    found = (*_read(supplied, frozenset(), reader.report), *_read(authored, own, reader.report))
    return tuple({dependency.key: dependency for dependency in found}.values())


def _evaluated(node: Node | None, reader: Reader, names: Mapping[str, object]) -> Node | None:
    """The list with its expressions replaced; None where there is none, or a diagnostic says why."""
    if node is None or reader.read({"depends_on": node}, "depends_on", names) is None:
        return None
    return reader.evaluate(node, names) if has_jinja(node) else node


def _own_places(variation: Variation) -> frozenset[Span]:
    """Where the step itself says what it waits for; all else comes from defaults of something wider."""
    own = {Level.STEP, Level.PART, Level.VARIANT, Level.MIRROR}
    if variation.step.name is None:
        own.add(Level.AREA)
    return frozenset(
        node.span
        for layer in variation.layers
        if layer.level in own and "depends_on" in layer.nodes
        for node in _items(layer.nodes["depends_on"])
    )


def _items(node: Node | None) -> tuple[Node, ...]:
    return node.items if isinstance(node, Items) else () if node is None else (node,)


def _read(node: Node | None, own: Collection[Span], report: Report) -> list[Dependency]:
    result = []
    for item in _items(node):
        match item:
            case Scalar() if not is_plus(item) and not item.is_null:
                result.append(
                    Dependency(key=item.text, allow_failure=False, span=item.span, inherited=item.span not in own)
                )
            case MappingNode():
                step, may_fail = item.get("step"), item.get("allow_failure")
                if isinstance(step, Scalar):
                    allowed = isinstance(may_fail, Scalar) and may_fail.text == "true"
                    result.append(
                        Dependency(key=step.text, allow_failure=allowed, span=step.span, inherited=item.span not in own)
                    )
            case _:
                pass
    for dependency in result:
        for name in references(dependency.key):
            report.add(
                codes.JINJA_ERROR,
                dependency.span,
                f'depends_on: "upload.{name}" is known only when the agent uploads, and keys are needed before',
                hint="write the key itself",
            )
    return result


def resolve_dependencies(jobs: Sequence[Job], catalogue: Catalogue, report: Report) -> tuple[Job, ...]:
    """Replace areas by their jobs on the same lane, and report names that are neither key nor area.

    A key wins over an area. A default of something wider (hardware, file, an area with steps) may name a job that has
    it as well, or its area: that job does not wait for itself.
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
        return [] if dependency.inherited and name == job.key else [name]
    areas = {area for area, _ in by_area}
    if name in areas:
        if dependency.inherited and name == job.origin.area:
            return []
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
