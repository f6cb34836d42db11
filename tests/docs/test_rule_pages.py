"""docs/rules/ has a page for each rule and none for others."""

from pipegen.rules import RULES
from tests.rule_pages import index_page, rule_page
from tests.support.workspaces import REPOSITORY

PAGES = REPOSITORY / "docs" / "rules"


def test_a_page_for_each_rule() -> None:
    expected = {"index.md", *(f"{rule.codes[0].code}.md" for rule in RULES)}
    assert {path.name for path in PAGES.iterdir()} == expected


def test_pages_are_up_to_date() -> None:
    stale = [rule.name for rule in RULES if (PAGES / f"{rule.codes[0].code}.md").read_text("utf-8") != rule_page(rule)]
    assert stale == [], "python -m tests.regenerate"
    assert (PAGES / "index.md").read_text("utf-8") == index_page(), "python -m tests.regenerate"


def test_a_page_says_what_why_and_how() -> None:
    for rule in RULES:
        page = rule_page(rule)
        for heading in ("## Bad", "## Output", "## Good"):
            assert heading in page
        assert rule.codes[0].name in page
