"""What cannot be read is said, with its place; nothing is guessed."""

import pytest

from pipegen.commands.programs.known import TABLES
from pipegen.commands.programs.tables import Tables
from pipegen.commands.reading import Why
from tests.support.command_repository import WITH_WRAPPERS, collects, read

LORA = {"lora/test_add.py", "lora/test_llama_tp.py", "lora/test_worker.py"}


@pytest.mark.parametrize(
    ("command", "why", "text"),
    [
        ("pytest $TESTS", Why.UNKNOWN, "$TESTS"),
        ('pytest "$TESTS"', Why.UNKNOWN, "$TESTS"),
        ("pytest lora/$FILE", Why.UNKNOWN, "lora/$FILE"),
        ("pytest ${TESTS:-lora}", Why.UNKNOWN, "${TESTS:-lora}"),
        ("pytest ${X:+x}", Why.UNKNOWN, "${X:+x}"),
        ('pytest lora -k "$EXPRESSION"', Why.UNKNOWN, "$EXPRESSION"),
        ("pytest lora --ignore=$FILE", Why.UNKNOWN, "$FILE"),
        ("pytest lora --deselect $NODE", Why.UNKNOWN, "$NODE"),
        ("pytest lora $EXTRA", Why.UNKNOWN, "$EXTRA"),
        ("pytest lora --ignore test_*", Why.UNKNOWN, "test_*"),
        ("pytest $(jq -r .tests x.json)", Why.UNKNOWN, "$(jq -r .tests x.json)"),
        ("pytest `ls`", Why.UNKNOWN, "$(ls)"),
        ("pytest ~/tests", Why.UNKNOWN, "~/tests"),
        ("pytest lora$((1+1))", Why.UNKNOWN, "lora$((1+1))"),
        ("$RUNNER lora", Why.UNKNOWN, "$RUNNER lora"),
        ("bash $SCRIPT", Why.UNKNOWN, "bash $SCRIPT"),
        ("python $PROGRAM", Why.UNKNOWN, "python $PROGRAM"),
        ("python -m $MODULE", Why.UNKNOWN, "python -m $MODULE"),
        ('eval "$COMMAND"', Why.UNKNOWN, "$COMMAND"),
        ('bash -c "$COMMAND"', Why.UNKNOWN, "$COMMAND"),
        ("read -r T; pytest $T", Why.UNKNOWN, "$T"),
        ('if [ -n "$X" ]; then T=lora; else T=engine; fi; pytest $T', Why.UNKNOWN, "$T"),
        ("T=lora; while next; do T=$T/x; done; pytest $T", Why.UNKNOWN, "$T"),
        ("find kernels -newer x -name 'test_*' | xargs pytest", Why.UNKNOWN, None),
        ("git diff --name-only | xargs pytest", Why.UNKNOWN, "$(git diff --name-only)"),
        ("cat missing.txt | xargs pytest", Why.UNKNOWN, "$(cat missing.txt)"),
        ("xargs pytest < missing.txt", Why.UNKNOWN, "xargs pytest"),
        ("pytest --pyargs package.tests", Why.UNKNOWN, "package.tests"),
        ('export PYTEST_ADDOPTS="-k $K"; pytest lora', Why.UNKNOWN, "PYTEST_ADDOPTS=-k $K"),
        ("cd $DIR && pytest lora", Why.FOLDER, "lora"),
        ("cd build* && pytest", Why.FOLDER, "pytest"),
        ("cd && pytest lora", Why.FOLDER, "lora"),
        ("cd lora || cd engine; pytest x", Why.FOLDER, "x"),
        ("for d in */; do (cd $d && pytest); done", Why.FOLDER, "pytest"),
        ("cd $DIR && bash x.sh", Why.FOLDER, "bash x.sh"),
        ("cd $DIR && python x.py", Why.FOLDER, "python x.py"),
        ("cd /var/x && pytest test_x.py", Why.OUTSIDE, "test_x.py"),
        ("cd /var/x && pytest", Why.OUTSIDE, "pytest"),
        ("pytest ../../elsewhere", Why.OUTSIDE, "../../elsewhere"),
        ("pytest --models small lora", Why.OPTION, "small"),
        ("pytest -y small lora", Why.OPTION, "small"),
        ("timeout --odd 5 pytest lora", Why.OPTION, "timeout --odd 5 pytest lora"),
        ("torchrun --odd 5 x.py", Why.OPTION, "torchrun --odd 5 x.py"),
        ("xargs --odd pytest < list", Why.OPTION, "xargs --odd pytest"),
        ("bash missing.sh", Why.CONTENT, "bash missing.sh"),
        ("./missing.sh -x", Why.CONTENT, "./missing.sh -x"),
        ("source missing.sh", Why.CONTENT, "source missing.sh"),
        ("python missing.py", Why.CONTENT, "python missing.py"),
        ("torchrun --standalone missing.py", Why.CONTENT, "torchrun --standalone missing.py"),
        ("pytest @missing.txt", Why.CONTENT, "@missing.txt"),
        ("make test", Why.FOREIGN, "make test"),
        ("tox -e py", Why.FOREIGN, "tox -e py"),
        ("python -m unittest discover", Why.FOREIGN, "python -m unittest discover"),
        ("docker run image pytest lora", Why.FOREIGN, "docker run image pytest lora"),
        ("ssh host 'pytest lora'", Why.FOREIGN, "ssh host pytest lora"),
        ("trap 'pytest lora' EXIT", Why.FOREIGN, "trap pytest lora EXIT"),
        ("python -c 'import pytest; pytest.main()'", Why.FOREIGN, "python -c import pytest; pytest.main()"),
        ("python ../tools/pick.py", Why.FOREIGN, "python ../tools/pick.py"),
        ("../ci/harness.rb", Why.FOREIGN, "../ci/harness.rb"),
        ("find . -name x -execdir pytest {} + -exec y \\;", Why.FOREIGN, None),
        ("python ../tools/broken.py", Why.SYNTAX, "python ../tools/broken.py"),
        ("pytest 'lora", Why.SYNTAX, "pytest 'lora"),
        ("if true; then pytest lora", Why.SYNTAX, "if true; then pytest lora"),
        ("pytest lora; )", Why.SYNTAX, "pytest lora; )"),
        ("bash -c 'pytest \"lora'", Why.SYNTAX, 'pytest "lora'),
        ("pytest @(a|b)", Why.SYNTAX, "pytest @(a|b)"),
    ],
)
def test_one_thing_is_unread(command: str, why: Why, text: str | None) -> None:
    [unread] = read(command).unread
    assert unread.why is why
    assert text is None or unread.text == text
    assert unread.reason
    assert unread.reason[0].islower() or unread.reason[0] in '"$`~-P'


