"""Variations become jobs: every attribute evaluated and typed, in the order in which they are emitted."""

from collections.abc import Iterable, Mapping, Sequence

from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import Diagnostic, has_errors
from pipegen.expand import attributes
from pipegen.expand.collisions import check_keys
from pipegen.expand.dependencies import resolve_dependencies, stated
from pipegen.expand.facts import with_facts
from pipegen.expand.keys import full_title, gate_of, key_of
from pipegen.expand.narrowing import narrowing, unproven_parts
from pipegen.expand.ownership import Ownership, claims
from pipegen.expand.placement import Placement, place
from pipegen.expand.quarantine import Quarantine
from pipegen.expand.reading import Reader, number_of, text_of, texts
from pipegen.expand.script import Script, ScriptWriter
from pipegen.expand.siblings import Siblings
from pipegen.expand.testpaths import test_path
from pipegen.expand.variation import Variation
from pipegen.expand.variations import variations
from pipegen.jinja import Expressions, Facts, Names, Upload
from pipegen.manifest.layers import Nodes
from pipegen.manifest.located import Report
from pipegen.model import Build, Catalogue, Expansion, Job, Located, Step


def expand(catalogue: Catalogue, build: Build) -> tuple[Expansion, tuple[Diagnostic, ...]]:
    """Every job of the pipeline, whatever is selected later. Jobs with mistakes are left out of the result."""
    report = Report()
    reader = Reader(expressions=Expressions(), report=report)
    names = build_names(build)
    catalogue = with_facts(catalogue, reader, names)
    product = variations(catalogue, report)
    found, absences = product.found, product.absences
    all_claims = claims(found, absences, catalogue.steps, catalogue.workspace.tests)
    siblings = Siblings.of(found, absences, catalogue.steps, catalogue.workspace.tests)
    maker = _JobMaker(
        catalogue=catalogue,
        names=names,
        reader=reader,
        ownership=Ownership.of(all_claims, report),
        quarantine=Quarantine.of(catalogue, build, report),
        siblings=siblings,
    )
    made = [(variation, maker.make(variation)) for variation in found]
    jobs = [job for _, job in made if job is not None]
    lost = [*product.lost, *(variation.step for variation, job in made if job is None)]
    for variation in found:
        unproven_parts(variation, reader, names)
    required = [lane.name for lane in catalogue.workspace.lanes.values() if lane.required]
    siblings.unproven(required, reader, names)
    ordered = _in_order(jobs, catalogue.steps)
    check_keys(ordered, catalogue.workspace.external_keys, report)
    resolved = resolve_dependencies(ordered, _without(catalogue, lost), report)
    return Expansion(jobs=resolved, absences=absences, claims=all_claims), tuple(report.found)


def _without(catalogue: Catalogue, lost: Iterable[Step]) -> Catalogue:
    """The catalogue in which references to jobs that mistakes keep from being made cannot be judged."""
    if catalogue.uncertain is None:
        return catalogue
    names = {name for step in lost for name in step.references}
    return replace(catalogue, uncertain=tuple(sorted({*catalogue.uncertain, *names})))


