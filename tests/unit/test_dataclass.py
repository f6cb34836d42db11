"""The quick `dataclass` against the standard library's: the same class body, made by both, behaves alike."""

import copy
import dataclasses
import pickle
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import FrozenInstanceError, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import pytest

from pipegen import dataclass as quick
from pipegen.dataclass import dataclass
from tests.support.workspaces import REPOSITORY

T = TypeVar("T")
MAKERS = (dataclasses.dataclass, quick.dataclass)
FROZEN = {"frozen": True, "slots": True, "kw_only": True}

Body = Callable[[], type]


def plain() -> type:
    class Plain:
        """What it is."""

        one: int
        two: str = "two"
        three: tuple[int, ...] = field(default=())
        four: dict[str, int] = field(default_factory=dict)
        hidden: int = field(default=0, repr=False)
        place: int = field(default=0, compare=False)

        @property
        def both(self) -> str:
            return f"{self.one}{self.two}"

    return Plain


def empty() -> type:
    class Empty:
        pass

    return Empty


def late() -> type:
    class Late:
        given: int
        found: int = field(init=False)
        seen: list[int] = field(default_factory=list, init=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "found", self.given + 1)

    return Late


def explicit() -> type:
    class Explicit:
        one: int
        two: int = 0

        def __eq__(self, other: object) -> bool:
            return isinstance(other, type(self)) and self.one == other.one

        def __hash__(self) -> int:
            return self.one

        def __repr__(self) -> str:
            return f"<{self.one}>"

    return Explicit


def of(body: Body, **options: bool) -> list[Any]:
    return [maker(**options)(body()) for maker in MAKERS]


def outcome(call: Callable[[], object]) -> object:
    """What a call gives or raises, to be compared; a class of either maker by its name."""
    try:
        return call()
    except (TypeError, AttributeError, FrozenInstanceError) as error:
        return type(error), str(error)


def alike(classes: Iterable[Any], question: Callable[[Any], object]) -> None:
    standard, own = (outcome(lambda cls=cls: question(cls)) for cls in classes)  # type: ignore[misc]
    assert own == standard


QUESTIONS: tuple[Callable[[Any], object], ...] = (
    lambda cls: repr(cls(one=1)).rpartition(".")[2],
    lambda cls: (cls(one=1) == cls(one=1), cls(one=1) == cls(one=2), cls(one=1) != cls(one=1, two="x")),
    lambda cls: (cls(one=1) == 1, cls(one=1, place=5) == cls(one=1)),
    lambda cls: [f.name for f in dataclasses.fields(cls)],
    lambda cls: [(f.name, f.type, f.init, f.compare, f.repr, f.kw_only) for f in dataclasses.fields(cls(one=1))],
    lambda cls: repr(dataclasses.replace(cls(one=1), two="x")).rpartition(".")[2],
    lambda cls: dataclasses.asdict(cls(one=1, four={"a": 1})),
    dataclasses.is_dataclass,
    lambda cls: cls(one=1).four is cls(one=1).four,
    lambda cls: cls(one=1).both,
    lambda cls: cls.__slots__,
    lambda cls: cls.__match_args__,
    lambda cls: cls.__doc__,
    lambda cls: (hasattr(cls(one=1), "__dict__"), cls.__name__, cls.__qualname__, cls.__module__),
    lambda cls: cls(),
    lambda cls: cls(1, 2, 3, 4, 5, 6, 7, 8),
    lambda cls: cls(one=1, five=5),
    lambda cls: copy.deepcopy(cls(one=1, four={"a": 1})) == cls(one=1, four={"a": 1}),
    lambda cls: cls(one=1) < cls(one=2),
)


@pytest.mark.parametrize("options", [FROZEN, {"slots": True}, {"slots": True, "frozen": True, "order": True}])
@pytest.mark.parametrize("at", range(len(QUESTIONS)))
def test_plain(options: dict[str, bool], at: int) -> None:
    if options.get("order") and at == len(QUESTIONS) - 1:
        standard, own = of(plain, **options)
        assert (own(1, four=None) < own(2, four=None)) is (standard(1, four=None) < standard(2, four=None))
        assert (own(1, four=None) >= own(2, four=None), own(1) <= own(1), own(1) > own(1)) == (False, True, False)
    else:
        alike(of(plain, **options), QUESTIONS[at])


def test_frozen_and_hashed() -> None:
    for cls in of(plain, **FROZEN):
        one = cls(one=1, four=())
        assert len({one, cls(one=1, four=()), cls(one=2, four=())}) == 2
        with pytest.raises(FrozenInstanceError, match="cannot assign to field 'one'"):
            one.one = 2
        with pytest.raises(FrozenInstanceError):
            del one.one
        assert one.one == 1


def test_what_changes_has_no_hash() -> None:
    for cls in of(plain, slots=True, kw_only=True):
        one = cls(one=1)
        one.one = 2
        assert one == cls(one=2)
        with pytest.raises(TypeError, match="unhashable"):
            hash(one)


def test_by_identity() -> None:
    for cls in of(plain, **FROZEN, eq=False):
        one, other = cls(one=1), cls(one=1)
        assert one != other
        assert len({one, other}) == 2


def test_empty() -> None:
    alike(of(empty, **FROZEN), lambda cls: (repr(cls()).rpartition(".")[2], cls() == cls(), hash(cls()) == hash(cls())))
    alike(of(empty, **FROZEN), lambda cls: cls(one=1))


