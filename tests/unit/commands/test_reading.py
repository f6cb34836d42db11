"""Test runs, settings and calls: what is said of each besides the files."""

import pytest

from pipegen.commands.collecting.collector import Collector
from pipegen.commands.collecting.files import Files
from pipegen.commands.reading import Globbed, How, Named, Searched, TestRun, Tool
from pipegen.dataclass import replace
from pipegen.dollar import upload_reference
from tests.support.command_repository import CHECKOUT, FILES, WITH_WRAPPERS, read

CLOSED = replace(
    WITH_WRAPPERS,
    wrappers=tuple(replace(one, closed=one.closed or "/" in one.name[0]) for one in WITH_WRAPPERS.wrappers),
)
"""As a workspace's own wrappers are: scripts that may run what they are given in a container."""


def run_of(*commands: str, working_dir: str = "tests") -> TestRun:
    [run] = read(*commands, working_dir=working_dir).runs
    return run


class TestRuns:
    @pytest.mark.parametrize(
        ("working_dir", "command", "folder"),
        [
            ("tests", "pytest lora", "tests"),
            ("", "pytest tests", ""),
            ("/ws", "pytest tests", ""),
            ("/ws/tests/", "pytest lora", "tests"),
            ("tests", "cd ../tools && pytest test_build_args.py", "tools"),
            ("/elsewhere", "pytest /ws/tests/lora", None),
        ],
    )
    def test_folder(self, working_dir: str, command: str, folder: str | None) -> None:
        assert run_of(command, working_dir=working_dir).folder == folder

    def test_targets(self) -> None:
        run = run_of("pytest lora/ x.py::TestA::test_b[1] kernels/test_*.py $(find . -name y)")
        named, node, globbed, searched = run.targets
        assert isinstance(named, Named)
        assert (named.path, named.written, named.node) == ("tests/lora", "lora/", "")
        assert isinstance(node, Named)
        assert (node.path, node.node) == ("tests/x.py", "TestA::test_b[1]")
        assert isinstance(globbed, Globbed)
        assert (globbed.glob.pattern, globbed.glob.written) == ("tests/kernels/test_*.py", "kernels/test_*.py")
        assert isinstance(searched, Searched)
        assert [root.path for root in searched.search.roots] == ["tests"]

    def test_what_leaves_tests_out(self) -> None:
        run = run_of("pytest lora --ignore=a --ignore ../b --ignore-glob='*/c' --deselect tests/d.py::e")
        assert [spot.path for spot in run.ignores] == ["tests/a", "b"]
        assert [spot.path for spot in run.ignore_globs] == ["/ws/tests/*/c"]
        assert [spot.path for spot in run.deselects] == ["tests/d.py::e"]

    def test_expressions_are_the_last_ones(self) -> None:
        run = run_of("pytest lora -k one -m 'a and b' -k 'two or three'")
        assert (run.k and run.k.text, run.m and run.m.text) == ("two or three", "a and b")

    def test_an_empty_expression_is_none(self) -> None:
        assert run_of("pytest lora -k ''").k is None

    def test_text_in_text_keeps_its_quotes(self) -> None:
        run = run_of("""bash -c 'pytest lora -m "distributed\\(num_gpus=2\\)" -k "not a"'""")
        assert run.m
        assert run.m.text == "distributed\\(num_gpus=2\\)"

    @pytest.mark.parametrize(
        ("options", "sharded"),
        [
            ("--shard-id=$A --num-shards=$B", True),
            ("--shard-id 0 --num-shards 2", True),
            ("--splits 3 --group $G", True),
            ("-n 4", False),
            ("", False),
        ],
    )
    def test_shards(self, options: str, *, sharded: bool) -> None:
        assert run_of(f"pytest lora {options}").sharded is sharded

    def test_other_options(self) -> None:
        run = run_of("pytest -x --tb=short -n 4 -o a=b --rootdir=.. --keep-duplicates lora")
        assert run.rest == ("-x", "--tb", "short", "-n", "4", "--keep-duplicates")
        assert run.overrides == (("a", "b"),)
        assert run.root == ""
        assert run.keeps_duplicates

    def test_text_is_the_call_as_it_runs(self) -> None:
        assert run_of("T=lora; A=1 timeout 9 pytest -v $T").text == "pytest -v lora"

    def test_a_program(self) -> None:
        run = run_of("torchrun --nproc-per-node=2 distributed/test_program.py --x")
        assert (run.tool, run.executes, run.complete) == (Tool.PYTHON, True, True)

    def test_a_program_that_only_defines(self) -> None:
        run = run_of("python distributed/test_comm.py")
        assert (run.tool, run.executes, run.complete) == (Tool.PYTHON, False, True)

    def test_a_program_without_content(self) -> None:
        run = run_of("python lora/test_add.py")
        assert (run.tool, run.executes, run.complete) == (Tool.PYTHON, True, False)

    def test_a_program_that_calls_pytest(self) -> None:
        run = run_of("python distributed/test_main.py -k one")
        assert run.tool is Tool.PYTEST
        assert run.k
        assert run.k.text == "one"

    def test_a_program_that_is_no_test_is_no_run(self) -> None:
        assert read("python ../examples/chat.py").runs == ()

    def test_a_value_that_the_agent_fills_in(self) -> None:
        name = upload_reference("SUITE")
        [unread] = read(f"pytest {name}").unread
        assert unread.reason.startswith("upload.SUITE")


