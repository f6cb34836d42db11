"""Tests that a wrapper is given as words, and whose expressions it would quote once more than it should.

The wrapper loses the quotes that its own shell takes away, so it puts quotes around the expression of every `-m` and
`-k` of several words. Where they have arrived in their quotes, as right quoting brings them, there are two pairs then,
and pytest refuses the expression. Such tests travel in the wrapper's variable.
"""

import re
from collections.abc import Sequence

from pipegen.importer.rules import Wrapper
from pipegen.manifest.located import Scalar

_QUOTED_EXPRESSION = re.compile(r"(?:^|\s)-[mk]\s*=?\s*\"[^\"]*[\s(][^\"]*\"")


def unwrapped(nodes: Sequence[Scalar], wrappers: Sequence[Wrapper]) -> tuple[str | None, list[str]]:
    """The template that delivers the commands and their texts: as they are, or without the wrapper around them."""
    texts = [node.text for node in nodes]
    for wrapper in wrappers:
        inner = [_inner(text, wrapper.call) for text in texts]
        found = [text for text in inner if text is not None]
        if len(found) == len(texts) and any(_QUOTED_EXPRESSION.search(text) for text in found):
            return wrapper.template, found
    return None, texts


def _inner(text: str, call: str) -> str | None:
    """What a wrapper is given as its only word, in single quotes."""
    rest = text.strip().removeprefix(call)
    if rest == text.strip() or not rest[:1].isspace():
        return None
    word = rest.strip()
    is_one = len(word) > 1 and word[0] == word[-1] == "'" and "'" not in word[1:-1]
    return word[1:-1].strip() if is_one else None
