r"""Path patterns in gitignore syntax, rooted: which files a list of `sources`, `run_all` or `ignored` is about.

gitignore (https://git-scm.com/docs/gitignore) gives `*`, `?`, `[…]`, `**` and `\` their meaning. Three things
differ, because a list in a manifest is no ignore file:

* A pattern starts at the top of the repository (`setup.py` is the one there) unless it starts with `**/`.
* `dir` and `dir/` are the same where the name holds no `*`, `?`, `[` or `\`: it and everything below.
* `!` excludes wherever it stands in the list, so that the order of a list never matters.

As in gitignore, a pattern that takes a folder takes all of it: `docs/*` reaches `docs/a/b.md` through `docs/a`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import dropwhile
from typing import Final, Self

from pipegen.dataclass import dataclass
from pipegen.globs import steady
from pipegen.plain import show


class PatternError(ValueError):
    """A pattern that could never mean what its author wants.

    The message says what was expected and what was found, `help` (if not empty) what to type, and `index`
    which pattern of the list it is, from 0.
    """

    def __init__(self, message: str, *, index: int, help: str = "") -> None:  # noqa: A002
        super().__init__(message)
        self.index = index
        self.help = help


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The pattern that decided: its place in the list, from 0, and its text as authored."""

    index: int
    pattern: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Patterns:
    """A compiled list of patterns. Lists with the same texts are equal."""

    texts: tuple[str, ...]
    _included: "_Rules"
    _excluded: "_Rules"

    @classmethod
    def compile(cls, patterns: Sequence[str]) -> Self:
        """Compile a list; one without anything but `!` patterns takes no file.

        Raises:
            PatternError: One of them is empty, points outside of the repository, or is no gitignore pattern.
        """
        included: list[_Rule] = []
        excluded: list[_Rule] = []
        for index, text in enumerate(patterns):
            body = text.removeprefix("!")
            (included if body == text else excluded).append(_rule(Match(index=index, pattern=text), body))
        return cls(texts=tuple(patterns), _included=_rules(included), _excluded=_rules(excluded))

    def match(self, path: str) -> Match | None:
        """The first including pattern that takes a file, None where there is none or a `!` excludes the file.

        Args:
            path: From the top of the repository, with `/` between names, as git prints it.
        """
        match = self._included.first(path)
        return None if match is None or self._excluded.first(path) is not None else match

    def taken(self, paths: Sequence[str]) -> Iterator[int]:
        """The indices of the paths that `match` takes: the same for many at once."""
        alone = self._included.rules[0].glob if len(self.texts) == 1 and self._included.rules else None
        if alone is not None:
            takes = alone.match
            return (index for index, path in enumerate(paths) if takes(path) is not None)
        return (index for index, path in enumerate(paths) if self.match(path) is not None)

    def excluded_by(self, path: str) -> int | None:
        """The index of the first `!` pattern about a file, whether or not another pattern includes it."""
        match = self._excluded.first(path)
        return None if match is None else match.index


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternIndex:
    """Many lists at once: the folders that a path lies in say which of them to ask, so that most are not."""

    lists: tuple[Patterns, ...]
    _below: Mapping[str, frozenset[int]]
    _anywhere: frozenset[int]

    @classmethod
    def of(cls, lists: Sequence[Patterns]) -> Self:
        """Index compiled lists; what is found names them by their place in here, from 0."""
        below: dict[str, set[int]] = {}
        anywhere: set[int] = set()
        for index, patterns in enumerate(lists):
            for text in patterns.texts:
                if text.startswith("!"):
                    continue
                folder = fixed_folder(text)
                (below.setdefault(folder, set()) if folder else anywhere).add(index)
        frozen = {folder: frozenset(indices) for folder, indices in below.items()}
        return cls(lists=tuple(lists), _below=frozen, _anywhere=frozenset(anywhere))

    def taking(self, path: str) -> Iterator[tuple[int, Match]]:
        """Every list that takes a file, in order, with the pattern that decided."""
        for index in sorted(self._candidates(path)):
            match = self.lists[index].match(path)
            if match is not None:
                yield index, match

    def takes(self, path: str) -> bool:
        """Whether any list takes a file."""
        return any(self.lists[index].match(path) is not None for index in self._candidates(path))

    def first(self, paths: Iterable[str]) -> Mapping[int, tuple[str, Match]]:
        """For each list that takes any of the files: the first that it takes, and by which pattern."""
        found: dict[int, tuple[str, Match]] = {}
        undecided = set(range(len(self.lists)))
        for path in paths:
            for index in self._candidates(path) & undecided:
                match = self.lists[index].match(path)
                if match is not None:
                    found[index] = (path, match)
                    undecided.discard(index)
        return found

    def _candidates(self, path: str) -> frozenset[int]:
        return self._anywhere.union(*(self._below[name] for name in lineage(path) if name in self._below))


