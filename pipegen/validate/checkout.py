"""`checkout` and `cache`: what lies on the machine before the command runs."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.plain import Path, Plain
from pipegen.validate.codes import SPARSE_PATH
from pipegen.validate.problem import Problem
from pipegen.validate.shape import (
    TEXT_OR_TEXTS,
    Record,
    check_filled_text,
    check_positive,
    check_record,
    check_strict_boolean,
    check_text,
    check_texts,
    check_word,
    entries,
    record_check,
    upload_reference,
    wrong_type,
)
from pipegen.validate.step_secrets import check_secret_name
from pipegen.validate.upload import has_reference, shown

_LETTER: Final = re.compile(r"[A-Za-z]")
_CACHE_SIZE: Final = re.compile(r"[0-9]+g")
_COMMIT_VERIFICATION: Final = ("strict", "warn", "off")


def check_checkout(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """`checkout` of a step. The agent takes real booleans and numbers only: text makes it give up on the step."""
    if isinstance(value, bool):
        skip = "false" if value else "true"
        yield wrong_type(value, path, name, "a mapping", f"write {{skip: {skip}}}")
    else:
        yield from check_record(value, path, name, _CHECKOUT)


def check_pipeline_checkout(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """`checkout` of a whole pipeline, which has no key of its own to log in with."""
    if isinstance(value, bool):
        yield from check_checkout(value, path, name)
    else:
        yield from check_record(value, path, name, _PIPELINE_CHECKOUT)


def _check_sparse_paths(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """Paths reach git on one line, joined by commas, where a leading `-` would be an option."""
    items = entries(value)
    yield from check_texts(value, path, name)
    for index, item in enumerate(items if items is not None else (value,)):
        if isinstance(item, str) and has_reference(item):
            yield upload_reference(item, (*path, index) if items is not None else path, name)
        elif isinstance(item, str) and ("," in item or item.startswith("-") or not item.strip()):
            where = (*path, index) if items is not None else path
            message = f'sparse checkout path {shown(item)}: expected text without "," and without "-" at its beginning'
            hint = "write a list with one path in each entry" if "," in item else ""
            yield Problem(code=SPARSE_PATH, path=where, message=message, help=hint)


def _check_ssh_secret(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    problems = tuple(check_secret_name(value, path, name))
    yield from problems
    if not problems and isinstance(value, str) and not _LETTER.match(value):
        yield wrong_type(value, path, name, "the name of a secret that begins with a letter")


def _check_verification(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    if isinstance(value, str) and has_reference(value):
        yield upload_reference(value, path, name)
    else:
        yield from check_word(value, path, name, _COMMIT_VERIFICATION)


_FLAGS: Final = Record(
    owner="checkout.flags",
    checks={"clone": check_text, "fetch": check_text, "checkout": check_text, "clean": check_text},
)
_SPARSE: Final = Record(owner="checkout.sparse", checks={"paths": _check_sparse_paths}, required=("paths",))
_PIPELINE_CHECKOUT: Final = Record(
    owner="the checkout of a pipeline",
    checks={
        "skip": check_strict_boolean,
        "submodules": check_strict_boolean,
        "lfs": check_strict_boolean,
        "depth": check_positive,
        "flags": record_check(_FLAGS),
        "sparse": record_check(_SPARSE),
        "commit_verification": _check_verification,
    },
)
_CHECKOUT: Final = Record(
    owner="checkout",
    checks={**_PIPELINE_CHECKOUT.checks, "ssh_secret": _check_ssh_secret},
)


def check_cache(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """A path, a list of paths, `{paths, size, name}`, or false for no cache."""
    if isinstance(value, Mapping):
        yield from check_record(value, path, name, _CACHE)
    elif isinstance(value, str) or entries(value) is not None:
        yield from check_texts(value, path, name)
    elif value is not False:
        yield wrong_type(value, path, name, f"{TEXT_OR_TEXTS}, a mapping with paths, or false")


def _check_cache_size(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    if not isinstance(value, str) or not (_CACHE_SIZE.fullmatch(value) or has_reference(value)):
        yield wrong_type(value, path, name, 'text like "20g"')


_CACHE: Final = Record(
    owner="a cache",
    checks={"paths": check_texts, "size": _check_cache_size, "name": check_filled_text},
    required=("paths",),
)
