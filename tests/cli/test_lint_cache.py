"""`pipegen lint` as it is typed twice: the second time it says the same, and where nothing may be kept, nothing is."""

import json
import os
from pathlib import Path

import pytest

from tests.support.repositories import Repository
from tests.support.workspaces import ENGINE, TEMPLATE, Content, Ran, run, spawn, workspace, write

SMALL: dict[str, Content] = {
    "templates/plain.yaml.j2": TEMPLATE,
    "tests/engine/test_core.py": "",
    "tests/alone/test_alone.py": "",
    "src/engine/core.py": "",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return workspace(tmp_path / "root", SMALL)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def lint(root: Path, cache: Path, *arguments: str, **environment: str) -> Ran:
    return run(
        "lint", *arguments, cwd=root, env={"PATH": os.environ["PATH"], "XDG_CACHE_HOME": str(cache), **environment}
    )


def kept(cache: Path) -> list[Path]:
    return sorted(cache.rglob("*.json"))


@pytest.mark.parametrize("format_", ["text", "json", "sarif", "github", "buildkite"])
def test_it_says_the_same(root: Path, cache: Path, format_: str) -> None:
    first = lint(root, cache, "--format", format_)
    assert len(kept(cache)) == 1
    assert lint(root, cache, "--format", format_) == first == lint(root, cache, "--no-cache", "--format", format_)
    assert first.status == 1
    assert "PG201" in first.stdout


def test_one_verdict_is_good_for_every_format(root: Path, cache: Path) -> None:
    lint(root, cache)
    (document,) = kept(cache)
    document.write_text(
        document.read_text(encoding="utf-8").replace("no area owns", "not one area owns"), encoding="utf-8"
    )
    assert "not one area owns" in lint(root, cache, "--format", "json").stdout


def test_a_remembered_verdict_is_what_a_later_run_prints(root: Path, cache: Path) -> None:
    """That nothing is read twice would else be seen by no test: every answer is the same without a memory."""
    lint(root, cache)
    (document,) = kept(cache)
    found = json.loads(document.read_text(encoding="utf-8"))
    found["verdict"]["notes"] = ["remembered"]
    document.write_text(json.dumps(found), encoding="utf-8")
    assert "\nremembered\n" in lint(root, cache).stdout
    assert "\nremembered\n" not in lint(root, cache, "--no-cache").stdout
    write(root, {"areas/engine.yaml": ENGINE + "    title: Engine\n"})
    assert "\nremembered\n" not in lint(root, cache).stdout


def test_in_ci_nothing_is_kept_or_read(root: Path, cache: Path) -> None:
    lint(root, cache, CI="true")
    assert kept(cache) == []
    lint(root, cache, "--cache", CI="true")
    assert len(kept(cache)) == 1


def test_nothing_is_kept_without_a_place(root: Path, cache: Path) -> None:
    assert lint(root, cache, XDG_CACHE_HOME="", HOME="").status == 1
    assert lint(root, cache, XDG_CACHE_HOME="relative", HOME="relative").status == 1
    assert not (root / "relative").exists()
    lint(root, cache, XDG_CACHE_HOME="", HOME=str(root.parent / "home"))
    assert len(kept(root.parent / "home" / ".cache" / "pipegen" / "lint")) == 1


@pytest.mark.parametrize("arguments", [("--no-cache",), ("--fix",), ("--diff",), ("--write-waivers",)])
def test_what_is_not_a_plain_look_keeps_nothing(root: Path, cache: Path, arguments: tuple[str, ...]) -> None:
    lint(root, cache, *arguments)
    assert kept(cache) == []


def test_wrong_usage_is_not_remembered(root: Path, cache: Path) -> None:
    first = lint(root, cache, "--select", "PG20l")
    assert (first.status, kept(cache)) == (2, [])
    assert lint(root, cache, "--select", "PG20l") == first


def test_from_another_folder_paths_are_as_it_sees_them(root: Path, cache: Path) -> None:
    assert lint(root, cache).stdout.startswith("tests/alone/test_alone.py:1:1")
    assert lint(root / "tests", cache).stdout.startswith("alone/test_alone.py:1:1")
    assert len(kept(cache)) == 1


def test_a_base(tmp_path: Path, cache: Path) -> None:
    repository = Repository.create(tmp_path / "root")
    workspace(repository.path, SMALL)
    repository.commit("one")
    repository.write("tests/more/test_more.py")
    repository.commit("two")
    first = lint(repository.path, cache, "--base", "HEAD^")
    assert (first.status, len(kept(cache))) == (1, 1)
    assert "1 finding that HEAD^ has too" in first.stdout
    assert lint(repository.path, cache, "--base", "HEAD^") == first


def test_a_warm_run_needs_nothing_of_what_looks(root: Path, cache: Path) -> None:
    """It is what makes it fast: neither templates nor YAML are imported."""
    environment = {"XDG_CACHE_HOME": str(cache), "PYTHONVERBOSE": "1"}
    cold, warm = (spawn("lint", cwd=root, env=environment) for _ in range(2))
    assert cold.stdout == warm.stdout
    assert ["import 'jinja2'" in ran.stderr or "import 'yaml'" in ran.stderr for ran in (cold, warm)] == [True, False]
