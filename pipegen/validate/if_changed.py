"""`if_changed`: globs over the files that a build is about, which the agent applies at upload."""

from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.plain import Path, Plain
from pipegen.validate.codes import GLOB_SUSPECT
from pipegen.validate.path_glob import check_changed_glob
from pipegen.validate.problem import Problem
from pipegen.validate.shape import Record, check_record, check_texts, entries, wrong_type


def check_if_changed(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """A glob, a list of globs, or `{include, exclude}` of them.

    The agent runs a step whose rule it cannot read, whatever changed.
    """
    if isinstance(value, Mapping):
        yield from check_record(value, path, name, _RULE)
    elif isinstance(value, str) or entries(value) is not None:
        yield from _check_included(value, path, name)
    else:
        yield wrong_type(value, path, name, 'a glob, a list of globs, or a mapping of "include" and "exclude"')


def _check_included(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    if entries(value) == ():
        message = f"{name} is an empty list, which matches no file: the step is always skipped"
        yield Problem(code=GLOB_SUSPECT, path=path, message=message, help="leave it out to run always")
    yield from _check_globs(value, path, name)


def _check_globs(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    yield from check_texts(value, path, name)
    items = entries(value)
    if items is None:
        if isinstance(value, str):
            yield from check_changed_glob(value, path, name)
        return
    for index, item in enumerate(items):
        if isinstance(item, str):
            yield from check_changed_glob(item, (*path, index), f"{name} entry {index + 1}")


_RULE: Final = Record(
    owner="if_changed", checks={"include": _check_included, "exclude": _check_globs}, required=("include",)
)
