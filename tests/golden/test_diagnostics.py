"""Every kind of mistake, and the exact words that pipegen finds for it.

A case is a folder: the files that it lays over the small valid workspace of `tests.support.workspaces`, and
`expected.txt`, all that stands on standard error. `arguments.txt`, if it is there, holds further words of the command
line. What git cannot keep (permissions, folders in the place of files, bytes that editors repair) is prepared here.
"""

import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import pytest

from pipegen import app, codes
from pipegen.diagnostics import Code
from pipegen.validate.codes import ALL_CODES
from tests.support.golden import Golden
from tests.support.permissions import permissions_count
from tests.support.workspaces import ENGINE, WORKSPACE, Ran, run, workspace

CASES: Final = Path(__file__).parent / "diagnostics"
APART: Final = frozenset({"expected.txt", "arguments.txt"})
SUMMARY: Final = re.compile(r"(?:(\d+) errors?)?(?:, )?(?:(\d+) findings?)?(?:, )?(?:(\d+) warnings?)?")
HEADLINE: Final = re.compile(r"^\S.*?:\d+:\d+ (PG\d\d\d) (finding: |warning: )?(.*) \[([a-z0-9-]+)\]$", re.M)


def _place(path: str, content: bytes) -> Callable[[Path], None]:
    def prepare(root: Path) -> None:
        (root / path).write_bytes(content)

    return prepare


def _folder_in_the_way(path: str) -> Callable[[Path], None]:
    def prepare(root: Path) -> None:
        (root / path).unlink(missing_ok=True)
        (root / path).mkdir()

    return prepare


def _forbidden(path: str) -> Callable[[Path], None]:
    def prepare(root: Path) -> None:
        (root / path).chmod(0)

    return prepare


def _link(path: str, target: str) -> Callable[[Path], None]:
    def prepare(root: Path) -> None:
        (root.parent / "elsewhere.yaml").write_text(ENGINE, encoding="utf-8")
        (root / path).unlink(missing_ok=True)
        (root / path).symlink_to(target)

    return prepare


PREPARED: Final[Mapping[str, Callable[[Path], None]]] = {
    "file-not-utf8-workspace": _place(".buildkite/pipegen.yaml", WORKSPACE.encode() + b"# caf\xe9\n"),
    "file-not-utf8-hardware": _place(".buildkite/hardware.yaml", b"hardware:\n  \xff: {}\n"),
    "file-not-utf8-manifest": _place("areas/engine.yaml", ENGINE.encode().replace(b"core", b"c\xf6re")),
    "file-not-utf8-template": _place("templates/plain.yaml.j2", b"{# caf\xe9 #}\n"),
    "file-utf16": _place("areas/engine.yaml", ENGINE.encode("utf-16")),
    "file-with-nul": _place("areas/engine.yaml", ENGINE.encode().replace(b"engine/core", b"engine/\0core")),
    "file-with-escape": _place("areas/engine.yaml", ENGINE.encode().replace(b"engine/core", b"engine/\x1b[31mcore")),
    "file-with-byte-order-mark-inside": _place("areas/engine.yaml", ENGINE.replace("core:", "core:\ufeff").encode()),
    "file-too-large-manifest": _place("areas/engine.yaml", b"#" * (1 << 20) + b"\n"),
    "file-too-large-template": _place("templates/plain.yaml.j2", b"#" * (1 << 18) + b"\n"),
    "file-forbidden-hardware": _forbidden(".buildkite/hardware.yaml"),
    "file-forbidden-manifest": _forbidden("areas/engine.yaml"),
    "file-forbidden-template": _forbidden("templates/plain.yaml.j2"),
    "file-forbidden-workspace": _forbidden(".buildkite/pipegen.yaml"),
    "folder-forbidden-areas": _forbidden("areas"),
    "folder-instead-of-hardware": _folder_in_the_way(".buildkite/hardware.yaml"),
    "folder-instead-of-template": _folder_in_the_way("templates/plain.yaml.j2"),
    "link-out-of-the-workspace": _link("areas/engine.yaml", "../../elsewhere.yaml"),
    "link-to-nothing": _link("areas/engine.yaml", "nothing.yaml"),
    "link-to-itself": _link("areas/engine.yaml", "engine.yaml"),
}


def cases() -> list[str]:
    return sorted(folder.name for folder in CASES.iterdir() if folder.is_dir())


def ran(case: str, root: Path) -> Ran:
    """What pipegen says about a case whose files are written to `root`."""
    folder = CASES / case
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in APART
    }
    workspace(root, files)
    if case in PREPARED:
        PREPARED[case](root)
    further = folder / "arguments.txt"
    words = shlex.split(further.read_text(encoding="utf-8")) if further.is_file() else []
    try:
        with permissions_count():
            return run("generate", "--all", *words, cwd=root)
    finally:
        for path in (root, *root.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755)


@pytest.mark.parametrize("case", cases())
def test_words(case: str, tmp_path: Path, golden: Golden) -> None:
    found = ran(case, tmp_path / "workspace")
    golden.check(CASES / case / "expected.txt", found.stderr)
    summary = SUMMARY.fullmatch(found.stderr.rstrip("\n").rsplit("\n", 1)[-1])
    assert summary, "the last line counts what was found"
    assert len(HEADLINE.findall(found.stderr)) == sum(int(count or 0) for count in summary.groups())
    assert found.status == (1 if summary[1] else 0)
    assert found.stdout.startswith(app.REFUSAL) == bool(summary[1])
    assert str(tmp_path) not in found.stderr, "a path of this machine"


def test_nothing_is_prepared_for_a_case_that_is_not_there() -> None:
    assert set(PREPARED) <= set(cases())
