"""Which entries of a workspace changed in meaning since another revision, so that nobody has seen them run yet."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.jinja import TEMPLATE_SUFFIX, references
from pipegen.manifest.layers import FIELDS
from pipegen.manifest.located import Node, Report
from pipegen.manifest.record import Values
from pipegen.model import Command, Dependency, Expansion, Gate, Hardware, Job, Located, Origin, TestPath, Workspace
from pipegen.select.circumstances import Edit, Edits
from pipegen.select.words import joined, quoted

_NO_MEANING: Final = frozenset({"span", "written", "inherited", "nodes", "was", "hardware", "layer"})
"""Fields that say where or how something is written, what it was called once, or what is compared by itself."""
_ORDERLESS: Final = frozenset({"sources", "when", "depends_on"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Entries:
    """What is compared of a revision: the jobs, the catalogue, and the files of the templates folder by their name."""

    jobs: tuple[Job, ...]
    hardware: Mapping[str, Hardware]
    templates: Mapping[str, str]

    @classmethod
    def of(cls, expansion: Expansion, hardware: Mapping[str, Hardware], templates: Mapping[str, str]) -> "Entries":
        """The entries of an expanded workspace."""
        return cls(jobs=expansion.jobs, hardware=hardware, templates=templates)


def fingerprint(job: Job) -> Mapping[str, object]:
    """What a job means, by field: places left out, lists whose order says nothing sorted."""
    return _fingerprint(job) | {"hardware": job.hardware.name}


def hardware_fingerprint(entry: Hardware) -> Mapping[str, object]:
    """What a hardware entry means, by field and by attribute that its jobs inherit."""
    inherited = {name: _meaning(_read(name, node)) for name, node in entry.layer.nodes.items()}
    return _fingerprint(entry) | inherited


def compare(now: Entries, before: Entries, folder: str) -> Edits:
    """The entries that are new, or differ from those of the revision before; `folder` holds the templates."""
    old_jobs = {job.key: fingerprint(job) for job in before.jobs}
    jobs = {job.key: _job_edit(job, old_jobs) for job in now.jobs}
    old_hardware = {name: hardware_fingerprint(entry) for name, entry in before.hardware.items()}
    hardware = {
        name: _difference(hardware_fingerprint(entry), old_hardware.get(name)) for name, entry in now.hardware.items()
    }
    changed = {name for name, text in now.templates.items() if before.templates.get(name) != text}
    changed |= before.templates.keys() - now.templates.keys()
    known = {key for job in now.jobs for key in (job.key, *job.was)}
    return Edits(
        jobs={key: edit for key, edit in jobs.items() if edit is not None},
        removed=tuple(key for key in old_jobs if key not in known),
        hardware={name: Edit(what=what, file=now.hardware[name].span.path) for name, what in hardware.items() if what},
        templates=_edited_templates(now.templates, changed, folder),
    )


def _job_edit(job: Job, before: Mapping[str, Mapping[str, object]]) -> Edit | None:
    """What became of a job, given the fingerprints of the jobs there were; None if nothing did."""
    what = _difference(fingerprint(job), before.get(job.key))
    former = None if job.key in before else next((key for key in job.was if key in before), None)
    if former is not None:
        return Edit(what=f"is new under this name, it was {quoted(former)}", file=job.span.path)
    return Edit(what=what, file=job.span.path, new=job.key not in before) if what else None


def listed(now: Entries, workspace: Workspace, paths: Collection[str]) -> Edits:
    """The entries whose file is among the changed ones, where there is no revision to compare them with.

    The workspace file is behind every entry, so if it changed, any of them may have.
    """
    changed = set(paths)
    folder = workspace.templates.rstrip("/") + "/"
    jobs = {job.key: job.span.path for job in now.jobs if job.span.path in changed}
    hardware = {name: entry.span.path for name, entry in now.hardware.items() if entry.span.path in changed}
    templates = {path.removeprefix(folder) for path in changed if path.startswith(folder)}
    unknown = f"{quoted(workspace.path)} changed, and there is no revision to compare it with"
    return Edits(
        jobs={key: Edit(what=f"may have changed with {quoted(path)}", file=path) for key, path in jobs.items()},
        hardware={
            name: Edit(what=f"may have changed with {quoted(path)}", file=path) for name, path in hardware.items()
        },
        templates=_edited_templates(now.templates, templates, folder),
        unknown=Edit(what=unknown, file=workspace.path) if workspace.path in changed else None,
    )


def _edited_templates(files: Mapping[str, str], changed: set[str], folder: str) -> Mapping[str, Edit]:
    """The templates that are made of a changed file, by name."""
    found = {}
    for name in files if changed else ():
        if name.endswith(TEMPLATE_SUFFIX):
            behind = sorted(changed & _parts(name, files))
            if behind:
                file = folder + behind[0]
                found[name.removesuffix(TEMPLATE_SUFFIX)] = Edit(what=f"changed in {quoted(file)}", file=file)
    return found


def _parts(name: str, files: Mapping[str, str]) -> set[str]:
    """The files that a template is made of, itself included; all of them where that cannot be told."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        part = waiting.pop()
        if part in found:
            continue
        found.add(part)
        named = references(files[part]) if part in files else frozenset()
        if named is None:
            return {*files, *found}
        waiting += named
    return found


def _difference(now: Mapping[str, object], before: Mapping[str, object] | None) -> str:
    """What became of an entry, as the end of a sentence; empty if nothing did."""
    if before is None:
        return "is new"
    names = [name for name in {**now, **before} if now.get(name) != before.get(name)]
    return f"changed in {joined(names)}" if names else ""


def _fingerprint(entry: Job | Hardware) -> dict[str, object]:
    result: dict[str, object] = {}
    for field in fields(entry):
        if field.name in _NO_MEANING:
            continue
        value = _meaning(getattr(entry, field.name))
        if field.name in _ORDERLESS and isinstance(value, tuple):
            value = tuple(sorted(value, key=repr))
        result[field.name] = value
    return result


def _meaning(value: object) -> object:
    """A value without places: records as tuples of their fields' values, text with a place as its text."""
    match value:
        case Values():
            return {name: _meaning(inner) for name, inner in value.values.items()}
        case Mapping():
            return {name: _meaning(inner) for name, inner in value.items()}
        case str():
            return value
        case Sequence():
            return tuple(_meaning(item) for item in value)
        case Located() | TestPath() | Command() | Dependency() | Gate() | Origin():
            return tuple(
                _meaning(getattr(value, field.name)) for field in fields(value) if field.name not in _NO_MEANING
            )
        case _:
            return value


def _read(name: str, node: Node) -> object:
    """An attribute of a hardware entry as its shape reads it, expressions left as they are."""
    return FIELDS[name].shape.read(node, Report(deferring=True), name)
