"""Plain data: what a Buildkite step is made of once nothing of pipegen is left in it."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

Plain: TypeAlias = bool | int | float | str | Sequence["Plain"] | Mapping[str, "Plain"] | None
"""A value as JSON knows it. Sequences are lists or tuples, never text; mappings keep their order."""

PlainMap: TypeAlias = Mapping[str, Plain]
"""One rendered Buildkite step, or any mapping inside one."""

Path: TypeAlias = tuple[str | int, ...]
"""Where a value stands inside a step: `("retry", "automatic", 0, "limit")`."""


def in_order(value: Plain) -> Plain:
    """The same data with the keys of every mapping sorted: the order in which somebody typed them says nothing."""
    match value:
        case str():
            return value
        case Mapping():
            return {name: in_order(value[name]) for name in sorted(value)}
        case Sequence():
            return [in_order(item) for item in value]
        case _:
            return value


_BARE: Final = re.compile(r"[A-Za-z_/][A-Za-z0-9_./ -]*[A-Za-z0-9_/]|[A-Za-z]")
_NO_TEXT: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off"})


def flow(value: Plain) -> str:
    """Data as somebody would type it in one line of YAML, for a help line."""
    match value:
        case str():
            bare = _BARE.fullmatch(value) and value.lower() not in _NO_TEXT
            return value if bare else show(value)
        case Mapping():
            return "{" + ", ".join(f"{flow(name)}: {flow(inner)}" for name, inner in value.items()) + "}"
        case Sequence():
            return "[" + ", ".join(map(flow, value)) + "]"
        case _:
            return show(value)


_LINE_ENDS: Final = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
"""What ends a line, to Python or to an editor; a message is one line."""


def _escaped(found: re.Match[str]) -> str:
    return found.group().encode("unicode_escape").decode()


def show(value: Plain) -> str:
    """Quote a value for a message: text in double quotes, everything else as YAML would show it."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            shown = value if len(value) <= 80 else value[:77] + "..."
            return '"' + _LINE_ENDS.sub(_escaped, shown.replace("\\", "\\\\").replace('"', '\\"')) + '"'
        case int() | float():
            return str(value)
        case Mapping():
            return "a mapping"
        case _:
            return "a list"
