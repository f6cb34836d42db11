"""What commands of step files run, where their quotes are wrong, and which of them manifests generate by themselves."""

from typing import Final

import pytest

from pipegen.commands.collecting.files import Files
from pipegen.commands.programs.tables import Carries
from pipegen.commands.programs.tables import Wrapper as Carrier
from pipegen.commands.reader import CommandReader, tables_with
from pipegen.diagnostics import Span
from pipegen.importer.collecting import Collecting
from pipegen.importer.faults import check_quoting
from pipegen.importer.pytestform import Form, form_of
from pipegen.importer.rules import Wrapper
from pipegen.importer.wrapping import unwrapped
from pipegen.manifest.located import Report, Scalar
from pipegen.model import TestSettings

PLACE: Final = Span(path="s.yaml", line=1, column=1)
SETTINGS: Final = TestSettings(
    roots=("tests/",),
    files=("test_*.py",),
    ignore=(),
    checkout="/repo",
    working_dir="/repo/tests",
    pytest=("pytest", "-v", "-s"),
    shards={},
    shards_everywhere=None,
)
CARRIERS: Final = (
    Carrier(name=("ci/limited.sh",), carries=Carries.TEXT, skip=1, folder="/repo"),
    Carrier(name=("ci/wrap.sh",), carries=Carries.JOINED, folder="/repo"),
    Carrier(name=("ci/nodes.sh",), carries=Carries.TEXTS, skip=4, folder_argument=1),
)
COLLECTING: Final = Collecting(
    files=Files.of(
        [
            "tests/a/test_one.py",
            "tests/a/test_two.py",
            "tests/b/deep/test_three.py",
            "tests/b/run.sh",
            "tests/test_top.py",
            "tools/test_tool.py",
            "tools/run.sh",
        ]
    ),
    settings=SETTINGS,
    reader=CommandReader(checkout="/repo", files=("test_*.py",), tables=tables_with(CARRIERS, valued=["--models"])),
)


def _collected(*commands: str, here: str = "/repo/tests") -> tuple[list[str], list[str]]:
    found = COLLECTING.of(list(commands), here)
    return list(found.tests), list(found.missing)


@pytest.mark.parametrize(
    ("command", "tests"),
    [
        ("pytest -v -s a/", ["tests/a/"]),
        ("pytest a test_top.py", ["tests/a/", "tests/test_top.py"]),
        ("pytest a/test_one.py::test_x[1-a]", ["tests/a/test_one.py::test_x[1-a]"]),
        ("X=1 Y='2 3' timeout 5m pytest -x a -k 'not b'", ["tests/a/"]),
        ("pytest a --models small", ["tests/a/"]),
        ("pytest a/test_*.py", ["tests/a/test_*.py"]),
        ("cd b && pytest", ["tests/b/"]),
        ("pytest ../tools/test_tool.py", ["tools/test_tool.py"]),
        ("torchrun --nproc-per-node=2 a/test_one.py | grep ok", ["tests/a/test_one.py"]),
        ("bash b/run.sh -c models.txt", ["tests/b/"]),
        ("bash ../tools/run.sh", []),
        ('bash ../ci/limited.sh 30m "\npytest tests/a\npytest tests/b"', ["tests/a/", "tests/b/"]),
        ("bash ../ci/wrap.sh 'cd tests && pytest a'", ["tests/a/"]),
        ('../ci/nodes.sh /repo/tests 2 2 image "pytest a" "pytest b"', ["tests/a/", "tests/b/"]),
        ("find a/ -maxdepth 1 -name 'test_*.py' -print0 | xargs -0 -n1 -I{} pytest -s '{}'", ["tests/a/test_*.py"]),
        ("find b/ -name 'test_*.py' -not -name 'test_x.py' | xargs pytest", ["tests/b/"]),
        ("echo pytest a", []),
        ("pip install pytest", []),
        ("pytest 'a", []),
    ],
)
def test_what_a_command_collects(command: str, tests: list[str]) -> None:
    assert _collected(command) == (tests, [])


def test_commands_are_one_script() -> None:
    assert _collected("cd b", "pytest deep", "cd ..", "pytest a")[0] == ["tests/b/deep/", "tests/a/"]


