"""Plain scalars read as the agent reads them; tests/agent holds the same table against the agent itself."""

import pytest

from pipegen.agent_scalars import NotPlainData, read_scalar
from pipegen.plain import Plain
from tests.support.readers import same
from tests.support.traps import SCALARS


@pytest.mark.parametrize(("text", "value"), SCALARS, ids=[repr(text) for text, _ in SCALARS])
def test_plain_scalar(text: str, value: Plain) -> None:
    read = read_scalar(text)
    assert same(read, value), f"{text!r} was read as {read!r}"


@pytest.mark.parametrize(
    "text",
    [
        "2024-01-02",
        "2024-1-1",
        "2024-02-29",
        "0000-02-29",
        "2024-01-02T03:04:05Z",
        "2024-1-2t3:4:5.678+05:30",
        "2024-01-02T03:04:05,5-24:60",
        "2024-01-02 03:04:05",
        "2024-1-2    3:4:5.123456789123",
    ],
)
def test_dates_are_refused(text: str) -> None:
    with pytest.raises(NotPlainData) as caught:
        read_scalar(text)
    assert str(caught.value) == f'the Buildkite agent reads "{text}" as a date; put it in quotes to mean the text'


@pytest.mark.parametrize("text", [".inf", ".Inf", ".INF", "+.inf", "-.INF", ".nan", ".NaN", ".NAN"])
def test_numbers_without_an_end_are_refused(text: str) -> None:
    with pytest.raises(NotPlainData, match="as a number that JSON does not have; put it in quotes"):
        read_scalar(text)


@pytest.mark.parametrize(
    "text",
    [
        "18446744073709551616",
        "+9223372036854775808",
        "-9223372036854775809",
        "1_0000_0000_0000_0000_0000_0000",
        "0899999999999999999",
        "9" * 300,
        "0777777777777777777777777",
    ],
)
def test_integers_that_would_be_rounded_are_refused(text: str) -> None:
    with pytest.raises(NotPlainData, match=r'rounds the integer "[^"]*" to a float; put it in quotes'):
        read_scalar(text)


def test_digits_beyond_any_float_are_text() -> None:
    endless = "9" * 5000
    assert read_scalar(endless) == endless
    assert read_scalar("0" * 5000 + "7") == 7
    assert same(read_scalar("0" * 5000 + "8"), 8.0)


@pytest.mark.parametrize("text", ["a\nb", "1\n2", "2024-01-02\n", "true\n"])
def test_text_of_several_lines_is_text(text: str) -> None:
    assert read_scalar(text) == text
