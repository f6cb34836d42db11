"""A real fleet as it is imported, and its scenarios: a build, a change, and the plan that has to come out."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.workspaces import Ran, run

VARIABLES = ("--var", "CACHE_FROM=cache.example/from:tag", "--var", "CACHE_TO=cache.example/to:tag")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """Imports and scenarios of the fleet in `corpus`; workspaces are written below `folder`."""

    corpus: Path
    folder: Path

    def imported(self, *configs: str, into: str | None = None, tree: Path | None = None) -> tuple[Path, Ran]:
        """The workspace of these settings files, and the run that wrote it."""
        root = self.folder / (into or "-".join(re.sub(r"\W", "-", config) for config in configs))
        words = [word for config in configs for word in ("--config", config)]
        old = str(self.corpus / "tree" if tree is None else tree)
        paths = str(self.corpus / "paths.txt")
        ran = run("import", "vllm", old, *words, "--paths", paths, "--into", str(root), cwd=self.folder)
        return root, ran

    def scenario(self, name: str) -> Mapping[str, Any]:
        """What a scenario is: its settings file, the build's environment, the pull request's labels."""
        read: Mapping[str, Any] = json.loads((self._place(name) / "scenario.json").read_text(encoding="utf-8"))
        return read

    def generate(self, name: str, workspace: Path, *, pipeline: str | None = None) -> tuple[Path, Ran]:
        """The pipeline of a scenario, in a file, and the run that wrote it."""
        scenario = self.scenario(name)
        output = self.folder / f"{name}.yaml"
        words = [word for label in scenario["labels"] for word in ("--label", label)]
        words += [] if pipeline is None else ["--pipeline", pipeline]
        changed = str(self._place(name) / "changed.txt")
        ran = run(
            "-C",
            str(workspace),
            "generate",
            "--changed-files",
            changed,
            *words,
            *VARIABLES,
            "-o",
            str(output),
            cwd=self.folder,
            env=scenario["environment"],
        )
        return output, ran

    def compared(self, name: str, pipeline: Path, *, excepted: Sequence[str] = ()) -> str:
        """The last line of the comparison with the expected plan, or all of it where they differ."""
        words = ["--except", *excepted] if excepted else []
        done = subprocess.run(
            [
                sys.executable,
                str(self.corpus.parent / "compare.py"),
                str(self._place(name) / "expected.json.gz"),
                str(pipeline),
                *words,
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.splitlines()[-1] if done.returncode == 0 else done.stdout + done.stderr

    def _place(self, name: str) -> Path:
        return self.corpus / "scenarios" / name