class TestMaybe:
    @pytest.mark.parametrize(
        ("command", "maybe"),
        [
            ("pytest a && pytest b", [False, False]),
            ("pytest a || pytest b", [False, True]),
            ("pytest a; pytest b", [False, False]),
            ("if [ -f x ]; then pytest a; fi; pytest b", [True, False]),
            ("if pytest a; then pytest b; else pytest c; fi", [False, True, True]),
            ('[ -n "$X" ] && pytest a; pytest b', [True, False]),
            ("[[ $X == y ]] || pytest a; pytest b", [True, False]),
            ('[ -z "$X" ] && exit 0; pytest a', [True]),
            ("[ -d x ] || exit 1; pytest a", [False]),
            ("[ -d x ] || { echo no; exit 1; }; pytest a", [False]),
            ("cd x || exit; pytest a", [False]),
            ("pip install x || exit 1; pytest a", [False]),
            ("for d in a b; do pytest $d; done; pytest c", [False, False, False]),
            ("for d in $X; do pytest a; done; pytest b", [True, False]),
            ("while read x; do pytest a; done; pytest b", [True, False]),
            ("until curl x; do sleep 1; done; pytest b", [False]),
            ("case $X in a) pytest a;; b) pytest b;; esac; pytest c", [True, True, False]),
            ("case $X in a) pytest a;; *) exit 1;; esac; pytest c", [True, False]),
            ("case $X in a) ;; *) exit 0;; esac; pytest c", [True]),
            ('f() { [ -n "$X" ] && return; pytest a; }; f; pytest b', [True, False]),
            ("true && pytest a; false || pytest b", [False, False]),
            ("false && pytest a; true || pytest b", []),
            ("if true; then pytest a; else pytest b; fi", [False]),
            ("if false; then pytest a; elif [ 1 -lt 2 ]; then pytest b; else pytest c; fi", [False]),
            ('X=; [ -z "$X" ] && pytest a', [False]),
            ('X=1; [ -z "$X" ] && pytest a', []),
            ("grep -q x y && pytest a", [True]),
            ("torchrun z | grep passed && pytest a", [False]),
            ("which x && pytest a", [True]),
            ("! false && pytest a", [False]),
            ("(exit 0); pytest a", [False]),
            ("exec pytest a; pytest b", [False]),
            ("bash -c 'exit 1'; pytest a", [False]),
            ("for x in 1 2; do break; pytest a; done; pytest b", [False]),
            ("for x in 1 2; do [ -f y ] && continue; pytest a; done; pytest b", [True, True, False]),
        ],
    )
    def test_it(self, command: str, maybe: list[bool]) -> None:
        assert [run.maybe for run in read(command).runs] == maybe


