"""What is remembered is what was found, and nothing that changes what is found goes unnoticed."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipegen.app.memory import Memory
from pipegen.app.remembering import Remembering
from pipegen.app.request import Request, Wanted
from pipegen.app.verdict import Verdict, from_plain, to_plain
from pipegen.diagnostics import Code, Diagnostic, Edit, Related, Severity, Span
from tests.support.bases import FLEET, fleet_files
from tests.support.fake_rules import asked
from tests.support.mutations import KINDS, Clean, clean
from tests.support.mutations_of_exceptions import EXCEPTIONS
from tests.support.mutations_of_selection import MORE_KINDS
from tests.support.workspaces import write

EVERY = {**KINDS, **MORE_KINDS, **EXCEPTIONS}
SOME = 5
WANTED = Wanted(today="2026-11-30")

TEXTS = st.text(max_size=20)
NUMBERS = st.integers(min_value=0, max_value=9999)
SPANS = st.builds(Span, path=TEXTS, line=NUMBERS, column=NUMBERS, end_line=NUMBERS, end_column=NUMBERS)
CODES = st.sampled_from(
    [
        Code(code="PG001", name="one", summary="One."),
        Code(code="PG002", name="two", summary="Two.", severity=Severity.FINDING, end=True),
        Code(code="PG003", name="three", summary="ü", severity=Severity.WARNING),
    ]
)
DIAGNOSTICS = st.builds(
    Diagnostic,
    code=CODES,
    span=SPANS,
    message=TEXTS,
    help=TEXTS,
    related=st.lists(st.builds(Related, span=SPANS, note=TEXTS), max_size=2).map(tuple),
    fix=st.lists(st.builds(Edit, span=SPANS, text=TEXTS), max_size=2).map(tuple),
    lowered=st.sampled_from([None, *Severity]),
    implied_by=st.lists(st.tuples(CODES, SPANS), max_size=2).map(tuple),
)
MANY = st.lists(DIAGNOSTICS, max_size=3).map(tuple)
VERDICTS = st.builds(
    Verdict,
    diagnostics=MANY,
    old=MANY,
    ignored=NUMBERS,
    waived=NUMBERS,
    texts=st.dictionaries(TEXTS, TEXTS, max_size=3),
    notes=st.lists(TEXTS, max_size=2).map(tuple),
)


@given(VERDICTS)
def test_plain_data_says_the_same(verdict: Verdict) -> None:
    assert from_plain(to_plain(verdict), verdict.texts.get) == verdict


class LookedError(Exception):
    """`lint` had to look."""


def _looks(request: Request, wanted: Wanted) -> Verdict:
    raise LookedError


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Remembering]:
    """The reference fleet on disk, and a memory of what was found there."""
    root = write(tmp_path_factory.mktemp("fleet"), fleet_files())
    remembering = Remembering(memory=Memory(folder=tmp_path_factory.mktemp("memory") / "own"), program=lambda: "1")
    remembering.verdict(_request(root), WANTED)
    return root, replace(remembering, look=_looks)


@pytest.fixture(scope="module")
def made() -> Clean:
    """The same in memory."""
    return clean()


def _request(root: Path) -> Request:
    request = asked(root)
    return replace(request, place=replace(request.place, path=FLEET))


def _notices(fleet: tuple[Path, Remembering], changed: dict[str, bytes | None]) -> bool:
    """Whether `lint` looks again while some files are different, and no longer when they are as they were."""
    root, remembering = fleet
    before = {path: (root / path).read_bytes() if (root / path).is_file() else None for path in changed}
    write(root, changed)
    try:
        remembering.verdict(_request(root), WANTED)
        noticed = False
    except LookedError:
        noticed = True
    write(root, before)
    remembering.verdict(_request(root), WANTED)
    return noticed


def test_every_file_of_the_fleet_counts(fleet: tuple[Path, Remembering]) -> None:
    # Those are for the CI of this project itself, and for `generate` alone.
    others = (".buildkite/pipeline.yml", ".buildkite/self", ".buildkite/selection_cases.yaml")
    files = {path: content for path, content in fleet_files().items() if not path.startswith(others)}
    assert len(files) > 30
    assert [path for path, content in files.items() if not _notices(fleet, {path: content + b"\n"})] == []
    assert [path for path in files if not _notices(fleet, {path: None})] == []


@pytest.mark.parametrize("name", EVERY)
def test_every_kind_of_mistake_is_noticed(fleet: tuple[Path, Remembering], made: Clean, name: str) -> None:
    every = list(EVERY[name].mutations(made))
    some = random.Random(0).sample(every, min(SOME, len(every)))
    assert [mutation.what for mutation in some if not _notices(fleet, dict(mutation.files))] == []
