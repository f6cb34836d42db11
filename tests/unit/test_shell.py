"""Words as authors write them; what shells make of them is in the property tests and, by name, here."""

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pipegen.shell import join, quote, quote_command, quote_glob

SHELLS = ("sh", "bash")


def run(shell: str, text: str, folder: Path, path: str | None = None) -> str:
    environment = {"LC_ALL": "C", "PATH": path or "/usr/bin:/bin"}
    done = subprocess.run(
        [f"/bin/{shell}", "-c", text], cwd=folder, env=environment, capture_output=True, check=True, timeout=60
    )
    return done.stdout.decode()


class TestQuote:
    @pytest.mark.parametrize(
        "word",
        [
            "--num-shards=4",
            "v1/e2e/spec_decode/eagle/",
            "tests/test_x.py::TestX::test_y",
            "user@host:path",
            "50%",
            "+x,y",
            "A=b",
            "if",
        ],
    )
    def test_bare(self, word: str) -> None:
        assert quote(word) == word

    @pytest.mark.parametrize(
        ("word", "quoted"),
        [
            ("", '""'),
            ("a or b", '"a or b"'),
            ("distributed(num_gpus=2)", '"distributed(num_gpus=2)"'),
            ("test_x[1-a]", '"test_x[1-a]"'),
            ("don't", '"don\'t"'),
            ("'", '"\'"'),
            ("~/x", '"~/x"'),
            ("*.py", '"*.py"'),
            ("{a,b}", '"{a,b}"'),
            ("#1", '"#1"'),
            ("tést", '"tést"'),
        ],
    )
    def test_in_double_quotes(self, word: str, quoted: str) -> None:
        assert quote(word) == quoted

    @pytest.mark.parametrize(
        "word", ["$HOME", "`id`", 'say "x"', r"a\b", "hey!", "a\nb", "a\tb", "\x01", "\x7f", "it's $5", "\x85 a"]
    )
    def test_in_single_quotes(self, word: str) -> None:
        assert quote(word) == shlex.quote(word)

    @pytest.mark.parametrize("quoted", [quote, quote_command, quote_glob])
    def test_nul(self, quoted: Callable[[str], str]) -> None:
        with pytest.raises(ValueError, match="expected a word without NUL"):
            quoted("a\0b")
        with pytest.raises(ValueError, match="expected a word without NUL"):
            quoted("\0*")


class TestJoin:
    def test_a_command(self) -> None:
        words = ["pytest", "-v", "-s", "v1/e2e/", "-k", "not a and not b", "--num-shards=4"]
        assert join(words) == 'pytest -v -s v1/e2e/ -k "not a and not b" --num-shards=4'

    def test_nothing(self) -> None:
        assert join([]) == ""

    @pytest.mark.parametrize("word", ["A=b", "A+=b", "_x1=", "if", "time", "done", "in", "coproc"])
    def test_the_first_word_is_a_command(self, word: str) -> None:
        assert join([word, word]) == f'"{word}" {word}'

    @pytest.mark.parametrize("word", ["--x=1", "1a=b", "a-b=c", "a/b=c", "=", "ifs", "IF", "env"])
    def test_what_is_no_assignment_and_no_keyword_stays_bare(self, word: str) -> None:
        assert join([word]) == word

    @pytest.mark.parametrize("shell", SHELLS)
    def test_a_program_with_any_name_is_run(self, shell: str, tmp_path: Path) -> None:
        keywords = "case do done elif else esac fi for function if in select then time until while".split()
        names = [*keywords, "{", "}", "!", "[[", "]]", "A=b", "_a1=", "A+=b", "a[1]=b", "~", "#x", "a b", "*", "-n"]
        for name in names:
            program = tmp_path / name
            program.write_text('#!/bin/sh\nprintf "%s|%s\\n" "${0##*/}" "$1"\n', encoding="utf-8")
            program.chmod(0o755)
        script = "\n".join(join([name, "x y"]) for name in names)
        output = run(shell, script, tmp_path, path=f"{tmp_path}:/usr/bin:/bin")
        assert output.splitlines() == [f"{name}|x y" for name in names]


class TestGlob:
    @pytest.mark.parametrize(
        ("word", "quoted"),
        [
            ("tests/test_*.py", "tests/test_*.py"),
            ("a b/*.py", '"a b/"*.py'),
            ("$x/?", "'$x/'?"),
            ("[ab]*", "[ab]*"),
            ("[a b]", '[a" "b]'),
            ("[!a-c]", "[!a-c]"),
            ("[^a]", "[!a]"),
            ("[]a]", "[]a]"),
            ("[[:alpha:]$]x", "[[:alpha:]'$']x"),
            ("a[b", '"a[b"'),
            ("a[b/c]*", '"a[b/c]"*'),
            ("[!]", "'[!]'"),
            ("[]", '"[]"'),
            ("a\\*", "'a\\'*"),
            ("~/*", '"~/"*'),
            ("{a,b}*", '"{a,b}"*'),
            ("plain", "plain"),
            ("two words", '"two words"'),
            ("", '""'),
        ],
    )
    def test_as_text(self, word: str, quoted: str) -> None:
        assert quote_glob(word) == quoted

    @pytest.mark.parametrize("shell", SHELLS)
    @pytest.mark.parametrize(
        ("word", "found"),
        [
            ("test_*.py", ["test_a.py", "test_b.py"]),
            ("test_[!a].py", ["test_b.py"]),
            ("test_[^a].py", ["test_b.py"]),
            ("my tests/*", ["my tests/$x.py", "my tests/y.py"]),
            ("my tests/$*", ["my tests/$x.py"]),
            ("*/[[:alpha:]].py", ["my tests/y.py"]),
            ("*/[$ ]x.py", ["my tests/$x.py"]),
            ("none_*.py", ["none_*.py"]),
            ("~*", ["~*"]),
        ],
    )
    def test_in_a_folder(self, shell: str, word: str, found: list[str], tmp_path: Path) -> None:
        (tmp_path / "my tests").mkdir()
        for name in ("test_a.py", "test_b.py", "my tests/$x.py", "my tests/y.py"):
            (tmp_path / name).touch()
        assert run(shell, f"printf '%s\\n' {quote_glob(word)}", tmp_path).splitlines() == found
