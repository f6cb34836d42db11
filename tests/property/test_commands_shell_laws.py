"""The command reader against real shells: words, and what whole scripts run in which folder."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipegen.commands.programs.known import TABLES
from pipegen.commands.reader import CommandReader, no_content
from pipegen.commands.running.expansion import Expander
from pipegen.commands.running.interpreter import Interpreter
from pipegen.commands.running.machine import Frame
from pipegen.commands.running.state import State
from pipegen.commands.running.values import Items, bared, known, plain
from pipegen.commands.shell.parser import parse
from pipegen.commands.shell.syntax import ShellSyntaxError, Simple
from pipegen.commands.shell.texts import JobText
from tests.support.shell_scripts import Ran, run_with_stub, scripts

VARIABLES = {"one": "a b", "two": "", "three": "x-y.z", "four": "tests/sub/test_it.py", "five": " lead  trail "}
LISTED = ("p", "q r", "")

PLAIN = st.text(alphabet="abz019_.-/:=,@%+", min_size=1, max_size=4)
ESCAPED = st.sampled_from([r"\ ", r"\$", r"\"", r"\'", r"\\", r"\*", r"\a", "\\\n", r"\;"])
SINGLE = st.text(alphabet='ab \t$"\\`*;\n', max_size=5).map(lambda text: f"'{text}'")
ANSI = st.text(alphabet='ab "$', max_size=3).map(lambda text: f"$'{text}\\n\\t\\'\\x41\\101\\\\'")
PARAMETER = st.sampled_from(
    [
        *("${one}", "${two}", "${three}", "${four}", "${five}", "${none}", "$1", "${2}", "$3", "$#", "$@", "$*"),
        *("${none:-d e}", "${one:-d}", "${two:-d}", "${two-d}", "${none-}", "${one:+set}", "${two:+set}"),
        *("${four##*/}", "${four#*/}", "${four%.py}", "${four%%/*}", "${four/test/TEST}", "${four//t/T}"),
        *("${three:1:2}", "${three: -1}", "${#three}", "${three^^}", "${list[1]}", "${list}", "${#list[@]}"),
        *('"$@"', '"$*"', '"${list[@]}"', "${list[*]}", '"${list[*]}"', '"${one:-"q r"}"', '${none:-"q r" s}'),
    ]
)
DOUBLE_PIECE = st.one_of(
    st.text(alphabet="ab '*;{},~#!", max_size=4),
    st.sampled_from([r"\$", r"\"", r"\\", r"\a", r"\`", "\\\n", "${one}", "${two:-d e}", "${four%/*}", "$@", "$ "]),
)
DOUBLE = st.lists(DOUBLE_PIECE, max_size=4).map(lambda pieces: '"' + "".join(pieces) + '"')
BRACES = st.sampled_from(
    ["{a,b}", "x{1,2}y", "{a,{b,c}}", "{1..3}", "{a}", "{,z}", "{c..a}", "{01..03}", "{}", '{"a b",c}', "{a,b"]
)
SUBSTITUTION = st.sampled_from(
    [
        *("$(echo a b)", '"$(echo a  b)"', "$(printf '%s\\n' 'x y' z)", "`echo t`", "$(basename ${four})"),
        *('"$(dirname ${four})"', "$(echo $(echo in))", "$(true)", '"$(printf "a\\n\\n")"', "$(echo ${one} | cat)"),
    ]
)
WORD = st.lists(
    st.one_of(PLAIN, ESCAPED, SINGLE, ANSI, PARAMETER, DOUBLE, BRACES, SUBSTITUTION), min_size=1, max_size=4
).map("".join)


def expanded(words: list[str]) -> list[str | None]:
    """The words as the reader expands them."""
    parsed = parse("printf '%s\\0' " + " ".join(words))
    command = parsed.script.lists[0].first.commands[0]
    assert isinstance(command, Simple)
    state = State(folder="/", arguments=tuple(bared(plain(text, 0)) for text in ("A", "B C", "")))
    for name, value in VARIABLES.items():
        state.assign(name, bared(plain(value, 0)))
    state.assign("none", None)
    state.assign("list", Items(tuple(bared(plain(text, 0)) for text in LISTED)))
    machine = Interpreter(checkout="/", content=no_content, tables=TABLES, parsed={})
    frame = Frame(text=JobText(text=""), documents=parsed.documents)
    expander = Expander(state=state, substitute=lambda part: machine.script(part.body, state.copy(), frame).output)
    return [known(field) for field in expander.fields(command.words)][2:]


def from_bash(words: list[str], folder: Path) -> list[str]:
    """The same words, expanded by bash in an empty folder."""
    names = "".join(f"{name}='{value}'; " for name, value in VARIABLES.items())
    listed = " ".join(f"'{text}'" for text in LISTED)
    text = f"{names}list=({listed}); set -- A 'B C' ''; printf '%s\\0' " + " ".join(words)
    done = subprocess.run(
        ["/bin/bash", "-c", text],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().split("\0")[:-1]


class TestWords:
    @settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(words=st.lists(WORD, min_size=1, max_size=4))
    def test_they_expand_as_in_bash(self, words: list[str], tmp_path: Path) -> None:
        # printf prints one empty argument where it is given none.
        assert (expanded(words) or [""]) == from_bash(words, tmp_path)

    @settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(text=st.text(alphabet="ab '\"\\$`(){};&|<>#\n\t*", max_size=12))
    def test_what_bash_refuses_is_refused(self, text: str, tmp_path: Path) -> None:
        """Text that is read is text that bash takes; the reader may refuse more than bash does, and then says so."""
        try:
            parse(text)
        except ShellSyntaxError:
            return
        done = subprocess.run(["/bin/bash", "-n", "-c", text], cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()


class TestScripts:
    @settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(text=scripts())
    def test_they_run_what_bash_runs(self, text: str, tmp_path: Path) -> None:
        """Scripts in which everything is known: the same calls, in the same order, in the same folders."""
        reading = CommandReader(checkout=str(tmp_path)).read([text], environment={"ROOT": str(tmp_path)})
        assert not reading.unread
        assert not any(run.maybe for run in reading.runs)
        read = [Ran(folder=run.folder or "", arguments=run.text.partition(" ")[2]) for run in reading.runs]
        assert read == run_with_stub(text, tmp_path)


@pytest.mark.parametrize("shell", ["bash", "dash"])
def test_the_stub_is_called(shell: str, tmp_path: Path) -> None:
    """The comparison above would be worth nothing if the stub never ran."""
    assert run_with_stub('cd "$ROOT/a" && pytest x y; (cd ..; pytest)', tmp_path, shell) == [
        Ran(folder="a", arguments="x y"),
        Ran(folder="", arguments=""),
    ]
