"""The exact words about waivers: one that is unused, ended, growing, of no rule, of an error."""

from pipegen.rules.waivers import CODES
from tests.support.golden import Golden
from tests.support.waivers import FOLDER, said


def test_words(golden: Golden) -> None:
    golden.check(FOLDER / "expected.txt", said())


def test_every_code_is_shown() -> None:
    assert [code.code for code in CODES if code.code not in said()] == []
