"""Which tests a file may define, and which names begin like another."""

import pytest

from pipegen.definitions import definitions_of

FILE = """\
import pytest
from tests.common import make_test_model

test_alias = make_test_model()


def test_start(): ...


if True:

    async def test_start_slowly(): ...

    for test_start_number in range(3):
        pass


class Base:
    def test_one(self): ...


@pytest.mark.slow
class TestEngine(Base):
    def test_one_more(self): ...

    class TestInner:
        def test_deep(self): ...


class TestForeign(make_test_model.Base):
    def test_one(self): ...


@decorated
class TestDecorated:
    def test_one(self): ...


class TestTyped(unittest.TestCase, Generic[T]):
    def test_one(self): ...
"""


@pytest.mark.parametrize(
    ("node", "longer"),
    [
        ("test_start", ("test_start_number", "test_start_slowly")),
        ("test_start_slowly", ()),
        ("test_start_slowly[a-b]", ()),
        ("test_alias", ()),
        ("TestEngine::test_one", ("test_one_more",)),
        ("TestEngine::test_one_more", ()),
        ("TestEngine::TestInner::test_deep", ()),
        ("TestForeign::test_one", None),
        ("TestDecorated::test_one", None),
        ("TestTyped::test_one", ()),
    ],
)
def test_longer_names(node: str, longer: tuple[str, ...] | None) -> None:
    assert definitions_of(FILE).longer(node) == longer


@pytest.mark.parametrize(
    ("node", "there"),
    [
        ("test_start", True),
        ("test_stop", False),
        ("make_test_model", True),
        ("TestEngine", True),
        ("TestEngine::test_one", True),
        ("TestEngine::test_two", False),
        ("TestNone::test_one", False),
        ("TestForeign::test_two", None),
        ("TestEngine::TestInner::test_deep[1]", True),
    ],
)
def test_whether_it_is_there(node: str, there: bool | None) -> None:
    assert definitions_of(FILE).has(node) is there


@pytest.mark.parametrize(
    "content",
    [
        "from tests.common import *\ndef test_a(): ...",
        "def test_a(): ...\nglobals()['test_ab'] = test_a",
        "def test_a(:",
        "def test_a(): ...\nfor name in names:\n    setattr(module, name, test_a)",
        "def test_a(): ...\n\0",
        "(" * 5000,
    ],
    ids=["star", "globals", "syntax", "setattr", "nul", "deep"],
)
def test_what_cannot_be_told(content: str) -> None:
    defined = definitions_of(content)
    assert defined.longer("test_a") is None
    assert defined.has("test_b") is None


def test_classes_are_told_from_functions() -> None:
    defined = definitions_of(FILE)
    assert defined.is_class("TestEngine::TestInner")
    assert not defined.is_class("test_start")
    assert not defined.is_class("TestNone")
