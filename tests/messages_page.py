"""docs/messages.md: every kind of diagnostic, what somebody wrote, and the exact words that pipegen finds for it."""

from collections.abc import Iterator
from typing import Final

from pipegen.diagnostics import Code, Severity
from tests.support.messages import ELSEWHERE, Example, every_code, examples

HEAD: Final = """\
# Messages

<!-- Made from the golden files and the tables of the tests: python -m tests.regenerate -->

Every kind of diagnostic: its code, its name, what it is about, and one example with the exact output. An **error**
stops `generate`, a **finding** fails `lint` alone, a **warning** stops nothing. Codes never change their meaning.
"""

HUNDREDS: Final = {
    "1": "Syntax and references",
    "2": "Ownership and collection",
    "3": "Lanes and hardware",
    "4": "Sources and selection",
    "5": "Environment and toggles",
    "6": "Commands",
    "7": "What Buildkite accepts, and templates",
    "8": "Waivers",
    "9": "Moving in",
}


def messages_page() -> str:
    """The page."""
    return HEAD + "\n".join(_sections())


def _sections() -> Iterator[str]:
    shown = examples()
    hundred = ""
    for number, code in every_code().items():
        if number[2] != hundred:
            hundred = number[2]
            yield f"\n## {HUNDREDS[hundred]}\n"
        yield from _section(code, shown.get(number))
    yield ""


def _section(code: Code, example: Example | None) -> Iterator[str]:
    yield f"### `{code.code}` {code.name}\n"
    severity = "" if code.severity is Severity.ERROR else f" *{code.severity.value.capitalize()}.*"
    yield f"{code.summary}{severity}\n"
    if example is None:
        yield f"No example: {ELSEWHERE[code.code]}.\n"
        return
    if example.written:
        yield f"In {_place(example.where)}:\n"
        yield from _fenced("jinja" if example.where.endswith(".j2") else "yaml", example.written)
    else:
        yield f"From {_place(example.where)}:\n"
    yield from _fenced("text", example.said)


def _place(where: str) -> str:
    return f"`{where}`" if "/" in where and " " not in where else where


def _fenced(language: str, text: str) -> Iterator[str]:
    fence = "````" if "```" in text else "```"
    yield f"{fence}{language}\n{text}\n{fence}\n"