@pytest.mark.parametrize(
    ("command", "expected", "complete"),
    [
        ("pytest lora $EXTRA", LORA, False),
        ('pytest lora -k "$X"', LORA, False),
        ("pytest lora --shard-id=$X", LORA, True),
        ("pytest lora --tb $X -n $Y", LORA, True),
        ("pytest $A lora/test_add.py", {"lora/test_add.py"}, False),
        ("pytest --models small lora/test_add.py", {"lora/test_add.py"}, False),
    ],
)
def test_what_is_known_is_kept(command: str, expected: set[str], *, complete: bool) -> None:
    reading = read(command)
    assert collects(reading.runs) == expected
    assert [run.complete for run in reading.runs] == [complete]


@pytest.mark.parametrize("command", ["pytest $TESTS", "pytest --pyargs a.b", "cd $X; pytest", "pytest @missing.txt -v"])
def test_a_run_of_which_no_path_is_known_is_no_run_of_the_folder(command: str) -> None:
    assert read(command).runs == ()


@pytest.mark.parametrize(
    "command",
    [
        "nvidia-smi",
        "echo $X",
        "apt-get update && apt-get install -y curl",
        "pip freeze | grep -E 'torch'",
        'docker run --rm --entrypoint python3 "$IMAGE" -c "import x; print(x)"',
        'curl -s "$URL" > /var/x/x || exit 1',
        "set -x",
        "unset X",
        "export X=$(nproc)",
        "X=$Y; cd $X; ls",
        "[[ $A == b ]] && echo $B || echo c",
        "aws s3 cp x y",
        "mkdir -p a && touch a/b",
        "source .venv/bin/activate",
        "grep -rn pytest .",
        "/usr/bin/foo --bar",
        "",
        "# nothing",
    ],
)
def test_what_runs_no_tests_is_read(command: str) -> None:
    reading = read(command)
    assert reading.unread == ()
    assert reading.runs == ()


