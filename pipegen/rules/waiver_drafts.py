"""Waivers to begin with: what a repository has today, grouped by rule and place, as text of its workspace file."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import yaml

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Code, Diagnostic, Edit, Severity, Span
from pipegen.rules.edits import between, line_starts
from pipegen.rules.subjects import Names, quoted

_LOADER: Final = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # only the places of nodes are asked for
_SPECIAL: Final = re.compile(r"[*?\[\]\\]|^!")
_PLAIN: Final = re.compile(r"[A-Za-z][\w./+-]*|[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A waiver to be written. `owner` is None where nobody answers for the place; `count` is how many it waives."""

    code: Code
    at: str
    owner: str | None
    count: int


def drafts(diagnostics: Iterable[Diagnostic], names: Names, workspace_files: Iterable[str]) -> tuple[Draft, ...]:
    """A waiver for each rule and place that has findings, sorted. Errors and warnings need none."""
    found: dict[tuple[str, str], list[tuple[Diagnostic, str | None]]] = {}
    own = frozenset(workspace_files)
    for diagnostic in diagnostics:
        if diagnostic.severity is Severity.FINDING:
            at, owner = _place(diagnostic, names, own)
            found.setdefault((diagnostic.code.code, at), []).append((diagnostic, owner))
    return tuple(
        Draft(
            code=group[0][0].code,
            at=_SPECIAL.sub(lambda special: f"\\{special[0]}", at),
            owner=next((owner for _, owner in group if owner is not None), None),
            count=len(group),
        )
        for (_, at), group in sorted(found.items())
    )


def _place(diagnostic: Diagnostic, names: Names, own: frozenset[str]) -> tuple[str, str | None]:
    """What to call the place of a finding: its area, the key of its step, its file; and who answers for it."""
    regions = names.around(diagnostic.span)
    owner = next((region.owner for region in regions if region.owner is not None), None)
    area = next((region.area for region in regions if region.area is not None), None)
    if area is not None:
        return area, owner
    keys = next((region.keys for region in regions if len(region.keys) == 1), ())
    if keys:
        return keys[0], owner
    path = diagnostic.span.path
    folder = path.rpartition("/")[0]
    if any(f"/{folder}".endswith(f"/{word}") for word in quoted(diagnostic)):
        return f"{folder}/", owner  # it stands at one of several files that it is about
    words = [word for word in quoted(diagnostic) if _can_be_a_place(word)]
    return (words[0] if path in own and words else path), owner


def _can_be_a_place(word: str) -> bool:
    """Whether a quoted word is a path, an area or a key, and no sentence."""
    return re.fullmatch(r"[\w.+-]+(?:/[\w.+-]+)*", word) is not None and ".." not in word.split("/")


def written(text: str, path: str, waivers: Sequence[Mapping[str, str]]) -> Edit | None:
    """The edit that puts waivers into a workspace file behind those that it has; None where it cannot be done.

    Each is its keys with their values, in order. Nothing else of the file changes.
    """
    try:
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError:
        return None
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        return None
    for name, value in root.value:
        if name.value == "waivers":
            return _into(text, path, value, waivers)
    lines = text.splitlines()
    if any(line.startswith("...") for line in lines):
        return None
    before = "" if not text or text.endswith("\n") else "\n"
    added = f"{before}waivers:\n" + "".join(f"  - {_flow(waiver)}\n" for waiver in waivers)
    return Edit(span=_at(text, path, len(text)), text=added)


def _into(text: str, path: str, node: yaml.Node, waivers: Sequence[Mapping[str, str]]) -> Edit | None:
    """Behind the items of the list that is there."""
    if not isinstance(node, yaml.SequenceNode):
        return None
    start, end = node.start_mark.index, node.end_mark.index
    if not node.value:
        if text[start:end].strip("[] \t\r\n"):
            return None  # a comment
        column = 2 if text.rfind("\n", 0, start) < text.rfind("waivers", 0, start) else 0
        added = "".join(f"\n{' ' * column}- {_flow(waiver)}" for waiver in waivers)
        return Edit(span=_at(text, path, start, end), text=added)
    if node.flow_style:
        last = node.value[-1].end_mark.index
        return Edit(span=_at(text, path, last), text="".join(f", {_flow(waiver)}" for waiver in waivers))
    column = node.start_mark.column
    last = _end(text, node)
    line_end = text.find("\n", last)
    at, before, after = (len(text), "\n", "") if line_end < 0 else (line_end + 1, "", "\n")
    added = before + "\n".join(f"{' ' * column}- {_flow(waiver)}" for waiver in waivers) + after
    return Edit(span=_at(text, path, at), text=added)


def _end(text: str, node: yaml.Node) -> int:
    """Where the last value of a node ends; the mark of one in block style is where the next thing begins."""
    last = node
    while isinstance(last, yaml.MappingNode | yaml.SequenceNode) and not last.flow_style and last.value:
        inner = last.value[-1]
        last = inner[1] if isinstance(inner, tuple) else inner
    end: int = last.end_mark.index
    return len(text[:end].rstrip())


def _flow(waiver: Mapping[str, str]) -> str:
    """One waiver on a line."""
    return "{" + ", ".join(f"{name}: {_scalar(value)}" for name, value in waiver.items()) + "}"


def _scalar(value: str) -> str:
    return (
        value if _PLAIN.fullmatch(value) and value.lower() not in _NOT_TEXT else json.dumps(value, ensure_ascii=False)
    )


_NOT_TEXT: Final = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})


def _at(text: str, path: str, start: int, end: int | None = None) -> Span:
    return between(path, start, start if end is None else end, line_starts(text))
