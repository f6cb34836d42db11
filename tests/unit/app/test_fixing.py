"""`lint --fix` as a use case: rounds of fixes in memory, and writing them."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pipegen.app.fixing import Fixed, fix, write_changes
from pipegen.diagnostics import Diagnostic, Edit, PipegenError, Span
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from tests.support.fake_rules import LONELY_RULE, WORD, asked, saying, wanted
from tests.support.permissions import permissions_count
from tests.support.workspaces import ENGINE, TEMPLATE, Content, workspace, write

SMALL: dict[str, Content] = {
    "templates/plain.yaml.j2": TEMPLATE,
    "tests/engine/test_core.py": "",
    "src/engine/core.py": "",
}
PATH = "areas/engine.yaml"
BETTER = saying("bad", better="good")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return workspace(tmp_path / "root", {**SMALL, PATH: ENGINE + "    title: a bad bad title  # really\n"})


def fixed(root: Path, *rules: Rule) -> Fixed:
    return fix(asked(root, {"PATH": os.environ["PATH"]}), wanted(*rules))


def text(done: Fixed, path: str = PATH) -> str:
    return done.changes[path].after.decode()


def editing(*edits: Edit) -> Rule:
    """A rule that offers the same edits again and again."""

    def check(facts: Facts) -> Iterator[Diagnostic]:
        yield Diagnostic(code=WORD, span=Span(path=PATH, line=1), message="again", fix=edits)

    return Rule(codes=(WORD,), check=check)


def edit(line: int, start: int, end: int, new: str, path: str = PATH) -> Edit:
    return Edit(span=Span(path=path, line=line, column=start, end_line=line, end_column=end), text=new)


def test_everything_that_can_be(root: Path) -> None:
    before = (root / PATH).read_bytes()
    done = fixed(root, BETTER, LONELY_RULE)
    assert text(done) == ENGINE + "    title: a good good title  # really\n"
    assert done.linted.diagnostics == ()
    assert (root / PATH).read_bytes() == before, "nothing is written yet"
    write_changes(root, done.changes)
    assert (root / PATH).read_text(encoding="utf-8") == text(done)
    assert fixed(root, BETTER).changes == {}


def test_what_is_left_is_reported(root: Path) -> None:
    done = fixed(root, BETTER, saying("group"))
    assert [one.message for one in done.linted.diagnostics] == ['"group" is said'] * 2


def test_a_fix_may_make_room_for_another(root: Path) -> None:
    done = fixed(root, BETTER, saying("good good", better="good"))
    assert text(done) == ENGINE + "    title: a good title  # really\n"


def test_only_what_is_asked_for(root: Path) -> None:
    elsewhere = wanted(BETTER, change=lambda one: replace(one, paths=("areas/images.yaml",)))
    assert fix(asked(root, {"PATH": os.environ["PATH"]}), elsewhere).changes == {}


def test_line_endings_and_marks_stay(root: Path) -> None:
    content = b"\xef\xbb\xbf" + (ENGINE + "    title: a bad title").replace("\n", "\r\n").encode()
    (root / PATH).write_bytes(content)
    done = fixed(root, saying("bad", better="good\n      and long"))
    assert done.changes[PATH].after == content.replace(b"bad", b"good\r\n      and long")


def test_a_fix_that_makes_an_error_is_not_made(root: Path) -> None:
    done = fixed(root, editing(edit(1, 1, 1, "group: Again\n")))
    assert (done.changes, [one.message for one in done.linted.diagnostics]) == ({}, ["again"])


def test_fixes_that_make_an_error_together_are_made_one_by_one(root: Path) -> None:
    """Two that write the same key: a file that has it twice is no manifest."""

    def check(facts: Facts) -> Iterator[Diagnostic]:
        for number in (1, 2) if "order" not in (facts.source(PATH) or "") else ():
            new = (edit(1, 1, 1, f"order: {number}\n"),)
            yield Diagnostic(code=WORD, span=Span(path=PATH, line=1), message=f"order {number}", fix=new)

    done = fixed(root, Rule(codes=(WORD,), check=check))
    assert text(done).startswith("order: 1\ngroup")
    assert done.linted.diagnostics == ()


def test_fixes_without_end_end(root: Path) -> None:
    done = fixed(root, editing(edit(1, 1, 1, "# again\n")))
    assert text(done).startswith("# again\n" * 20 + "group")


@pytest.mark.parametrize(
    "bad",
    [
        edit(999, 1, 1, "x"),
        edit(1, 1, 1, "x", "../outside.yaml"),
        edit(1, 1, 1, "x", "tests/engine/test_core.py"),
        edit(1, 1, 1, "x", "areas/gone.yaml"),
    ],
)
def test_what_is_no_place_of_the_workspace_is_left_alone(root: Path, bad: Edit) -> None:
    (root.parent / "outside.yaml").write_text("outside\n", encoding="utf-8")
    assert fixed(root, editing(bad)).changes == {}


def test_in_a_hook_it_is_for_what_is_on_disk(root: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "GIT_INDEX_FILE": str(root / "index")}
    assert list(fix(asked(root, environment), wanted(BETTER)).changes) == [PATH]


class TestWriting:
    def test_the_mode_stays_and_nothing_else_is_left(self, root: Path) -> None:
        (root / PATH).chmod(0o640)
        done = fixed(root, BETTER)
        write_changes(root, done.changes)
        assert (root / PATH).stat().st_mode & 0o777 == 0o640
        assert sorted(path.name for path in (root / "areas").iterdir()) == ["engine.yaml", "images.yaml"]

    def test_a_link_stays_one(self, root: Path) -> None:
        (root / PATH).rename(root / "real.yaml")
        (root / PATH).symlink_to("../real.yaml")
        write_changes(root, fixed(root, BETTER).changes)
        assert (root / PATH).is_symlink()
        assert "good good" in (root / "real.yaml").read_text(encoding="utf-8")

    def test_somebody_else_was_faster(self, root: Path) -> None:
        done = fixed(root, BETTER)
        write(root, {PATH: ENGINE})
        with pytest.raises(PipegenError, match=f'cannot fix "{PATH}": somebody else has changed it meanwhile'):
            write_changes(root, done.changes)
        assert (root / PATH).read_text(encoding="utf-8") == ENGINE

    def test_a_link_that_leads_outside_by_now(self, root: Path) -> None:
        done = fixed(root, BETTER)
        outside = root.parent / "outside.yaml"
        outside.write_bytes((root / PATH).read_bytes())
        (root / PATH).unlink()
        (root / PATH).symlink_to(outside)
        with pytest.raises(PipegenError, match="it lies outside the workspace"):
            write_changes(root, done.changes)
        assert "good" not in outside.read_text(encoding="utf-8")

    def test_a_folder_that_may_not_be_written(self, root: Path) -> None:
        done = fixed(root, BETTER)
        (root / "areas").chmod(0o500)
        try:
            with permissions_count(), pytest.raises(PipegenError, match="permission denied"):
                write_changes(root, done.changes)
        finally:
            (root / "areas").chmod(0o700)