class TestSettings:
    def test_each_way(self) -> None:
        reading = read("export A=1 B", "C=2 pytest a", "env D=3 pytest b", "unset A", "declare -x E=5", "F=6")
        assert [(one.name, one.value, one.how) for one in reading.settings] == [
            ("A", "1", How.EXPORT),
            ("C", "2", How.PREFIX),
            ("D", "3", How.PREFIX),
            ("A", None, How.UNSET),
            ("E", "5", How.EXPORT),
        ]
        assert [one.place.command for one in reading.settings] == [0, 1, 2, 3, 4]

    def test_inside_of_quoted_text_and_scripts(self) -> None:
        reading = read("bash ../ci/run-in-image.sh 9 'export A=0 && B=1 pytest tests/lora'", tables=WITH_WRAPPERS)
        assert [(one.name, one.value) for one in reading.settings] == [("A", "0"), ("B", "1")]
        assert [(one.name, one.value) for one in read("bash sweep.sh").settings] == [("SIZE", "1"), ("SIZE", "2")]

    def test_unknown_values(self) -> None:
        assert [one.value for one in read('export A=$B C="x$(date)"').settings] == [None, None]

    def test_what_is_exported_before_it_has_a_value(self) -> None:
        assert [(one.name, one.value) for one in read("export A", "A=1", "A=2").settings] == [("A", "1"), ("A", "2")]

    @pytest.mark.parametrize(
        ("command", "taken_out"),
        [
            ("unset A B", "AB"),
            ("unset -v A", "A"),
            ("unset -f A", ""),
            ("export -n A B", "AB"),
            ("export -n A=1", "A"),
            ("declare +x A", "A"),
            ("env -u A -uB pytest a", "AB"),
            ("env --unset=A --unset B pytest a", "AB"),
            ("timeout 5 env -u A env -u B pytest a", "AB"),
            ("sudo -u A pytest a", ""),
            ("bash -c 'unset A; env -u B pytest a'", "AB"),
            ("env -u $X pytest a", ""),
        ],
    )
    def test_what_is_taken_out(self, command: str, taken_out: str) -> None:
        """Each name stands at a place of its own: that of the name."""
        found = [one for one in read(command).settings if one.how is How.UNSET]
        assert "".join(one.name for one in found) == taken_out
        assert [command[one.place.offset] for one in found] == [*taken_out]

    @pytest.mark.parametrize(
        ("command", "sure"),
        [
            ("pytest a; export A=1", True),
            ("make all; export A=1", True),
            (". .venv/bin/activate; export A=1", True),
            ("bash -c '. ./gone.sh'; export A=1", True),
            ("(. ./gone.sh); export A=1", True),
            (". ./gone.sh; export A=1", False),
            ("source /etc/profile; export A=1", False),
            ('source "$X"; export A=1', False),
            ('eval "$X"; export A=1', False),
            ("$SETUP; export A=1", False),
            ("export $(cat .env); export A=1", False),
            ("eval 'if'; export A=1", False),
            ("if x; then . ./gone.sh; fi; A=1 pytest a", False),
            (". ./gone.sh; bash -c 'A=1 pytest a'", False),
            (". ./gone.sh; env A=1 pytest a", False),
            (". ./gone.sh; unset A", False),
        ],
    )
    def test_what_may_have_been_set_in_front(self, command: str, sure: bool) -> None:
        assert [one.sure for one in read(command).settings if one.name == "A"] == [sure]

    def test_what_may_keep_the_environment_away(self) -> None:
        text = "export A=0; bash -c 'B=1 pytest tests/lora'; unset C"
        within = [(one.name, one.within) for one in read(text, tables=WITH_WRAPPERS).settings]
        assert within == [("A", None), ("B", None), ("C", None)]
        reading = read(f'D=1 bash ../ci/run-in-image.sh 9 "{text}"; E=2', "export E", tables=CLOSED)
        script = "ci/run-in-image.sh"
        assert [(one.name, one.within) for one in reading.settings] == [
            ("D", None),
            ("A", script),
            ("B", script),
            ("C", script),
            ("E", None),
        ]
        reading = read(
            "sudo A=0 pytest a", "sudo -u x bash -c 'A=0 pytest a'", "su -c 'A=0 pytest a'", "timeout 5 env A=0 b"
        )
        assert [one.within for one in reading.settings] == ["sudo", "sudo", "su", None]

    def test_in_a_loop(self) -> None:
        run_environments = [
            {setting.name: setting.value for setting in run.environment}
            for run in read("export M", "for M in x y; do pytest $M; done").runs
        ]
        assert run_environments == [{"M": "x"}, {"M": "y"}]

    @pytest.mark.parametrize(
        ("command", "environment"),
        [
            ("export A=1; pytest a", {"A": "1"}),
            ("A=1; pytest a", {}),
            ("A=1 pytest a", {"A": "1"}),
            ("export A=1; A=2 pytest a", {"A": "2"}),
            ("export A=1; A=2; pytest a", {"A": "2"}),
            ("(export A=1); pytest a", {}),
            ("export A=1; unset A; pytest a", {"A": None}),
            ("export A=1; export -n A; pytest a", {"A": None}),
            ("export A=1; export -n A; A=2; pytest a", {"A": None}),
            ("export A=1; declare +x A; bash -c 'pytest $A'", {"A": None}),
            ("export A=1; export -n A; export A; pytest a", {"A": "1"}),
            ("A=1 env -u A pytest a", {"A": None}),
            ("export A=1; env -u A pytest a", {"A": None}),
            ("export A=1; env -u A true; pytest a", {"A": "1"}),
            ("env -u A A=2 pytest a", {"A": "2"}),
            ("env -u A bash -c 'B=1 pytest a'", {"A": None, "B": "1"}),
            ("export A=1; bash -c 'pytest a'", {"A": "1"}),
            ("A=1 bash -c 'B=2 pytest a'", {"A": "1", "B": "2"}),
            ("A=1 timeout 5 env B=2 pytest a", {"A": "1", "B": "2"}),
            ("set -a; A=1; pytest a", {"A": "1"}),
            ("f() { pytest a; }; A=1 f", {"A": "1"}),
            ("if [ -f x ]; then export A=1; fi; pytest a", {"A": None}),
            ("export A=1; if [ -f x ]; then export A=1; fi; pytest a", {"A": "1"}),
        ],
    )
    def test_what_a_run_has_in_its_environment(self, command: str, environment: dict[str, str | None]) -> None:
        assert {setting.name: setting.value for setting in run_of(command).environment} == environment

    def test_the_jobs_own_environment_is_known(self) -> None:
        [run] = read("pytest $SUITE", SUITE="lora engine").runs
        assert len(run.targets) == 2
        assert run.environment == ()


