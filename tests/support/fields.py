"""Every field that decides what is accepted, by where it stands, such as `retry.automatic.limit`."""

from collections.abc import Iterator, Mapping

from pipegen.manifest import cases, hardware
from pipegen.manifest.containers import ListOf, MapOf, OneOf
from pipegen.manifest.fields import Level
from pipegen.manifest.json_schema import own_fields
from pipegen.manifest.layers import FIELDS
from pipegen.manifest.record import Field, PlainRecord, Record
from pipegen.manifest.shape import Shape
from pipegen.manifest.workspace_fields import PIPELINE, WORKSPACE


def every_field() -> Mapping[str, Field[object]]:
    """The fields of every record of the language, those of records inside of others too."""
    found: dict[str, Field[object]] = {}
    for start, fields in {
        "workspace": WORKSPACE.fields,
        "pipeline": PIPELINE.fields,
        "cases": cases.CASE_FILE.fields,
        "catalogue": (hardware.ENTRIES,),
        "": tuple(FIELDS.values()),
        **{level.value: tuple(own_fields(level)) for level in Level},
    }.items():
        for field in fields:
            _collect(field, start, found)
    return found


def _collect(field: Field[object], at: str, found: dict[str, Field[object]]) -> None:
    where = f"{at}.{field.name}".lstrip(".")
    found[where] = field
    for record in _records(field.shape):
        for inner in record.fields:
            _collect(inner, where, found)


def _records(shape: Shape[object]) -> Iterator[Record]:
    match shape:
        case Record():
            yield shape
        case PlainRecord(record=record):
            yield record
        case OneOf(shapes=shapes):
            for one in shapes:
                yield from _records(one)
        case ListOf(item=inner) | MapOf(value=inner):
            yield from _records(inner)
        case _:
            pass
