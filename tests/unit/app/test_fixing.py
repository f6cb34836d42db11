"""`lint --fix` as a use case: rounds of fixes in memory, and writing them."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pipegen.app import fixing
from pipegen.app.fixing import MAX_TRIALS, Fixed, fix, write_changes
from pipegen.app.linting import Linted, lint
from pipegen.app.request import Request, Wanted
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


def offering(*fixes: tuple[Edit, ...], until: str = "\0") -> Rule:
    """A rule that offers fixes of its own, each by a diagnostic, until a manifest says a word."""

    def check(facts: Facts) -> Iterator[Diagnostic]:
        for number, edits in enumerate(fixes) if until not in (facts.source(PATH) or "") else ():
            yield Diagnostic(code=WORD, span=Span(path=PATH, line=1), message=f"fix {number:03}", fix=edits)

    return Rule(codes=(WORD,), check=check)


class TestOneBadFix:
    """A fix that makes an error keeps no other one from being made."""

    BAD = edit(1, 1, 1, "group: Again\n")

    @pytest.mark.parametrize("at", [0, 1, 2])
    def test_wherever_it_stands(self, root: Path, at: int) -> None:
        write(root, {PATH: ENGINE + "    title: a b\n"})
        end = len((ENGINE + "    title: a b\n").split("\n")) - 1
        good = [(edit(end, 12, 13, "A"),), (edit(end, 14, 15, "B"),)]
        done = fixed(root, offering(*good[:at], (self.BAD,), *good[at:], until="A B"))
        assert text(done) == ENGINE + "    title: A B\n"

    def test_in_a_file_of_its_own(self, root: Path) -> None:
        other = edit(1, 1, 1, "# good\n", "areas/images.yaml")
        done = fixed(root, offering((self.BAD,), (other,)))
        assert list(done.changes) == ["areas/images.yaml"]

    def test_for_the_same_text(self, root: Path) -> None:
        """The bad one is the first of the two, and would go before the good one in every round."""
        done = fixed(root, offering((edit(1, 1, 6, "grope"),), (edit(1, 1, 6, "# good\ngroup"),), until="good"))
        assert text(done) == "# good\n" + ENGINE + "    title: a bad bad title  # really\n"

    def test_with_a_place_that_is_not_there(self, root: Path) -> None:
        done = fixed(root, offering((edit(999, 1, 1, "x"),)), BETTER)
        assert text(done) == ENGINE + "    title: a good good title  # really\n"

    def test_that_is_made_in_part_nowhere(self, root: Path) -> None:
        """What stands in two files is one fix: the good half of a bad one is not made."""
        done = fixed(root, offering((edit(1, 1, 1, "# half\n"), edit(1, 1, 1, "group: Again\n", "areas/images.yaml"))))
        assert done.changes == {}

    def test_that_makes_an_error_only_with_another(self, root: Path) -> None:
        """Two different places of one mapping, so that they stand apart and are still no manifest together."""
        fixes = (edit(1, 1, 1, "order: 1\n"),), (edit(2, 1, 1, "order: 2\n"),), (edit(3, 1, 1, "# good\n"),)
        done = fixed(root, offering(*fixes, until="good"))
        assert [line for line in text(done).split("\n") if line in {"order: 1", "order: 2", "# good"}] == [
            "order: 1",
            "# good",
        ]

    def test_it_is_fixed_once(self, root: Path) -> None:
        done = fixed(root, offering((self.BAD,)), BETTER)
        write_changes(root, done.changes)
        assert fixed(root, offering((self.BAD,)), BETTER).changes == {}

    def test_among_many(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A few more looks at the workspace find it, not one for each of the others."""
        words = " ".join(["bad"] * 200)
        write(root, {PATH: ENGINE + f"    title: {words}\n"})
        looks = counted(monkeypatch)
        done = fixed(root, offering((self.BAD,)), BETTER)
        assert text(done) == ENGINE + f"    title: {words.replace('bad', 'good')}\n"
        assert len(looks) < 20

    def test_bad_ones_without_end(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where nearly everything is bad, it ends before all has been tried."""
        looks = counted(monkeypatch)
        bad = [(edit(1, 1, 1, f"group: Again {number}\n"),) for number in range(300)]
        assert fixed(root, offering(*bad)).changes == {}
        assert len(looks) <= MAX_TRIALS + 1


def counted(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every look at the workspace from now on."""
    looks: list[object] = []

    def look(request: Request, asked_for: Wanted) -> Linted:
        looks.append(request)
        return lint(request, asked_for)

    monkeypatch.setattr(fixing, "lint", look)
    return looks


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
