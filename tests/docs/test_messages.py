"""docs/messages.md shows every code, and what it shows reads alike."""

import re

from pipegen.diagnostics import Severity
from tests.golden.test_diagnostics import CASES, HEADLINE, cases
from tests.support.messages import ELSEWHERE, every_code, examples, excerpt, ignore_blocks, rule_cases, waiver_blocks
from tests.support.rules import CASES as RULE_CASES

EXPECTED_IS_ENOUGH = {"PG704", "PG705", "PG729"}
"""Rules of Buildkite's whose messages list what is expected: a help line could only say it again."""


def blocks() -> list[tuple[str, str]]:
    """Every diagnostic of every golden case and of every rule's: its code, and all its lines."""
    found = []
    for folder in [*(CASES / case for case in cases()), *(RULE_CASES / case for case in rule_cases())]:
        for block in (folder / "expected.txt").read_text(encoding="utf-8").split("\n\n"):
            found += [(headline[1], block) for headline in HEADLINE.finditer(block)]
    apart = [*ignore_blocks(), *waiver_blocks()]
    found += [(headline[1], block) for block in apart for headline in HEADLINE.finditer(block)]
    return found


def test_every_code_has_an_example_or_says_why_it_has_none() -> None:
    codes, shown = every_code(), examples()
    assert set(shown) | set(ELSEWHERE) == set(codes)
    assert set(shown) & set(ELSEWHERE) == set(), "no longer without an example"


def test_codes_are_all_there_are() -> None:
    """Found by looking into every module: a number or a name that stands for two kinds would be seen."""
    codes = every_code()
    assert len(codes) > 100
    assert len({code.name for code in codes.values()}) >= len(codes) - 1, "only the importer repeats a name"
    assert all(re.fullmatch("PG[1-9][0-9]{2}", number) for number in codes)
    assert all(code.summary.endswith(".") and len(code.summary) < 130 for code in codes.values())


def test_examples_show_their_code_and_severity() -> None:
    for number, example in examples().items():
        code = every_code()[number]
        first = example.said.split("\n")[0]
        assert f"{number} " in first
        assert first.endswith(f"[{code.name}]")
        word = {Severity.ERROR: "", Severity.FINDING: "finding: ", Severity.WARNING: "warning: "}[code.severity]
        assert f"{number} {word}" in first


def test_every_message_is_followed_by_what_to_type() -> None:
    bare = [block for code, block in blocks() if "= help: " not in block and code not in EXPECTED_IS_ENOUGH]
    assert bare == []
    assert {code for code, block in blocks() if "= help: " not in block} == EXPECTED_IS_ENOUGH


def test_help_lines_read_alike() -> None:
    for _, block in blocks():
        for text in re.findall(r"= help: (.*)", block):
            assert not text.endswith(".") or text.endswith("..."), text
            first = text.split()[0].strip('":')
            assert first[:1] == first[:1].lower() or first.isupper() or not first.isalpha(), text


def test_an_excerpt_holds_the_line() -> None:
    text = "\n".join(f"line {number}" for number in range(1, 41))
    assert "line 30" in excerpt(text, 30).split("\n")
    assert excerpt(text, 30).split("\n")[0] == "…"
    assert excerpt("a\nb\n", 2) == "a\nb"
