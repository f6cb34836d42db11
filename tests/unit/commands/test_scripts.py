"""Scripts, programs and conftest files of a repository: what their content says is followed."""

from collections.abc import Mapping

import pytest

from pipegen.commands.programs.conftest import added_options
from pipegen.commands.programs.python_code import Behaviour, Program, RunsPytest, behaviour
from pipegen.commands.reader import CommandReader
from pipegen.commands.reading import Reading, Why


def read(command: str, contents: Mapping[str, str]) -> Reading:
    return CommandReader(checkout="/ws", content=contents.get).read([command])


def texts(reading: Reading) -> list[str]:
    return [run.text for run in reading.runs]


class TestScripts:
    def test_a_sweep_over_named_settings(self) -> None:
        sweep = (
            "#!/usr/bin/env bash\nset -euo pipefail\nSCRIPT=one.sh\nfirst='METHOD=a TOKENS=3'\n"
            'configs=(\n  "$first"  # the first\n  "METHOD=b TOKENS=1 LAYOUT=DS"\n)\n'
            'for config in "${configs[@]}"; do\n  parts=()\n  read -r -a parts <<< "$config"\n'
            '  if ! env "${parts[@]}" bash "${SCRIPT}"; then\n    echo "failed: ${config}"\n    exit 1\n  fi\ndone\n'
        )
        reading = read("bash sweep.sh", {"sweep.sh": sweep, "one.sh": "pytest tests/test_a.py\n"})
        assert reading.unread == ()
        assert [{one.name: one.value for one in run.environment} for run in reading.runs] == [
            {"METHOD": "a", "TOKENS": "3"},
            {"METHOD": "b", "TOKENS": "1", "LAYOUT": "DS"},
        ]

    def test_settings_that_are_not_known(self) -> None:
        reading = read("bash sweep.sh", {"sweep.sh": "env $CONFIG A=1 pytest tests\n"})
        assert [(run.text, run.maybe) for run in reading.runs] == [("pytest tests", True)]
        assert [one.text for one in reading.unread] == ["$CONFIG"]

    def test_folders_that_are_found_from_the_script(self) -> None:
        script = (
            'HERE="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)"\n'
            'ROOT="$(cd "${HERE}/../.." && pwd)"\npytest "${ROOT}/tests/a" "${HERE}"/b.py\n'
        )
        assert texts(read("bash ci/deep/x.sh", {"ci/deep/x.sh": script})) == ["pytest /ws/tests/a /ws/ci/deep/b.py"]

    def test_what_a_function_prints(self) -> None:
        script = (
            'extra() {\n  local args=""\n  if [[ "$1" == big ]]; then\n    args="--big"\n  fi\n  echo "$args"\n}\n'
            "A=$(extra big)\nB=$(extra small)\npytest $A x $B y\n"
        )
        assert texts(read("bash x.sh", {"x.sh": script})) == ["pytest --big x y"]

    def test_a_function_that_is_exported(self) -> None:
        script = "go() { pytest tests/a; }\nstay() { pytest tests/b; }\nexport -f go\ntimeout 9 bash -c 'go; stay'\n"
        assert texts(read("bash x.sh", {"x.sh": script})) == ["pytest tests/a"]

    def test_options_of_a_script(self) -> None:
        script = (
            "DEVICE=cuda\nwhile [[ $# -gt 0 ]]; do\n  case $1 in\n    --device) DEVICE=$2; shift 2 ;;\n"
            "    *) exit 1 ;;\n  esac\ndone\n[[ $DEVICE == cuda ]] && pytest tests/cuda\npytest tests/all\n"
        )
        assert texts(read("bash x.sh", {"x.sh": script})) == ["pytest tests/cuda", "pytest tests/all"]
        assert "pytest tests/all" in texts(read("bash x.sh --device cpu", {"x.sh": script}))

    def test_arguments_of_a_script(self) -> None:
        script = 'pytest "$1" -k "${2:-fast}" -n $#\nshift\npytest "$@"\n'
        reading = read("bash x.sh 'a b' c", {"x.sh": script})
        assert texts(reading) == ["pytest a b -k c -n 2", "pytest c"]

    @pytest.mark.parametrize(
        ("first_line", "runs"),
        [
            ("#!/bin/bash\n", 1),
            ("#!/usr/bin/env bash\n", 1),
            ("#!/usr/bin/env -S bash -e\n", 1),
            ("#!/bin/sh -e\n", 1),
            ("", 1),
            ("#!/usr/bin/awk -f\n", 0),
        ],
    )
    def test_what_runs_it(self, first_line: str, runs: int) -> None:
        reading = read("./x", {"x": first_line + "pytest tests\n"})
        assert len(reading.runs) == runs
        assert [one.why for one in reading.unread] == [Why.FOREIGN] * (1 - runs)

    def test_a_script_in_python(self) -> None:
        script = "#!/usr/bin/env python3\nimport pytest\npytest.main(['tests/a', '-q'])\n"
        assert texts(read("./x", {"x": script})) == ["pytest tests/a -q"]

    def test_what_a_sourced_script_sets_stays(self) -> None:
        assert texts(read(". ./env.sh && pytest $WHAT", {"env.sh": "export WHAT=tests\ncd /ws\n"})) == ["pytest tests"]

    def test_what_a_called_script_sets_does_not(self) -> None:
        [unread] = read("bash env.sh && pytest $WHAT", {"env.sh": "export WHAT=tests\n"}).unread
        assert unread.text == "$WHAT"

    def test_a_sourced_script_that_returns(self) -> None:
        assert texts(read(". ./x.sh; pytest b", {"x.sh": "return 0\npytest a\n"})) == ["pytest b"]

    def test_two_scripts_that_call_each_other(self) -> None:
        reading = read("bash a.sh", {"a.sh": "bash b.sh\npytest tests/a", "b.sh": "bash a.sh\npytest tests/b"})
        assert {one.why for one in reading.unread} == {Why.DEPTH}
        assert {"pytest tests/a", "pytest tests/b"} == set(texts(reading))


