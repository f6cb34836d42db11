"""What the real pytest collects: one process that is asked again and again, for trees of files on disk."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

CONTENT = """\
import pytest

def test_one(): pass

@pytest.mark.parametrize("n", [0, 1])
def test_many(n): pass

class TestIt:
    def test_in(self): pass
"""

ASKED = """\
import contextlib, io, json, os, sys
import pytest


class Notes:
    ids = None

    def pytest_collection_finish(self, session):
        # A node id counts from the settings file that pytest found; here they are all from the tree's root.
        self.ids = [os.path.relpath(item.path, root) + "::" + item.nodeid.partition("::")[2] for item in session.items]


root, questions = json.load(sys.stdin)
answers = []
for folder, arguments in questions:
    os.chdir(os.path.join(root, folder))
    notes = Notes()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        status = pytest.main(
            ["--collect-only", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", *arguments], plugins=[notes]
        )
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(root + os.sep):
            del sys.modules[name]
    answers.append([int(status), notes.ids or []])
print(json.dumps(answers))
"""


def make_tree(root: Path, files: Iterable[str], contents: Mapping[str, str] | None = None) -> None:
    """Write a tree of test modules, with a settings file at its top that makes it pytest's root directory."""
    (root / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    for file in files:
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((contents or {}).get(file, CONTENT), encoding="utf-8")


def shell_words(command: str, folder: Path) -> list[str]:
    """The words of a command as bash passes them on in a folder."""
    done = subprocess.run(
        ["/bin/bash", "-c", f"printf '%s\\0' {command}"],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        check=True,
        timeout=60,
    )
    return done.stdout.decode().split("\0")[:-1]


def collected(root: Path, questions: Iterable[tuple[str, list[str]]]) -> list[tuple[int, list[str]]]:
    """The exit status and node ids of pytest, for each folder (from the root) and its arguments there."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, "-c", ASKED],
        input=json.dumps([str(root), [[folder, arguments] for folder, arguments in questions]]),
        env={**environment, "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        check=False,
        text=True,
        timeout=250,
    )
    assert done.returncode == 0, done.stderr
    return [(status, ids) for status, ids in json.loads(done.stdout)]