class TestStarted:
    """What runs, with what is set for it."""

    @pytest.mark.parametrize(
        ("command", "started"),
        [
            ("pytest a", ["pytest"]),
            ("python serve.py & A=1 python -m pytest a", ["python", "python A", "pytest A"]),
            ("export A=1; timeout 5 bash -c 'pytest a && B=1 vllm serve'", ["pytest A", "vllm AB"]),
            ("cd x; export A=1; echo y; [ -f z ]; source ./a.sh; eval 'true'", []),
            ("A=1 uv pip install x; nvidia-smi", ["(uv) A", "(nvidia-smi)"]),
            ("A=1 ./missing.sh; /srv/x.sh; bash missing.sh", ["./missing.sh A", "/srv/x.sh", "bash"]),
            ("A=1 make x", ["make A"]),
            ("torchrun a.py", ["torchrun"]),
        ],
    )
    def test_it(self, command: str, started: list[str]) -> None:
        shown = []
        for one in read(command).programs:
            name = command[one.place.offset :].split(maxsplit=1)[0].strip(";'")
            names = "".join(sorted(setting.name for setting in one.environment))
            shown.append(f"{f'({name})' if one.idle else name} {names}".rstrip())
        assert shown == started

    def test_commands_that_are_one_script(self) -> None:
        assert read("for x in 1 2; do", "export A=1", "done").together
        assert read("export A=1 \\", "B=2").together
        assert not read("export A=1", "pytest a").together
        assert not read("export A=1").together


class TestCalls:
    def test_scripts_and_programs(self) -> None:
        reading = read("bash run_suite.sh engine", "./missing.sh", "python ../examples/chat.py", "ls")
        assert [(call.path, call.read) for call in reading.calls] == [
            ("tests/run_suite.sh", True),
            ("tests/missing.sh", False),
            ("examples/chat.py", True),
        ]

    def test_what_lies_outside_is_no_call(self) -> None:
        assert read("bash /srv/x.sh", "python /srv/y.py").calls == ()


class TestNothing:
    def test_no_commands(self) -> None:
        reading = read()
        assert (reading.runs, reading.unread, reading.settings, reading.calls) == ((), (), (), ())


class TestPrograms:
    """`executes` and the files that a program's run collects."""

    def test_one_that_does_not_exist_is_missing(self) -> None:
        run = run_of("python lora/test_gone.py")
        found = Collector(files=Files.of(FILES), checkout=CHECKOUT).collect(run)
        assert found.files == ()
        assert found.missing == run.targets