def check_pattern(text: str, *, index: int = 0) -> None:
    """See that a pattern is one; `index` is its place in the list that it is of.

    Raises:
        PatternError: It is none, as in `Patterns.compile`.
    """
    if mistake := _mistake(text, text.removeprefix("!")):
        message, suggestion = mistake
        raise PatternError(message, index=index, help=suggestion)


def lineage(path: str) -> Iterator[str]:
    """A path and the folders it lies in, the innermost first; never empty text."""
    yield path
    end = path.rfind("/")
    while end > 0:
        path = path[:end]
        yield path
        end = path.rfind("/")


@lru_cache(maxsize=4096)
def fixed_folder(text: str) -> str:
    """The path that all files taken by a pattern are, or lie below; empty if it can take files anywhere."""
    special = _SPECIAL.search(text)
    if special is None:
        return text.strip("/")
    return text[: special.start()].rpartition("/")[0].strip("/")


def fixed_start(text: str) -> str:
    """What all files taken by a pattern begin with; a file called `dir` that `dir/**` may take lacks the `/`."""
    special = _SPECIAL.search(text)
    return (text if special is None else text[: special.start()]).removeprefix("/")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """One pattern: a plain path or, if that is empty, a regular expression to match from the start.

    `match` is what to answer where it decides, made once because whole trees are asked about.
    """

    match: Match
    plain: str = ""
    glob: re.Pattern[str] | None = None

    def takes(self, path: str) -> bool:
        if self.glob is not None:
            return self.glob.match(path) is not None
        return path == self.plain or path.startswith(f"{self.plain}/")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rules:
    """All patterns of one sign, with what tells quickly that a path, like most, is none of theirs."""

    rules: tuple[_Rule, ...]
    paths: frozenset[str]
    folders: tuple[str, ...]
    globs: tuple[re.Pattern[str], ...]

    def first(self, path: str) -> Match | None:
        if not path.startswith(self.folders) and path not in self.paths:
            for glob in self.globs:
                if glob.match(path) is not None:
                    break
            else:
                return None
        for rule in self.rules:
            if rule.takes(path):
                return rule.match
        return None


def _rules(rules: Sequence[_Rule]) -> _Rules:
    return _Rules(
        rules=tuple(rules),
        paths=frozenset(rule.plain for rule in rules if rule.glob is None),
        folders=tuple(f"{rule.plain}/" for rule in rules if rule.glob is None),
        globs=tuple(rule.glob for rule in rules if rule.glob is not None),
    )


def _rule(match: Match, body: str) -> _Rule:
    check_pattern(match.pattern, index=match.index)
    return _Rule(match=match, glob=_glob(body)) if _SPECIAL.search(body) else _Rule(match=match, plain=body.strip("/"))


@lru_cache(maxsize=4096)
def _mistake(pattern: str, body: str) -> tuple[str, str] | None:
    """What is wrong with a pattern, as message and help; None if nothing is.

    The same few hundred stand in the lists of many steps, and each is checked whether it is used or not: what is
    sound by its look, as nearly all are, is not compiled for that.
    """
    fault = _fault(pattern.removesuffix(body), body)
    if fault is None and _SPECIAL.search(body) and not _ONE_STAR.fullmatch(body) and _glob(body) is None:
        hint = "write *, **, ? and sets such as [a-z], whose ranges go upward"
        return f"expected a gitignore pattern, found {show(pattern)}", hint
    return fault


@lru_cache(maxsize=4096)
def _glob(body: str) -> re.Pattern[str] | None:
    """The regular expression of a pattern that is no plain path; None if it is no pattern."""
    if simple := _ONE_STAR.fullmatch(body):
        anywhere = "(?:.+/)?" if simple["anywhere"] else ""
        return re.compile(f"^{anywhere}{re.escape(simple['head'])}[^/]*{re.escape(simple['tail'])}{_END}", re.DOTALL)
    # For the others. To import it takes as long as to read 3,000 patterns, and few workspaces have any other.
    from pathspec.patterns.gitignore import GitIgnorePatternError  # noqa: PLC0415
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern  # noqa: PLC0415

    # `/**/x` is `**/x`; without a slash in front, a pattern of one name would float.
    rooted = body if body.startswith("/") else f"/{body}"
    try:
        source, _ = GitIgnoreSpecPattern.pattern_to_regex(rooted)
        return re.compile(steady(_exact(source)), re.DOTALL) if source else None
    except (GitIgnorePatternError, re.error):
        return None


