"""The standard library's `dataclass` for classes with slots, made in a tenth of the time.

The standard library writes and compiles six functions for each class while it is imported. That takes 0.7 ms, and for
the 160 classes of `generate` it took longer than to read a fleet of 60 manifests. Here instances are compared, hashed,
ordered and shown by functions that all classes share, and `__init__` is compiled when the first instance is made.
`dataclasses.fields` and `dataclasses.replace` work as ever: they ask for `__dataclass_fields__`, which the standard
library makes then, in a millisecond for each class; `replace` and `field_names` here do without. To mypy it is the
standard library's own, and to go back to that is to import it from there.
"""

import dataclasses
import reprlib
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeVar

__all__ = ["dataclass", "field_names", "replace"]

_T = TypeVar("_T")
_MISSING: Final = dataclasses.MISSING
_SPECS: Final = "__pipegen_fields__"
_GIVEN: Final = "__pipegen_given__"
"""The names that `__init__` takes."""


def _default(spec: object) -> object:
    return spec.default if isinstance(spec, dataclasses.Field) else spec


def _factory(spec: object) -> object:
    return spec.default_factory if isinstance(spec, dataclasses.Field) else _MISSING


def _takes(spec: object, what: str) -> bool:
    """Whether a field takes part in `init`, `repr` or `compare`, as every field does that says nothing of it."""
    return not isinstance(spec, dataclasses.Field) or bool(getattr(spec, what))


def _made(cls: type[_T], *, frozen: bool, kw_only: bool, eq: bool, order: bool) -> type[_T]:
    """The class once more, with slots and with the methods that its own body lacks."""
    own = {name: cls.__dict__.get(name, _MISSING) for name in cls.__annotations__}
    inherited: Mapping[str, object] = getattr(cls, _SPECS, {})
    specs = {**inherited, **own}
    body = {name: value for name, value in cls.__dict__.items() if name not in {*own, "__dict__", "__weakref__"}}
    body |= {
        "__qualname__": cls.__qualname__,
        "__slots__": tuple(name for name in own if name not in inherited),
        "__match_args__": () if kw_only else tuple(name for name, spec in specs.items() if _takes(spec, "init")),
        "__dataclass_fields__": (standard := _Standard(specs, kw_only=kw_only, frozen=frozen, eq=eq, order=order)),
        "__dataclass_params__": _Params(standard),
        _SPECS: specs,
        _GIVEN: tuple(name for name, spec in specs.items() if _takes(spec, "init")),
    }
    methods = _methods(specs, frozen=frozen, eq=eq, order=order)
    explicit = {name for name, value in cls.__dict__.items() if not (name == "__hash__" and value is None)}
    body |= {name: method for name, method in methods.items() if name not in explicit}
    made: Any = type(cls)(cls.__name__, cls.__bases__, body)  # type: ignore[misc]
    if "__init__" not in explicit:
        made.__init__ = _first_init(made, specs, frozen=frozen, kw_only=kw_only)
    return made  # type: ignore[no-any-return]


def _methods(specs: Mapping[str, object], *, frozen: bool, eq: bool, order: bool) -> dict[str, object]:
    methods: dict[str, object] = {"__repr__": _repr}
    compared = [name for name, spec in specs.items() if _takes(spec, "compare")]
    key = _key(compared)
    if eq:
        methods |= {"__eq__": _eq(key), "__hash__": _hash(key) if frozen else None}
    if order:
        methods |= _ordering(key)
    if frozen:
        methods |= {
            "__setattr__": _refuse,
            "__delattr__": _refuse,
            "__getstate__": _getstate,
            "__setstate__": _setstate,
        }
    return methods


def _first_init(made: type, specs: Mapping[str, object], *, frozen: bool, kw_only: bool) -> Callable[..., None]:
    """What stands for `__init__` until the first call: many classes are of mistakes that nobody makes in a run."""

    def __init__(self: object, /, *args: object, **kwargs: object) -> None:  # noqa: N807 - it is that
        made.__init__ = init = _init(made, specs, frozen=frozen, kw_only=kw_only)  # type: ignore[misc]
        init(self, *args, **kwargs)

    return __init__


def _init(made: type, specs: Mapping[str, object], *, frozen: bool, kw_only: bool) -> Callable[..., None]:
    """`__init__`, compiled from nothing but the names of the fields."""
    names: dict[str, object] = {"_missing": _MISSING}
    parameters = [_parameter(name, spec, names) for name, spec in specs.items() if _takes(spec, "init")]
    signature = ", ".join(["self", *(["*"] if kw_only and parameters else []), *parameters])
    lines = [f"def __init__({signature}):"]
    for name, spec in specs.items():
        value = _value(name, spec, names)
        if value and frozen:
            names[f"_set_{name}"] = getattr(made, name).__set__
            lines.append(f" _set_{name}(self, {value})")
        elif value:
            lines.append(f" self.{name} = {value}")
    lines.append(" self.__post_init__()" if hasattr(made, "__post_init__") else " pass")
    exec("\n".join(lines), names)  # noqa: S102 - names of fields, and nothing that anybody typed elsewhere
    init: Any = names["__init__"]
    init.__qualname__ = f"{made.__qualname__}.__init__"
    return init  # type: ignore[no-any-return]


