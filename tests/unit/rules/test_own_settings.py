"""What a repository's own settings of pytest keep from being collected is told where an area owns it."""

import pytest

from tests.support.rules import BASE, Case, facts_of, found_in

OLD = {"tests/engine/test_old.py": b""}


def found(**files: str) -> list[tuple[str, str, str]]:
    """What the rules find in the small workspace with a second test: code, place and help."""
    told = {path.replace("__", "/"): text.encode() for path, text in files.items()}
    case = Case(files={**BASE, **OLD, **told})
    return [(one.code.code, str(one.span), one.help) for one in found_in(facts_of(case))]


def at(path: str) -> str:
    """The help for a file that another one leaves out."""
    return f'"{path}" leaves it out: take it out there, or run the file by its name in a step of its own'


def test_nothing_left_out() -> None:
    assert found() == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tests/engine/conftest.py", 'collect_ignore = ["test_old.py"]\n'),
        ("tests/conftest.py", 'collect_ignore_glob = ["*_old.py"]\n'),
        ("conftest.py", 'collect_ignore = ["tests/engine/test_old.py"]\n'),
        ("pytest.ini", "[pytest]\naddopts = --ignore tests/engine/test_old.py\n"),
        ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = ["--ignore-glob=*_old.py"]\n'),
    ],
)
def test_left_out(path: str, text: str) -> None:
    assert found(**{path: text}) == [("PG206", "areas/engine.yaml:7:13", at(path))]


def test_what_a_condition_leaves_out_is_taken_to_run() -> None:
    text = "import sys\ncollect_ignore = []\nif sys.platform == 'win32':\n    collect_ignore.append('test_old.py')\n"
    assert found(**{"tests/engine/conftest.py": text}) == []


def test_named_beside_its_folder_it_does_not_run() -> None:
    area = BASE["areas/engine.yaml"].decode().replace("[engine/]", "[engine/, engine/test_old.py]")
    text = 'collect_ignore = ["test_old.py"]\n'
    codes = [code for code, _, _ in found(**{"tests/engine/conftest.py": text, "areas/engine.yaml": area})]
    assert "PG206" in codes  # pytest 9 drops a path that another one contains


def test_narrowed_by_settings_and_by_a_part() -> None:
    """Where a job narrows by itself, it is the job that is shown."""
    area = BASE["areas/engine.yaml"].decode() + "    k: one\n"
    settings = "[pytest]\naddopts = -m 'not slow'\n"
    assert [(code, place) for code, place, _ in found(**{"pytest.ini": settings, "areas/engine.yaml": area})] == [
        ("PG214", "areas/engine.yaml:10:8")
    ]


def test_a_job_that_takes_what_settings_leave() -> None:
    area = BASE["areas/engine.yaml"].decode() + "  engine/slow:\n    tests: []\n    also: [engine/]\n    m: slow\n"
    area += "    hardware: l4\n    timeout_in_minutes: 30\n"
    settings = "[pytest]\naddopts = -m 'not slow'\n"
    assert found(**{"pytest.ini": settings, "areas/engine.yaml": area}) == []
