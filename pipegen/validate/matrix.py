"""`matrix`: one job for each combination of elements."""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from pipegen.diagnostics import closest
from pipegen.plain import Path, Plain, PlainMap
from pipegen.validate.codes import (
    MATRIX_ADJUSTMENT,
    MATRIX_DIMENSION,
    MATRIX_ELEMENT,
    MATRIX_LIMIT,
    MISSING_ATTRIBUTE,
)
from pipegen.validate.outcome import check_skip, check_soft_fail
from pipegen.validate.problem import Problem
from pipegen.validate.shape import check_known, entries, wrong_type
from pipegen.validate.upload import listed, shown, spelled

DIMENSIONS: Final = 6
ELEMENTS: Final = 25
ADJUSTMENTS: Final = 12
JOBS: Final = 50
ELEMENT_BYTES: Final = 128

ANONYMOUS: Final = ""
"""The name, in `dimensions`, of the dimension of a matrix that is a plain list: `{{matrix}}`."""

_NAME: Final = re.compile(r"[A-Za-z0-9_]+")

Dimensions: TypeAlias = Mapping[str, tuple[Plain, ...]]
"""The elements of every dimension."""


def dimensions(matrix: Plain) -> Dimensions | None:
    """The dimensions of a matrix, or None where it has no form in which they could be told."""
    setup = matrix.get("setup") if isinstance(matrix, Mapping) else matrix
    items = entries(setup)
    if items is not None:
        return {ANONYMOUS: items}
    if isinstance(setup, Mapping) and setup:
        return {name: entries(elements) or () for name, elements in setup.items()}
    return None


def matrix_jobs(matrix: Plain) -> int:
    """How many jobs a matrix makes, those that an adjustment skips included; 1 for what is no matrix."""
    named = dimensions(matrix)
    return 1 if named is None else max(1, _product(named) + len(_added(matrix, named)))


