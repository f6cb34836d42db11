"""CODEOWNERS as GitHub reads it: which line names the owners of a file.

Patterns are gitignore's, with three differences (https://docs.github.com/en/repositories, "About code owners"): the
last line that matches decides, `!` and `[ ]` mean nothing, and `docs/*` does not reach into folders.
"""

import re
from collections.abc import Callable
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span
from pipegen.globs import steady

PLACES: Final = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
"""Where GitHub looks; the first that is there counts."""
_WORDS: Final = re.compile(r"(?:\\.|[^\s\\])+")
MOST: Final = 5_000
"""Lines; of a longer file nothing is said, since its last ones decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of the file: its pattern, the owners that it names, and where it stands."""

    pattern: str
    owners: tuple[str, ...]
    span: Span
    expression: re.Pattern[str]

    def takes(self, path: str) -> bool:
        """Whether it is about a file."""
        if self.expression.match(path) is None:
            return False
        if not self.pattern.endswith("/*"):
            return True
        return path.count("/") == self.pattern.strip("/").count("/") or "**" in self.pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeOwners:
    """All lines of a file that mean something."""

    path: str
    lines: tuple[Line, ...]

    def deciding(self, path: str) -> Line | None:
        """The last line about a file."""
        return next((line for line in reversed(self.lines) if line.takes(path)), None)


def read_code_owners(content: Callable[[str], str | None]) -> CodeOwners | None:
    """The file of a repository, None if it has none."""
    for path in PLACES:
        text = content(path)
        if text is not None:
            written = text.splitlines()
            if len(written) > MOST:
                return None
            lines = (_line(path, number, line) for number, line in enumerate(written, start=1))
            return CodeOwners(path=path, lines=tuple(line for line in lines if line is not None))
    return None


def _line(path: str, number: int, written: str) -> Line | None:
    words = _WORDS.findall(written)
    comment = next((at for at, word in enumerate(words) if word.startswith("#")), len(words))
    words = words[:comment]
    expression = _expression(words[0]) if words else None
    if expression is None:
        return None
    column = written.index(words[0]) + 1
    span = Span(path=path, line=number, column=column, end_line=number, end_column=column + len(words[0]))
    return Line(pattern=words[0], owners=tuple(words[1:]), span=span, expression=expression)


def _expression(pattern: str) -> re.Pattern[str] | None:
    """The pattern as an expression; None for one that means nothing."""
    if pattern.startswith("!") or "[" in pattern:
        return None
    # Only where a repository has such a file: see `pipegen.patterns`.
    from pathspec.patterns.gitignore import GitIgnorePatternError  # noqa: PLC0415
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern  # noqa: PLC0415

    try:
        source, _ = GitIgnoreSpecPattern.pattern_to_regex(pattern)
    except GitIgnorePatternError:
        return None
    return re.compile(steady(source), re.DOTALL) if source else None
