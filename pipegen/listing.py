"""What `pipegen list` shows, as rows of plain data: the catalogue after inheritance, nothing selected."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pipegen.diagnostics import Span
from pipegen.model import Catalogue, Expansion, Job
from pipegen.plain import Plain, PlainMap
from pipegen.report.json import span_data
from pipegen.report.text import clean
from pipegen.rules.facts import Facts
from pipegen.rules.settings import commanded, written


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
                    {
                        "lane": absence.lane,
                        "reason": absence.reason,
                        "tracking": absence.tracking,
                        "until": None if absence.until is None else absence.until.text,
                    }
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
            "group": job.group.text,
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


def toggles(facts: Facts) -> tuple[PlainMap, ...]:
    """Every declared toggle, by name, and every place that sets it: in `env` or in a command, for which jobs, why."""
    declared = {
        (name, toggle.span): toggle
        for pipeline in facts.pipelines
        for name, toggle in pipeline.workspace.toggles.items()
    }
    found: dict[object, list[Plain]] = {key: [] for key in declared}
    for one in written(facts):
        until = None if one.until is None else one.until.text
        followed: PlainMap = {"because": one.reason, "tracking": one.tracking, "until": until}
        row = _setting(one.values, [*one.keys], "env", one.value_at)
        found[one.toggle.name, one.toggle.span].append({**row, **followed})
    commands: dict[tuple[object, Span, str | None], set[str]] = {}
    for there in commanded(facts):
        key = ((there.toggle.name, there.toggle.span), there.span, there.value)
        commands.setdefault(key, set()).add(there.job.job.key)
    for (of, span, value), keys in sorted(commands.items(), key=lambda item: (item[0][1], item[0][2] or "")):
        row = _setting([] if value is None else [value], sorted(keys), "commands", span)
        found[of].append({**row, "because": None, "tracking": None, "until": None})
    return tuple(
        {
            "toggle": toggle.name,
            "default": toggle.default,
            "values": list[Plain](toggle.values),
            "about": toggle.about or None,
            "set": found[key],
            "place": span_data(toggle.span),
        }
        for key, toggle in sorted(declared.items())
    )


def _setting(values: Sequence[str], keys: Sequence[str], where: str, span: Span) -> dict[str, Plain]:
    return {"values": list[Plain](values), "jobs": list[Plain](keys), "in": where, "place": span_data(span)}


def table_of_toggles(rows: Sequence[PlainMap], shown_path: Callable[[str], str]) -> str:
    """Toggles as a table: a line for each place that sets one, and one for a toggle that nothing sets."""
    lines: list[PlainMap] = []
    for row in rows:
        head: dict[str, Plain] = {"toggle": row["toggle"], "default": row["default"]}
        places = row["set"] if isinstance(row["set"], Sequence) else ()
        settings = [one for one in places if isinstance(one, Mapping)]
        for one in settings:
            place = one["place"]
            where = f"{shown_path(str(place['path']))}:{place['line']}" if isinstance(place, Mapping) else None
            why = " ".join(str(one[name]) for name in ("because", "tracking") if one[name] is not None) or None
            jobs = _some_of(one["jobs"])
            lines.append(
                {**head, "set_to": one["values"], "for": jobs, "until": one["until"], "because": why, "where": where}
            )
        if not settings:
            lines.append({**head, **dict.fromkeys(("set_to", "for", "until", "because", "where"))})
    return table(lines, ("toggle", "default", "set_to", "for", "until", "because", "where"))


def _some_of(keys: Plain) -> str:
    names = [str(key) for key in keys] if isinstance(keys, Sequence) else []
    return ", ".join(names[:_SOME]) + (f" and {len(names) - _SOME} more" if len(names) > _SOME else "")


def by_test(facts: Facts, lane: str | None = None, *, unrun: bool = False) -> tuple[PlainMap, ...]:
    """Every test file: who owns it on which lane, and which jobs collect it there.

    With `lane` those that are owned or collected there, and only that lane of them. With `unrun` those that no job
    collects; of a lane, then, also those that nobody owns there.
    """
    owners: dict[str, list[Plain]] = {path: [] for path in facts.inventory.tests}
    for name, by_file in sorted(facts.ownership.owners.items()):
        for path, claim in by_file.items() if lane in (None, name) else ():
            owners[path].append({"lane": name, "area": claim.area, "runs": claim.runs})
    found: dict[str, list[Plain]] = {path: [] for path in facts.inventory.tests}
    for one in facts.jobs:
        row: PlainMap = {"lane": one.job.lane, "key": one.job.key, "pipeline": one.pipeline.workspace.pipeline}
        for path in one.collected & found.keys() if lane in (None, one.job.lane) else ():
            found[path].append(row)
    return tuple(
        {"test": path, "owners": owners[path], "jobs": found[path]}
        for path in facts.inventory.tests
        if (not found[path] if unrun else lane is None or owners[path] or found[path])
    )


def table_by_test(rows: Sequence[PlainMap]) -> str:
    """Test files as a table: areas and jobs by lane, some of them where there are many."""
    shown: list[PlainMap] = [
        {"test": row["test"], "owners": _by_lane(row["owners"], "area"), "jobs": _by_lane(row["jobs"], "key")}
        for row in rows
    ]
    return table(shown, ("test", "owners", "jobs"))


_SOME: Final = 3


def _by_lane(rows: Plain, name: str) -> str | None:
    """`LANE: NAME, NAME; LANE: NAME and 4 more`."""
    lanes: dict[str, list[str]] = {}
    for row in rows if isinstance(rows, Sequence) else ():
        if isinstance(row, Mapping):
            lanes.setdefault(str(row["lane"]), []).append(str(row[name]) + ("" if row.get("runs", True) else " (none)"))
    texts = []
    for lane, names in sorted(lanes.items()):
        more = f" and {len(names) - _SOME} more" if len(names) > _SOME else ""
        texts.append(f"{lane}: {', '.join(sorted(names)[:_SOME])}{more}")
    return "; ".join(texts) or None


def table(rows: Sequence[PlainMap], columns: Sequence[str]) -> str:
    """Rows as a table of text with a heading, columns two spaces apart; a row is a line, whatever is in a name."""
    cells = [[column.replace("_", " ").upper() for column in columns]]
    cells += [[clean(_cell(row[column])) for column in columns] for row in rows]
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
