"""What `pipegen list` shows, as rows of plain data: the catalogue after inheritance, nothing selected."""

from collections.abc import Sequence

from pipegen.model import Catalogue, Expansion, Job
from pipegen.plain import Plain, PlainMap
from pipegen.report.json import span_data


def areas(catalogue: Catalogue, expansion: Expansion) -> tuple[PlainMap, ...]:
    """Every area: who answers for it, what it owns on which lane, and how many jobs it has."""
    jobs: dict[str, list[Job]] = {}
    for job in expansion.jobs:
        if job.origin.area is not None:
            jobs.setdefault(job.origin.area, []).append(job)
    names = sorted({step.area for step in catalogue.steps if step.area is not None})
    rows: list[PlainMap] = []
    for name in names:
        own = jobs.get(name, [])
        lanes = sorted({job.lane for job in own})
        tests = sorted({claim.test.path for claim in expansion.claims if claim.area == name})
        step = next(step for step in catalogue.steps if step.area == name)
        rows.append(
            {
                "area": name,
                "owner": next((job.owner for job in own if job.owner), None),
                "group": step.manifest.group.text,
                "lanes": list[Plain](lanes),
                "without": [
                    {"lane": absence.lane, "reason": absence.reason}
                    for absence in expansion.absences
                    if absence.area == name
                ],
                "jobs": len(own),
                "tests": list[Plain](tests),
                "place": span_data(step.span),
            }
        )
    return tuple(rows)


def jobs(expansion: Expansion) -> tuple[PlainMap, ...]:
    """Every job, in the order in which it is emitted."""
    return tuple(
        {
            "key": job.key,
            "label": job.label,
            "group": job.group,
            "area": job.origin.area,
            "owner": job.owner,
            "lane": job.lane,
            "hardware": job.hardware.name,
            "queue": job.queue,
            "gpus": job.gpus,
            "nodes": job.node_count,
            "parallelism": job.parallelism,
            "timeout_in_minutes": job.timeout_in_minutes,
            "when": [word.text for word in job.when],
            "depends_on": None if job.depends_on is None else [dependency.key for dependency in job.depends_on],
            "place": span_data(job.span),
        }
        for job in expansion.jobs
    )


def hardware(catalogue: Catalogue, expansion: Expansion) -> tuple[PlainMap, ...]:
    """Every entry of the catalogue, with how many jobs run on it."""
    counts: dict[str, int] = {}
    for job in expansion.jobs:
        counts[job.hardware.name] = counts.get(job.hardware.name, 0) + 1
    return tuple(
        {
            "hardware": entry.name,
            "title": entry.title,
            "lane": entry.lane,
            "queues": sorted(set(entry.queues.values())),
            "gpus": list[Plain](entry.gpus),
            "nodes": list[Plain](entry.nodes),
            "tags": list[Plain](entry.tags),
            "max_timeout_in_minutes": entry.max_timeout_in_minutes,
            "jobs": counts.get(entry.name, 0),
            "place": span_data(entry.span),
        }
        for entry in catalogue.hardware.values()
    )


def table(rows: Sequence[PlainMap], columns: Sequence[str]) -> str:
    """Rows as a table of text with a heading, columns two spaces apart."""
    cells = [[column.replace("_", " ").upper() for column in columns]]
    cells += [[_cell(row[column]) for column in columns] for row in rows]
    widths = [max(len(line[at]) for line in cells) for at in range(len(columns))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    return "\n".join(lines) + "\n"


def _cell(value: Plain) -> str:
    match value:
        case None:
            return "-"
        case str() | int() | float():
            return str(value)
        case Sequence():
            return ", ".join(_cell(item) for item in value) or "-"
        case _:
            return ", ".join(f"{name} {_cell(item)}" for name, item in value.items())