@pytest.mark.parametrize("options", [FROZEN, {"slots": True, "kw_only": True}])
def test_what_the_class_sets_itself(options: dict[str, bool]) -> None:
    for cls in of(late, **options):
        one = cls(given=1)
        assert (one.found, one.seen) == (2, [])
        assert one.seen is not cls(given=1).seen
    alike(of(late, **options), lambda cls: cls(given=1, found=3))


def test_methods_of_the_class_stay() -> None:
    for cls in of(explicit, **FROZEN):
        assert (cls(one=1, two=2) == cls(one=1), hash(cls(one=7)), repr(cls(one=3))) == (True, 7, "<3>")


def test_inheritance() -> None:
    def family(maker: Callable[..., Any]) -> tuple[Any, Any, Any]:
        class Shape(ABC, Generic[T]):
            @property
            @abstractmethod
            def words(self) -> str: ...

        @maker(frozen=True, slots=True, kw_only=True)
        class Text(Shape[str]):
            what: str = "text"
            least: int = 0

            @property
            def words(self) -> str:
                return self.what

        @maker(frozen=True, slots=True, kw_only=True)
        class Name(Text):
            least: int = 1
            most: int

        class Fixed(Text):
            def __init__(self) -> None:
                super().__init__(what="fixed")  # type: ignore[call-arg]  # mypy cannot see what `maker` makes of it

        return Text, Name, Fixed

    for maker in MAKERS:
        text, name, fixed = family(maker)
        assert (name(most=9).words, name(most=9).least, text().least, fixed().words) == ("text", 1, 0, "fixed")
        assert [f.name for f in dataclasses.fields(name)] == ["what", "least", "most"]
        assert [f.name for f in dataclasses.fields(fixed())] == ["what", "least"]
        assert name(most=1) == name(most=1)
        assert text() != name(most=1)
        assert dataclasses.replace(name(most=1), what="x").words == "x"


def test_matched_by_position() -> None:
    for cls in of(plain, frozen=True, slots=True):
        match cls(1, "x"):
            case cls(one, two):
                assert (one, two) == (1, "x")
            case _:
                raise AssertionError(cls)


def test_shown_within_itself() -> None:
    for cls in of(plain, slots=True, kw_only=True):
        one = cls(one=1)
        one.two = one
        assert "two=..." in repr(one)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """Known by its module, as what is sent elsewhere has to be."""

    one: int
    two: tuple[int, ...] = ()


def test_parameters_are_known_as_pytest_asks_for_them() -> None:
    options = {"frozen": True, "slots": True, "kw_only": True, "order": True}
    alike(of(plain, **options), lambda cls: repr(cls(one=1).__dataclass_params__))
    alike(of(plain, slots=True), lambda cls: repr(cls.__dataclass_params__))
    with pytest.raises(AssertionError) as refused:
        assert {"a": Sent(one=1)} == {"a": Sent(one=2)}
    assert "Sent(one=1, two=())" in str(refused.value)
    assert "failed" not in str(refused.value)


def test_the_standard_library_inherits() -> None:
    def child(maker: Callable[..., Any], **options: bool) -> Any:
        parent = maker(**FROZEN)(plain())
        body = {"__annotations__": {"own": int}, "own": 5, "__qualname__": "Child", "__module__": __name__}
        return dataclasses.dataclass(**options)(type("Child", (parent,), body))

    family = [child(maker, **FROZEN) for maker in MAKERS]
    for question in QUESTIONS:
        alike(family, question)
    alike(family, lambda cls: repr(dataclasses.replace(cls(one=1), own=6, two="x")))
    assert outcome(lambda: child(quick.dataclass)) == outcome(lambda: child(dataclasses.dataclass))


def test_pickled() -> None:
    assert pickle.loads(pickle.dumps(Sent(one=1, two=(2,)))) == Sent(one=1, two=(2,))


def test_without_slots_it_is_refused() -> None:
    with pytest.raises(TypeError, match="slots"):
        quick.dataclass(slots=False)


def test_everybody_uses_it() -> None:
    """One module that asks the standard library brings the waiting back, a class at a time."""
    package = Path(REPOSITORY) / "pipegen"
    asking = [
        path.name
        for path in package.rglob("*.py")
        if re.search(r"from dataclasses import .*\bdataclass\b", path.read_text(encoding="utf-8"))
    ]
    assert asking == ["dataclass.py"]


def test_replace() -> None:
    own: Any = quick.dataclass(**FROZEN)(plain())
    assert quick.replace(own(one=1, place=2), two="x", three=(3,)) == own(one=1, two="x", three=(3,))
    assert quick.replace(own(one=1, place=2)).place == 2
    assert quick.replace(own(one=1), one=0) == dataclasses.replace(own(one=1), one=0)
    with pytest.raises(TypeError, match="five"):
        quick.replace(own(one=1), five=5)


def test_replace_makes_again_what_is_made_of_the_rest() -> None:
    own: Any = quick.dataclass(**FROZEN)(late())
    assert quick.replace(own(given=1), given=5).found == 6
    with pytest.raises(TypeError, match="found"):
        quick.replace(own(given=1), found=5)


def test_field_names() -> None:
    own: Any = quick.dataclass(**FROZEN)(late())
    assert quick.field_names(own) == tuple(one.name for one in dataclasses.fields(own)) == ("given", "found", "seen")
