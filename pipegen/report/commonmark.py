"""Text in the Markdown of annotations, in which nothing that somebody typed is more than text.

Keys, paths, labels and reasons come from pull requests. In prose the punctuation marks of them are escaped, which
CommonMark allows for all of ASCII's; in code spans, where nothing can be escaped, the fence is longer than any inside.
"""

import re
from typing import Final

from pipegen.report.text import clean

MAX_BYTES: Final = 1 << 20
"""Of an annotation; the agent refuses more."""

_PUNCTUATION: Final = re.compile(r"([!#-&(-+\-.:<-@\[-`{-~])")
"""All but quotes, commas, semicolons and slashes, which mean nothing where the others are escaped."""
_FENCE: Final = re.compile("`+")


def escaped(text: str) -> str:
    """Text as it is, in a paragraph, a list or a cell.

    Line breaks, which would begin something new, are not printable and become a mark (`clean`).
    """
    return _PUNCTUATION.sub(r"\\\1", clean(text))


def code(text: str) -> str:
    """Text as it is, in a code span. Not for cells of a table, where `|` would end it."""
    shown = clean(text)
    fence = "`" * (max(map(len, _FENCE.findall(shown)), default=0) + 1)
    # One space on either side is taken off again.
    space = " " if not shown.strip() or {shown[0], shown[-1]} & {"`", " "} else ""
    return f"{fence}{space}{shown}{space}{fence}"