def check_matrix(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """A list of elements, or `{setup, adjustments}` where setup is such a list or a mapping of named ones.

    Buildkite: at most 6 dimensions of 25 elements of 128 bytes, 12 adjustments, and 50 jobs.
    """
    items = entries(value)
    if items is not None:
        yield from _check_elements(items, path, name)
    elif isinstance(value, Mapping):
        yield from _check_mapping(value, path, name)
    else:
        yield wrong_type(value, path, name, 'a list of elements or a mapping with "setup"')
    named = dimensions(value)
    if named is not None:
        jobs = _product(named) + len(_added(value, named)) - len(_skipped(value, named))
        yield from _check_limit(jobs, JOBS, path, f"{name} makes {jobs} jobs")


def _check_mapping(matrix: PlainMap, path: Path, name: str) -> Iterator[Problem]:
    yield from check_known(matrix, ("setup", "adjustments"), path, "a matrix")
    adjustments = entries(matrix.get("adjustments"))
    if "setup" not in matrix:
        message = f'{name} needs "setup", its dimensions'
        yield Problem(code=MISSING_ATTRIBUTE, path=path, message=message, help='put the dimensions below "setup"')
    else:
        yield from _check_setup(matrix["setup"], (*path, "setup"), adjusted=bool(adjustments))
    if "adjustments" in matrix:
        where = (*path, "adjustments")
        if adjustments is None:
            yield wrong_type(matrix["adjustments"], where, f"{name} adjustments", "a list")
        else:
            count = len(adjustments)
            yield from _check_limit(count, ADJUSTMENTS, where, f"{name} has {count} adjustments")
            named = dimensions(matrix)
            for index, adjustment in enumerate(adjustments):
                yield from _check_adjustment(adjustment, (*where, index), f"adjustment {index + 1}", named)


def _check_setup(value: Plain, path: Path, *, adjusted: bool) -> Iterator[Problem]:
    items = entries(value)
    if items is not None:
        yield from _check_elements(items, path, "matrix setup", adjusted=adjusted)
        return
    if not isinstance(value, Mapping) or not value:
        yield wrong_type(value, path, "matrix setup", "a list of elements or a mapping of dimensions to lists")
        return
    yield from _check_limit(len(value), DIMENSIONS, path, f"matrix has {len(value)} dimensions")
    for name, content in value.items():
        where = (*path, name)
        yield from _check_name(name, where)
        elements = entries(content)
        if elements is None:
            yield wrong_type(
                content, where, f"matrix dimension {spelled(name)}", "a list of elements", f"write [{shown(content)}]"
            )
        else:
            yield from _check_elements(elements, where, f"matrix dimension {spelled(name)}", adjusted=adjusted)


def _check_name(name: str, path: Path) -> Iterator[Problem]:
    if not _NAME.fullmatch(name):
        fixed = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")
        message = f'matrix dimension {shown(name)} is no name: expected letters, digits and "_"'
        yield Problem(code=MATRIX_DIMENSION, path=path, message=message, help=f'write "{fixed}"' if fixed else "")
    size = len(name.encode(errors="replace"))
    yield from _check_limit(size, ELEMENT_BYTES, path, f"matrix dimension {shown(name)} has {size} bytes")


def _check_elements(elements: tuple[Plain, ...], path: Path, name: str, *, adjusted: bool = False) -> Iterator[Problem]:
    if not elements and not adjusted:
        yield wrong_type(elements, path, name, "at least one element")
    yield from _check_limit(len(elements), ELEMENTS, path, f"{name} has {len(elements)} elements")
    for index, element in enumerate(elements):
        yield from _check_element(element, (*path, index), f"{name} entry {index + 1}")


def _check_element(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    if not isinstance(value, (str, int)):
        message = f"{name} is {shown(value)}: expected text, a whole number or a boolean"
        hint = f'quote it: "{shown(value)}"' if isinstance(value, float) else ""
        yield Problem(code=MATRIX_ELEMENT, path=path, message=message, help=hint)
        return
    size = len(_spelled(value).encode(errors="replace"))
    yield from _check_limit(size, ELEMENT_BYTES, path, f"{name} has {size} bytes")


def _check_adjustment(value: Plain, path: Path, name: str, named: Dimensions | None) -> Iterator[Problem]:
    if not isinstance(value, Mapping):
        yield wrong_type(value, path, name, 'a mapping with "with"')
        return
    yield from check_known(value, ("with", "skip", "soft_fail"), path, "an adjustment")
    if "with" in value:
        yield from _check_with(value["with"], (*path, "with"), name, named)
    else:
        message = f'{name} needs "with", the combination that it is about'
        yield Problem(code=MISSING_ATTRIBUTE, path=path, message=message, help='add "with"')
    if "skip" in value:
        yield from check_skip(value["skip"], (*path, "skip"), f"{name} skip")
    if "soft_fail" in value:
        yield from check_soft_fail(value["soft_fail"], (*path, "soft_fail"), f"{name} soft_fail")


def _check_with(value: Plain, path: Path, name: str, named: Dimensions | None) -> Iterator[Problem]:
    if not isinstance(value, Mapping):
        if entries(value) is not None:
            hint = "name the dimension, below setup as well as here"
            yield wrong_type(value, path, f"{name} with", "a mapping of dimensions to elements", hint)
        else:
            yield from _check_element(value, path, f"{name} with")
        return
    for dimension, element in value.items():
        yield from _check_element(element, (*path, dimension), f"{name} {spelled(dimension)}")
    if named is not None:
        yield from _check_combination(value, path, name, named)


def _check_combination(chosen: PlainMap, path: Path, name: str, named: Dimensions) -> Iterator[Problem]:
    """The dimensions that an adjustment names are all those of its matrix."""
    if ANONYMOUS in named:
        message = f"{name} names {listed(chosen)}, but the dimension of this matrix has no name"
        yield Problem(code=MATRIX_ADJUSTMENT, path=path, message=message, help="name the dimension below setup")
        return
    for dimension in chosen:
        if dimension not in named:
            near = closest(dimension, map(spelled, named))
            message = f"{name} names {shown(dimension)}: expected {listed(named)}"
            hint = f'did you mean "{near}"?' if near is not None else ""
            yield Problem(code=MATRIX_ADJUSTMENT, path=(*path, dimension), message=message, help=hint)
    missing = [dimension for dimension in named if dimension not in chosen]
    if missing:
        message = f"{name} does not name {listed(missing)}: expected every dimension of the matrix"
        yield Problem(code=MATRIX_ADJUSTMENT, path=path, message=message, help=f'add "{spelled(missing[0])}"')


def _check_limit(count: int, limit: int, path: Path, found: str) -> Iterator[Problem]:
    if count > limit:
        yield Problem(code=MATRIX_LIMIT, path=path, message=f"{found}: expected at most {limit}")


_Combination: TypeAlias = tuple[tuple[str, str], ...]


def _product(named: Dimensions) -> int:
    return math.prod(len(elements) for elements in named.values())


def _adjusted(matrix: Plain, named: Dimensions) -> Iterator[tuple[_Combination, PlainMap]]:
    """The adjustments that say clearly which combination they mean."""
    adjustments = entries(matrix.get("adjustments")) if isinstance(matrix, Mapping) else None
    for adjustment in adjustments or ():
        if isinstance(adjustment, Mapping):
            chosen = adjustment.get("with")
            pairs = chosen if isinstance(chosen, Mapping) else {ANONYMOUS: chosen}
            if pairs.keys() == named.keys():
                yield tuple((name, _spelled(pairs[name])) for name in named), adjustment


def _added(matrix: Plain, named: Dimensions) -> set[_Combination]:
    """The combinations that only adjustments make."""
    spelled = {name: {_spelled(element) for element in elements} for name, elements in named.items()}
    return {
        combination
        for combination, _ in _adjusted(matrix, named)
        if any(element not in spelled[name] for name, element in combination)
    }


def _skipped(matrix: Plain, named: Dimensions) -> set[_Combination]:
    return {
        combination
        for combination, adjustment in _adjusted(matrix, named)
        if adjustment.get("skip") not in (None, False, "", "false")
    }


def _spelled(element: Plain) -> str:
    """An element as the agent spells it."""
    if isinstance(element, bool):
        return "true" if element else "false"
    return str(element)
