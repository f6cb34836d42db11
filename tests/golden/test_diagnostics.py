"""Every kind of mistake, and the exact words that pipegen finds for it.

A case is a folder: the files that it lays over the small valid workspace of `tests.support.workspaces`, and
`expected.txt`, all that stands on standard error. `arguments.txt`, if it is there, holds further words of the command
line. What git cannot keep (permissions, folders in the place of files, bytes that editors repair) is prepared here.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from pipegen import app, codes
from pipegen.app.expansion import plan_of
from pipegen.diagnostics import Code
from pipegen.source import FolderTree
from tests.support.golden import Golden
from tests.support.permissions import permissions_count
from tests.support.workspaces import ENGINE, TEMPLATE, WORKSPACE, Ran, run, workspace, write

CASES: Final = Path(__file__).parent / "diagnostics"
TEN: Final = Path(__file__).parent / "ten_mistakes"
APART: Final = frozenset({"expected.txt", "arguments.txt"})
SUMMARY: Final = re.compile(r"(?:(\d+) errors?)?(?:, )?(?:(\d+) findings?)?(?:, )?(?:(\d+) warnings?)?")
HEADLINE: Final = re.compile(r"^\S.*?:\d+:\d+ (PG\d\d\d) (finding: |warning: )?(.*) \[([a-z0-9-]+)\]$", re.M)
SEVERAL: Final = {
    "backslash-before-dollar-in-every-group": 3,
    "backslash-before-dollar-in-every-place": 2,
    "several-in-one-entry": 6,
}
"""Cases with more than one mistake. Each of the others is one mistake, and one diagnostic is all that comes of it."""


def _place(path: str, content: bytes) -> Callable[[Path], None]:
    def prepare(root: Path) -> None:
        write(root, {path: content})

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
    "folder-forbidden-templates": _forbidden("templates"),
    "folder-instead-of-hardware": _folder_in_the_way(".buildkite/hardware.yaml"),
    "link-out-of-the-workspace": _link("areas/engine.yaml", "../../elsewhere.yaml"),
    "link-to-nothing": _link("areas/engine.yaml", "nothing.yaml"),
    "link-to-itself": _link("areas/engine.yaml", "engine.yaml"),
    "quarantine-inexact": _place("tests/engine/test_core.py", b"def test_start(): ...\ndef test_start_slowly(): ...\n"),
    "quarantine-inexact-names-from-elsewhere": _place(
        "tests/engine/test_core.py", b"from tests.common import *\ndef test_start(): ...\n"
    ),
}


def cases() -> list[str]:
    return sorted(folder.name for folder in CASES.iterdir() if folder.is_dir())


def fragment(folder: Path) -> dict[str, bytes]:
    """The files of a case."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in APART)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def ran(case: str, root: Path) -> Ran:
    """What pipegen says about a case whose files are written to `root`."""
    folder = CASES / case
    workspace(root, {"templates/plain.yaml.j2": TEMPLATE, **fragment(folder)})
    if case in PREPARED:
        PREPARED[case](root)
    further = folder / "arguments.txt"
    words = shlex.split(further.read_text(encoding="utf-8")) if further.is_file() else []
    try:
        with permissions_count():
            return run("generate", "--all", *words, cwd=root)
    finally:
        for place in (root / "areas", root / "templates"):
            place.chmod(0o755)


def counted(stderr: str) -> tuple[int, ...]:
    """The errors, findings and warnings that the last line counts."""
    summary = SUMMARY.fullmatch(stderr.rstrip("\n").rsplit("\n", 1)[-1])
    assert summary, "the last line counts what was found"
    return tuple(int(count or 0) for count in summary.groups())


@pytest.mark.parametrize("case", cases())
def test_words(case: str, tmp_path: Path, golden: Golden) -> None:
    found = ran(case, tmp_path / "workspace")
    golden.check(CASES / case / "expected.txt", found.stderr)
    errors, findings, warnings = counted(found.stderr)
    assert errors + findings + warnings == SEVERAL.get(case, 1)
    assert len(HEADLINE.findall(found.stderr)) == errors + findings + warnings
    assert found.status == (1 if errors else 0)
    assert found.stdout.startswith(app.REFUSAL) == bool(errors)
    assert str(tmp_path) not in found.stderr, "a path of this machine"


def test_nothing_is_prepared_for_a_case_that_is_not_there() -> None:
    assert set(PREPARED) <= set(cases())
    assert set(SEVERAL) <= set(cases())


def headlines() -> Iterator[tuple[str, str, str]]:
    """Code, message and name of every diagnostic of every case."""
    for case in cases():
        text = (CASES / case / "expected.txt").read_text(encoding="utf-8")
        yield from ((code, message, name) for code, _, message, name in HEADLINE.findall(text))


def test_every_kind_of_diagnostic_has_a_case() -> None:
    kinds = {code for code in vars(codes).values() if isinstance(code, Code)}
    shown = {(code, name) for code, _, name in headlines()}
    assert {(kind.code, kind.name) for kind in kinds} - shown == set()


def test_messages_read_alike() -> None:
    """One line in lower case, without a full stop, and no repr of Python's."""
    for _, message, _ in headlines():
        first = message.split()[0].strip('":')
        assert message[0] == message[0].lower() or not first.islower(), message
        assert not message.endswith("."), message
        assert not re.search(r"<[a-z_.]+ object|0x[0-9a-f]{6}|[A-Z][a-z]+Error\b|\bdict\b|\bstr\b", message), message


class TestTenMistakes:
    """Ten mistakes of different kinds in different files are ten diagnostics, whatever order files come in."""

    def test_words(self, tmp_path: Path, golden: Golden) -> None:
        workspace(tmp_path, {"templates/plain.yaml.j2": TEMPLATE, **fragment(TEN)})
        found = run("generate", "--all", cwd=tmp_path)
        golden.check(TEN / "expected.txt", found.stderr)
        assert counted(found.stderr) == (10, 0, 0)
        assert len({code for code, _, _, _ in HEADLINE.findall(found.stderr)}) >= 8
        places = re.findall(r"^(\S+):(\d+):(\d+) PG", found.stderr, re.M)
        assert places == sorted(places, key=lambda place: (place[0], int(place[1]), int(place[2])))
        assert found.stdout == f"{app.REFUSAL} (10 errors, see standard error)\n"
        assert found.status == 1

    def test_the_order_of_files_does_not_matter(self, tmp_path: Path) -> None:
        workspace(tmp_path, fragment(TEN))
        request = app.Request(place=app.find_workspace(tmp_path, None))
        plans = [plan_of(Listed(root=tmp_path, backwards=backwards), request) for backwards in (False, True)]
        one, other = (plan.diagnostics for plan in plans if not isinstance(plan, tuple))
        assert len(one) == 10
        assert one == other


@dataclass(frozen=True, slots=True)
class Listed:
    """A folder that lists its files forwards or backwards."""

    root: Path
    backwards: bool

    def under(self, folder: str) -> tuple[str, ...]:
        found = FolderTree(root=self.root).under(folder)
        return found[::-1] if self.backwards else found

    def read(self, path: str, *, limit: int) -> bytes:
        return FolderTree(root=self.root).read(path, limit=limit)
