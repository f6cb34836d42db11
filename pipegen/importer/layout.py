"""A manifest of a file's steps: areas and plain steps in order, what they all say once at the top."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Final

from pipegen.importer.comments import Comments
from pipegen.importer.drafts import Draft
from pipegen.importer.owning import Speaking
from pipegen.importer.reading import OldFile
from pipegen.importer.writing import SILENT, Item, List, Map, Pair, Said, document, plain_list

ORDER: Final = (
    "key title label tests also separate k m ignore args sources hardware gpus nodes template working_dir when gate "
    "depends_on timeout_in_minutes parallelism concurrency concurrency_group soft_fail retry env setup commands mirrors"
).split()
LIFTED: Final = (
    "hardware gpus template working_dir when depends_on timeout_in_minutes soft_fail retry env setup"
).split()
"""What stands at the top of a file where all of its steps agree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A manifest, and how many areas and plain steps it has."""

    text: str
    areas: int
    steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """An area or a plain step: its name, and what it says."""

    name: str
    is_area: bool
    said: Said
    pairs: Mapping[str, Pair]


def manifest(
    file: OldFile, drafts: Sequence[Draft], speaking: Speaking, owner: str, stem: str
) -> Written:
    """The manifest of one file. `stem` is what the names of its areas begin with."""
    entries = [_entry(draft, speaking, stem) for draft in drafts]
    lifted, rest = _lifted(entries)
    top: list[Pair] = [Pair(key="group", value=file.group), Pair(key="owner", value=owner)]
    if file.depends_on:
        top.append(Pair(key="sources", value=plain_list([file.path])))
        names = plain_list([item.text for item in file.depends_on])
        top.append(Pair(key="depends_on", value=names))
    top += lifted
    areas = sorted((entry for entry in rest if entry.is_area), key=lambda entry: entry.name)
    steps = sorted((entry for entry in rest if not entry.is_area), key=lambda entry: entry.name)
    if areas:
        top.append(Pair(key="areas", value=Map(pairs=tuple(_area(entry, at) for at, entry in enumerate(areas)), tall=True), gap=True))
    if steps:
        top.append(Pair(key="steps", value=_steps(steps), gap=True))
    text = document(_head(file), Map(pairs=tuple(top), tall=True), _tail(file.comments))
    return Written(text=text, areas=len(areas), steps=len(steps))


def _area(entry: _Entry, at: int) -> Pair:
    return Pair(key=entry.name, value=Map(pairs=_in_order(entry.pairs), tall=True), said=entry.said, gap=at > 0)


def _steps(steps: Sequence[_Entry]) -> List:
    items = [
        Item(value=Map(pairs=_in_order(entry.pairs), tall=True), said=entry.said) for entry in steps
    ]
    return List(items=tuple(items), tall=True, spaced=True)


def _in_order(pairs: Mapping[str, Pair]) -> tuple[Pair, ...]:
    return tuple(pairs[name] for name in ORDER if name in pairs)


def _entry(draft: Draft, speaking: Speaking, stem: str) -> _Entry:
    own, mirrors = speaking.words(draft)
    pairs = {**draft.unit.pairs, **own}
    made = []
    for mirror, words in zip(draft.mirrors, mirrors, strict=True):
        inner = _in_order({**mirror.unit.pairs, **words})
        made.append(Pair(key=mirror.name, value=Map(pairs=inner)))
    if made:
        pairs["mirrors"] = Pair(key="mirrors", value=Map(pairs=tuple(made)))
    name = draft.key
    if draft.runs_tests:
        name = area_name(stem, draft.key)
        if key_of_area(name) == draft.key:
            del pairs["key"]
    return _Entry(name=name, is_area=draft.runs_tests, said=draft.said, pairs=pairs)


def area_name(stem: str, key: str) -> str:
    """An area's name: the file that it is from, and what its key says beyond that."""
    words = key_of_area(stem) + "-"
    short = key.removeprefix(words) if key.startswith(words) else key
    return f"{stem}/{short.strip('_.-') or key.strip('_.-')}"


def key_of_area(name: str) -> str:
    """The key that an area's name gives."""
    return re.sub(r"[/_]", "-", name)


def _lifted(entries: Sequence[_Entry]) -> tuple[list[Pair], list[_Entry]]:
    """What all steps say, and the steps without that. A single step keeps what it says."""
    lifted = []
    names = []
    if len(entries) > 1:
        for name in LIFTED:
            found = [entry.pairs.get(name) for entry in entries]
            first = found[0]
            if first is not None and all(
                pair is not None and pair.value == first.value and pair.said == SILENT for pair in found
            ):
                lifted.append(first)
                names.append(name)
    rest = [
        replace(entry, pairs={name: pair for name, pair in entry.pairs.items() if name not in names}) for entry in entries
    ]
    return lifted, rest


def _head(file: OldFile) -> tuple[str, ...]:
    """What is said in front of the steps: about the file as a whole."""
    above = file.comments.above
    return tuple(text for line in file.lines for text in above.get(line, ()))


def _tail(comments: Comments) -> tuple[str, ...]:
    """Explanations of steps that were commented out and are left behind."""
    result: list[str] = []
    for block in comments.dead:
        if block.explaining:
            label = re.sub(r"^-\s+\w+\s*:\s*", "", block.dead[0].text).strip("\"' ")
            result += [comment.text for comment in block.explaining]
            result.append(f'(That is about "{label}", which was commented out and is left behind.)')
    return tuple(result)


def stems(paths: Sequence[str]) -> Mapping[str, str]:
    """What the areas of each file are named after: the file, with its folder where two files have one name."""
    by_name: dict[str, list[str]] = {}
    for path in paths:
        by_name.setdefault(PurePosixPath(path).stem, []).append(path)
    result = {}
    for name, same in by_name.items():
        for path in same:
            folder = PurePosixPath(path).parent.name
            result[path] = _clean(name) if len(same) == 1 else f"{_clean(folder)}/{_clean(name)}"
    return result


def _clean(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "-", name).lstrip("_.-") or "steps"


