"""The part of SARIF 2.1.0 that pipegen writes, as JSON Schema.

Names, types, required properties and limits are those of the standard (OASIS, sarif-schema-2.1.0.json); of each object
only the properties that are written here are known, and any other one is refused.
"""

from typing import Any, Final


def _object(required: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "required": required.split(),
        "properties": properties,
        "additionalProperties": False,
    }


def _list(items: Any, *, unique: bool = False) -> dict[str, Any]:
    return {"type": "array", "items": items, "uniqueItems": unique}


_TEXT: Final = {"type": "string"}
_MESSAGE: Final = _object("text", text=_TEXT, markdown=_TEXT)
_MULTIFORMAT: Final = _object("text", text=_TEXT, markdown=_TEXT)
_FROM_ONE: Final = {"type": "integer", "minimum": 1}
_LEVEL: Final = {"enum": ["none", "note", "warning", "error"]}
_ARTIFACT_LOCATION: Final = _object(
    "", uri={"type": "string", "format": "uri-reference"}, uriBaseId=_TEXT, description=_MESSAGE
)
_REGION: Final = _object("", startLine=_FROM_ONE, startColumn=_FROM_ONE, endLine=_FROM_ONE, endColumn=_FROM_ONE)
_PHYSICAL: Final = {
    **_object("", artifactLocation=_ARTIFACT_LOCATION, region=_REGION),
    "anyOf": [{"required": ["address"]}, {"required": ["artifactLocation"]}],
}
_LOCATION: Final = _object("", id={"type": "integer", "minimum": -1}, physicalLocation=_PHYSICAL, message=_MESSAGE)
_REPLACEMENT: Final = _object("deletedRegion", deletedRegion=_REGION, insertedContent=_object("", text=_TEXT))
_CHANGE: Final = _object(
    "artifactLocation replacements",
    artifactLocation=_ARTIFACT_LOCATION,
    replacements={**_list(_REPLACEMENT), "minItems": 1},
)
_FIX: Final = _object(
    "artifactChanges",
    description=_MESSAGE,
    artifactChanges={**_list(_CHANGE, unique=True), "minItems": 1},
)
_RESULT: Final = _object(
    "message",
    ruleId=_TEXT,
    ruleIndex={"type": "integer", "minimum": -1},
    level=_LEVEL,
    message=_MESSAGE,
    locations=_list(_LOCATION),
    relatedLocations=_list(_LOCATION, unique=True),
    partialFingerprints={"type": "object", "additionalProperties": _TEXT},
    fixes=_list(_FIX, unique=True),
)
_RULE: Final = _object(
    "id",
    id=_TEXT,
    name=_TEXT,
    shortDescription=_MULTIFORMAT,
    help=_MULTIFORMAT,
    defaultConfiguration=_object("", level=_LEVEL),
    properties={"type": "object"},
)
_DRIVER: Final = _object("name", name=_TEXT, version=_TEXT, informationUri=_TEXT, rules=_list(_RULE, unique=True))
_RUN: Final = _object(
    "tool",
    tool=_object("driver", driver=_DRIVER),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    originalUriBaseIds={"type": "object", "additionalProperties": _ARTIFACT_LOCATION},
    results=_list(_RESULT),
)
SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    **_object(
        "version runs",
        **{"$schema": {"type": "string", "format": "uri"}, "version": {"enum": ["2.1.0"]}, "runs": _list(_RUN)},
    ),
}
