"""Patterns against pathspec, whose language they are, and against git, whose language that is."""

import re
import subprocess
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from pipegen.patterns import Match, PatternError, Patterns

# Few names, so that patterns and paths meet.
NAMES = ("a", "b", "ab", "abc", "a b", "a.b", "a-b", "#a", "!a", "*", "A", ".a", "c", "$", "a\\")
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map("/".join)

PLAIN_NAMES = st.sampled_from([name for name in NAMES if not set(name) & set("*\\!")])
PLAIN = st.builds(
    lambda front, names, back: front + "/".join(names) + back,
    st.sampled_from(["", "/"]),
    st.lists(PLAIN_NAMES, min_size=1, max_size=3),
    st.sampled_from(["", "/"]),
)

SETS = st.builds(
    lambda head, first, inside: f"{head}{first}{''.join(inside)}]",
    st.sampled_from(["[", "[!", "[^"]),
    st.sampled_from(["", "]"]),
    st.lists(st.sampled_from(["a", "b", "c", "a-c", "+-9", " ", "$", ".", "!", "^", "-"]), max_size=3),
)
PIECES = st.one_of(st.sampled_from(["a", "b", "c", "*", "?", "\\*", "\\a", " b", ".", "$", "#", "!"]), SETS)
SEGMENTS = st.one_of(st.just("**"), PLAIN_NAMES, st.lists(PIECES, min_size=1, max_size=3).map("".join))
GLOBS = st.builds(
    lambda front, segments, back: front + "/".join(segments) + back,
    st.sampled_from(["", "/", "**/"]),
    st.lists(SEGMENTS, min_size=1, max_size=4),
    st.sampled_from(["", "", "/"]),
).filter(lambda pattern: not pattern.startswith("!"))


@st.composite
def near(draw: st.DrawFn, pattern: str) -> str:
    """A path that the pattern takes, or one that it nearly takes."""

    def filled(part: re.Match[str]) -> str:
        match part[0][0], part[0]:
            case "\\", escape:
                return escape[1]
            case _, "**":
                return draw(st.sampled_from(["a", "b/c", "a/b/a", ""]))
            case "[", _:
                return draw(st.sampled_from(["a", "b", "1", "]", " ", "/", "^"]))
            case _, "?":
                return draw(st.sampled_from(["a", "b", "", "/"]))
            case _:
                return draw(st.sampled_from(["", "", "a", "ab", "/", "a/b"]))

    path = re.sub(r"\\.|\*\*|\*|\?|\[[!^]?\]?[^\]]*\]", filled, pattern)
    path = draw(st.sampled_from(["", "", "", "a/"])) + path + draw(st.sampled_from(["", "", "/", "/a/b", "b"]))
    return "/".join(name for name in path.split("/") if name not in {"", ".", ".."}) or "a"


