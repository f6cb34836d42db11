"""Filters: Jinja's own, held to bounds, and those that templates need for shells, JSON and Kubernetes."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from json.encoder import encode_basestring
from typing import Any, Final

import jinja2
from jinja2 import filters

from pipegen import shell
from pipegen.dollar import UPLOAD_OPEN, references
from pipegen.jinja.names import JinjaError, Names, Reference, unknown_until_upload
from pipegen.plain import Plain

MAX_OUTPUT: Final = 1 << 20
"""Characters that one expression or template may produce, at any point."""
MAX_ALL_OUTPUT: Final = 1 << 26
"""Characters that all values of a pipeline, or all of its templates, may produce together."""

_KEPT: Final = frozenset(
    """abs capitalize count d default dictsort first float int items last length list lower map max min reject
    rejectattr select selectattr sort string title trim unique upper""".split()
)


_NEEDS_TO_KNOW: Final = frozenset(
    "abs capitalize count d default float int length lower string title trim upper".split()
) - {
    "string",
    "trim",
}
_OF_WHOLE_VALUES: Final = frozenset({"d", "default"})


def bounded(text: str) -> str:
    """The text, unless it is longer than anything that is rendered."""
    text = str(text)
    if len(text) > MAX_OUTPUT:
        raise _too_long()
    return text


def _too_long() -> JinjaError:
    return JinjaError(f"it produces more than {MAX_OUTPUT:,} characters")


def measured(value: Any) -> Any:  # noqa: ANN401 - whatever a template holds
    """The value, unless it would be too long when written out: a list may hold one list many times over."""
    if type(value) is str and len(value) <= MAX_OUTPUT:  # as most of them
        return value
    if isinstance(value, str):
        return bounded(value)
    if type(value) is list and {str}.issuperset(map(type, value)):  # lines, which grow by one a turn: no walk
        if len(value) + sum(map(len, value)) >= MAX_OUTPUT:
            raise _too_long()
        return value
    size, stack = 0, [value]
    while stack:
        item = stack.pop()
        size += 1 + (len(item) if isinstance(item, str) else 0)
        stack += _inside(item)
        if size > MAX_OUTPUT or len(stack) > MAX_OUTPUT:
            raise _too_long()
    return value


def _inside(value: object) -> Iterable[object]:
    match value:
        case str() | int() | None:  # what most things are comes first: to ask an abstract class takes ten times as long
            return ()
        case dict():
            return (*value.keys(), *value.values())
        case jinja2.Undefined():
            str(value)  # raises what is undefined
            return ()
        case Names():
            return ()
        case Mapping():
            return (*value.keys(), *value.values())
        case list() | tuple() | set() | frozenset():
            return value
        case _:
            return ()


def joined(pieces: Iterable[str]) -> str:
    """The pieces as one text of bounded length."""
    if type(pieces) is list:  # as those of a macro, which are all there
        if sum(map(len, pieces)) > MAX_OUTPUT:
            raise _too_long()
        return "".join(pieces)
    result: list[str] = []
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > MAX_OUTPUT:
            raise _too_long()
        result.append(piece)
    return "".join(result)


def shown(value: Any) -> Any:  # noqa: ANN401 - whatever an expression gives
    """What stands in the output for the value of an expression; refused where it would be no text of the author's."""
    if type(value) is str:  # as nearly all of them
        return value
    if isinstance(value, str | int | float | jinja2.Undefined):
        return value
    if isinstance(value, Names):
        raise JinjaError(f'"{value.what}" is a group of names', hint=f"write {value.what}.NAME")
    if value is None:
        raise JinjaError("it gives none, which is no text", hint="say what stands there instead, or write | tojson")
    if isinstance(value, list | tuple | Mapping):
        return measured(value)
    raise JinjaError(f"it gives {_kind(value)}, which is no text", hint="end it with | join, | list or | tojson")


def _kind(value: object) -> str:
    return "a function" if callable(value) else f"a {type(value).__name__}"


