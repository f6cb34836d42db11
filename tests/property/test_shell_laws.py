"""Real shells read back exactly the words that were quoted; `sh` is whatever this machine has, dash on Debian."""

import fnmatch
import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipegen.shell import join, quote, quote_command, quote_glob

SHELLS = ("sh", "bash")
LOCALES = ("C", "C.UTF-8")

CONTROL = ("\x01", "\x1b", "\x7f", "\x80", "\t", "\n", "\r")
PIECES = st.sampled_from([*" '\"\\$`!*?[]{}()<>|&;#~=%^-+,:@/", *CONTROL, "é", "$(", "${", *"abA1_"])
TRAPS = ("-n", "-e", "--", "A=b", "if", "$HOME", "`id`", "%s", "\\n", "\\0101", "a\\", "!!", "it's", "~", "")
WORDS = st.one_of(
    st.lists(PIECES, max_size=8).map("".join),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12),
    st.sampled_from(TRAPS),
)


def printed(argv: Sequence[str], *, locale: str, folder: Path | None = None, script: str = "") -> list[str]:
    """The words that a shell printed, each with a NUL after it."""
    done = subprocess.run(
        argv,
        input=script.encode(),
        cwd=folder,
        env={"LC_ALL": locale, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == b""
    return done.stdout.decode().split("\0")[:-1]


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("shell", SHELLS)
class TestShells:
    @settings(max_examples=40)
    @given(words=st.lists(WORDS, min_size=20, max_size=60))
    @example(words=[chr(code) for code in range(1, 256)])
    @example(words=[f"a{chr(code)}b" for code in range(1, 256)])
    @example(words=[f"{chr(code)}{other}" for code in range(1, 128) for other in "'\"\\!$ "])
    def test_an_argument_of_the_shell(self, shell: str, locale: str, words: list[str]) -> None:
        text = join(["printf", "%s\\0", *words])
        assert printed([f"/bin/{shell}", "-c", text], locale=locale) == words

    @settings(max_examples=20)
    @given(words=st.lists(WORDS, min_size=20, max_size=60))
    def test_lines_of_a_script(self, shell: str, locale: str, words: list[str]) -> None:
        script = "".join(f"printf '%s\\0' {quote(word)}\n" for word in words)
        assert printed([f"/bin/{shell}", "-e"], locale=locale, script=script) == words

    @settings(max_examples=20)
    @given(words=st.lists(WORDS, min_size=5, max_size=30))
    def test_a_shell_in_a_shell_in_a_shell(self, shell: str, locale: str, words: list[str]) -> None:
        text = join(["printf", "%s\\0", *words])
        for inner in ("/bin/bash", "/bin/sh"):
            text = join([inner, "-c", text])
        assert printed([f"/bin/{shell}", "-c", text], locale=locale) == words


class TestText:
    @given(st.lists(WORDS))
    def test_python_reads_the_words_too(self, words: list[str]) -> None:
        assert shlex.split(join(words)) == words

    @given(WORDS)
    def test_no_shorter_form_is_missed(self, word: str) -> None:
        """Never longer than the standard library's, and never with `$` or a backquote in double quotes."""
        quoted = quote(word)
        assert len(quoted) <= len(shlex.quote(word))
        if quoted.startswith('"'):
            assert quoted == f'"{word}"'
            assert not set(word) & set('$`"\\!\n')
        assert quote_command(word) in {quoted, f'"{word}"'}

    @given(WORDS.filter(lambda word: not set(word) & set("*?[")))
    def test_without_glob_characters_a_glob_is_a_word(self, word: str) -> None:
        assert quote_glob(word) == quote(word)


# What is plain in one place and a sign in another: names of files, and pieces of patterns.
SIGNS = ("[", "]", "^", "!", "$", "'", '"', "\\", "~", "{a,b}", "(", ";", "&", "#", "-", "\n", " ", "=", "`", "|", "<")
NAMES = tuple(
    sorted(
        {"a", "b", "ab", "abc", "b c", "*", "?", "a*", "a-b", "@(a|b)", "+(a)", "c]", *SIGNS}
        | {f"a{sign}" for sign in SIGNS}
        | {f"{sign}b" for sign in SIGNS}
    )
)

IN_BRACKETS = st.sampled_from(["a", "b", "a-c", " ", "$", "'", '"', "~", ";", "#", "!", "^", "*", "(", "`"])
BRACKETS = st.builds(
    lambda head, first, inside: f"{head}{first}{''.join(inside)}]",
    st.sampled_from(["[", "[!", "[^"]),
    st.sampled_from(["", "]"]),
    st.lists(IN_BRACKETS, max_size=4),
)
GLOBS = st.lists(
    st.one_of(st.sampled_from(["*", "?"]), BRACKETS, st.sampled_from(["a", "b", "c", "@(a|b)", "+(a)", *SIGNS])),
    min_size=1,
    max_size=4,
).map("".join)


NEGATED = re.compile(r"\[\^(?P<inside>\]?+[^\]]*\])|(?P<open>\[\^)|\[!?+\]?+[^\]]*\]")


def expanded(word: str) -> list[str]:
    """What bash makes of a pattern in a folder of NAMES, by way of Python, which knows `[!…]` and no `[^…]`."""
    portable = NEGATED.sub(lambda part: f"[!{part['inside']}" if part["inside"] else part[0], word)
    pattern = NEGATED.sub(lambda part: "[[]^" if part["open"] else part[0], portable)
    return [name for name in NAMES if fnmatch.fnmatchcase(name, pattern)] or [portable]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("names")
    for name in NAMES:
        (folder / name).touch()
    return folder


@pytest.mark.parametrize("shell", SHELLS)
class TestGlobs:
    @settings(max_examples=60)
    @given(words=st.lists(GLOBS, min_size=10, max_size=40))
    def test_the_shell_expands_them_and_nothing_else(self, shell: str, folder: Path, words: list[str]) -> None:
        script = "".join(f"printf '%s\\0' {quote_glob(word)} ''\n" for word in words)
        output = "\0".join(printed([f"/bin/{shell}", "-c", script], locale="C", folder=folder)) + "\0"
        found = [part.split("\0") for part in output.split("\0\0")[:-1]]
        assert [sorted(names) for names in found] == [sorted(expanded(word)) for word in words]
