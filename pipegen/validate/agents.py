"""`agents`: which machines may take a job."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.plain import Path, Plain
from pipegen.validate.codes import QUEUE_NAME
from pipegen.validate.problem import Problem
from pipegen.validate.shape import check_filled_text, entries, wrong_type
from pipegen.validate.upload import has_reference, shown, spelled

_QUEUE: Final = re.compile(r"[A-Za-z0-9_-]{1,100}")
_ANY_AGENT: Final = "*"


def check_agents(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    """A mapping of tags to values, or a list of `"tag=value"`; all of them must match an agent's.

    Whole numbers and booleans are as good as text; a fraction would lose its trailing zeros on the way.
    """
    items = entries(value)
    if items is not None:
        for index, item in enumerate(items):
            yield from _check_rule(item, (*path, index), f"{name} entry {index + 1}")
    elif isinstance(value, Mapping):
        for tag, wanted in value.items():
            where = (*path, tag)
            yield from check_filled_text(tag, where, f"{name} tag")
            yield from _check_value(tag, wanted, where)
    else:
        hint = f"write {{queue: {spelled(value)}}}" if isinstance(value, str) and "=" not in value else ""
        yield wrong_type(value, path, name, 'a mapping of tags or a list of "tag=value"', hint)


def _check_rule(value: Plain, path: Path, name: str) -> Iterator[Problem]:
    if not isinstance(value, str):
        yield wrong_type(value, path, name, 'text of the form "tag=value"')
        return
    tag, equals, wanted = value.partition("=")
    if not tag.strip() or not equals:
        yield wrong_type(
            value, path, name, 'text of the form "tag=value"', f'write "queue={spelled(tag)}"' if tag.strip() else ""
        )
    else:
        yield from _check_value(tag, wanted, path)


def _check_value(tag: str, value: Plain, path: Path) -> Iterator[Problem]:
    if not isinstance(value, (str, int)):
        yield wrong_type(value, path, f"agents tag {spelled(tag)}", "text")
    elif tag == "queue":
        queue = str(value)
        if queue != _ANY_AGENT and "{{" not in queue and not has_reference(queue) and not _QUEUE.fullmatch(queue):
            message = f'queue {shown(queue)} is no key of a queue: expected 1 to 100 letters, digits, "-" and "_"'
            yield Problem(code=QUEUE_NAME, path=path, message=message)