def with_paths(patterns: st.SearchStrategy[str], *, paths: int) -> st.SearchStrategy[tuple[str, list[str]]]:
    """A pattern and different paths, most of them near it."""
    return patterns.flatmap(
        lambda pattern: st.tuples(
            st.just(pattern),
            st.lists(st.one_of(near(pattern), near(pattern), PATHS), min_size=paths // 2, max_size=paths, unique=True),
        )
    )


LISTS = st.lists(st.tuples(st.booleans(), st.one_of(PLAIN, GLOBS)), max_size=5)


def compiled(patterns: list[str]) -> Patterns:
    """The patterns, or another example where one of them is refused."""
    try:
        return Patterns.compile(patterns)
    except PatternError:
        assume(condition=False)
        raise


def rooted(pattern: str) -> str:
    return pattern if pattern.startswith(("/", "**/")) else f"/{pattern}"


def signed(patterns: list[tuple[bool, str]]) -> list[str]:
    return [pattern if including else f"!{pattern}" for including, pattern in patterns]


class TestAgainstPathspec:
    @settings(max_examples=300)
    @given(with_paths(PLAIN, paths=12))
    def test_a_plain_path_needs_no_pathspec(self, case: tuple[str, list[str]]) -> None:
        """The short cut for folders and files answers as pathspec does for the pattern without its last slash."""
        pattern, paths = case
        theirs = GitIgnoreSpec.from_lines([rooted(pattern).rstrip("/")])
        mine = Patterns.compile([pattern])
        bare = pattern.strip("/")
        for path in [*paths, bare, f"{bare}/x", f"{bare}x", f"x/{bare}", bare[:-1] or "y"]:
            assert (mine.match(path) is not None) is theirs.match_file(path), path

    @settings(max_examples=300)
    @given(with_paths(GLOBS, paths=12))
    def test_a_glob_is_pathspecs(self, case: tuple[str, list[str]]) -> None:
        """All but sets, in which pathspec takes the slash between names for one more character."""
        pattern, paths = case
        assume("[" not in pattern and set(pattern) & set("*?\\"))
        mine = compiled([pattern])
        theirs = GitIgnoreSpec.from_lines([rooted(pattern)])
        for path in paths:
            assert (mine.match(path) is not None) is theirs.match_file(path), path


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    return folder


def ignored(repository: Path, pattern: str, paths: list[str]) -> list[str]:
    """The paths that git ignores under a .gitignore with one pattern."""
    (repository / ".gitignore").write_text(f"{pattern}\n", encoding="utf-8")
    done = subprocess.run(
        ["git", "check-ignore", "--no-index", "--stdin", "-z"],
        cwd=repository,
        input="".join(f"{path}\0" for path in paths).encode(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode in {0, 1}, done.stderr
    return done.stdout.decode().split("\0")[:-1]


class TestAgainstGit:
    @settings(max_examples=200)
    @given(case=with_paths(GLOBS, paths=24))
    @example(case=("a[!b]c", ["a/c", "axc", "abc"]))
    @example(case=("a[+-9]c", ["a/c", "a1c"]))
    @example(case=("**/a*/", ["ab", "ab/c", "x/ab/c", "x/ab"]))
    @example(case=("*", ["a", "a/b/c"]))
    @example(case=("a/*", ["a", "a/b", "a/b/c", "ab/c"]))
    def test_a_glob_means_what_it_means_in_a_gitignore(self, repository: Path, case: tuple[str, list[str]]) -> None:
        pattern, paths = case
        # git 2.39 reads `a**/b` as `a` and `**/b`; its manual, and pathspec, have two asterisks be one there.
        assume(set(pattern) & set("*?[\\") and not any("**" in name != "**" for name in pattern.split("/")))
        mine = compiled([pattern])
        assert [path for path in paths if mine.match(path)] == ignored(repository, rooted(pattern), paths)

    @settings(max_examples=50)
    @given(case=with_paths(PLAIN, paths=24))
    def test_a_plain_path_too(self, repository: Path, case: tuple[str, list[str]]) -> None:
        pattern, paths = case
        mine = Patterns.compile([pattern])
        without_slash = rooted(pattern).rstrip("/")
        assert [path for path in paths if mine.match(path)] == ignored(repository, without_slash, paths)


class TestLists:
    @given(LISTS, PATHS)
    def test_each_pattern_counts_by_itself(self, patterns: list[tuple[bool, str]], path: str) -> None:
        texts = signed(patterns)
        together = compiled(texts)
        alone = [compiled([pattern]).match(path) is not None for _, pattern in patterns]
        including = [index for index, (sign, _) in enumerate(patterns) if sign and alone[index]]
        excluding = [index for index, (sign, _) in enumerate(patterns) if not sign and alone[index]]
        assert together.excluded_by(path) == (excluding[0] if excluding else None)
        if including and not excluding:
            assert together.match(path) == Match(index=including[0], pattern=texts[including[0]])
        else:
            assert together.match(path) is None

    @given(LISTS, st.randoms(use_true_random=False), st.lists(PATHS, min_size=1, max_size=10))
    def test_the_order_selects_nothing(
        self, patterns: list[tuple[bool, str]], random: Random, paths: list[str]
    ) -> None:
        texts = signed(patterns)
        shuffled = random.sample(texts, len(texts))
        first, second = compiled(texts), compiled(shuffled)
        for path in paths:
            assert (first.match(path) is None) is (second.match(path) is None)


class TestAnyText:
    @settings(max_examples=300)
    @given(
        st.one_of(
            st.text(max_size=12),
            st.lists(st.sampled_from([*"ab/*?[]!^\\- .#{}()|&~$+:\n\t", "**", "..", "[a-", "é"]), max_size=10).map(
                "".join
            ),
        ),
        st.one_of(PATHS, st.text(min_size=1, max_size=12)),
    )
    @example("[a||b]", "a")
    @example("[[a]", "a")
    @example("[z-a]", "a")
    @example("(?P<x>a)*", "(?P<x>a)b")
    def test_it_compiles_or_is_refused(self, pattern: str, path: str) -> None:
        """No warning of the regular expressions, no other error, and one line that says what was expected."""
        try:
            patterns = Patterns.compile([pattern])
        except PatternError as refusal:
            message = str(refusal)
        else:
            match = patterns.match(path)
            assert match in {None, Match(index=0, pattern=pattern)}
            assert not (pattern.startswith("!") and match)
            return
        assert message.startswith("expected ")
        assert "\n" not in message
