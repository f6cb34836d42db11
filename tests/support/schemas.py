"""Files of workspaces as an editor sees them, and what their JSON Schema says of them."""

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from jsonschema import Draft202012Validator, ValidationError

from pipegen import codes
from pipegen.diagnostics import Diagnostic, PipegenError
from pipegen.manifest.cases import load_cases
from pipegen.manifest.json_schema import json_schema
from pipegen.manifest.load import load, load_workspaces
from pipegen.manifest.located import Items, Node, Report, Scalar
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.yaml import parse_yaml
from pipegen.model import Workspace
from pipegen.plain import Plain
from pipegen.source import MappingTree

SHAPE = (codes.UNKNOWN_KEY, codes.WRONG_TYPE, codes.MISSING_KEY, codes.EMPTY_VALUE, codes.BAD_NAME)
"""What is wrong with a value by itself, whatever else the workspace holds."""

_INTEGER = re.compile(r"[-+]?[0-9]+")
_OCTAL_OR_HEXADECIMAL = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


def as_editors_read(node: Node) -> Plain:
    """A document in the core schema of YAML 1.2, which editors apply: no dates, no `yes` and `on`."""
    match node:
        case Scalar(plain=False):
            return node.text
        case Scalar(text=text):
            return _core(text)
        case Items(items=items):
            return [as_editors_read(item) for item in items]
        case MappingNode(entries=entries):
            return {entry.key.text: as_editors_read(entry.value) for entry in entries}


def _core(text: str) -> Plain:
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return text.lower() == "true"
    if _INTEGER.fullmatch(text):
        return int(text)
    if _OCTAL_OR_HEXADECIMAL.fullmatch(text):
        return int(text, 0)
    return float(text) if _FLOAT.fullmatch(text) else text


@functools.cache
def validator(kind: str) -> Draft202012Validator:
    """What checks files of a kind."""
    return Draft202012Validator(json_schema(kind))


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One file: its kind, what pipegen finds in it while it reads it, and what the schema finds."""

    path: str
    kind: str
    found: tuple[Diagnostic, ...]
    by_schema: tuple[str, ...]

    @property
    def misshapen(self) -> tuple[Diagnostic, ...]:
        """What pipegen finds that a schema should find as well."""
        return tuple(one for one in self.found if one.code in SHAPE)


def checked(files: Mapping[str, bytes], workspace: str) -> Iterator[Checked]:
    """Every YAML file that the pipelines of a workspace are made from, those that are no YAML left out."""
    tree = MappingTree(files=files)
    try:
        workspaces, found = load_workspaces(tree, workspace)
    except PipegenError:
        return
    diagnostics = dict.fromkeys(found)
    kinds = {workspace: "workspace"}
    for one in workspaces:
        report = Report()
        load_cases(tree, one, report)
        diagnostics |= dict.fromkeys((*load(tree, one)[1], *report.found))
        kinds |= _kinds(files, one)
    for path, kind in kinds.items():
        report = Report()
        root = parse_yaml(files.get(path, b""), path, report)
        if root is not None and not report.found:
            own = tuple(one for one in diagnostics if one.span.path == path)
            faults = tuple(f"{error.json_path}: {error.message}" for error in _errors(kind, as_editors_read(root)))
            yield Checked(path=path, kind=kind, found=own, by_schema=faults)


def _errors(kind: str, document: Plain) -> Iterator[ValidationError]:
    return iter(validator(kind).iter_errors(document))


def _kinds(files: Mapping[str, bytes], workspace: Workspace) -> Iterator[tuple[str, str]]:
    folders = tuple(folder.text.rstrip("/") + "/" for folder in workspace.areas)
    for path in files:
        if path.startswith(folders) and path.endswith((".yaml", ".yml")):
            yield path, "manifest"
    yield from ((place.text, "hardware") for place in workspace.hardware_files)
    yield from ((place.text, "cases") for place in workspace.selection.cases)
