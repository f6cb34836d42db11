"""docs/reference.md: every key of every file, from the fields that the decoder reads."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pipegen.manifest import areas, hardware, workspace
from pipegen.manifest.containers import ListOf
from pipegen.manifest.fields import AUTHORED, EVERYWHERE, Level, Merge, StepField
from pipegen.manifest.layers import EXTRA, FIELDS
from pipegen.manifest.record import Field, Record
from pipegen.manifest.workspace_fields import WORKSPACE
from pipegen.report.json import render_json

HEAD: Final = """\
# Reference

<!-- Made from the fields that the decoder reads: python -m tests.regenerate -->

Every key of the three kinds of files. `pipegen schema workspace|hardware|manifest` prints the same as JSON Schema,
for editors.
"""


def reference_page() -> str:
    """The page."""
    return HEAD + "\n".join(_sections())


def _sections() -> Iterator[str]:
    yield "\n## Workspace: `.buildkite/pipegen.yaml`\n"
    yield from _table(WORKSPACE.fields)
    for field in WORKSPACE.fields:
        if isinstance(field.shape, Record):
            yield f"\n### `{field.name}`\n"
            yield from _table(field.shape.fields)
            yield from _inner(field.name, field.shape)
        elif isinstance(field.shape, ListOf) and isinstance(field.shape.item, Record):
            yield f"\n### An entry of `{field.name}`\n"
            yield from _table(field.shape.item.fields)
            yield from _inner(field.name, field.shape.item)
    yield "\n### An entry of `lanes`\n"
    yield "Any attribute of a step that may stand on a lane (see below), and:\n"
    yield from _table(workspace.LANE_EXTRA)
    yield "\n## Hardware: an entry of the catalogue\n"
    yield "Any attribute of a step that may stand in a hardware entry (see below), and:\n"
    yield from _table(hardware.HARDWARE_EXTRA)
    yield "\n## Manifests: `areas/**/*.yaml`\n"
    yield "Any attribute of a step that may stand in a manifest, as a default for everything below, and:\n"
    yield from _table(areas.MANIFEST_EXTRA)
    yield "\n### Only in an area\n"
    yield from _table(areas.AREA_EXTRA)
    for level in (Level.PART, Level.MIRROR):
        yield f"\n### Only in a {level.value}\n"
        yield from _table(EXTRA[level])
    yield "\n## Attributes of a step\n"
    yield from _attributes([field for field in FIELDS.values() if not field.buildkite])
    yield "\n## Buildkite's own attributes\n"
    yield "They keep Buildkite's names and meaning, and may stand at every level.\n"
    yield from _attributes([field for field in FIELDS.values() if field.buildkite])


def _inner(name: str, record: Record) -> Iterator[str]:
    """The keys of mappings that stand in a mapping, or in a list of it."""
    for field in record.fields:
        shape = field.shape.item if isinstance(field.shape, ListOf) else field.shape
        if isinstance(shape, Record):
            yield f"\n### {'An entry of ' if shape is not field.shape else ''}`{name}.{field.name}`\n"
            yield from _table(shape.fields)


def _table(fields: Iterable[Field[object]]) -> Iterator[str]:
    yield "| key | what it is for | value | default |"
    yield "| --- | --- | --- | --- |"
    for field in fields:
        default = "required" if field.required else "" if field.default is None else f"`{_cell(_shown(field))}`"
        yield f"| `{field.name}` | {_cell(field.about)} | {_cell(field.shape.words)} | {default} |"


def _attributes(fields: Sequence[StepField[object]]) -> Iterator[str]:
    yield "| attribute | what it is for | value | where | inherited |"
    yield "| --- | --- | --- | --- | --- |"
    for field in sorted(fields, key=lambda field: field.name):
        yield (
            f"| `{field.name}` | {_cell(field.about)} | {_cell(field.shape.words)} | {_where(field)} | "
            f"{_INHERITED[field.merge]} |"
        )


_INHERITED: Final = {
    Merge.WHOLE: "replaced",
    Merge.MAP: "merged one level, `null` removes",
    Merge.LIST: "replaced, `+` stands for the inherited",
}


def _where(field: StepField[object]) -> str:
    if field.levels == EVERYWHERE:
        return "everywhere"
    if field.levels == AUTHORED:
        return "manifests"
    return ", ".join(level.value for level in Level if level in field.levels)


def _shown(field: Field[object]) -> str:
    return " ".join(render_json(field.default).split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
