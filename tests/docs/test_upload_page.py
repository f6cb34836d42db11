"""docs/upload.md: its examples hold."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
import yaml

from pipegen import app
from tests.support.bases import Base
from tests.support.workspaces import ENGINE, FILES, WORKSPACE

REPOSITORY: Final = Path(__file__).parents[2]
PAGE: Final = (REPOSITORY / "docs/upload.md").read_text(encoding="utf-8")
BLOCKS: Final = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.M | re.S)


def test_the_bootstrap_step_is_the_readmes() -> None:
    assert BLOCKS[0] in (REPOSITORY / "README.md").read_text(encoding="utf-8")


def test_it_is_this_projects_own_but_for_where_pipegen_is() -> None:
    (step,) = yaml.safe_load(BLOCKS[0])["steps"]
    (own,) = yaml.safe_load((REPOSITORY / ".buildkite/pipeline.yml").read_text(encoding="utf-8"))["steps"]
    commands = [command.replace(" --workspace .buildkite/self.yaml", "") for command in own["commands"]]
    assert {**own, "commands": [command.replace("-q .", "-q pipegen") for command in commands]} == step


@pytest.mark.parametrize(("branch", "hears"), [("main", True), ("release/2", True), ("topic", False)])
def test_owners_hear_of_failures(branch: str, hears: bool) -> None:
    notify = BLOCKS[1]
    workspace = re.sub(r"owners:\n(  .*\n)+", "", WORKSPACE)
    engine = ENGINE.replace("owner: core", "owner: spec-decode")
    texts = {**FILES, ".buildkite/pipegen.yaml": workspace + notify, "areas/engine.yaml": engine}
    base = Base(name="page", files={path: text.encode() for path, text in texts.items()}, authored=())
    request = replace(base.request(), environment={"BUILDKITE_BRANCH": branch})
    product = app.generate(request, app.Output(format="json"), app.Asked(every=True))
    assert product.document is not None, product.diagnostics
    step = json.loads(product.document)["steps"][0]["steps"][0]
    condition = re.search(r'`(step\.outcome == "hard_failed".*?)`', PAGE)
    assert condition is not None
    expected = [{"slack": "#sig-spec-decode", "if": condition[1]}]
    assert step.get("notify") == (expected if hears else None)
