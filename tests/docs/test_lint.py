"""docs/lint.md and the README say of the hook and of the formats what is so."""

import re
from pathlib import Path
from typing import Final

import yaml

from pipegen.report.lint import FORMATS
from tests.support.workspaces import REPOSITORY

PAGE: Final = (REPOSITORY / "docs/lint.md").read_text(encoding="utf-8")
FENCE: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fenced(text: str, language: str, word: str) -> str:
    """The fenced example that holds a word."""
    (found,) = (body for kind, body in FENCE.findall(text) if kind == language and word in body)
    assert isinstance(found, str)
    return found


def hooks(page: Path) -> list[str]:
    example = yaml.safe_load(fenced(page.read_text(encoding="utf-8"), "yaml", "repos:"))
    return [hook["id"] for repo in example["repos"] for hook in repo["hooks"]]


def test_the_hook_is_called_so() -> None:
    offered = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    expected = [hook["id"] for hook in offered]
    assert hooks(REPOSITORY / "docs/lint.md") == hooks(REPOSITORY / "README.md") == expected


def test_formats() -> None:
    table = PAGE[PAGE.index("| `--format` | for |") :].split("\n\n")[0]
    assert tuple(re.findall(r"^\| `(\w+)` ", table, re.MULTILINE)) == FORMATS