_ONE_STAR: Final = re.compile(
    r"/?(?P<anywhere>\*\*/)?(?P<head>(?:[^*?\[\\/]+/)*(?!\*\Z)[^*?\[\\/]*)\*(?P<tail>[^*?\[\\/]*)"
)
"""`docs/*.md` and `**/*.md`: one `*` in the last name, and something beside it."""
_END: Final = r"(?:(?P<ps_d>/)|\Z)"
"""The end of a file's path or of a folder's name, as pathspec writes it."""

MAX_LENGTH: Final = 1_000
"""Characters of one pattern; no path is longer."""
_SPECIAL: Final = re.compile(r"[*?\[\\]")

# The parts of pathspec's regular expressions, to tell an escaped character from a sign.
_PART: Final = re.compile(r"\\.|(?P<set>\[\^?\]?[^\]]*\])|(?P<end>\$)", re.DOTALL)


def _exact(source: str) -> str:
    """The regular expression of a pattern as pathspec makes it, made exact, and to match from the start.

    A set such as `[!a]` never takes the `/` between names (gitignore has it so, pathspec 1.1 forgets it), and
    the end is the end, not the place before a last newline.
    """

    def replaced(part: re.Match[str]) -> str:
        match part.lastgroup:
            case "set" if part[0] != "[^/]":
                return f"(?!/){part[0]}"
            case "end":
                return r"\Z"
            case _:
                return part[0]

    exact = _PART.sub(replaced, source)
    return exact if exact.startswith("^") else f".*?{exact}"


_SET: Final = re.compile(r"\\.|\[(?P<inside>[!^]?+\]?+[^\]/]*+)(?P<closing>\]?)", re.DOTALL)

# A backslash and a second `[` mean one thing to git and another to regular expressions; so do these pairs.
_ODD_IN_SET: Final = re.compile(r"[\[\\]|--|&&|\|\||~~")


def _fault(sign: str, body: str) -> tuple[str, str] | None:
    """What is wrong with a pattern behind its `!`, if it has one, as message and help; None for nothing."""
    return _blank_fault(sign, body) or _path_fault(sign, body) or _set_fault(sign, body)


def _blank_fault(sign: str, body: str) -> tuple[str, str] | None:
    found = f"found {show(sign + body)}"
    if len(body) > MAX_LENGTH:
        return f"expected at most {MAX_LENGTH:,} characters, found {len(body):,}", "write a folder, or several patterns"
    bare = sign + body.strip()
    if bare == sign:
        place = ' after "!"' if sign else ""
        return f"expected a path pattern{place}, found nothing", f'write "{sign}docs/"'
    if re.search(r"[\x00-\x1f\x7f]", body):
        return f"expected one pattern without control characters, {found}", "write one pattern per entry"
    if body[0].isspace():
        return f"expected no space in front of a pattern, {found}", f"write {show(bare)}"
    if body[-1].isspace() and not _ends_escaped(body[:-1]):
        return f"expected no space at the end of a pattern, {found}", f"write {show(bare)}"
    return None


def _path_fault(sign: str, body: str) -> tuple[str, str] | None:
    found = f"found {show(sign + body)}"
    names = body.removeprefix("/").removesuffix("/").split("/")
    if ".." in names:
        return f"expected a path inside of the repository, {found}", 'leave out ".."'
    if "." in names or "" in names:
        below = "/".join(name for name in names if name not in {"", "."})
        message = f"expected a path from the top of the repository with single slashes, {found}"
        return message, f"write {show(sign + (below or '**'))}"
    if names[-1] == "**" and body.endswith("/"):
        folder = "/".join(reversed([*dropwhile(lambda name: name == "**", reversed(names))]))
        return f'expected a name after the last "**/", {found}', f"write {show(sign + (folder or '**'))}"
    if any(_ends_escaped(name) for name in names):
        return f'expected a character after the last "\\", {found}', 'write "/" between names'
    return None


def _ends_escaped(text: str) -> bool:
    """Whether the text ends in a backslash that would escape what follows."""
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


def _set_fault(sign: str, body: str) -> tuple[str, str] | None:
    for part in _SET.finditer(body):
        if part["inside"] is None:
            continue
        if not part["closing"]:
            return f'expected a "]" after the "[", found {show(sign + body)}', 'write "\\[" for a bracket in a name'
        if _ODD_IN_SET.search(part["inside"]):
            return f'expected characters and ranges in "[…]", found {show(part[0])}', "write several patterns"
    return None
