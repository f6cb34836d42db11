"""A text that is hard to carry, in the place of every text and key that a workspace has: it arrives or is refused.

What only one place forgets to look at passes in all others, so each has its turn with each text.
"""

import json
from collections.abc import Iterator

import pytest

from pipegen import app
from pipegen.manifest.located import Report
from pipegen.manifest.yaml import parse_yaml
from tests.support.bases import Base
from tests.support.fuzzing import Input, fault
from tests.support.schemas import as_editors_read
from tests.support.tiny import tiny

HARD = ("a \\$X", "$X", "a\ufdd0B\ufdd1", "\ufeffa", "a\x85b", "a\u2028b", "{{matrix}}", "\\", "a\nb", "é" * 120)


def _others(tree: object, text: str) -> Iterator[object]:
    """The tree with the text in one other place each time: instead of a value that is no container, or of a key."""
    match tree:
        case dict():
            for at, inner in tree.items():
                yield {text if key == at else key: value for key, value in tree.items()}
                yield from ({**tree, at: other} for other in _others(inner, text))
        case list():
            for at, inner in enumerate(tree):
                yield from ([*tree[:at], other, *tree[at + 1 :]] for other in _others(inner, text))
        case _:
            yield text


@pytest.mark.parametrize("base", tiny(), ids=lambda base: base.name)
def test_it_arrives_or_is_refused(base: Base) -> None:
    wrong = []
    for path in base.authored:
        root = parse_yaml(base.files[path], path, Report())
        assert root is not None
        tree = json.loads(json.dumps(as_editors_read(root)))
        for text in HARD:
            for number, other in enumerate(_others(tree, text), start=1):
                content = json.dumps(other, ensure_ascii=False).encode()
                given = Input(
                    number=number, mode="", base=base, path=path, content=content, asked=app.Asked(every=True)
                )
                if (found := fault(given)) is not None:
                    wrong.append((found, content.decode()))
    assert wrong == []
