r"""Text on its way through `buildkite-agent pipeline upload`, which replaces variables unless it is told not to.

`$NAME` belongs to the job's shell, so it has to arrive as it was written. With interpolation every `$` is doubled;
with `--no-interpolation` nothing is. A value that only the agent knows, at upload, stands in the text as an *upload
reference*: a name between two Unicode noncharacters, which no authored text may hold.

What the agent does (`github.com/buildkite/interpolate`, `parser.go`), read from the left: `\\` stays as it is, two
backslashes; `\$` and `$$` become `$`; `${NAME}` becomes its value, which is not looked at again; all else is text. So
doubling carries every `$` but one right behind an odd number of backslashes: the last of them would be read together
with the `$`, and no other spelling leaves one there whatever the environment. Braces around a reference's name keep
the text that follows out of it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.plain import Path, Plain, PlainMap, show

UPLOAD_OPEN: Final = "\ufdd0"
UPLOAD_CLOSE: Final = "\ufdd1"

REFERENCE: Final = re.compile("\ufdd0([^\ufdd0\ufdd1]*)\ufdd1")
"""An upload reference in a text; the group is its name."""
_WHOLE: Final = re.compile("\ufdd0\\w+\ufdd1")
_STRAY: Final = re.compile("[\ufdd0\ufdd1]")
_LIVE: Final = re.compile("(?P<backslashes>\\\\*)(?:\\$|\ufdd0(?P<name>[^\ufdd0\ufdd1]*)\ufdd1)")


class TextError(ValueError):
    """A text that does not survive the upload as asked; `path` says where in a tree it stands."""

    def __init__(self, message: str, path: Path = ()) -> None:
        super().__init__(message)
        self.path = path


class Uncarriable(TextError):  # noqa: N818  (what it says of the text)
    """No spelling makes the agent's interpolation leave this text as it is."""


class Unresolved(TextError):  # noqa: N818  (what it says of the reference)
    """An upload reference has no value, and without interpolation the agent will not put one in."""


def upload_reference(name: str) -> str:
    """The text that stands for the agent's variable `name`.

    Raises:
        ValueError: the agent replaces no variable of this name. It takes a Unicode letter, then letters, digits
            and `_`.
    """
    if not _is_name(name):
        raise ValueError(
            f"the agent replaces no variable named {show(name)}: expected a letter, then letters, digits or _"
        )
    return f"{UPLOAD_OPEN}{name}{UPLOAD_CLOSE}"


def references(text: str) -> tuple[str, ...]:
    """The names of the upload references in a text, in order, repeated as they are."""
    if UPLOAD_OPEN not in text:
        return ()
    return tuple(REFERENCE.findall(text))


def escape(text: str) -> str:
    r"""Spell a text for an upload that interpolates: `$` doubled, references as `${NAME}`.

    Raises:
        Uncarriable: an odd number of backslashes right in front of a `$` or a reference.
        ValueError: half an upload reference.
    """
    if "$" not in text and UPLOAD_OPEN not in text:
        return _whole(text)
    return _whole(_LIVE.sub(_escaped, text))


def literal(text: str, values: Mapping[str, str] | None = None) -> str:
    """Spell a text for an upload without interpolation: `$` as it is, references replaced from `values`.

    Raises:
        Unresolved: a reference that `values` does not hold.
        ValueError: half an upload reference.
    """
    if UPLOAD_OPEN not in text:
        return _whole(text)
    known = {} if values is None else values
    return "".join(
        _value(piece, known) if is_name else _whole(piece)
        for is_name, piece in ((position % 2 == 1, piece) for position, piece in enumerate(REFERENCE.split(text)))
    )


def is_carried(texts: str, keys: str, *, interpolation: bool) -> bool:
    """Whether `escape_tree` (or `literal_tree`, without interpolation) is sure to take a tree; False says nothing.

    `texts` are all of its texts and keys with newlines between, `keys` its keys alone.
    """
    if "$" in keys or "\\$" in texts:
        return False
    if UPLOAD_OPEN not in texts and UPLOAD_CLOSE not in texts:
        return True
    if not interpolation or UPLOAD_OPEN in keys or f"\\{UPLOAD_OPEN}" in texts:
        return False
    return not _STRAY.search(_WHOLE.sub("", texts))


