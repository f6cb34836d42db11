"""What a pattern that takes no file was probably meant to be: where git saw its files go, or what it looks like."""

import posixpath
from collections.abc import Mapping
from dataclasses import field
from typing import Self

from pipegen.commands import Files
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Edit, listing
from pipegen.model import Located
from pipegen.patterns import fixed_folder
from pipegen.rules.edits import replaced
from pipegen.rules.facts import Facts
from pipegen.rules.missing import Successor, successors
from pipegen.rules.taken import is_plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Whereabouts:
    """Looks for what is gone. `named` has the files and folders of each name."""

    facts: Facts
    named: Mapping[str, tuple[str, ...]]
    _found: dict[str, tuple[Successor, ...]] = field(default_factory=dict, init=False)

    @classmethod
    def of(cls, facts: Facts) -> Self:
        """Made when something is gone, which is seldom."""
        named: dict[str, list[str]] = {}
        for path in (*facts.inventory.files.paths, *sorted(facts.inventory.files.folders)):
            named.setdefault(path.rpartition("/")[2], []).append(path)
        return cls(facts=facts, named={name: tuple(paths) for name, paths in named.items()})

    def look(self, body: str) -> tuple[Successor, ...]:
        """What a pattern without its `!` was meant to be, as patterns; of a glob the folders in front may be gone."""
        folder, files = fixed_folder(body), self.facts.inventory.files
        if is_plain(body):
            return tuple(
                _with(one, "/" if body.endswith("/") and one.path in files.folders else "")
                for one in self._moved(folder)
            )
        if not folder or files.exists(folder):
            return ()
        tail = body.removeprefix("/")[len(folder) :]
        return tuple(_with(one, tail) for one in self._moved(folder) if one.path in files.folders)

    def _moved(self, path: str) -> tuple[Successor, ...]:
        """Where git saw it go; else another of the same name; else what its name looks like, in the same part."""
        if path not in self._found:
            self._found[path] = self._search(path)
        return self._found[path]

    def _search(self, path: str) -> tuple[Successor, ...]:
        found = successors(path, self.facts)
        if len(found) > 1 or any(one.sure for one in found):
            return found
        same = self._same_name(path, self.facts.inventory.files)
        if same is not None:
            return (Successor(path=same, sure=False),)
        return tuple(one for one in found if _part(one.path) == _part(path))

    def _same_name(self, path: str, files: Files) -> str | None:
        """The only path of the same name, with or without a suffix, below the nearest folder that has one."""
        folder = posixpath.dirname(path)
        with_suffix = [f"{path}.{one}" for one in ("py", "sh", "md") if f"{path}.{one}" in files.known]
        if len(with_suffix) == 1:
            return with_suffix[0]
        places = self.named.get(posixpath.basename(path), ())
        while folder:
            below = [place for place in places if place.startswith(f"{folder}/")]
            if below:
                return below[0] if len(below) == 1 else None
            folder = posixpath.dirname(folder)
        return None


def what_to_write(found: tuple[Successor, ...], sign: str = "") -> str:
    """The help line for where something went; no text where nobody knows."""
    if not found:
        return ""
    if len(found) > 1:
        return f"git moved its files to {listing(one.path for one in found)}: write what of these it is about"
    path = sign + found[0].path
    return f'git moved it: write "{path}"' if found[0].sure else f'did you mean "{path}"?'


def rewritten(pattern: Located, found: tuple[Successor, ...], sign: str = "") -> tuple[Edit, ...]:
    """The edit that follows a rename, where git saw the one place that all went to."""
    return (replaced(pattern.span, sign + found[0].path),) if len(found) == 1 and found[0].sure else ()


def _with(one: Successor, tail: str) -> Successor:
    return Successor(path=one.path + tail, sure=one.sure)


def _part(path: str) -> str:
    """The part of the repository that a path lies in."""
    return path.partition("/")[0]
