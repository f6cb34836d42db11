"""What jobs wait for: authored keys and areas, with the image of their hardware in front."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from pipegen import codes
from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import Span
from pipegen.dollar import references
from pipegen.expand.budget import MAX_DEPENDENCIES
from pipegen.expand.reading import Reader, texts
from pipegen.expand.variation import Variation
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
        if variation.supplied is None and "depends_on" not in {*variation.nodes, *variation.doubtful}:
            reader.report.add(
                codes.IMPLICIT_DEPENDENCIES,
                variation.place,
                f"{variation.called} states no dependencies and so waits for every gate in front of it",
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
    look_up = _LookUp(
        known=frozenset(keys | set(catalogue.workspace.external_keys)),
        by_area=by_area,
        areas=frozenset(area for area, _ in by_area),
        uncertain=catalogue.uncertain,
        report=report,
    )
    if not _are_few(jobs, by_area, report):
        return tuple(jobs)
    result = []
    for job in jobs:
        gate_waits = tuple(look_up.all_of(_waits_of_gate(job), job))
        gate = job.gate if gate_waits == job.gate.depends_on else replace(job.gate, depends_on=gate_waits)
        waits = None if job.depends_on is None else tuple(look_up.all_of(job.depends_on, job).values())
        as_it_is = gate is job.gate and waits == job.depends_on  # as most: a job has forty fields to copy
        result.append(job if as_it_is else replace(job, depends_on=waits, gate=gate))
    return tuple(result)


def _are_few(jobs: Iterable[Job], by_area: Mapping[tuple[str, str], list[str]], report: Report) -> bool:
    """Whether all dependencies together are a number that can be written out; else a diagnostic says so."""
    count = 0
    for job in jobs:
        for dependency in job.depends_on or ():
            count += len(by_area.get((dependency.key, job.lane), ())) or 1
            if count > MAX_DEPENDENCIES:
                message = f"the jobs up to this one wait for more than {MAX_DEPENDENCIES:,} keys together"
                hint = "name a job that waits for all of the area, instead of the area"
                report.add(codes.TOO_LARGE, dependency.span, message, hint=hint)
                return False
    return True


def _waits_of_gate(job: Job) -> list[Dependency]:
    """What the gate of a job waits for; never the job itself, which waits for the gate."""
    node = job.nodes.get("gate")
    written = texts(node.get("depends_on")) if isinstance(node, MappingNode) else ()
    if len(written) != len(job.gate.depends_on):
        return []  # one of them could not be evaluated
    pairs = zip(job.gate.depends_on, written, strict=True)
    return [Dependency(key=key, allow_failure=False, span=item.span, inherited=True) for key, item in pairs]


@dataclass(frozen=True, slots=True, kw_only=True)
class _LookUp:
    """The keys there are, the jobs of each area by lane, and what is said of a name that is neither."""

    known: frozenset[str]
    by_area: Mapping[tuple[str, str], list[str]]
    areas: frozenset[str]
    uncertain: tuple[str, ...] | None
    report: Report

    def all_of(self, dependencies: Iterable[Dependency], job: Job) -> dict[str, Dependency]:
        """Dependencies by the keys that they stand for."""
        found: dict[str, Dependency] = {}
        for dependency in dependencies:
            for key in self.keys_of(dependency, job):
                found.setdefault(key, dependency if key == dependency.key else replace(dependency, key=key))
        return found

    def keys_of(self, dependency: Dependency, job: Job) -> list[str]:
        """The keys that a dependency of a job stands for."""
        name = dependency.key
        if name in self.known:
            return [] if dependency.inherited and name == job.key else [name]
        if name in self.areas and dependency.inherited and name == job.origin.area:
            return []
        if (name, job.lane) in self.by_area:
            return self.by_area[name, job.lane]
        if not self._is_uncertain(name):
            self._report_unknown(dependency, job)
        return []

    def _is_uncertain(self, name: str) -> bool:
        """Whether the name may be that of a job which mistakes keep from being made."""
        names = self.uncertain
        return names is None or any(name.startswith(known) or name.endswith(known) for known in names)

    def _report_unknown(self, dependency: Dependency, job: Job) -> None:
        name = dependency.key
        if name in self.areas:
            message = f'area "{name}" has no job on lane {job.lane}, where "{job.key}" waits for it'
            hint = "name a key, or give the area a mirror on that lane"
        else:
            message = f'unknown key "{name}" in depends_on'
            external = "write the key or area of a job, or declare it under external_keys if something else uploads it"
            hint = self.report.meant(name, self.known | self.areas) or external
        self.report.add(codes.UNKNOWN_REFERENCE, dependency.span, message, hint=hint)
