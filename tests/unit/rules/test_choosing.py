"""--select and --ignore."""

import pytest

from pipegen.diagnostics import Code, WrongUsageError
from pipegen.rules.choosing import chosen

KNOWN = {
    number: Code(code=number, name=name, summary="It is.")
    for number, name in (("PG101", "unreadable"), ("PG201", "orphan"), ("PG206", "collected-twice"), ("PG701", "bad"))
}


def words(select: tuple[str, ...] = (), ignore: tuple[str, ...] = ()) -> list[str]:
    return sorted(code.code for code in chosen(select, ignore, KNOWN))


@pytest.mark.parametrize(
    ("select", "ignore", "left"),
    [
        ((), (), ["PG101", "PG201", "PG206", "PG701"]),
        (("PG201",), (), ["PG201"]),
        (("orphan",), (), ["PG201"]),
        (("PG2",), (), ["PG201", "PG206"]),
        (("pg2",), (), ["PG201", "PG206"]),
        (("PG",), ("PG1",), ["PG201", "PG206", "PG701"]),
        (("PG201,PG7", "unreadable"), (), ["PG101", "PG201", "PG701"]),
        (("PG201 , PG701",), (), ["PG201", "PG701"]),
        ((), ("PG2", "bad"), ["PG101"]),
        (("PG2",), ("collected-twice",), ["PG201"]),
        (("PG201",), ("PG201",), []),
    ],
)
def test_chosen(select: tuple[str, ...], ignore: tuple[str, ...], left: list[str]) -> None:
    assert words(select, ignore) == left


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("PG210", '--select "PG210": no rule of that code or name: did you mean "PG201"?'),
        ("orphans", '--select "orphans": no rule of that code or name: did you mean "orphan"?'),
        ("", '--select "": no rule of that code or name: expected a code (PG201)'),
        ("PG201,", '--select "": no rule of that code or name: expected a code (PG201)'),
        ("E501", '--select "E501": no rule of that code or name: expected a code (PG201)'),
    ],
)
def test_unknown(word: str, said: str) -> None:
    with pytest.raises(WrongUsageError) as raised:
        words((word,))
    assert str(raised.value).startswith(said)


def test_ignore_is_named() -> None:
    with pytest.raises(WrongUsageError, match='--ignore "PG9"'):
        words((), ("PG9",))
