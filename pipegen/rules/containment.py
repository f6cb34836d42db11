"""Whether one pattern takes all that another one can, whatever files a repository has."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import field
from typing import Final

from pipegen.commands import Files
from pipegen.dataclass import dataclass
from pipegen.patterns import Patterns, fixed_folder
from pipegen.rules.taken import is_plain

_ANY: Final = "\N{SYMBOL FOR NULL}"
"""Stands for what a wildcard may be: a character that no pattern has, so that only a wildcard takes it."""
_SIGN: Final = re.compile(r"\*\*/|/\*\*\Z|\*+|\?|[\[\\]|[^*?\[\\/]+|/")
_MOST: Final = 5
"""Wildcards of a pattern: each can be so much that more of them would take long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Containment:
    """Compares patterns without their `!`. A folder's pattern is about what lies below: `files` say what is one."""

    files: Files
    _compiled: dict[str, Patterns] = field(default_factory=dict, init=False, repr=False, compare=False)
    _known: dict[tuple[str, str], bool] = field(default_factory=dict, init=False, repr=False, compare=False)

    def holds(self, wide: str, narrow: str) -> bool:
        """Whether `wide` takes all that `narrow` takes. False also where that is not clear."""
        if wide.strip("/") == narrow.strip("/") and not self._is_narrower(wide, narrow):
            return True
        folder, inner = fixed_folder(wide), fixed_folder(narrow)
        below = not folder or inner == folder or inner.startswith(f"{folder}/")
        if not below or is_plain(wide):
            return below and bool(folder)
        if (wide, narrow) not in self._known:
            self._known[wide, narrow] = self._takes_all(wide, narrow)
        return self._known[wide, narrow]

    def _is_narrower(self, wide: str, narrow: str) -> bool:
        """Whether, of two that are alike but for slashes, the first takes folders alone and the second files too."""
        return (
            wide.endswith("/")
            and not narrow.endswith("/")
            and not (is_plain(narrow) and narrow.strip("/") in self.files.folders)
        )

    def _takes_all(self, wide: str, narrow: str) -> bool:
        if wide not in self._compiled:
            self._compiled[wide] = Patterns.compile([wide])
        if "[" in wide or "\\" in wide:
            return self._compiled[wide].match(narrow) is not None and narrow in self.files.known
        samples = [*self._samples(narrow)]
        return bool(samples) and all(self._compiled[wide].match(path) is not None for path in samples)

    def _samples(self, narrow: str) -> Iterator[str]:
        """Paths that stand for all that a pattern takes; none where it holds what cannot be stood for."""
        if is_plain(narrow):
            path = narrow.strip("/")
            yield from _below(path) if path in self.files.folders else (path,)
            return
        signs = _SIGN.findall(narrow.strip("/"))
        if "[" in signs or "\\" in signs or sum("*" in sign for sign in signs) > _MOST:
            return
        for choice in itertools.product(*(_may_be(sign) for sign in signs)):
            path = "".join(choice)
            if all(path.split("/")):
                yield path
                yield from _below(path)


def _below(folder: str) -> tuple[str, ...]:
    """Names of one character and of more: a `?` takes the one alone."""
    return f"{folder}/{_ANY}", f"{folder}/{_ANY}{_ANY}", f"{folder}/{_ANY}/{_ANY}"


def _may_be(sign: str) -> tuple[str, ...]:
    """What a sign of a pattern can stand for, in examples."""
    if sign == "**/":
        return "", f"{_ANY}/", f"{_ANY}{_ANY}/", f"{_ANY}/{_ANY}/"
    if sign == "/**":
        return _below("")
    if sign[0] == "*":
        return "", _ANY, _ANY + _ANY
    return (_ANY,) if sign == "?" else (sign,)
