"""Which files a list of patterns is about: the rules that manifests rely on, and the refusals."""

import pytest

from pipegen.patterns import Match, PatternError, Patterns


def takes(patterns: list[str], path: str) -> bool:
    return Patterns.compile(patterns).match(path) is not None


class TestRooted:
    @pytest.mark.parametrize(
        ("pattern", "path", "taken"),
        [
            ("setup.py", "setup.py", True),
            ("setup.py", "tools/setup.py", False),
            ("/setup.py", "setup.py", True),
            ("/setup.py", "tools/setup.py", False),
            ("**/setup.py", "setup.py", True),
            ("**/setup.py", "tools/a/setup.py", True),
            ("tools/setup.py", "x/tools/setup.py", False),
            ("vllm/v1/spec", "vllm/v1/spec_decode/x", False),
            ("vllm/v1/spec_decode", "vllm/v1/spec_decode/x", True),
            ("vllm/v1/spec_decode/x.py", "vllm/v1/spec_decode/x.pyi", False),
            ("*.md", "README.md", True),
            ("*.md", "docs/index.md", False),
            ("**/*.md", "README.md", True),
            ("**/*.md", "docs/a/index.md", True),
            ("requirements/*.txt", "requirements/cuda.txt", True),
            ("requirements/*.txt", "requirements/test/cuda.txt", False),
            ("docs/*", "docs/a/b.md", True),
            ("tests/**/eagle", "tests/eagle/test_a.py", True),
            ("tests/**/eagle", "tests/v1/e2e/eagle/test_a.py", True),
            ("tests/**/eagle", "tests/v1/eagle3/test_a.py", False),
            ("docs/**", "docs/a/b", True),
            ("docs/**", "docs", False),
            ("**", "any/path", True),
            ("*", "any/path", True),
            ("**/*/", "a/b", True),
            ("**/*/", "a", False),
            ("a*/b", "a/b", True),
            ("**/b", "line\nbreak/b", True),
            ("/**/b", "a/b", True),
            ("?.py", "a.py", True),
            ("?.py", "ab.py", False),
            ("a[!b]c", "axc", True),
            ("a[!b]c", "abc", False),
            ("a[^b]c", "abc", False),
            ("a[!b]c", "a/c", False),
            ("a[+-9]c", "a/c", False),
            ("a[+-9]c", "a1c", True),
            ("a[]x]c", "a]c", True),
            (r"\!important", "!important", True),
            (r"\#a", "#a", True),
            ("#a", "#a", True),
            (r"a\*b", "a*b", True),
            (r"a\*b", "axb", False),
            (r"a\ ", "a ", True),
            ("$HOME/x*", "$HOME/xy", True),
            ("a.c*", "abcd", False),
        ],
    )
    def test_one_pattern(self, pattern: str, path: str, taken: bool) -> None:
        assert takes([pattern], path) is taken

    @pytest.mark.parametrize("pattern", ["docs", "docs/", "/docs", "/docs/"])
    def test_a_folder_is_it_and_all_below(self, pattern: str) -> None:
        """The folder itself is a path where it is a submodule, or a link."""
        patterns = Patterns.compile([pattern])
        assert [path for path in ("docs", "docs/a", "docs/a/b") if patterns.match(path) is None] == []
        assert [path for path in ("docs2", "docs.md", "x/docs/a", "doc") if patterns.match(path)] == []

    def test_a_slash_after_a_glob_asks_for_a_folder(self) -> None:
        patterns = Patterns.compile(["build*/", "**/fixtures/"])
        assert patterns.match("build.sh") is None
        assert patterns.match("build_rocm/x.sh") == Match(index=0, pattern="build*/")
        assert patterns.match("fixtures/a.json") == Match(index=1, pattern="**/fixtures/")
        assert patterns.match("tests/x/fixtures/a.json") == Match(index=1, pattern="**/fixtures/")
        assert patterns.match("tests/fixtures") is None

    @pytest.mark.parametrize(
        "name", ["tests/tést/ünïcode.py", "my docs/read me.md", "a#b/c#.md", "日本/x", "a\nb", "with'quote\"s", "[x]/y"]
    )
    def test_a_name_is_a_name(self, name: str) -> None:
        pattern = name.replace("[", r"\[").replace("\n", "?")
        assert takes([pattern], name)
        assert takes([f"**/{pattern}"], f"deep/{name}")
        assert not takes([pattern], f"{name}\n")
        assert not takes([f"**/{pattern}"], f"{name}\n")

    def test_letter_case_counts(self) -> None:
        assert not takes(["docs/"], "Docs/a")
        assert not takes(["*.md"], "README.MD")

    def test_unicode_letters_are_one_character(self) -> None:
        assert takes(["t?st"], "tést")


