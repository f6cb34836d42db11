"""Files that a shell or `find` looks for when it runs, described instead of found."""

import enum
from typing import TypeAlias

from pipegen.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Glob:
    r"""A path pattern from the repository's root, as the shell expands it.

    `\` takes the meaning off a character, and a `/` at the end asks for folders. `recursive` gives `**` its meaning
    (bash's globstar).
    """

    pattern: str
    written: str
    recursive: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NameIs:
    """`-name` or, for the path as find prints it, `-path`: a pattern in which `*` also crosses `/`."""

    pattern: str
    whole: bool = False
    ignores_case: bool = False


class Kind(enum.Enum):
    """`-type f` and `-type d`."""

    FILE = "f"
    FOLDER = "d"


@dataclass(frozen=True, slots=True, kw_only=True)
class KindIs:
    """`-type`."""

    kind: Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Negation:
    """`-not` or `!`."""

    test: "FindTest"


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOf:
    """Tests side by side; without any, everything passes."""

    tests: "tuple[FindTest, ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOf:
    """`-o`."""

    tests: "tuple[FindTest, ...]"


FindTest: TypeAlias = NameIs | KindIs | Negation | AllOf | AnyOf


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """Where find begins: its path from the repository's root, and as written, which its output begins with."""

    path: str
    written: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What `find` prints: everything below its roots, between two depths, that passes a test."""

    roots: tuple[Root, ...]
    test: FindTest
    written: str
    min_depth: int = 0
    max_depth: int | None = None
