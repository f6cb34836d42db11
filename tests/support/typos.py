"""Plausible misspellings of every word that pipegen knows, at every place in a workspace where one stands.

A place is a key of the language, a word of a closed set, or a reference to something that has a name elsewhere. What
stands there is found by the fields that the decoder reads, so that a new field is covered without an edit here.
"""

import enum
import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Final

import yaml

from pipegen.build import FACTS
from pipegen.diagnostics import Diagnostic, Span
from pipegen.manifest import cases, hardware, workspace_fields
from pipegen.manifest.containers import ListOf, MapOf, OneOf
from pipegen.manifest.fields import RENAMED, Level, Merge
from pipegen.manifest.json_schema import own_fields
from pipegen.manifest.layers import FIELDS, LayersOf
from pipegen.manifest.located import Entry, Items, Node, Report, Scalar
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.record import Field, PlainRecord, Record
from pipegen.manifest.shape import Boolean, Shape, Text, Word
from pipegen.manifest.switches import RESERVED_WHEN
from pipegen.manifest.yaml import parse_yaml
from pipegen.model import Expansion, Hardware, Workspace
from pipegen.spelling import neighbours


def misspellings(word: str) -> tuple[str, ...]:
    """What fingers make of a word: letters dropped, doubled, swapped, hit beside; other case; `-` for `_` and back."""
    found: dict[str, None] = {}
    for at, character in enumerate(word):
        before, after = word[:at], word[at + 1 :]
        found[before + after] = None
        found[before + character * 2 + after] = None
        if after:
            found[before + after[0] + character + after[1:]] = None
        for beside in neighbours(character.lower()):
            found[before + (beside.upper() if character.isupper() else beside) + after] = None
    for other in (word.upper(), word.lower(), word.capitalize(), word.title(), word.swapcase()):
        found[other] = None
    found[word.replace("_", "-")] = None
    found[word.replace("-", "_")] = None
    return tuple(made for made in found if made not in (word, ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the names of a workspace may refer to."""

    owners: tuple[str, ...]
    hardware: Mapping[str, tuple[str, ...]]
    """Entries of the catalogue with the tags that they offer."""
    templates: tuple[str, ...]
    lanes: tuple[str, ...]
    schedules: tuple[str, ...]
    keys: tuple[str, ...]
    """What `depends_on` may name: keys, areas, and keys of elsewhere."""
    jobs: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]]
    """What expressions may read, by the group of names."""
    files: tuple[str, ...]
    folders: tuple[str, ...]
    pipeline: str | None
    """Which of the workspace's pipelines is made; the others' mistakes are found when they are."""

    @classmethod
    def of(
        cls,
        workspace: Workspace,
        catalogue: Mapping[str, Hardware],
        expansion: Expansion,
        files: Iterable[str],
        templates: Iterable[str],
    ) -> "Known":
        """What there is in a workspace without mistakes."""
        paths = tuple(files)
        jobs = tuple(job.key for job in expansion.jobs)
        of_areas = {job.origin.area for job in expansion.jobs if job.origin.area is not None}
        return cls(
            owners=tuple(workspace.owners),
            hardware={name: entry.tags for name, entry in catalogue.items()},
            templates=tuple(templates),
            lanes=tuple(workspace.lanes),
            schedules=tuple(workspace.schedules),
            keys=(*jobs, *sorted(of_areas), *workspace.external_keys),
            jobs=jobs,
            names={
                "build": tuple(FACTS),
                "env": workspace.environment,
                "vars": tuple(workspace.variables),
                "hardware": ("title", "name", "lane", "queue", "gpus", "nodes", "tags", "facts"),
                "area": ("name",),
            },
            pipeline=workspace.pipeline,
            files=tuple(paths),
            folders=tuple(sorted({f"{folder}/" for path in paths for folder in map(str, PurePath(path).parents)})),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One word in one file. `known` is all that may stand there.

    `sort` says what kind of place it is, so that one of each word and kind can be taken; `at` is where a diagnostic
    about it begins, and `shown` how a suggestion writes the right word.
    """

    path: str
    sort: str
    word: str
    known: tuple[str, ...]
    span: Span
    at: Span
    shown: str = '"{}"'
    offset: int = 0
    """Where the word begins in its scalar, in characters."""

    @property
    def name(self) -> str:
        """What a test calls it."""
        return f"{self.path}:{self.span.line}:{self.span.column + self.offset} {self.sort} {self.word}"


def places(path: str, content: bytes, known: Known) -> tuple[Place, ...]:
    """Every place of one file of a workspace: the workspace file, the catalogue, selection cases or a manifest."""
    root = parse_yaml(content, path, Report())
    if not isinstance(root, MappingNode):
        return ()
    walk = _Walk(path=path, known=known, names=_named(root))
    found = [*walk.file(root), *_aliases(path, content)]
    lines = content.decode().split("\n")
    return tuple(place for place in found if _stands(place, lines))


def _stands(place: Place, lines: Sequence[str]) -> bool:
    """Whether the word stands there letter by letter, as it does in every scalar of one line without escapes."""
    begin = _begin(place, lines)
    return lines[place.span.line - 1][begin : begin + len(place.word)] == place.word


def _begin(place: Place, lines: Sequence[str]) -> int:
    line = lines[place.span.line - 1]
    at = place.span.column - 1
    return at + place.offset + (1 if line[at : at + 1] in ("'", '"', "*") else 0)


def replaced(content: bytes, place: Place, word: str) -> bytes:
    """The file with another word at the place."""
    lines = content.decode().split("\n")
    at, begin = place.span.line - 1, _begin(place, lines)
    lines[at] = lines[at][:begin] + word + lines[at][begin + len(place.word) :]
    return "\n".join(lines).encode()


_SPEAKS: Final = re.compile(r"\{\{.*?\}\}")
_READS: Final = re.compile(r"\b(build|env|vars|hardware|area)\.(\w+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Walk:
    path: str
    known: Known
    names: Mapping[str, tuple[str, ...]]
    """What the file's mappings hold, by the attribute that they are."""

    def file(self, root: MappingNode) -> Iterator[Place]:
        if "cases" in _names(root):
            yield from self.shape(cases.CASE_FILE, root, "cases")
        elif "version" in _names(root):
            yield from self.workspace(root)
        elif "hardware" in _names(root) and "group" not in _names(root):
            yield from self.keys(root, [hardware.ENTRIES], "catalogue")
            for entry in _entries(root.get("hardware")):
                yield from self.layer(entry.value, Level.HARDWARE)
        else:
            yield from self.layer(root, Level.FILE)

    def workspace(self, root: MappingNode, fields: Sequence[Field[object]] | None = None) -> Iterator[Place]:
        record = workspace_fields.WORKSPACE.fields if fields is None else fields
        yield from self.keys(root, record, "workspace")
        for entry in root.entries:
            match entry.key.text:
                case "lanes":
                    for lane in _entries(entry.value):
                        yield from self.layer(lane.value, Level.LANE)
                case "pipelines":
                    for one in _entries(entry.value):
                        if isinstance(one.value, MappingNode) and one.key.text == self.known.pipeline:
                            yield from self.workspace(one.value, workspace_fields.OF_A_PIPELINE)
                case name:
                    field = next(field for field in record if field.name == name)
                    yield from self.shape(field.shape, entry.value, f"workspace.{name}")

    def layer(self, node: Node, level: Level) -> Iterator[Place]:
        if not isinstance(node, MappingNode):
            return
        inherited = [field for field in FIELDS.values() if level in field.levels]
        fields = {field.name: field for field in [*inherited, *own_fields(level)]}
        yield from self.keys(node, list(fields.values()), level.value)
        for entry in node.entries:
            yield from self.removed(entry)
            yield from self.attribute(entry, fields[entry.key.text].shape, level)

    def removed(self, entry: Entry) -> Iterator[Place]:
        """Names of what is inherited that null takes out of a mapping."""
        field = FIELDS.get(entry.key.text)
        if field is None or field.merge is not Merge.MAP or field.name in ("gate", "cache", "checkout", "if_changed"):
            return
        for inner in _entries(entry.value):
            if isinstance(inner.value, Scalar) and inner.value.is_null:
                yield self.place(f"name removed from {field.name}", inner.key, self.names[field.name])

    def attribute(self, entry: Entry, shape: Shape[object], level: Level) -> Iterator[Place]:
        name, node = entry.key.text, entry.value
        if level is Level.FILE and name == "areas":
            for area in _entries(node):
                yield from self.layer(area.value, Level.AREA)
        elif level is Level.FILE and name == "steps":
            for step in _items(node):
                yield from self.layer(step, Level.STEP)
        elif isinstance(shape, LayersOf):
            for inner in _entries(node):
                if shape.level is Level.MIRROR and "none" in _names(inner.value):
                    yield self.place("mirror that is none", inner.key, self.known.lanes)
                yield from self.layer(inner.value, shape.level)
        else:
            yield from self.shape(shape, node, f"{level.value}.{name}")

    def keys(self, node: MappingNode, fields: Sequence[Field[object]], what: str) -> Iterator[Place]:
        known = tuple(field.name for field in fields)
        for entry in node.entries:
            if entry.key.text in known:
                yield self.place(f"key of {what}", entry.key, known)

    def shape(self, shape: Shape[object], node: Node, where: str) -> Iterator[Place]:
        """The places below a value, as far as its shape says what stands there."""
        yield from self.references(node, where)
        match shape:
            case Word(choices=choices) if isinstance(node, Scalar) and node.text in choices:
                yield self.place(f"word of {where}", node, choices)
            case Boolean() if isinstance(node, Scalar) and node.text in ("true", "false"):
                yield self.place(f"word of {where}", node, ("true", "false"), shown="{}")
            case Text() if isinstance(node, Scalar):
                yield from self.expressions(node, where)
            case _:
                yield from self.inside(shape, node, where)

    def inside(self, shape: Shape[object], node: Node, where: str) -> Iterator[Place]:
        """The places in the parts of a value."""
        match shape:
            case ListOf(item=item):
                for inner in _items(node):
                    yield from self.shape(item, inner, where)
            case MapOf(value=value):
                for entry in _entries(node):
                    yield from self.shape(value, entry.value, f"{where}.*")
            case OneOf(shapes=shapes):
                yield from self.one_of(shapes, node, where)
            case PlainRecord(record=record):
                yield from self.shape(record, node, where)
            case Record(fields=fields) if isinstance(node, MappingNode):
                yield from self.record(fields, node, where)
            case _:
                pass

    def record(self, fields: Sequence[Field[object]], node: MappingNode, where: str) -> Iterator[Place]:
        yield from self.keys(node, fields, where)
        shapes = {field.name: field.shape for field in fields}
        for entry in node.entries:
            name = entry.key.text
            if name in shapes:
                yield from self.shape(shapes[name], entry.value, f"{where}.{name}")

    def one_of(self, shapes: Sequence[Shape[object]], node: Node, where: str) -> Iterator[Place]:
        """Of several shapes those that fit; where one of them is free text, no other word is a mistake."""
        fitting = [shape for shape in shapes if shape.fits(node)]
        free = [shape for shape in fitting if isinstance(shape, Text)]
        found = {place for shape in free or fitting for place in self.shape(shape, node, where)}
        yield from sorted(found, key=lambda place: (place.span, place.offset, place.sort))

    def expressions(self, node: Scalar, where: str) -> Iterator[Place]:
        """What the expressions in a text read."""
        for braces in _SPEAKS.finditer(node.text):
            for read in _READS.finditer(braces[0]):
                group, name = read[1], read[2]
                place = self.place(f"name in {where}", node, self.known.names[group], shown=f'"{group}.{{}}"')
                yield replace(place, word=name, offset=braces.start() + read.start(2))

    def references(self, node: Node, where: str) -> Iterator[Place]:
        """The references that a value is, if it is one."""
        if (named := _NAMED.get(where)) is not None:
            yield from self.named(node, named, where)
            return
        match where.split(".")[1:]:
            case ["depends_on"] | ["gate", "depends_on"]:
                yield from self.dependencies(node, where)
            case ["hardware"] if where.startswith("workspace."):
                pass
            case ["hardware"]:
                yield from self.machines(node, where)
            case ["tests", "shards"]:
                for entry in _entries(node):
                    yield self.place("lane of shards", entry.key, self.known.lanes)
            case _:
                pass

    def named(self, node: Node, named: str, where: str) -> Iterator[Place]:
        """The names that a value holds, one or a list of them."""
        known = self.known
        targets: tuple[str, ...] = (*RESERVED_WHEN, *known.schedules) if named == "when" else getattr(known, named)
        for item in _items(node):
            if isinstance(item, Scalar) and not (item.plain and item.text in ("+", "null")):
                yield self.place(f"reference in {where}", item, targets)

    def dependencies(self, node: Node, where: str) -> Iterator[Place]:
        for item in _items(node):
            step = item.get("step") if isinstance(item, MappingNode) else item
            if isinstance(step, Scalar) and not (step.plain and step.text in ("+", "null")) and "{{" not in step.text:
                yield self.place(f"reference in {where}", step, self.known.keys)

    def machines(self, node: Node, where: str) -> Iterator[Place]:
        if isinstance(node, Scalar) and not node.is_null:
            yield self.place(f"reference in {where}", node, tuple(self.known.hardware))
        for entry in _entries(node):
            yield self.place(f"reference in {where}", entry.key, tuple(self.known.hardware))
            for tag in _entries(entry.value):
                yield self.place("tag of hardware", tag.key, self.known.hardware[entry.key.text])

    def place(self, sort: str, scalar: Scalar, known: Iterable[str], *, shown: str = '"{}"') -> Place:
        return Place(
            path=self.path,
            sort=sort,
            word=scalar.text,
            known=tuple(known),
            span=scalar.span,
            at=scalar.span,
            shown=shown,
        )


_NAMED: Final[Mapping[str, str]] = {
    **{f"{level.value}.{name}": name for level in Level for name in ("when",)},
    **{f"{level.value}.owner": "owners" for level in Level},
    **{f"{level.value}.template": "templates" for level in Level},
    "hardware entry.lane": "lanes",
    "workspace.switches.does.schedule": "schedules",
    "workspace.areas": "folders",
    "workspace.templates": "folders",
    "workspace.hardware": "files",
    "workspace.listing": "files",
    "workspace.selection.cases": "files",
    "cases.cases.schedule": "schedules",
    "cases.cases.exactly": "jobs",
    "cases.cases.at_least": "jobs",
    "cases.cases.never": "jobs",
}
"""Values that name something, and what in `Known` they name."""


def _named(node: Node) -> Mapping[str, tuple[str, ...]]:
    """The names in every mapping that stands under a key, by that key."""
    found: dict[str, dict[str, None]] = {name: {} for name in FIELDS}
    pending: list[Node] = [node]
    while pending:
        match pending.pop():
            case MappingNode(entries=entries):
                pending += [entry.value for entry in entries]
                for entry in entries:
                    found.get(entry.key.text, {}).update(dict.fromkeys(_names(entry.value)))
            case Items(items=items):
                pending += items
            case _:
                pass
    return {name: tuple(names) for name, names in found.items()}


def _names(node: Node) -> frozenset[str]:
    return frozenset(entry.key.text for entry in _entries(node))


def _entries(node: Node | None) -> tuple[Entry, ...]:
    return node.entries if isinstance(node, MappingNode) else ()


def _items(node: Node) -> tuple[Node, ...]:
    return node.items if isinstance(node, Items) else (node,)


def _aliases(path: str, content: bytes) -> Iterator[Place]:
    """References to anchors of the same file."""
    anchors: list[str] = []
    for token in yaml.scan(content.decode()):
        if isinstance(token, yaml.AnchorToken):
            anchors.append(token.value)
        elif isinstance(token, yaml.AliasToken):
            mark, end = token.start_mark, token.end_mark
            span = Span(
                path=path,
                line=mark.line + 1,
                column=mark.column + 1,
                end_line=end.line + 1,
                end_column=end.column + 1,
            )
            yield Place(
                path=path, sort="alias", word=token.value, known=tuple(anchors), span=span, at=span, shown='"*{}"'
            )


def distinct(found: Iterable[Place]) -> tuple[Place, ...]:
    """The first place of each word and sort: what holds there holds at the others."""
    first: dict[tuple[str, str], Place] = {}
    for place in found:
        first.setdefault((place.sort, place.word), place)
    return tuple(first.values())


def typed_plainly(word: str) -> bool:
    """Whether YAML takes a misspelling for one plain word, as it stood there."""
    return bool(re.fullmatch(r"[A-Za-z0-9_./][A-Za-z0-9_./:#-]*", word)) and word.lower() != "null"


class Exempt(enum.Enum):
    """Why a misspelling at a place is no mistake, or another one than that."""

    VALID = "another word that may stand there"
    MEANS_MORE = "another word of the language, about which pipegen says something better"
    NO_WORD = "not a plain word to YAML"


def exempt(place: Place, word: str) -> Exempt | None:
    """Why nothing, or something else, is expected of a misspelling; None for one that must be found."""
    if word in place.known or _same_path(word) == _same_path(place.word):
        return Exempt.VALID
    identifier = place.sort.startswith(("name in ", "name removed from env"))
    if not typed_plainly(word) or (identifier and not word.isidentifier()):
        return Exempt.NO_WORD
    if place.sort.startswith("key of ") and (word in FIELDS or word in RENAMED):
        return Exempt.MEANS_MORE
    return None


def _same_path(word: str) -> str:
    """A path without what says nothing: `a//b/` is `a/b`."""
    return re.sub("/+", "/", word).rstrip("/")


def ambiguous(place: Place, word: str) -> bool:
    """Whether the same slip leads to the misspelling from another word that may stand there."""
    return any(word in _slips(other) for other in place.known if other != place.word)


@functools.cache
def _slips(word: str) -> frozenset[str]:
    return frozenset(misspellings(word))


def fault(place: Place, word: str, found: Sequence[Diagnostic]) -> str | None:
    """What is wrong with what was found about a misspelling: one diagnostic, at the place, with the right word first.

    Where another word leads to the same misspelling, the right one must be among those that are suggested.
    """
    if len(found) != 1:
        codes = ", ".join(f"{one.code.code} at {one.span}: {one.message}" for one in found)
        return f"{len(found)} diagnostics: {codes}"
    (one,) = found
    if (one.span.path, one.span.line, one.span.column) != (place.path, place.at.line, place.at.column):
        return f"found at {one.span}, not at {place.at}: {one.message}"
    right = place.shown.format(place.word)
    among = re.search(rf"^did you mean .*{re.escape(right)}", one.help)
    if one.help.startswith(f"did you mean {right}") or (among and ambiguous(place, word)):
        return None
    return f"the help is: {one.help!r}"
