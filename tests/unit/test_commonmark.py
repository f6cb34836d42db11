"""Text of strangers in annotations: in prose each mark that means something is escaped, in code the fence is longer."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipegen.report.commonmark import code, escaped


@given(st.text())
@settings(max_examples=50, deadline=None)
def test_text_of_strangers_is_text(text: str) -> None:
    """Nothing leaves its line either."""
    prose, span = escaped(text), code(text)
    assert re.search(r"[!#-&(-+.:<-@\[\]^-`{-~\\-]", re.sub(r"\\[!-/:-@\[-`{-~]", "", prose)) is None
    fence = re.match("`+", span)
    assert fence is not None
    inside = span[len(fence[0]) : -len(fence[0])]
    assert fence[0] not in re.findall("`+", inside)
    assert not inside.startswith("`")
    assert not inside.endswith("`")
    for shown in (prose, span):
        assert len(shown.splitlines()) <= 1


@pytest.mark.parametrize(
    "text",
    [
        "# heading",
        "a <script>alert(1)</script> &amp; b",
        "[x](javascript:x) ![y](z) *a* _b_ ~~c~~ `d` | e",
        "https://example.invalid www.example.invalid me@example.invalid :rocket:",
        "1. one\n\n- two\n> three\n===",
        "\\",
        "<!-- -->",
    ],
)
def test_text_is_read_back(text: str) -> None:
    """The marks that stand behind backslashes are the text's own."""
    assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", escaped(text)).replace("\ufffd", "\n") == text


@pytest.mark.parametrize(
    ("text", "prose", "span"),
    [
        ("a b", "a b", "`a b`"),
        (" a", " a", "`  a `"),
        ("a\n# b", "a\ufffd\\# b", "`a\ufffd# b`"),
        ("<img src=x>", r"\<img src\=x\>", "`<img src=x>`"),
        ("`a``b", r"\`a\`\`b", "``` `a``b ```"),
        ("a`b", r"a\`b", "``a`b``"),
        ("[x](javascript:1)", r"\[x\]\(javascript\:1\)", "`[x](javascript:1)`"),
        ("a|b\x1b", "a\\|b\ufffd", "`a|b\ufffd`"),
        ("a/b.c, \"d\" and 'e';", "a/b\\.c, \"d\" and 'e';", "`a/b.c, \"d\" and 'e';`"),
        ("", "", "`  `"),
    ],
)
def test_how_text_is_spelled(text: str, prose: str, span: str) -> None:
    assert escaped(text) == prose
    assert code(text) == span