def test_what_is_not_there_is_missing() -> None:
    assert _collected("pytest a gone.py") == (["tests/a/"], ["tests/gone.py"])


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("pytest -k 'a", "a quote is opened and never closed"),
        ("bash run.sh 'pytest -m 'not slow' a'", 'the quote in front of "not slow" closes the one around it'),
        ("pip install tool>=1.2", 'the shell writes to a file "=1.2": ">=1.2" is a redirection'),
        (
            "bash run.sh 'pip install tool[x]>=1.2 && pytest a'",
            'the shell writes to a file "=1.2": ">=1.2" is a redirection',
        ),
    ],
)
def test_quotes_that_do_not_mean_what_they_seem_to(command: str, message: str) -> None:
    report = Report()
    check_quoting(Scalar(text=command, plain=True, span=PLACE), report)
    assert [(each.code.code, each.message) for each in report.found] == [("PG907", message)]


@pytest.mark.parametrize(
    "command",
    [
        "pip install 'tool>=1.2' \"other < 3\"",
        "bash run.sh 'cd tests && pytest -m \"not slow\" a'",
        "echo \"it's\" && pytest -k 'a or b'",
        "x > log.txt 2>&1",
        "sh -c 'echo '\"'\"'x'\"'\"''",
        "a 'b ' c",
    ],
)
def test_quotes_that_are_right(command: str) -> None:
    report = Report()
    check_quoting(Scalar(text=command, plain=True, span=PLACE), report)
    assert report.found == []


@pytest.mark.parametrize(
    ("run", "form"),
    [
        ("pytest -v -s a/", Form(entries=("a/",))),
        ("pytest -v -s a b/test_x.py::test_y", Form(entries=("a", "b/test_x.py::test_y"))),
        ('pytest -v -s a -k "b or c"', Form(entries=("a",), k="b or c")),
        ("pytest -v -s a -m slow --ignore=a/b -x", Form(entries=("a",), m="slow", ignore=("a/b",), args=("-x",))),
    ],
)
def test_calls_that_manifests_generate(run: str, form: Form) -> None:
    assert form_of(run, run, SETTINGS, "/repo/tests", ()) == form


def test_paths_elsewhere_count_from_the_top() -> None:
    assert form_of("pytest -v -s tools/x", "pytest -v -s tools/x", SETTINGS, "/repo", ()) == Form(
        entries=("//tools/x",)
    )
    assert form_of("pytest -v -s tests/x", "pytest -v -s tests/x", SETTINGS, "/repo/", ()) == Form(entries=("x",))


@pytest.mark.parametrize(
    "run",
    [
        "pytest -s -v a",
        "pytest a",
        "pytest -v -s -m slow a",
        "pytest -v -s a -k 'b or c'",
        "pytest -v -s ./a",
        "pytest -v -s ../a",
        "pytest -v -s a/*",
        "pytest -v -s /abs",
        "pytest -v -s a --ignore a/b",
        "pytest -v -s a && echo done",
        "pytest -v -s -x",
        "pytest -v -s 'a",
        "pytest  -v -s a",
    ],
)
def test_calls_that_stay_commands(run: str) -> None:
    assert form_of(run, run, SETTINGS, "/repo/tests", ()) is None


def test_shard_words_are_the_workspaces() -> None:
    shards = ("--shard=$N",)
    assert form_of("pytest -v -s a --shard=$N", "pytest -v -s a --shard=$N", SETTINGS, "/repo/tests", shards) == Form(
        entries=("a",)
    )
    assert form_of("pytest -v -s a", "pytest -v -s a", SETTINGS, "/repo/tests", shards) is None


WRAPPERS: Final = (Wrapper(call="bash wrap.sh", template="in_variable"),)


@pytest.mark.parametrize(
    ("command", "inner"),
    [
        ("bash wrap.sh 'pytest -m \"not slow\" a'", 'pytest -m "not slow" a'),
        ("bash wrap.sh\n'cd tests && pytest -k \"f(x)\"'", 'cd tests && pytest -k "f(x)"'),
        ("bash wrap.sh 'pytest -k \"one\" a'", None),
        ("bash wrap.sh 'pytest -k one a'", None),
        ("bash wrap.sh 'pytest -m 'not slow' a'", None),
        ('bash wrap.sh pytest -m "not slow"', None),
        ("bash other.sh 'pytest -m \"not slow\" a'", None),
    ],
)
def test_expressions_that_a_wrapper_would_quote_once_more(command: str, inner: str | None) -> None:
    nodes = [Scalar(text=command, plain=True, span=PLACE)]
    wanted = (None, [command]) if inner is None else ("in_variable", [inner])
    assert unwrapped(nodes, WRAPPERS) == wanted
