"""A manifest of a file's steps: areas and plain steps in order, what they all say once at the top."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from pipegen.dataclass import dataclass, replace
from pipegen.importer.comments import Comments
from pipegen.importer.drafts import Draft
from pipegen.importer.reading import OldFile, key_of, stem_of
from pipegen.importer.speaking import Speaking
from pipegen.importer.writing import SILENT, Bare, Item, List, Map, Pair, Said, document, plain_list

ORDER: Final = (
    "key title label tests also separate k m ignore args sources hardware gpus nodes template working_dir when gate "
    "depends_on timeout_in_minutes parallelism concurrency concurrency_group soft_fail retry env setup commands mirrors"
).split()
MIRROR_ORDER: Final = (
    "key title label hardware gpus nodes template working_dir when gate depends_on timeout_in_minutes parallelism "
    "concurrency concurrency_group soft_fail retry sources tests also separate k m ignore args env setup commands"
).split()
LIFTED: Final = (
    "hardware gpus template working_dir when depends_on timeout_in_minutes soft_fail retry env setup"
).split()
"""What stands at the top of a file where all of its steps agree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A manifest, how many areas and plain steps it has, and how many of the areas do without commands."""

    text: str
    areas: int
    steps: int
    told_by_tests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """An area or a plain step: its name, and what it says."""

    name: str
    is_area: bool
    said: Said
    pairs: Mapping[str, Pair]


def manifest(file: OldFile, drafts: Sequence[Draft], speaking: Speaking, owner: str, stem: str) -> Written:
    """The manifest of one file. `stem` is what the names of its areas begin with."""
    names = area_names(drafts, stem)
    entries = [_entry(draft, speaking, names) for draft in drafts]
    lifted, rest = _lifted(entries)
    common, rest = _common_sources(rest)
    areas = sorted((entry for entry in rest if entry.is_area), key=lambda entry: entry.name)
    steps = sorted((entry for entry in rest if not entry.is_area), key=lambda entry: entry.name)
    top = [*_top(file, owner, common, lifted)]
    if areas:
        pairs = tuple(_area(entry, at) for at, entry in enumerate(areas))
        top.append(Pair(key="areas", value=Map(pairs=pairs, tall=True), gap=True))
    if steps:
        top.append(Pair(key="steps", value=_steps(steps), gap=True))
    text = document(_head(file), Map(pairs=tuple(top), tall=True), _tail(file.comments))
    told = sum(1 for entry in areas if "commands" not in entry.pairs)
    return Written(text=text, areas=len(areas), steps=len(steps), told_by_tests=told)


def _top(file: OldFile, owner: str, common: Sequence[str], lifted: Sequence[Pair]) -> Iterator[Pair]:
    """What a manifest says once: the group, the owner, and what all of its steps have in common."""
    yield Pair(key="group", value=file.group)
    yield Pair(key="owner", value=owner)
    sources = [*([file.path] if file.depends_on else []), *common]
    if sources:
        yield Pair(key="sources", value=plain_list(sources))
    if file.depends_on and all(pair.key != "depends_on" for pair in lifted):
        yield Pair(key="depends_on", value=plain_list([item.text for item in file.depends_on]))
    yield from lifted


def _area(entry: _Entry, at: int) -> Pair:
    return Pair(key=entry.name, value=Map(pairs=_in_order(entry.pairs), tall=True), said=entry.said, gap=at > 0)


def _steps(steps: Sequence[_Entry]) -> List:
    items = [Item(value=Map(pairs=_in_order(entry.pairs), tall=True), said=entry.said) for entry in steps]
    return List(items=tuple(items), tall=True, spaced=True)


def _in_order(pairs: Mapping[str, Pair], order: Sequence[str] = ORDER) -> tuple[Pair, ...]:
    return tuple(pairs[name] for name in order if name in pairs)


def _entry(draft: Draft, speaking: Speaking, names: Mapping[str, str]) -> _Entry:
    own, mirrors = speaking.words(draft)
    pairs = {**draft.unit.pairs, **own}
    made = []
    for mirror, words in zip(draft.mirrors, mirrors, strict=True):
        inner = _in_order({**mirror.unit.pairs, **words}, MIRROR_ORDER)
        made.append(Pair(key=mirror.name, value=Map(pairs=inner)))
    if made:
        pairs["mirrors"] = Pair(key="mirrors", value=Map(pairs=tuple(made)))
    name = draft.key
    if draft.runs_tests:
        name = names[draft.key]
        if key_of_area(name) == draft.key:
            del pairs["key"]
    return _Entry(name=name, is_area=draft.runs_tests, said=draft.said, pairs=pairs)


def area_names(drafts: Sequence[Draft], stem: str) -> Mapping[str, str]:
    """The names of areas by key: the file that they are from, and what the key says beyond that.

    A key that a label gave says more than the name needs (signs, the card): its title is shorter.
    """
    result: dict[str, str] = {}
    taken: set[str] = set()
    for draft in drafts:
        title = draft.unit.pairs.get("title")
        short = draft.key
        if not draft.step.authored_key and title is not None and isinstance(title.value, str):
            short = key_of(title.value)
        base = _area_name(stem, draft.key)
        free = (name for name in chain((_area_name(stem, short), base), _numbered(base)) if name not in taken)
        result[draft.key] = next(free)
        taken.add(result[draft.key])
    return result


def _numbered(name: str) -> Iterator[str]:
    return (f"{name}-{number}" for number in range(2, 10_000))


def _area_name(stem: str, key: str) -> str:
    words = key_of_area(stem) + "-"
    short = key.removeprefix(words) if key.startswith(words) else key
    plain = re.sub("--+", "-", re.sub(r"[^A-Za-z0-9_.-]", "-", short)).strip("_.-")
    return f"{stem}/{plain or 'tests'}"


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
        replace(entry, pairs={name: pair for name, pair in entry.pairs.items() if name not in names})
        for entry in entries
    ]
    return lifted, rest


def _common_sources(entries: Sequence[_Entry]) -> tuple[list[str], list[_Entry]]:
    """The patterns that the sources of all steps hold, and the steps that say them once less."""
    lists = [_patterns(entry) for entry in entries]
    if len(entries) < 2 or any(patterns is None for patterns in lists):
        return [], list(entries)
    given = [patterns for patterns in lists if patterns is not None]
    common = [pattern for pattern in given[0] if all(pattern in patterns for patterns in given)]
    if not common:
        return [], list(entries)
    return common, [_without(entry, common) for entry in entries]


def _patterns(entry: _Entry) -> list[str] | None:
    """The patterns of a step; None where it has none, or where something is said about one of them."""
    pair = entry.pairs.get("sources")
    if pair is None or not isinstance(pair.value, List) or pair.said or any(item.said for item in pair.value.items):
        return None
    return [item.value for item in pair.value.items if isinstance(item.value, str)]


def _without(entry: _Entry, common: Sequence[str]) -> _Entry:
    rest = [pattern for pattern in _patterns(entry) or () if pattern not in common]
    pairs = {name: pair for name, pair in entry.pairs.items() if name != "sources"}
    if rest:
        pairs["sources"] = Pair(key="sources", value=plain_list([Bare("+"), *rest]))
    return replace(entry, pairs=pairs)


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
        by_name.setdefault(stem_of(path), []).append(path)
    result = {}
    for name, same in by_name.items():
        for path in same:
            folder = posixpath.basename(posixpath.dirname(path))
            result[path] = _clean(name) if len(same) == 1 else f"{_clean(folder)}/{_clean(name)}"
    return result


def _clean(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "-", name).lstrip("_.-") or "steps"
