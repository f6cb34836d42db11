"""Waivers of a workspace file, held against a few findings: what golden file and examples show."""

from pathlib import Path
from typing import Final

from pipegen import codes
from pipegen.diagnostics import Diagnostic, Span
from pipegen.manifest.load import load_workspaces
from pipegen.model import Waiver
from pipegen.report.text import Style, render_text
from pipegen.rules import RULES
from pipegen.rules.subjects import Names
from pipegen.rules.unowned_test_directory import UNOWNED_TEST_DIRECTORY
from pipegen.rules.waivers import CODES, Before, waive
from pipegen.source import MappingTree

FOLDER: Final = Path(__file__).parents[1] / "golden" / "waivers"
PATH: Final = "pipegen.yaml"
TODAY: Final = "2026-11-30"
KNOWN: Final = {
    code.code: code
    for code in (*CODES, *(code for rule in RULES for code in rule.codes), codes.NO_TIMEOUT, codes.OWNED_TWICE)
}


def timeout(name: str) -> Diagnostic:
    """That a job has no timeout."""
    message = f'area "{name}" has no timeout'
    return Diagnostic(code=codes.NO_TIMEOUT, span=Span(path="areas/a.yaml", line=3, column=3), message=message)


def waivers() -> tuple[Waiver, ...]:
    """The waivers of the golden file."""
    tree = MappingTree(files={PATH: (FOLDER / PATH).read_bytes()})
    workspaces, found = load_workspaces(tree, PATH)
    assert found == ()
    return workspaces[0].waivers


def said() -> str:
    """All that is said about them, where the base had one finding less."""
    now = (timeout("engine/core"), timeout("kernels/a"), timeout("kernels/b"))
    done = waive(
        now,
        waivers(),
        names=Names(),
        known=KNOWN,
        judged=lambda code: code in (UNOWNED_TEST_DIRECTORY, codes.NO_TIMEOUT),
        today=TODAY,
        before=Before(diagnostics=now[:2], waivers=waivers(), names=Names(), called="origin/main"),
    )
    assert done.kept == ()
    text = (FOLDER / PATH).read_text(encoding="utf-8")
    found = sorted(done.found, key=lambda one: one.span)
    return render_text(found, {PATH: text}.get, Style(color=False), shown_path=lambda path: path)
