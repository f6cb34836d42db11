"""Inline ignores as `lint` sees them: what they silence, and everything that can be wrong with them."""

import os
from pathlib import Path
from typing import Final

from tests.support.golden import Golden
from tests.support.workspaces import TEMPLATE, run, workspace

FOLDER: Final = Path(__file__).parent / "ignores"


def test_words(tmp_path: Path, golden: Golden) -> None:
    manifest = (FOLDER / "engine.yaml").read_text(encoding="utf-8")
    files = {"templates/plain.yaml.j2": TEMPLATE, "tests/engine/test_core.py": "", "src/engine/core.py": ""}
    root = workspace(tmp_path, {**files, "areas/engine.yaml": manifest})
    found = run("lint", "--select", "PG2,PG8", cwd=root, env=os.environ)
    assert (found.status, found.stderr) == (1, "")
    golden.check(FOLDER / "expected.txt", found.stdout)