def _parameter(name: str, spec: object, names: dict[str, object]) -> str:
    if _factory(spec) is not _MISSING:
        return f"{name}=_missing"
    names[f"_default_{name}"] = _default(spec)
    return name if _default(spec) is _MISSING else f"{name}=_default_{name}"


def _value(name: str, spec: object, names: dict[str, object]) -> str:
    """What a field is set to; nothing where it is left to `__post_init__`."""
    names[f"_new_{name}"], names[f"_default_{name}"] = _factory(spec), _default(spec)
    if _factory(spec) is not _MISSING:
        return f"_new_{name}()" + (f" if {name} is _missing else {name}" if _takes(spec, "init") else "")
    if _takes(spec, "init"):
        return name
    return "" if _default(spec) is _MISSING else f"_default_{name}"


def _key(names: list[str]) -> Callable[[Any], tuple[object, ...]]:
    """What an instance is compared by."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda one: tuple(getattr(one, name) for name in names)


def _eq(key: Callable[[Any], object]) -> Callable[[Any, object], bool]:
    def __eq__(self: object, other: object) -> bool:  # noqa: N807 - it is that
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(key: Callable[[Any], object]) -> Callable[[Any], int]:
    def __hash__(self: object) -> int:  # noqa: N807 - it is that
        return hash(key(self))

    return __hash__


def _ordering(key: Callable[[Any], Any]) -> dict[str, object]:
    def __lt__(self: object, other: object) -> bool:  # noqa: N807 - it is that
        return key(self) < key(other) if other.__class__ is self.__class__ else NotImplemented

    def __le__(self: object, other: object) -> bool:  # noqa: N807 - it is that
        return key(self) <= key(other) if other.__class__ is self.__class__ else NotImplemented

    def __gt__(self: object, other: object) -> bool:  # noqa: N807 - it is that
        return key(self) > key(other) if other.__class__ is self.__class__ else NotImplemented

    def __ge__(self: object, other: object) -> bool:  # noqa: N807 - it is that
        return key(self) >= key(other) if other.__class__ is self.__class__ else NotImplemented

    return {"__lt__": __lt__, "__le__": __le__, "__gt__": __gt__, "__ge__": __ge__}


@reprlib.recursive_repr()
def _repr(self: object) -> str:
    shown = (name for name, spec in getattr(self, _SPECS).items() if _takes(spec, "repr"))
    return f"{self.__class__.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


def _refuse(self: object, name: str, value: object = None) -> None:  # noqa: ARG001 - Python's signature
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _getstate(self: object) -> list[object]:
    return [getattr(self, name) for name in getattr(self, _SPECS)]


def _setstate(self: object, state: list[object]) -> None:
    for name, value in zip(getattr(self, _SPECS), state, strict=True):
        object.__setattr__(self, name, value)


class _Standard:
    """`__dataclass_fields__`, by the standard library, when it is asked for."""

    def __init__(self, specs: Mapping[str, object], **options: bool) -> None:
        self._specs = specs
        self._options = options

    def __get__(self, instance: object, owner: type) -> object:
        home = next(cls for cls in owner.__mro__ if cls.__dict__.get("__dataclass_fields__") is self)
        body = {name: spec for name, spec in self._specs.items() if spec is not _MISSING}
        body["__annotations__"] = {name: _annotation(home, name) for name in self._specs}
        standard: Any = dataclasses.dataclass(slots=True, **self._options)(type(home.__name__, (), body))
        home.__dataclass_params__ = standard.__dataclass_params__  # type: ignore[attr-defined]
        home.__dataclass_fields__ = standard.__dataclass_fields__  # type: ignore[attr-defined]
        return standard.__dataclass_fields__


class _Params:
    """`__dataclass_params__`, made with the fields: pytest and dataclasses that inherit look at it."""

    def __init__(self, standard: _Standard) -> None:
        self._standard = standard

    def __get__(self, instance: object, owner: type) -> object:
        self._standard.__get__(instance, owner)
        return owner.__dataclass_params__  # type: ignore[attr-defined]


def _annotation(cls: type, name: str) -> object:
    """What the field says of itself, which for an inherited one is written in a base."""
    written = (getattr(base, "__annotations__", {}) for base in cls.__mro__)
    return next((annotations[name] for annotations in written if name in annotations), Any)


def field_names(cls: type) -> tuple[str, ...]:
    """The names of the fields of a class that was made here, in order."""
    return tuple(getattr(cls, _SPECS))


if TYPE_CHECKING:
    from dataclasses import dataclass, replace
else:

    def replace(one: _T, /, **changes: object) -> _T:
        """See `dataclasses.replace`; the class has to be one that was made here."""
        for name in getattr(one, _GIVEN):
            if name not in changes:
                changes[name] = getattr(one, name)
        return one.__class__(**changes)

    def dataclass(
        *, slots: bool, frozen: bool = False, kw_only: bool = False, eq: bool = True, order: bool = False
    ) -> Callable[[type[_T]], type[_T]]:
        """See `dataclasses.dataclass`; `slots` has to be true."""
        if not slots:
            raise TypeError("a class without slots is a matter for dataclasses.dataclass")
        return lambda cls: _made(cls, frozen=frozen, kw_only=kw_only, eq=eq, order=order)
