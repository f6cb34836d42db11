"""The codes that `lint` knows are all that it can report."""

from pipegen.app.known import known_codes
from pipegen.rules import RULES
from tests.support.messages import every_code

ELSEWHERE = ("PG9",)
"""What begins so is not for `lint`: moving in."""


def test_every_code_is_known() -> None:
    known = known_codes(RULES)
    assert list(known) == sorted(known)
    assert set(every_code()) - set(known) == {code for code in every_code() if code.startswith(ELSEWHERE)}
    assert all(known[number] == code for number, code in every_code().items() if number in known)