class TestBehaviour:
    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            ("", Program.ONLY_DEFINES),
            ('"""Text."""\nimport a\nfrom b import c\nX = 1\nY: int = 2\n', Program.ONLY_DEFINES),
            ("def test_a():\n    assert 1\n\nclass TestB:\n    pass\n", Program.ONLY_DEFINES),
            ("import pytest\npytest.importorskip('x')\nimport sys\nsys.path.insert(0, '.')\n", Program.ONLY_DEFINES),
            ("try:\n    import a\nexcept ImportError:\n    a = None\n", Program.ONLY_DEFINES),
            ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\n", Program.ONLY_DEFINES),
            ("if __name__ == '__main__':\n    pass\n", Program.ONLY_DEFINES),
            ("if __name__ == '__main__':\n    main()\n", Program.RUNS),
            ("assert 1\n", Program.RUNS),
            ("print('x')\n", Program.RUNS),
            ("for x in y:\n    z(x)\n", Program.RUNS),
            ("with a:\n    b()\n", Program.RUNS),
            ("def f(:\n", Program.BROKEN),
            ("x = '\0'\n", Program.BROKEN),
            ("x = '\\d'\nprint(x)\n", Program.RUNS),
            (
                "import pytest\nif __name__ == '__main__':\n    pytest.main([__file__])\n",
                RunsPytest(arguments=(None,), own=False),
            ),
            (
                "import pytest, sys\nsys.exit(pytest.main([__file__, '-x', *sys.argv[1:]]))\n",
                RunsPytest(arguments=(None, "-x"), own=True),
            ),
            (
                "import pytest, sys\nraise SystemExit(pytest.main(['-q'] + sys.argv[1:]))\n",
                RunsPytest(arguments=("-q",), own=True),
            ),
            ("import pytest\npytest.main()\n", RunsPytest(arguments=(), own=True)),
            ("import pytest\npytest.main(args=['a'])\n", RunsPytest(arguments=("a",), own=False)),
            ("import pytest\npytest.main(made())\n", Program.FOREIGN),
            ("import pytest\npytest.main([f'{x}'])\n", Program.FOREIGN),
            (
                "import unittest\nif __name__ == '__main__':\n    unittest.main()\n",
                RunsPytest(arguments=(None,), own=False),
            ),
            ("import pytest\ndef run():\n    pytest.main([__file__])\n", Program.ONLY_DEFINES),
        ],
    )
    def test_it(self, content: str, expected: Behaviour) -> None:
        assert behaviour(content) == expected


class TestConftest:
    @pytest.mark.parametrize(
        ("arguments", "kind"),
        [
            ("'--it', default=1", "valued"),
            ("'--it', action='store'", "valued"),
            ("'--it', type=int, nargs=1", "valued"),
            ("'--it', action='append'", "valued"),
            ("'--it', action='store_true'", "flags"),
            ("'--it', action='store_false', dest='x'", "flags"),
            ("'--it', nargs='?'", "optional"),
            ("'--it', nargs='+', default=['all']", "many"),
            ("'--it', action='extend', nargs='*'", "many"),
            ("'--it', nargs=2", None),
            ("'--it', nargs=count", None),
            ("'--it', action=Own", None),
            ("'--it', **more", None),
            ("name", None),
        ],
    )
    def test_what_an_option_is(self, arguments: str, kind: str | None) -> None:
        content = f"def pytest_addoption(parser):\n    parser.addoption({arguments})\n"
        found = list(added_options(content))
        assert found == ([] if kind is None else [(frozenset({"--it"}), kind)])

    def test_what_is_no_python_adds_nothing(self) -> None:
        assert list(added_options("def (")) == []

    @pytest.mark.parametrize(
        ("path", "command", "targets"),
        [
            ("conftest.py", "pytest --models small tests/a", ["tests/a"]),
            ("tests/conftest.py", "pytest tests/a --models small", ["tests/a"]),
            ("tests/a/conftest.py", "pytest tests/a/test_x.py::test_y --models small", ["tests/a/test_x.py::test_y"]),
            ("tests/conftest.py", "cd tests && pytest --models small a", ["a"]),
        ],
    )
    def test_options_of_the_folders_that_pytest_loads(self, path: str, command: str, targets: list[str]) -> None:
        content = "def pytest_addoption(parser):\n    parser.addoption('--models')\n"
        reading = read(command, {path: content})
        assert reading.unread == ()
        assert [getattr(target, "written", None) for run in reading.runs for target in run.targets] == targets

    def test_options_of_other_folders_are_not(self) -> None:
        content = "def pytest_addoption(parser):\n    parser.addoption('--models')\n"
        [unread] = read("pytest tests/a --models small", {"tests/b/conftest.py": content}).unread
        assert unread.why is Why.OPTION

    def test_an_option_that_takes_all_that_follows(self) -> None:
        content = "def pytest_addoption(parser):\n    parser.addoption('--models', nargs='+')\n"
        reading = read("pytest tests/a --models one tests/b -k x", {"conftest.py": content})
        assert [getattr(target, "written", None) for run in reading.runs for target in run.targets] == ["tests/a"]