def escape_tree(tree: Plain) -> Plain:
    """Spell every text of a tree for an upload that interpolates.

    Keys cannot hold a `$` or a reference there. The agent interpolates Go maps while it walks them, so an entry
    whose key changes may be met, and interpolated, a second time; and of `$$x` and `$x` in one map one is lost.

    Raises:
        Uncarriable: as for `escape`, and for such a key; its `path` leads to the text.
        ValueError: half an upload reference.
    """
    return _Rewriting(spell=escape, spell_key=_escaped_key).of(tree)


def literal_tree(tree: Plain, values: Mapping[str, str] | None = None) -> Plain:
    """Spell every text of a tree, keys included, for an upload without interpolation.

    Raises:
        Unresolved: as for `literal`; its `path` leads to the text.
        ValueError: half an upload reference, or two keys of one mapping that become the same.
    """

    def spell(text: str) -> str:
        return literal(text, values)

    return _Rewriting(spell=spell, spell_key=spell).of(tree)


def _is_name(name: str) -> bool:
    """Go's `unicode.IsLetter`, then that or `unicode.IsNumber` or `_`: by Unicode category, as Python has it."""
    return name[:1].isalpha() and all(letter.isalnum() or letter == "_" for letter in name)


def _escaped(match: re.Match[str]) -> str:
    backslashes, name = match["backslashes"], match["name"]
    if len(backslashes) % 2 == 1:
        what = "$" if name is None else f"upload.{name}"
        raise Uncarriable(
            f'the agent takes the backslash in "\\{what}" for its own; double or drop it, or use "pipegen upload"'
        )
    return backslashes + ("$$" if name is None else f"${{{name}}}")


def _escaped_key(key: str) -> str:
    if "$" in key or UPLOAD_OPEN in key:
        raise Uncarriable(
            f'the agent may read the "$" in the key {show(_readable(key))} twice; take it out, or use "pipegen upload"'
        )
    return _whole(key)


def _value(name: str, known: Mapping[str, str]) -> str:
    if name not in known:
        raise Unresolved(
            f'without interpolation nothing puts a value into "upload.{name}"; '
            f"set {name} in the environment of pipegen, or upload with interpolation"
        )
    return known[name]


def _whole(text: str) -> str:
    """The text, once it is sure that no half of an upload reference is left in it."""
    if not text.isascii() and _STRAY.search(text):
        raise ValueError(f"half an upload reference in {show(text)}")
    return text


def _readable(text: str) -> str:
    return REFERENCE.sub(lambda match: f"${{{match[1]}}}", text)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rewriting:
    """Applies `spell` to every text of a tree and `spell_key` to every key; errors learn the path on their way out.

    What stands in the tree several times, as the plugins of steps do, is spelled once, and stands in the result as
    often. What trees are made of comes first: to ask an abstract class takes ten times as long as to ask `dict`. For
    the same reason texts, which most values are, are spelled where they stand.
    """

    spell: Callable[[str], str]
    spell_key: Callable[[str], str]
    done: dict[int, tuple[Plain, Plain]] = field(default_factory=dict)
    """What was rewritten, by its identity, and what it became; it is held, so that no other gets its id."""

    def of(self, tree: Plain) -> Plain:
        """The same tree, spelled."""
        if isinstance(tree, str):
            return self.spell(tree)
        if tree is None or isinstance(tree, int | float):
            return tree
        known = self.done.get(id(tree))
        if known is None:
            known = tree, self._mapping(tree) if isinstance(tree, dict | Mapping) else self._items(tree)
            self.done[id(tree)] = known
        return known[1]

    def _items(self, tree: Sequence[Plain]) -> list[Plain]:
        items: list[Plain] = []
        for index, value in enumerate(tree):
            try:
                items.append(self.spell(value) if type(value) is str else self.of(value))
            except TextError as error:
                error.path = (index, *error.path)
                raise
        return items

    def _mapping(self, tree: PlainMap) -> PlainMap:
        rewritten: dict[str, Plain] = {}
        for key, value in tree.items():
            try:
                spelled = self.spell_key(key)
                changed = self.spell(value) if type(value) is str else self.of(value)
            except TextError as error:
                error.path = (key, *error.path)
                raise
            if spelled in rewritten:
                raise TextError(f"two keys become {show(spelled)}; give each its own", (key,))
            rewritten[spelled] = changed
        return rewritten
