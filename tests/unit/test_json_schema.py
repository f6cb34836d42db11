"""JSON Schema and decoder say the same: what one takes the other takes, as far as a schema can say it."""

import functools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from pipegen.diagnostics import Diagnostic
from pipegen.emit.json import to_json
from pipegen.manifest import areas, workspace
from pipegen.manifest.fields import StepField
from pipegen.manifest.json_schema import KINDS, json_schema
from pipegen.manifest.layers import FIELDS, check_field
from pipegen.manifest.located import Report
from pipegen.manifest.yaml import parse_yaml
from tests.support import language
from tests.support.bases import DIAGNOSTICS, FLEET, SELF, Base, every_golden, fleet_files, own_ci
from tests.support.fields import every_field
from tests.support.schemas import Checked, as_editors_read, checked, validator

BEYOND_A_SCHEMA: Mapping[str, str] = {
    r"empty value of|empty mirror": "an editor reads nothing as null, which removes what is inherited",
    r'"\+" stands for inherited items and is one of a list': "text that happens to be a plus is text",
    r"until: .* found \"\d{4}-\d\d-\d\d\"": "a schema knows no calendar",
    r"offers \d+ GPUs and names no queue": "two keys that have to agree",
    r'a switch lacks "environment" or "label"': "one of two keys",
    r'notify lacks "schedules" or "branches"': "one of two keys",
    r"number of GPUs: expected an integer": "names that are numbers",
    r'the Buildkite agent reads ".*" as a date': "YAML 1.2 has no dates, the agent's has",
    r'expected true or false, found "(True|TRUE|False|FALSE)"': "an editor reads a boolean",
    r'expected an integer.*found "0\d+"': "an editor reads a number",
}
"""What a schema cannot say, by what pipegen says, and why it cannot."""


@functools.cache
def fixtures() -> tuple[tuple[str, Checked], ...]:
    """Every file of every workspace in this repository that is YAML at all."""
    found = [
        Base(name="fleet", files=fleet_files(), authored=(), workspace=FLEET),
        own_ci(),
        *every_golden(),
    ]
    return tuple((base.name, one) for base in found for one in checked(base.files, base.workspace))


def beyond(diagnostic: Diagnostic) -> str | None:
    """The row of the table that excuses a diagnostic."""
    return next((row for row in BEYOND_A_SCHEMA if re.search(row, diagnostic.message)), None)


def test_what_pipegen_takes_the_schema_takes() -> None:
    sound = [(name, one) for name, one in fixtures() if not one.found]
    assert [(name, one.path, one.by_schema[:1]) for name, one in sound if one.by_schema] == []
    assert {one.kind for _, one in sound} == set(KINDS)
    assert len(sound) > 400


def test_what_has_the_wrong_shape_the_schema_refuses() -> None:
    misshapen = [(name, one) for name, one in fixtures() if one.misshapen]
    unseen = [(name, one) for name, one in misshapen if not one.by_schema]
    unexcused = [
        (name, one.path, bad.message)
        for name, one in unseen
        for bad in one.misshapen
        if beyond(bad) is None and not any(beyond(other) for other in one.misshapen)
    ]
    assert unexcused == []
    assert {one.kind for _, one in misshapen if one.by_schema} >= {"workspace", "hardware", "manifest"}
    assert len(misshapen) > 100


@pytest.mark.parametrize("row", BEYOND_A_SCHEMA)
def test_what_is_said_to_be_beyond_a_schema_is(row: str) -> None:
    """A row that no fixture needs any more has to go."""
    unseen = [one for _, one in fixtures() if one.misshapen and not one.by_schema]
    assert any(beyond(bad) == row for one in unseen for bad in one.misshapen)


@pytest.mark.parametrize("kind", KINDS)
class TestKind:
    def test_is_a_schema(self, kind: str) -> None:
        Draft202012Validator.check_schema(json_schema(kind))

    def test_refuses_keys_that_nothing_reads(self, kind: str) -> None:
        faults = [error.message for error in validator(kind).iter_errors({"qwertz": 1})]
        assert any("qwertz" in fault for fault in faults)

    def test_every_key_is_described(self, kind: str) -> None:
        schema = json_schema(kind)
        bare = [at for at, found in properties(schema, "") if "description" not in referred(schema, found)]
        assert bare == []

    def test_references_lead_somewhere(self, kind: str) -> None:
        schema = json_schema(kind)
        for target in re.findall(r"'\$ref': '#/\$defs/([^']+)'", str(schema)):
            assert target in schema["$defs"]  # type: ignore[operator]  # a mapping


def properties(node: object, at: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Every key that a schema describes, with its schema."""
    if isinstance(node, Mapping):
        given = node.get("properties")
        if isinstance(given, Mapping) and at.rsplit("/", 1)[-1] != "properties":
            for name, value in given.items():
                assert isinstance(value, Mapping)
                yield f"{at}/{name}", value
        for name, value in node.items():
            yield from properties(value, f"{at}/{name}")
    elif isinstance(node, list | tuple):
        for number, value in enumerate(node):
            yield from properties(value, f"{at}/{number}")


def referred(schema: Mapping[str, object], found: Mapping[str, object]) -> Mapping[str, object]:
    """A schema, or the definition that it refers to."""
    target = found.get("$ref")
    if not isinstance(target, str):
        return found
    definitions = schema["$defs"]
    assert isinstance(definitions, Mapping)
    definition = definitions[target.removeprefix("#/$defs/")]
    assert isinstance(definition, Mapping)
    return definition


FIELDS_BY_PLACE = every_field()


def test_no_field_is_left_out() -> None:
    assert {"workspace.selection.unselected", "retry.automatic.exit_status", "env.until", "mirror.none"} <= set(
        FIELDS_BY_PLACE
    )
    assert len(FIELDS_BY_PLACE) > 150
    assert {workspace.LANE_EXTRA[0], areas.GROUP} <= set(FIELDS_BY_PLACE.values())


@pytest.mark.parametrize("where", FIELDS_BY_PLACE)
class TestField:
    def test_says_what_it_is_for(self, where: str) -> None:
        about = FIELDS_BY_PLACE[where].about
        assert 5 <= len(about) <= 140
        assert about == about.strip()
        assert not about.endswith(".")
        assert about[:1] == about[:1].lower() or about.split()[0].isupper() or about.startswith("Buildkite"), about
        assert about.replace("_", " ") != FIELDS_BY_PLACE[where].name.replace("_", " ")

    def test_default_and_example_are_what_it_takes(self, where: str) -> None:
        field = FIELDS_BY_PLACE[where]
        for value in (field.default, field.example):
            if value is None:
                continue
            text = to_json({"it": value}).encode()
            root = parse_yaml(text, "example.yaml", Report())
            assert root is not None
            node = root.get("it")  # type: ignore[union-attr]  # it is a mapping
            assert node is not None
            report = Report()
            if isinstance(field, StepField):
                check_field(field, node, report)
            else:
                field.shape.read(node, report, field.name)
            assert [one.message for one in report.found] == []
            definitions = {"$defs": json_schema("manifest")["$defs"]}
            faults = Draft202012Validator({**field.shape.schema(), **definitions}).iter_errors(as_editors_read(node))
            assert [fault.message for fault in faults] == []


def test_attributes_show_how_they_are_written() -> None:
    """Whoever asks an editor for completion sees one example of each attribute of a step."""
    assert [name for name, field in FIELDS.items() if field.example is None] == []


def test_goldens_are_where_they_are_looked_for() -> None:
    assert language.CASES.is_dir()
    assert DIAGNOSTICS.is_dir()
    assert (Path(__file__).parents[2] / SELF).is_file()
