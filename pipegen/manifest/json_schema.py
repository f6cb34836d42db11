"""JSON Schema of the four kinds of files, from the very fields that the decoder reads.

For editors: completion, descriptions, and a first check while typing. What refers to something else (an owner, a
key, a lane) and what inheritance makes of it only pipegen itself can check.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from pipegen import __version__
from pipegen.manifest import areas, cases, hardware, switches, workspace
from pipegen.manifest.containers import mapping_schema
from pipegen.manifest.fields import AREA_NAME, NAME, Level, Merge, StepField
from pipegen.manifest.layers import EXTRA, FIELDS, definition
from pipegen.manifest.record import Field, closed, described
from pipegen.manifest.shape import Text
from pipegen.manifest.workspace_fields import LANES, PIPELINE, PIPELINES, SCHEDULE, SCHEDULES, VERSION, WORKSPACE
from pipegen.plain import Plain, PlainMap

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
KINDS: Final = ("workspace", "hardware", "manifest", "cases")
_OWN: Final[Mapping[Level, Sequence[Field[object]]]] = {
    **EXTRA,
    Level.LANE: workspace.LANE_EXTRA,
    Level.HARDWARE: hardware.HARDWARE_EXTRA,
    Level.FILE: areas.MANIFEST_EXTRA,
    Level.AREA: areas.AREA_EXTRA,
}
"""The keys of a level that are its own and not inherited."""


def own_fields(level: Level) -> Sequence[Field[object]]:
    """The keys that may stand at a level and are not inherited."""
    return _OWN.get(level, ())


def json_schema(kind: str) -> PlainMap:
    """The schema of a kind of file: one of `KINDS`."""
    makers = {"workspace": _workspace, "hardware": _hardware, "manifest": _manifest, "cases": cases.CASE_FILE.schema}
    root = makers[kind]()
    head: PlainMap = {
        "$schema": DIALECT,
        "title": f"pipegen {kind}",
        "$comment": f"made by pipegen {__version__}: pipegen schema {kind}",
        **root,
    }
    if kind == "cases":
        return head
    attributes = {_attribute(field): _written(field) for field in FIELDS.values()}
    levels = {definition(level): closed(_properties(level), own_fields(level)) for level in Level}
    return {**head, "$defs": {**attributes, **levels}}


def _attribute(field: StepField[object]) -> str:
    return f"attribute:{field.name}"


def _to(definition_name: str) -> PlainMap:
    return {"$ref": f"#/$defs/{definition_name}"}


def _properties(level: Level) -> dict[str, Plain]:
    inherited = {field.name: _to(_attribute(field)) for field in FIELDS.values() if level in field.levels}
    return {**inherited, **{field.name: described(field, field.shape.schema()) for field in own_fields(level)}}


def _written(field: StepField[object]) -> PlainMap:
    """An attribute as it may be written where it meets an inherited one: null removes, `+` stands for its items."""
    schema = field.shape.schema()
    choices = schema.get("anyOf") if schema.keys() == {"anyOf"} else [schema]
    known = choices if isinstance(choices, list) else []
    return described(field, {"anyOf": [*(_with_marks(choice, field.merge) for choice in known), {"type": "null"}]})


def _with_marks(schema: Plain, merge: Merge) -> Plain:
    if not isinstance(schema, Mapping):
        return schema
    if merge is not Merge.WHOLE and "items" in schema:
        return {**schema, "items": {"anyOf": [schema["items"], {"const": "+"}]}}
    inner, properties = schema.get("additionalProperties"), schema.get("properties")
    if merge is Merge.MAP and isinstance(inner, Mapping):
        return {**schema, "additionalProperties": {"anyOf": [inner, {"type": "null"}]}}
    if merge is Merge.MAP and isinstance(properties, Mapping):
        open_to_null = {name: _or_null(of) for name, of in properties.items()}
        return {**{name: of for name, of in schema.items() if name != "required"}, "properties": open_to_null}
    return schema


def _or_null(schema: Plain) -> Plain:
    """The same open to null; what the field says of itself stays in front, where editors look for it."""
    given = schema if isinstance(schema, Mapping) else {}
    about = {name: given[name] for name in ("description", "default", "examples") if name in given}
    shape = {name: value for name, value in given.items() if name not in about}
    return {**about, "anyOf": [shape, {"type": "null"}]}


def _mapping_of(field: Field[object], values: PlainMap, name: Text = NAME) -> PlainMap:
    return described(field, mapping_schema(values, name, at_least=1))


def _workspace() -> PlainMap:
    properties = {field.name: described(field, field.shape.schema()) for field in WORKSPACE.fields}
    properties[VERSION.name] = described(VERSION, {"const": int(workspace.LANGUAGE_VERSION)})
    properties[LANES.name] = _mapping_of(LANES, _to(definition(Level.LANE)))
    properties[SCHEDULES.name] = described(
        SCHEDULES, mapping_schema(SCHEDULE.schema(), NAME, reserved=switches.RESERVED_WHEN)
    )
    of_a_pipeline = {field.name: properties[field.name] for field in PIPELINE.fields}
    properties[PIPELINES.name] = _mapping_of(PIPELINES, closed(of_a_pipeline, ()))
    return closed(properties, WORKSPACE.fields)


def _hardware() -> PlainMap:
    return closed({"hardware": _mapping_of(hardware.ENTRIES, _to(definition(Level.HARDWARE)))}, [hardware.ENTRIES])


def _manifest() -> PlainMap:
    step: Plain = {"allOf": [_to(definition(Level.STEP)), {"required": ["key"]}]}
    properties = {
        **_properties(Level.FILE),
        "areas": _mapping_of(areas.AREAS, _to(definition(Level.AREA)), AREA_NAME),
        "steps": described(areas.STEPS, {"type": "array", "minItems": 1, "items": step}),
    }
    required: Plain = [{"required": ["areas"]}, {"required": ["steps"]}]
    return {**closed(properties, ()), "required": ["group"], "anyOf": required}