def _in_order(jobs: Iterable[Job], steps: Sequence[Step]) -> tuple[Job, ...]:
    """By group (the lowest `order` of its files, then its name), then by key."""
    orders: dict[str, int] = {}
    for step in steps:
        group = step.manifest.group.text
        orders[group] = min(orders.get(group, step.manifest.order), step.manifest.order)
    return tuple(sorted(jobs, key=lambda job: (orders.get(job.group.text, 0), job.group.text, job.key, job.span.order)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Naming:
    """What a job is called, and the names that its expressions may read."""

    key: str
    title: str
    label: str
    parallelism: int
    names: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class _JobMaker:
    catalogue: Catalogue
    names: Mapping[str, object]
    reader: Reader
    ownership: Ownership
    quarantine: Quarantine
    siblings: Siblings

    def make(self, variation: Variation) -> Job | None:
        """One job, or None with a diagnostic."""
        report = self.reader.report
        before = len(report.found)
        placement = place(variation, self.reader, self.names)
        if placement is None:
            return None
        naming = self._naming(variation, placement)
        script = self._script(variation, naming)
        job = self._assembled(variation, placement, naming, script)
        return None if has_errors(report.found[before:]) else job

    def _naming(self, variation: Variation, placement: Placement) -> _Naming:
        nodes = variation.nodes
        key = key_of(variation)
        names = self._names(variation, placement)
        parallelism = number_of(self.reader.read(nodes, "parallelism", names)) or 1
        title = full_title(variation, text_of(self.reader.read(nodes, "title", names)), parallelism)
        names |= {"key": key, "title": title}
        label = text_of(self.reader.read(nodes, "label", names)) or title
        return _Naming(key=key, title=title, label=label, parallelism=parallelism, names=names | {"label": label})

    def _names(self, variation: Variation, placement: Placement) -> dict[str, object]:
        hardware = placement.hardware
        area = variation.step.area or ""
        facts: dict[str, object] = {
            **hardware.facts,
            "facts": Facts("hardware.facts", dict(hardware.facts)),
            "name": hardware.name,
            "title": placement.title,
            "lane": hardware.lane,
            "queue": placement.queue,
            "gpus": placement.gpus,
            "nodes": placement.node_count,
            "tags": Names("hardware.tags", dict(placement.tags)),
        }
        return {**self.names, "hardware": Names("hardware", facts), "area": Names("area", {"name": area})}

    def _script(self, variation: Variation, naming: _Naming) -> Script:
        settings = self.catalogue.workspace.tests
        writer = ScriptWriter(
            variation=variation,
            settings=settings,
            ownership=self.ownership,
            quarantine=self.quarantine,
            reader=self.reader,
            names=naming.names,
        )
        tests = [test_path(entry, settings) for entry in texts(variation.nodes.get("tests"))]
        others = self.siblings.left_by_others(variation, tests, self.reader)
        narrowed = narrowing(variation, others, self.reader, naming.names)
        return writer.write(narrowed, self._working_dir(variation, naming.names), naming.parallelism)

    def _working_dir(self, variation: Variation, names: Mapping[str, object]) -> str:
        authored = text_of(self.reader.read(variation.nodes, "working_dir", names))
        return authored or self.catalogue.workspace.tests.working_dir

    def _assembled(self, variation: Variation, placement: Placement, naming: _Naming, script: Script) -> Job | None:
        workspace = self.catalogue.workspace
        nodes, names, reader = variation.nodes, naming.names, self.reader
        template = attributes.template(variation, reader)
        job_timeout = attributes.timeout(variation, workspace.limits, reader, names)
        if template is None:
            return None
        return Job(
            key=naming.key,
            label=naming.label,
            title=naming.title,
            group=self._group(variation),
            origin=variation.origin,
            owner=next((item.text for item in texts(nodes.get("owner"))), None),
            lane=variation.lane,
            hardware=placement.hardware,
            hardware_title=placement.title,
            queue=placement.queue,
            tags=placement.tags,
            gpus=placement.gpus,
            node_count=placement.node_count,
            template=template,
            working_dir=self._working_dir(variation, names),
            env=attributes.environment(nodes, reader, names),
            setup=script.setup,
            commands=script.commands,
            tests=script.tests,
            also=script.also,
            ignore=script.ignore,
            k=script.narrowing.k,
            m=script.narrowing.m,
            sources=_located(nodes, "sources"),
            when=_located(nodes, "when") or (Located(text="changed", span=variation.step.span),),
            depends_on=stated(variation, reader, names),
            timeout_in_minutes=job_timeout,
            parallelism=naming.parallelism,
            gate=gate_of(variation, names, reader),
            was=tuple(item.text for item in texts(nodes.get("was"))),
            attributes=attributes.buildkite_attributes(nodes, placement, reader, names),
            nodes=nodes,
            span=variation.step.span,
            quarantined=script.quarantined,
        )

    def _group(self, variation: Variation) -> Located:
        """The file's group, unless the hardware or its lane has one for all of its jobs."""
        lane = self.catalogue.workspace.lanes.get(variation.lane)
        for group in (variation.hardware.group, None if lane is None else lane.group):
            if group is not None:
                return group
        return variation.step.manifest.group


def _located(nodes: Nodes, name: str) -> tuple[Located, ...]:
    return tuple(Located(text=item.text, span=item.span) for item in texts(nodes.get(name)))


def build_names(build: Build) -> dict[str, object]:
    """The names of a build that every expression and template may read."""
    hint = "declare it under environment in the workspace file"
    return {
        "build": Names("build", dict(build.facts)),
        "env": Names("env", dict(build.environment), unknown=hint, uncertain="environment" in build.uncertain),
        "vars": Names("vars", dict(build.variables), uncertain="variables" in build.uncertain),
        "upload": Upload(),
    }
