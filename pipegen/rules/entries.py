"""Edits that take one entry out of a mapping and keep everything else as its author typed it."""

import re
from typing import Final

import yaml

from pipegen.diagnostics import Edit, Span
from pipegen.rules.edits import between, line_starts

_LOADER: Final = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # only the places of nodes are asked for
_BLANK: Final = re.compile(r"[ \t]*")
_COMMENT: Final = re.compile(r"^[ \t]*#", re.MULTILINE)
_REST_OF_LINE: Final = re.compile(r"[ \t]*(#[^\r\n]*)?(\r\n|[\n\r]|$)")


def removed_entry(text: str, key: Span, *, further: int = 0, by_value: bool = False) -> tuple[Edit, ...]:
    """The edit that takes an entry out, found by the place of its key or value; none where text alone cannot do it.

    A mapping that holds nothing else goes with it, `further` levels up at most. Comments at the end of its lines go
    too, those above it stay; where one has a line of its own inside of what would go, nothing is done.
    """
    starts = line_starts(text)
    if not 1 <= key.line <= len(starts):
        return ()
    wanted = starts[key.line - 1] + key.column - 1
    try:
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError:
        return ()
    path = _path(root, wanted, by_value=by_value)
    while path and len(path[-1][0].value) == 1 and further:
        path.pop()
        further -= 1
    if not path or len(path[-1][0].value) == 1:
        return ()
    node, at = path[-1]
    if any(_is_elsewhere(name, value) for name, value in node.value):
        return ()
    found = _flow(text, node, at) if node.flow_style else _block(text, node, at)
    return () if found is None else (Edit(span=between(key.path, *found, starts), text=""),)


def _path(root: yaml.Node | None, wanted: int, *, by_value: bool) -> list[tuple[yaml.MappingNode, int]]:
    """The mappings that lead to the key (or value) at an offset, each with the index of the entry that leads on."""
    node = root
    path: list[tuple[yaml.MappingNode, int]] = []
    while node is not None:
        match node:
            case yaml.MappingNode():
                inside = [
                    index
                    for index, (name, value) in enumerate(node.value)
                    if name.start_mark.index <= wanted < max(value.end_mark.index, name.end_mark.index)
                ]
                if not inside:
                    return []
                path.append((node, inside[-1]))
                name, value = node.value[inside[-1]]
                if (value if by_value else name).start_mark.index == wanted:
                    return path
                node = value
            case yaml.SequenceNode():
                node = next((one for one in node.value if one.start_mark.index <= wanted < one.end_mark.index), None)
                path = []  # an item is no entry that could be taken out with what it holds
            case _:
                return []
    return []


def _is_elsewhere(name: yaml.Node, value: yaml.Node) -> bool:
    """Whether an alias stands for the value, which is written further up."""
    return bool(value.start_mark.index < name.end_mark.index)


def _block(text: str, node: yaml.MappingNode, at: int) -> tuple[int, int] | None:
    """From the beginning of the entry's first line to that of the line after its last."""
    name, value = node.value[at]
    start = text.rfind("\n", 0, name.start_mark.index) + 1
    if not _BLANK.fullmatch(text, start, name.start_mark.index):
        return None  # the first key of a list's item
    end = _last_character(text, value, name)
    rest = _REST_OF_LINE.match(text, end)
    if rest is None or _COMMENT.search(text, name.end_mark.index, end):
        return None
    return start, rest.end()


def _last_character(text: str, value: yaml.Node, name: yaml.Node) -> int:
    """Where a value ends; the mark of one in block style is where the next thing begins."""
    last = value
    while isinstance(last, yaml.MappingNode | yaml.SequenceNode) and not last.flow_style and last.value:
        inner = last.value[-1]
        last = inner[1] if isinstance(inner, tuple) else inner
    end: int = max(last.end_mark.index, name.end_mark.index)
    return len(text[:end].rstrip()) if isinstance(last, yaml.ScalarNode) and last.style in ("|", ">") else end


def _flow(text: str, node: yaml.MappingNode, at: int) -> tuple[int, int] | None:
    """The entry with the comma behind it, or, of the last one, in front of it."""
    name, value = node.value[at]
    end = max(value.end_mark.index, name.end_mark.index)
    if at + 1 < len(node.value):
        start, end = name.start_mark.index, node.value[at + 1][0].start_mark.index
    else:
        start = max(mark.end_mark.index for mark in node.value[at - 1])
    return (
        None if "#" in text[start : name.start_mark.index] or "#" in text[value.end_mark.index : end] else (start, end)
    )
