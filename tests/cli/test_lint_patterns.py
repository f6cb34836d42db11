"""`pipegen lint` in a repository whose sources move: real git says where to."""

import os
from pathlib import Path

import pytest

from tests.support.repositories import Repository
from tests.support.workspaces import ENGINE, TEMPLATE, Content, Ran, run, workspace

FILES: dict[str, Content] = {
    "templates/plain.yaml.j2": TEMPLATE,
    "tests/engine/test_core.py": "",
    "src/engine/core.py": "the core of the engine\n",
    "src/engine/step.py": "one step of it\n",
    "src/runner.py": "what runs it\n",
    "areas/engine.yaml": ENGINE.replace("[src/engine/]", '[src/engine/, "src/runner.py"]  # what it is made of'),
}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository.create(tmp_path / "root")
    workspace(made.path, FILES)
    made.commit()
    return made


def lint(repository: Repository, *arguments: str) -> Ran:
    return run("lint", *arguments, cwd=repository.path, env=dict(os.environ))


def test_a_rename_is_followed(repository: Repository) -> None:
    assert lint(repository).status == 0
    repository.rename("src/engine", "src/machine")
    repository.rename("src/runner.py", "src/machine/run.py")
    found = lint(repository)
    assert found.status == 1
    assert 'PG401 finding: "src/engine/" in sources of "engine-core" matches no file' in found.stdout
    assert 'git moved it: write "src/machine/"' in found.stdout
    assert 'git moved it: write "src/machine/run.py"' in found.stdout


def test_fixes_follow_one_another(repository: Repository) -> None:
    """What a rename makes redundant goes too; after that there is nothing left to do."""
    repository.rename("src/engine", "src/machine")
    repository.rename("src/runner.py", "src/machine/run.py")
    assert lint(repository, "--fix").status == 0
    fixed = (repository.path / "areas/engine.yaml").read_text(encoding="utf-8")
    assert "sources: [src/machine/]  # what it is made of\n" in fixed
    assert lint(repository, "--fix").status == 0
    assert (repository.path / "areas/engine.yaml").read_text(encoding="utf-8") == fixed


def test_code_owners_are_asked(repository: Repository) -> None:
    repository.write(".github/CODEOWNERS", "/tests/ @org/others\n")
    found = lint(repository)
    assert found.status == 0
    assert 'PG220 warning: owner "core" is @org/core, and .github/CODEOWNERS gives' in found.stdout
    assert ".github/CODEOWNERS:1:1: the line that decides: /tests/" in found.stdout
