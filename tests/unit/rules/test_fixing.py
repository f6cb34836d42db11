"""Which fixes go together."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pipegen.diagnostics import Code, Diagnostic, Edit, Span
from pipegen.rules.edits import applied
from pipegen.rules.fixing import fitting, with_breaks_of

CODE = Code(code="PG201", name="orphan", summary="It has no owner.")
TEXT = "0123456789"


def edit(start: int, end: int, text: str, path: str = "a.yaml") -> Edit:
    """An edit of a text of one line; columns count from 0 here."""
    return Edit(span=Span(path=path, line=1, column=start + 1, end_line=1, end_column=end + 1), text=text)


def diagnostic(*edits: Edit) -> Diagnostic:
    return Diagnostic(code=CODE, span=Span(path="a.yaml", line=1), message="m", fix=edits)


def made(*fixes: tuple[Edit, ...], apart: bool = False, text: str = TEXT) -> str:
    chosen = fitting((diagnostic(*fix) for fix in fixes), apart=apart)
    return applied(text, chosen.get("a.yaml", ()))


def test_what_does_not_meet_goes_together() -> None:
    assert made((edit(1, 2, "A"),), (edit(4, 6, ""),)) == "0A236789"


def test_what_meets_waits() -> None:
    assert made((edit(1, 4, "A"),), (edit(3, 5, "B"),)) == "0A456789"


def test_what_stands_side_by_side_does_not_meet() -> None:
    assert made((edit(1, 3, "A"),), (edit(3, 5, "B"),)) == "0AB56789"


def test_a_fix_is_made_whole_or_not() -> None:
    assert made((edit(1, 4, "A"),), (edit(3, 5, "B"), edit(8, 9, "C"))) == "0A456789"


def test_a_fix_that_meets_itself_is_none() -> None:
    assert made((edit(1, 4, "A"), edit(2, 3, "B"))) == TEXT


def test_the_same_edit_of_two_is_made_once() -> None:
    assert made((edit(1, 2, "A"),), (edit(1, 2, "A"), edit(5, 6, "B"))) == "0A234B6789"


def test_what_is_put_in_at_one_place() -> None:
    fixes = (edit(3, 3, "b"),), (edit(3, 3, "a"),)
    assert made(*fixes) == "012ab3456789"
    assert made(*fixes, apart=True) == "012b3456789"


def test_files_are_apart() -> None:
    found = fitting([diagnostic(edit(1, 2, "A")), diagnostic(edit(1, 2, "B", "b.yaml"))])
    assert {path: [one.text for one in edits] for path, edits in found.items()} == {"a.yaml": ["A"], "b.yaml": ["B"]}


def test_line_endings_are_the_files() -> None:
    new = with_breaks_of("a: 1\r\nb: 2\r\n", [edit(0, 0, "c: 3\nd: 4\n")])
    assert [one.text for one in new] == ["c: 3\r\nd: 4\r\n"]
    assert with_breaks_of("no line ends", [edit(0, 0, "c\n")])[0].text == "c\n"


spans = st.tuples(st.integers(0, 10), st.integers(0, 10)).map(lambda pair: (min(pair), max(pair)))
fixes = st.lists(st.lists(st.tuples(spans, st.sampled_from(["", "A", "B"])), min_size=1, max_size=3), max_size=6)


@given(fixes, st.booleans())
@settings(max_examples=50)
def test_what_is_chosen_can_be_made(drawn: list[list[tuple[tuple[int, int], str]]], apart: bool) -> None:
    """Each character of the text is edited at most once, and the first fix of all that is one is among them."""
    found = [diagnostic(*(edit(start, end, text) for (start, end), text in fix)) for fix in drawn]
    chosen = fitting(found, apart=apart).get("a.yaml", ())
    applied(TEXT, chosen)
    touched = [at for one in chosen for at in range(one.span.column, one.span.end_column)]
    assert len(touched) == len(set(touched))
    whole = [set(one.fix) <= set(chosen) for one in found]
    alone = [bool(fitting([one], apart=apart)) for one in found]
    assert not any(alone) or whole[alone.index(True)]