class TestPlaces:
    def test_the_word_in_its_command(self) -> None:
        [unread] = read("echo a", "pytest \\\n  $X").unread
        assert (unread.place.command, unread.place.offset, unread.place.line) == (1, 11, 2)

    def test_inside_of_quoted_text(self) -> None:
        command = "bash -c 'cd lora\npytest $X'"
        [unread] = read(command).unread
        assert command[unread.place.offset :].startswith("$X")
        assert unread.place.line == 2

    @pytest.mark.parametrize("quotes", ["'{}'", '"{}"', "'cd . && '\"{}\"", "$'{}'"])
    def test_however_it_is_quoted(self, quotes: str) -> None:
        command = "bash -c " + quotes.format("pytest lora/missing -k one")
        [run] = read(command).runs
        assert run.k is not None
        assert command[run.k.place.offset :].startswith("one")
        assert command[run.place.offset :].startswith("pytest")

    def test_two_texts_deep(self) -> None:
        command = "bash -c \"bash -c 'pytest lora -k one'\""
        [run] = read(command).runs
        assert run.k is not None
        assert command[run.k.place.offset :].startswith("one")

    def test_a_value_is_where_it_is_used(self) -> None:
        command = "T=$X; pytest a b $T"
        [unread] = read(command).unread
        assert command[unread.place.offset :] == "$T"

    def test_inside_of_a_script(self) -> None:
        [run] = read("echo x", "bash run_suite.sh engine").runs
        assert (run.place.script, run.place.line, run.place.command) == ("tests/run_suite.sh", 5, 1)
        assert run.place.via is not None
        assert (run.place.via.script, run.place.via.offset) == (None, 0)

    def test_commands_that_are_one_script(self) -> None:
        reading = read("for d in lora engine", "do pytest $d -k $X", "done")
        assert {(unread.place.command, unread.place.offset) for unread in reading.unread} == {(1, 16)}

    def test_a_line_that_goes_on_in_the_next_command(self) -> None:
        [run] = read("pytest lora \\", "  -k one").runs
        assert run.k is not None
        assert (run.k.place.command, run.k.place.offset) == (1, 5)

    def test_one_broken_command_leaves_the_others(self) -> None:
        reading = read("pytest lora", "pytest 'x", "pytest engine")
        assert [run.text for run in reading.runs] == ["pytest lora", "pytest engine"]
        assert [unread.place.command for unread in reading.unread] == [1]


class TestBounds:
    def test_a_script_that_calls_itself(self) -> None:
        reading = read("bash ../ci/loop.sh", working_dir="tests")
        assert Why.DEPTH in {unread.why for unread in read("cd .. && bash ci/loop.sh").unread}
        assert reading.unread

    def test_a_function_that_calls_itself(self) -> None:
        reading = read("f() { pytest lora; f; }; f")
        assert collects(reading.runs) == LORA

    def test_loops_in_loops(self) -> None:
        loops = "for a in {1..100}; do " * 4 + "pytest lora; " + "done; " * 4
        reading = read(loops)
        assert [unread.why for unread in reading.unread] == [Why.DEPTH]

    @pytest.mark.parametrize(
        "text", ["(" * 200 + ")" * 200, "$(" * 200, "{" * 300, "a{1,2}" * 30, "`" * 99, "<<E\n" * 50, "case" * 50]
    )
    def test_text_that_is_made_to_be_hard(self, text: str) -> None:
        reading = read(f"pytest lora {text}")
        assert reading.runs or reading.unread

    def test_an_endless_loop(self) -> None:
        assert collects(read("while true; do pytest lora; done; pytest engine").runs) >= LORA


@pytest.mark.parametrize(("tables", "runs"), [(TABLES, 0), (WITH_WRAPPERS, 1)])
def test_a_wrapper_is_known_by_its_table(tables: Tables, runs: int) -> None:
    assert len(read("bash ../ci/run-in-image.sh 9 'pytest tests/lora'", tables=tables).runs) == runs
