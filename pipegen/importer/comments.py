"""Comments of a YAML file, each with the place that it is about: YAML readers drop them, and moving house must not."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.manifest.located import Items, Node, Scalar, scalars
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.yaml import lines

_STEP: Final = re.compile(r"-\s+(?:label|key|group)\s*:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """One line of a comment, without its `#`; `line` and `column` count from 1."""

    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Comment lines that stand together, cut where a step begins that was commented out."""

    explaining: tuple[Comment, ...]
    dead: tuple[Comment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comments:
    """What is said about the lines of a file.

    `above` and `after` hold the comments in front of the value that begins in a line, and those that follow it and
    are about nothing below; `beside` the one that ends a line.
    """

    above: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    after: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    beside: Mapping[int, str] = field(default_factory=dict)
    dead: tuple[Block, ...] = ()


def comments_of(text: str, root: Node) -> Comments:
    """Find every comment and the value that it is about."""
    anchors = sorted(set(_anchors(root)))
    above: dict[int, list[str]] = {}
    after: dict[int, list[str]] = {}
    beside: dict[int, str] = {}
    dead = []
    own, trailing = _found(text, root)
    for comment in trailing:
        line = max((line for line, _ in anchors if line <= comment.line), default=comment.line)
        beside[line] = comment.text
    for block in _blocks(own):
        if block.dead:
            dead.append(block)
            continue
        for comment in block.explaining:
            place, line = _about(comment, anchors)
            (above if place == "above" else after).setdefault(line, []).append(comment.text)
    return Comments(
        above={line: tuple(texts) for line, texts in above.items()},
        after={line: tuple(texts) for line, texts in after.items()},
        beside=beside,
        dead=tuple(dead),
    )


def _anchors(node: Node) -> Iterator[tuple[int, int]]:
    """Where values begin: the line, and the column up to which a comment in front may be indented."""
    match node:
        case MappingNode():
            for entry in node.entries:
                yield entry.key.span.line, entry.key.span.column
                yield from _anchors(entry.value)
        case Items():
            for item in node.items:
                # The dash of a mapping stands two columns before its first key.
                yield item.span.line, item.span.column - (2 if isinstance(item, MappingNode) else 0)
                yield from (anchor for anchor in _anchors(item) if anchor[0] > item.span.line)
        case Scalar():
            pass


def _found(text: str, root: Node) -> tuple[list[Comment], list[Comment]]:
    """Comments on lines of their own, and those behind a value."""
    inside: set[int] = set()
    ends: dict[int, int] = {}
    for scalar in _all_scalars(root):
        span = scalar.span
        last = span.end_line - (1 if span.end_column == 1 and span.end_line > span.line else 0)
        inside.update(range(span.line + 1, last + 1))
        ends[span.end_line] = max(ends.get(span.end_line, 0), span.end_column)
    own, trailing = [], []
    for number, line in enumerate(lines(text), start=1):
        stripped = line.lstrip()
        if number not in inside and stripped.startswith("#"):
            own.append(Comment(line=number, column=len(line) - len(stripped) + 1, text=_text(stripped)))
        elif number in ends or number not in inside:
            start = max(ends.get(number, 1) - 1, 0)
            if found := re.search(r"(?:^|(?<=\s))#", line[start:]):
                at = start + found.start()
                trailing.append(Comment(line=number, column=at + 1, text=_text(line[at:])))
    return own, trailing


def _all_scalars(node: Node) -> Iterator[Scalar]:
    match node:
        case MappingNode():
            for entry in node.entries:
                yield entry.key
                yield from _all_scalars(entry.value)
        case Items():
            for item in node.items:
                yield from _all_scalars(item)
        case Scalar():
            yield from scalars(node)


def _text(comment: str) -> str:
    return comment.removeprefix("#").removeprefix(" ").rstrip()


def _blocks(comments: Iterable[Comment]) -> Iterator[Block]:
    run: list[Comment] = []
    for comment in comments:
        if run and comment.line != run[-1].line + 1:
            yield _block(run)
            run = []
        run.append(comment)
    if run:
        yield _block(run)


def _block(run: list[Comment]) -> Block:
    cut = next((at for at, comment in enumerate(run) if _STEP.match(comment.text)), len(run))
    return Block(explaining=tuple(run[:cut]), dead=tuple(run[cut:]))


def _about(comment: Comment, anchors: list[tuple[int, int]]) -> tuple[str, int]:
    following = next(((line, column) for line, column in anchors if line > comment.line), None)
    before = max((line for line, _ in anchors if line < comment.line), default=None)
    if following is not None and (comment.column <= following[1] or before is None):
        return "above", following[0]
    return "after", before if before is not None else comment.line
