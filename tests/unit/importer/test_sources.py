"""Paths and regular expressions of step files as patterns."""

import pytest

from pipegen.commands.collecting.files import Files
from pipegen.diagnostics import Span
from pipegen.importer.comments import Comments
from pipegen.importer.sources import Sources, run_all
from pipegen.manifest.located import Report, Scalar
from pipegen.patterns import Patterns

FILES = Files.of(["setup.py", "engine/a.py", "engine/b/c.py", "tests/test_a[1].py"])


def _nodes(*texts: str) -> list[Scalar]:
    return [Scalar(text=text, plain=True, span=Span(path="s.yaml", line=at)) for at, text in enumerate(texts, start=1)]


def _items(*texts: str, comments: Comments | None = None) -> tuple[list[object], list[str]]:
    report = Report()
    sources = Sources(files=FILES, comments=comments or Comments(), report=report)
    return [item.value for item in sources.items(_nodes(*texts))], [each.code.code for each in report.found]


@pytest.mark.parametrize(
    ("given", "wanted", "found"),
    [
        (["setup.py", "engine/"], ["engine/", "setup.py"], []),
        (["!engine/b", "engine"], ["engine", "!engine/b"], []),
        (["./engine/a.py", "/setup.py", " engine "], ["engine", "engine/a.py", "setup.py"], []),
        (["engine/", "engine/"], ["engine/"], []),
        (["tests/test_a[1].py"], ["tests/test_a\\[1].py"], []),
        (["engine/gone.py"], ["engine/gone.py"], ["PG905"]),
        (["engine/a"], ["engine/a"], ["PG905"]),
        (["../x", "setup.py"], ["setup.py"], ["PG909"]),
    ],
)
def test_prefixes_become_patterns(given: list[str], wanted: list[str], found: list[str]) -> None:
    assert _items(*given) == (wanted, found)


def test_what_is_said_between_paths_keeps_their_order() -> None:
    texts, _ = _items("setup.py", "engine/", comments=Comments(above={2: ("why",)}))
    assert texts == ["setup.py", "engine/"]


def test_an_escaped_path_takes_that_file_and_no_other() -> None:
    (pattern,), _ = _items("tests/test_a[1].py")
    patterns = Patterns.compile([str(pattern)])
    assert patterns.match("tests/test_a[1].py") is not None
    assert patterns.match("tests/test_a1.py") is None


@pytest.mark.parametrize(
    ("included", "excluded", "wanted"),
    [
        (["setup.py", "csrc/"], ["csrc/cpu/"], ("csrc/", "setup.py*", "!csrc/cpu/")),
        (["docker/Dockerfile"], ["docker/Dockerfile."], ("docker/Dockerfile*", "!docker/Dockerfile.*")),
        (["^setup\\.py$", "requirements/.*"], [], ("requirements/**", "setup.py")),
        (["a/[^/]+/b.txt"], [], ("a/*/b.txt*",)),
    ],
)
def test_expressions_become_patterns(included: list[str], excluded: list[str], wanted: tuple[str, ...]) -> None:
    report = Report()
    assert run_all(_nodes(*included), _nodes(*excluded), report) == wanted
    assert report.found == []


@pytest.mark.parametrize("text", ["(a|b)", "a?", "a{2}", "a+", "[ab]", "\\d"])
def test_what_no_pattern_can_say_is_reported(text: str) -> None:
    report = Report()
    assert run_all(_nodes(text, "setup.py"), [], report) == ("setup.py*",)
    assert [each.code.code for each in report.found] == ["PG909"]


@pytest.mark.parametrize(
    ("path", "runs"),
    [
        ("docker/Dockerfile", True),
        ("docker/Dockerfile2/x", True),
        ("docker/Dockerfile.rocm", False),
        ("old/docker/Dockerfile", False),
    ],
)
def test_an_expression_counts_from_the_start_of_a_path(path: str, runs: bool) -> None:
    patterns = Patterns.compile(run_all(_nodes("docker/Dockerfile"), _nodes("docker/Dockerfile."), Report()))
    assert (patterns.match(path) is not None) is runs
