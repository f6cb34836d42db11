"""The product: which part, variant and mirror every step is expanded to."""

from collections.abc import Collection, Iterable, Iterator

from pipegen import codes
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span
from pipegen.expand.authored import Authored
from pipegen.expand.budget import Budget, size
from pipegen.expand.product import StepProduct
from pipegen.expand.variation import Variation
from pipegen.manifest.inheritance import Removals
from pipegen.manifest.located import Report
from pipegen.model import Absence, Catalogue, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """Every combination of every step, and the lanes that steps do without.

    `lost` are steps of which a combination is missing, because its hardware is not known or not named.
    """

    found: tuple[Variation, ...]
    absences: tuple[Absence, ...]
    lost: tuple[Step, ...]


def variations(catalogue: Catalogue, report: Report) -> Product:
    """Multiply every step by its parts, variants and mirrors."""
    found: list[Variation] = []
    absences: list[Absence] = []
    lost: list[Step] = []
    removals = Removals()
    budget = Budget(report=report)
    authored = Authored()
    for step in catalogue.steps:
        if budget.spent or not budget.takes(size(authored.laid(step.layers)), step):
            lost.append(step)
            continue
        product = StepProduct(
            catalogue=catalogue,
            step=step,
            report=report,
            removals=removals,
            lost=lost,
            budget=budget,
            authored=authored,
        )
        jobs = list(product.own())
        own_lanes = {(job.origin.part, job.origin.variant): job.lane for job in jobs}
        absent: dict[tuple[str | None, str | None, Absence], None] = {}
        for name in product.mirror_names():
            mirrored, without = product.mirror(name, own_lanes)
            jobs += mirrored
            absent |= dict.fromkeys(without)
        found += jobs
        absences += dict.fromkeys(_without_contradictions(jobs, absent, product.default_mirrors(), report))
    if budget.spent:
        return Product(found=(), absences=(), lost=catalogue.steps)
    if not lost and catalogue.uncertain == ():
        removals.check(report)
    return Product(found=tuple(found), absences=tuple(absences), lost=tuple(lost))


def _without_contradictions(
    jobs: Iterable[Variation],
    absent: Iterable[tuple[str | None, str | None, Absence]],
    defaults: Collection[Span],
    report: Report,
) -> Iterator[Absence]:
    """The absences, and a report of each `none` on a lane where the same has a job all the same.

    A `none` that a file says for all of its steps does not speak of those that run there themselves.
    """
    present = {(job.origin.part, job.origin.variant, job.lane): job for job in jobs}
    for part, variant, absence in absent:
        job = present.get((part, variant, absence.lane))
        if job is None:
            yield absence
        elif absence.span not in defaults:
            runs = "the step itself" if job.origin.mirror is None else f'mirror "{job.origin.mirror}"'
            report.add(
                codes.CONTRADICTION,
                absence.span,
                f'mirror "{absence.lane}" is none, and {runs} runs on lane {absence.lane}',
                hint="take out one of them",
            )