def replaced(text: str, old: str, new: str, count: int | None = None) -> str:
    """`str.replace`, refused before it makes a text that is too long."""
    text, old, new = str(text), str(old), str(new)
    if UPLOAD_OPEN in text and any(old in name for name in references(text)):
        raise unknown_until_upload(text)
    found = text.count(old)
    if count is not None and count >= 0:
        found = min(found, count)
    if len(text) + found * (len(new) - len(old)) > MAX_OUTPUT:
        raise _too_long()
    return text.replace(old, new, -1 if count is None else count)


@jinja2.pass_environment
def _join(environment: jinja2.Environment, value: Iterable[object], d: str = "", attribute: str | None = None) -> str:
    items = list(value)
    if attribute is not None:
        items = list(map(filters.make_attrgetter(environment, attribute), items))
    texts = [str(measured(item)) for item in items]
    if sum(map(len, texts)) + len(str(d)) * len(texts) > MAX_OUTPUT:
        raise _too_long()
    return str(d).join(texts)


def _sum(value: Iterable[Any], start: Any = 0) -> Any:  # noqa: ANN401 - numbers of any type
    items = list(value)
    if not all(isinstance(item, int | float) for item in (start, *items)):
        raise JinjaError("sum is for numbers", hint="join text with | join")
    return sum(items, start)


def to_json(value: object) -> str:
    """Data as JSON that stands in YAML as it is; text keeps its characters but those YAML readers trip over."""
    # Most values are text, for which an encoder goes through three functions on its way to the one that writes it.
    text = bounded(encode_basestring(measured(value)) if type(value) is str else _ENCODE(measured(value)))
    if text.isascii() and "\x7f" not in text:
        return text
    return bounded(_UNSAFE_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


_UNSAFE_IN_YAML: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def _jsonable(value: object) -> Plain:
    if isinstance(value, jinja2.Undefined):
        str(value)  # raises what is undefined
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple | set | frozenset):
        return list(value)
    raise JinjaError(f"tojson cannot write {_kind(value)}", hint="put | list in front of it")


_ENCODE: Final[Callable[[object], str]] = json.JSONEncoder(ensure_ascii=False, default=_jsonable).encode
"""As `json.dumps`, which would make an encoder for each value."""


_KUBELET: Final = re.compile(r"\$+(?=\()|\${2,}")


def k8s_escape(text: object) -> str:
    """Escape text that the kubelet expands once more.

    Kubernetes: in a container's environment `$$` becomes `$`, and `$(NAME)` a variable's value; any other `$` stays.
    """
    return _KUBELET.sub(lambda run: run[0] * 2, str(text))


def _sh_quote(value: object) -> str:
    return shell.quote(str(measured(value)))


def _sh_join(words: Iterable[object]) -> str:
    return shell.join([str(word) for word in measured(list(words))])


def _bounded(function: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """A filter whose result is held to the bound, so that a chain of them cannot grow without end.

    One that changes text, or says something of it, cannot do so where a part is known only at the upload.
    """
    needs_to_know, of_whole_values = name in _NEEDS_TO_KNOW, name in _OF_WHOLE_VALUES

    def held(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - whatever the filter takes
        if needs_to_know:
            for argument in args:
                if isinstance(argument, Reference) or (
                    isinstance(argument, str) and not of_whole_values and UPLOAD_OPEN in str(argument)
                ):
                    raise unknown_until_upload(str(argument))
        result = function(*args, **kwargs)
        return bounded(result) if isinstance(result, str) else result

    for mark in ("jinja_pass_arg", "jinja_async_variant"):
        if hasattr(function, mark):
            setattr(held, mark, getattr(function, mark))
    return held


def _string(value: object) -> str:
    return str(measured(value))


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    **{name: _bounded(filters.FILTERS[name], name) for name in sorted(_KEPT)},
    "join": _join,
    "k8s_escape": _bounded(k8s_escape),
    "replace": replaced,
    "sh_join": _bounded(_sh_join),
    "sh_quote": _bounded(_sh_quote),
    "string": _string,
    "sum": _sum,
    "tojson": to_json,
}
"""Every filter by name."""
