"""`{{matrix}}` and `{{matrix.NAME}}`: whether they name a dimension, and stand where they are filled in."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.diagnostics import did_you_mean
from pipegen.plain import Path, Plain, PlainMap
from pipegen.validate.codes import MATRIX_LITERAL, MATRIX_PLACE, MATRIX_REFERENCE
from pipegen.validate.matrix import ANONYMOUS, Dimensions, dimensions
from pipegen.validate.problem import Problem
from pipegen.validate.upload import shown, spelled

REFERENCE: Final = re.compile(r"\{\{\s*matrix(?:\.([\w.-]+))?\s*\}\}", re.ASCII)
"""A reference as Buildkite reads it; group 1 is the dimension's name, if it has one."""

_REJECTED: Final = frozenset({"key", "id", "identifier", "depends_on", "concurrency_group"})
_FILLED_IN: Final = frozenset({"command", "commands", "label", "name", "env", "plugins", "agents", "agent_query_rules"})


def check_matrix_references(step: PlainMap) -> Iterator[Problem]:
    """Every reference to a matrix in a step, in text and in the keys of mappings."""
    named = dimensions(step["matrix"]) if "matrix" in step else {}
    for attribute, value in step.items():
        if attribute == "matrix":
            continue
        for text, path, is_key in _texts(value, (attribute,)):
            for reference in REFERENCE.finditer(text):
                yield from _check_reference(reference, path, named, in_name=is_key and attribute == "env")


def _texts(value: Plain, path: Path) -> Iterator[tuple[str, Path, bool]]:
    """All texts below a value that could hold a reference, keys of mappings marked as such."""
    pending: list[tuple[Plain, Path]] = [(value, path)]
    while pending:
        current, where = pending.pop()
        if isinstance(current, str):
            if "{{" in current:
                yield current, where, False
        elif isinstance(current, Mapping):
            for name, content in reversed(tuple(current.items())):
                if "{{" in name:
                    yield name, (*where, name), True
                pending.append((content, (*where, name)))
        elif isinstance(current, (list, tuple)):
            pending += [(item, (*where, index)) for index, item in reversed(tuple(enumerate(current)))]


def _check_reference(
    reference: re.Match[str], path: Path, named: Dimensions | None, *, in_name: bool
) -> Iterator[Problem]:
    written = shown(reference.group())
    attribute = path[0]
    if attribute in _REJECTED or in_name:
        place = "the name of a variable" if in_name else str(attribute)
        message = f"{written} stands in {place}, where Buildkite fills in nothing"
        yield Problem(code=MATRIX_PLACE, path=path, message=message, help=f"write {place} without the matrix")
    elif named == {}:
        message = f"{written} stands in a step without a matrix"
        yield Problem(code=MATRIX_REFERENCE, path=path, message=message, help='add a "matrix" to the step')
    elif attribute not in _FILLED_IN:
        message = f"{written} stands in {spelled(str(attribute))}, where it stays as it is"
        hint = "references to the matrix work in command, label, env, plugins and agents"
        yield Problem(code=MATRIX_LITERAL, path=path, message=message, help=hint)
    elif named is not None:
        yield from _check_dimension(reference, path, named)


def _check_dimension(reference: re.Match[str], path: Path, named: Dimensions) -> Iterator[Problem]:
    name = reference.group(1) or ANONYMOUS
    if name in named:
        return
    if ANONYMOUS in named:
        fault, hint = "the dimension of this matrix has no name", "write {{matrix}}"
    elif name == ANONYMOUS:
        fault, hint = "the dimensions of this matrix have names", f"write {{{{matrix.{spelled(next(iter(named)))}}}}}"
    else:
        fault, hint = f"this matrix has no dimension {shown(name)}", did_you_mean(name, map(spelled, named))
    message = f"{shown(reference.group())} refers to nothing: {fault}"
    yield Problem(code=MATRIX_REFERENCE, path=path, message=message, help=hint)
