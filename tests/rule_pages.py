"""docs/rules/: a page for each rule, of its docstring and its cases, and one that lists them."""

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pipegen.diagnostics import Severity
from pipegen.rules import RULES
from pipegen.rules.frame import Rule
from tests.support.rules import CASES, EXPECTED, FILE_LIST, LANDED, RENAMES, authored

MADE: Final = "<!-- Made from the rule and its cases: python -m tests.regenerate -->"
HEAD: Final = f"""\
# Rules

{MADE}

What `pipegen lint` finds. A **finding** fails it, a **warning** does not, and neither stops `generate`. What stops
`generate` is in [messages](../messages.md), with an example of everything.

| code | name | finds |
| --- | --- | --- |
"""
LISTS: Final = {
    FILE_LIST: "files of the repository",
    RENAMES: "what git saw renamed",
    LANDED: "changes in the history",
}
LANGUAGES: Final = {".yaml": "yaml", ".yml": "yaml", ".j2": "jinja", ".sh": "sh", ".py": "python"}


def index_page() -> str:
    """The page that lists the rules."""
    return HEAD + "".join(
        f"| [{rule.codes[0].code}]({rule.codes[0].code}.md) | {code.name} | {code.summary} |\n"
        for rule in RULES
        for code in rule.codes
    )


def rule_page(rule: Rule) -> str:
    """The page of one rule."""
    return "\n".join(_sections(rule)).rstrip("\n") + "\n"


def _sections(rule: Rule) -> Iterator[str]:
    first = rule.codes[0]
    folder = CASES / rule.name
    yield f"# {first.code} {rule.name}\n"
    yield MADE + "\n"
    yield from _kinds(rule)
    yield (inspect.getdoc(sys.modules[rule.check.__module__]) or "") + "\n"
    yield "## Bad\n"
    yield from _files(folder / "bad")
    yield "## Output\n"
    yield from _fenced("text", (folder / "bad" / EXPECTED).read_text(encoding="utf-8"))
    if (folder / "fixed").is_dir():
        yield "## Fixed by `lint --fix`\n"
        yield from _files(folder / "fixed")
    yield "## Good\n"
    yield from _files(folder / "good")


def _kinds(rule: Rule) -> Iterator[str]:
    word = {Severity.ERROR: "Error", Severity.FINDING: "Finding", Severity.WARNING: "Warning"}
    if len(rule.codes) == 1:
        yield f"*{word[rule.codes[0].severity]}.*\n"
        return
    yield from (f"- {code.code} {code.name}: {code.summary} *{word[code.severity]}.*" for code in rule.codes)
    yield ""


def _files(folder: Path) -> Iterator[str]:
    """The files of a case, and what else is said of its repository."""
    for path, content in sorted(authored(folder).items()):
        yield f"`{path}`\n"
        yield from _fenced(LANGUAGES.get(Path(path).suffix, "text"), content.decode())
    for name, what in LISTS.items():
        if (folder / name).is_file():
            yield f"{what.capitalize()}:\n"
            yield from _fenced("text", (folder / name).read_text(encoding="utf-8"))


def _fenced(language: str, text: str) -> Iterator[str]:
    fence = "````" if "```" in text else "```"
    body = text.rstrip("\n")
    yield f"{fence}{language}\n{body}\n{fence}\n"
