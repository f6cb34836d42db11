"""The importer's own data: whole, used, and nowhere else in the package."""

import re
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from pipegen.diagnostics import Code
from pipegen.importer import codes
from pipegen.importer.rules import read_rules
from tests.support.moving import move
from tests.support.workspaces import REPOSITORY

PACKAGE: Final = REPOSITORY / "pipegen"
FLEET: Final = PACKAGE / "importer" / "fleet"


def _entries() -> dict[str, dict[str, Any]]:
    loaded: dict[str, dict[str, Any]] = yaml.safe_load((FLEET / "hardware.yaml").read_text(encoding="utf-8"))[
        "hardware"
    ]
    return loaded


def _queues() -> set[str]:
    found: set[str] = set()
    for entry in _entries().values():
        queue = entry["queue"]
        found |= set(queue.values()) if isinstance(queue, dict) else {queue}
    return {re.sub(r"\{\{.*?\}\}", "", queue) for queue in found}


def test_every_rule_names_what_there_is() -> None:
    rules = read_rules((FLEET / "rules.yaml").read_bytes())
    entries = _entries()
    names = {rules.default_machine, rules.without_gpu, rules.unknown_like, *rules.machines}
    names |= {rule.hardware for rule in rules.steps} | {family.like for family in rules.families}
    assert names <= set(entries)
    own = {path.name.removesuffix(".yaml.j2") for path in (FLEET / "templates").iterdir()}
    packaged = {path.name.removesuffix(".yaml.j2") for path in (REPOSITORY / "templates").glob("*.yaml.j2")}
    templates = {*rules.templates.values(), *(wrapper.template for wrapper in rules.wrappers)}
    templates |= {entry["template"] for entry in entries.values()}
    assert templates <= own | packaged
    assert not own & packaged, "one copy of each template"
    assert own - {"copies"} <= templates


def test_every_entry_is_what_the_language_takes(tmp_path: Path) -> None:
    moved = move(tmp_path)
    ran = moved.generate("--all")
    assert (ran.status, "PG1" in ran.stderr) == (0, False)


@pytest.mark.parametrize(
    "words",
    [
        _queues() - {"H200"},  # a card as well
        {"public.ecr.aws", "amazonaws.com", "pull-through-cache", "rocm/vllm"},
        {
            "run-intel-test",
            "run-amd-test",
            "run-cpu-test",
            "run-multi-node-test",
            "refresh-rocm-base",
            "image-build-amd",
        },
        {"vl" + "lm"},
    ],
    ids=["queues", "registries", "scripts", "name"],
)
def test_nothing_else_in_the_package_knows_the_fleet(words: set[str]) -> None:
    others = [path for path in sorted(PACKAGE.rglob("*.py")) if "importer" not in path.relative_to(PACKAGE).parts[0]]
    assert len(others) > 50
    found = [
        f"{path.relative_to(PACKAGE)}: {word}"
        for path in others
        for word in sorted(words)
        if re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", path.read_text(encoding="utf-8"), re.IGNORECASE)
    ]
    assert found == []


def test_codes_are_a_block_of_their_own_and_documented() -> None:
    own = [code for code in vars(codes).values() if isinstance(code, Code)]
    assert len({code.code for code in own}) == len(own) == 14
    assert all(re.fullmatch(r"PG9\d\d", code.code) for code in own)
    page = (REPOSITORY / "docs" / "moving-in.md").read_text(encoding="utf-8")
    assert [code.code for code in own if f"`{code.code} {code.name}`" not in page] == []