class TestLists:
    @pytest.mark.parametrize("patterns", [["csrc/", "!csrc/cpu/"], ["!csrc/cpu/", "csrc/"]])
    def test_an_exclusion_wins_wherever_it_stands(self, patterns: list[str]) -> None:
        compiled = Patterns.compile(patterns)
        assert compiled.match("csrc/cuda/a.cu") == Match(index=patterns.index("csrc/"), pattern="csrc/")
        assert compiled.match("csrc/cpu/a.cpp") is None
        assert compiled.excluded_by("csrc/cpu/a.cpp") == patterns.index("!csrc/cpu/")
        assert compiled.excluded_by("csrc/cuda/a.cu") is None
        assert compiled.match("docs/a") is None

    def test_an_exclusion_is_per_file(self) -> None:
        """Unlike in an ignore file, nothing is lost below a folder; and nothing comes back."""
        patterns = Patterns.compile(["docs/", "!docs/*.md", "docs/keep.md"])
        assert patterns.match("docs/a.txt") is not None
        assert patterns.match("docs/keep.md") is None

    def test_the_first_including_pattern_decides(self) -> None:
        patterns = Patterns.compile(["a/b/", "**/*.py", "a/"])
        assert patterns.match("a/b/c.py") == Match(index=0, pattern="a/b/")
        assert patterns.match("a/c.py") == Match(index=1, pattern="**/*.py")
        assert patterns.match("a/c.txt") == Match(index=2, pattern="a/")

    def test_a_longer_name_is_another_name(self) -> None:
        patterns = Patterns.compile(["doc", "docs/a", "docs"])
        assert patterns.match("docs/ab") == Match(index=2, pattern="docs")

    def test_the_first_exclusion_is_named(self) -> None:
        patterns = Patterns.compile(["a/", "!a/**/b.py", "!a/"])
        assert patterns.excluded_by("a/b.py") == 1
        assert patterns.excluded_by("a/c.py") == 2
        assert patterns.excluded_by("other") is None

    def test_exclusions_alone_take_nothing(self) -> None:
        patterns = Patterns.compile(["!docs/", "!**/*.md"])
        assert patterns.match("src/a.py") is None
        assert patterns.match("docs/a.md") is None
        assert patterns.excluded_by("docs/a.md") == 0

    def test_no_patterns(self) -> None:
        patterns = Patterns.compile([])
        assert patterns.match("a") is None
        assert patterns.excluded_by("a") is None

    def test_an_escaped_sign_after_a_sign(self) -> None:
        assert Patterns.compile(["**", r"!\!a"]).match("!a") is None
        assert Patterns.compile(["**", "!!a"]).match("!a") is None

    def test_equal_texts_are_equal(self) -> None:
        assert Patterns.compile(["a/", "**/*.md"]) == Patterns.compile(("a/", "**/*.md"))
        assert hash(Patterns.compile(["a/", "**/*.md"])) == hash(Patterns.compile(("a/", "**/*.md")))
        assert Patterns.compile(["a/"]) != Patterns.compile(["a"])


FOLDER = 'write "docs/"'
EVERY_FILE = 'write "**"'


class TestRefusals:
    @pytest.mark.parametrize(
        ("pattern", "message", "help_line"),
        [
            ("", "expected a path pattern, found nothing", FOLDER),
            ("   ", "expected a path pattern, found nothing", FOLDER),
            ("!", 'expected a path pattern after "!", found nothing', 'write "!docs/"'),
            (" docs", 'expected no space in front of a pattern, found " docs"', 'write "docs"'),
            ("! docs", 'expected no space in front of a pattern, found "! docs"', 'write "!docs"'),
            ("docs ", 'expected no space at the end of a pattern, found "docs "', 'write "docs"'),
            ("docs\\\\ ", r'expected no space at the end of a pattern, found "docs\\\\ "', r'write "docs\\\\"'),
            (
                "docs/\ntools/",
                r'expected one pattern without control characters, found "docs/\ntools/"',
                "write one pattern per entry",
            ),
            ("../x", 'expected a path inside of the repository, found "../x"', 'leave out ".."'),
            ("a/../b", 'expected a path inside of the repository, found "a/../b"', 'leave out ".."'),
            (
                "./x",
                'expected a path from the top of the repository with single slashes, found "./x"',
                'write "x"',
            ),
            (
                "!a//b/",
                'expected a path from the top of the repository with single slashes, found "!a//b/"',
                'write "!a/b"',
            ),
            (
                "//tests/x",
                'expected a path from the top of the repository with single slashes, found "//tests/x"',
                'write "tests/x"',
            ),
            (
                "/",
                'expected a path from the top of the repository with single slashes, found "/"',
                EVERY_FILE,
            ),
            (
                ".",
                'expected a path from the top of the repository with single slashes, found "."',
                EVERY_FILE,
            ),
            ("**/", 'expected a name after the last "**/", found "**/"', EVERY_FILE),
            ("docs/**/**/", 'expected a name after the last "**/", found "docs/**/**/"', 'write "docs"'),
            ("a\\", r'expected a character after the last "\", found "a\\"', 'write "/" between names'),
            (r"a\/b", r'expected a character after the last "\", found "a\\/b"', 'write "/" between names'),
            ("a[b", 'expected a "]" after the "[", found "a[b"', r'write "\[" for a bracket in a name'),
            ("a[b/c]", 'expected a "]" after the "[", found "a[b/c]"', r'write "\[" for a bracket in a name'),
            ("[!]", 'expected a "]" after the "[", found "[!]"', r'write "\[" for a bracket in a name'),
            (
                "[[:alpha:]]",
                'expected characters and ranges in "[…]", found "[[:alpha:]"',
                "write several patterns",
            ),
            (r"[\]]", r'expected characters and ranges in "[…]", found "[\\]"', "write several patterns"),
            *(
                (f"[a{odd}b]", f'expected characters and ranges in "[…]", found "[a{odd}b]"', "write several patterns")
                for odd in ("--", "&&", "||", "~~")
            ),
            (
                "[z-a]",
                'expected a gitignore pattern, found "[z-a]"',
                "write *, **, ? and sets such as [a-z], whose ranges go upward",
            ),
        ],
    )
    def test_message_and_help(self, pattern: str, message: str, help_line: str) -> None:
        with pytest.raises(PatternError) as refusal:
            Patterns.compile(["docs/", pattern])
        assert (str(refusal.value), refusal.value.help, refusal.value.index) == (message, help_line, 1)
