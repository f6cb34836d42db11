"""Jinja for strangers' text: sandboxed, bounded in steps and output, every undefined name an error.

Two dialects: expressions in values of manifests (`{{ … }}` alone: `${#A[@]}` and `{% … %}` are the shell's), and
whole templates. Both see the same sandbox.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import jinja2
from jinja2 import nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from pipegen import shell
from pipegen.diagnostics import did_you_mean
from pipegen.dollar import upload_reference
from pipegen.manifest.located import JINJA
from pipegen.plain import Plain

MAX_OUTPUT: Final = 1 << 20
"""Characters that one expression or template may produce, at any point."""
MAX_STEPS: Final = 100_000
"""Turns of loops and calls of macros that one rendering may take."""

_MATRIX: Final = re.compile(r"\{\{\s*matrix\s*(?:\.[\w.-]+)?\s*\}\}")
# Noncharacters, which authored text cannot hold: they stand for text that Jinja must not see or change.
_KEPT_OPEN, _KEPT_CLOSE, _CARRIAGE_RETURN, _OFF = "\ufdd2", "\ufdd3", "\ufdd4", "\ufdd5"
_KEPT: Final = re.compile(f"{_KEPT_OPEN}([0-9]+){_KEPT_CLOSE}")

_FILTERS: Final = frozenset(
    """abs capitalize count d default dictsort first float int items join last length list lower map max min reject
    rejectattr replace select selectattr sort string sum title trim unique upper""".split()
)
_TESTS: Final = frozenset(
    """boolean defined divisibleby eq equalto even false float ge greaterthan gt in integer iterable le lessthan lower
    lt mapping ne none number odd sequence string true undefined upper""".split()
)
_METHODS: Final = frozenset(
    """count endswith find get index items keys lower lstrip partition removeprefix removesuffix replace rpartition
    rsplit rstrip split splitlines startswith strip title upper values""".split()
)


class JinjaError(Exception):
    """An expression or template that cannot be evaluated: what is wrong, what to do, and in which line (from 1)."""

    def __init__(self, message: str, *, hint: str = "", line: int = 0) -> None:
        super().__init__(message)
        self.hint = hint
        self.line = line


class Names(Mapping[str, object]):
    """A group of names that expressions read as `what.NAME`; an unknown one is an error that says what there is."""

    def __init__(self, what: str, values: Mapping[str, object], *, unknown: str = "") -> None:
        self.what = what
        self._values = values
        self._unknown = unknown

    def __getitem__(self, name: str) -> object:
        if name not in self._values:
            raise JinjaError(
                f'"{self.what}.{name}" is not defined', hint=self._unknown or did_you_mean(name, self._values)
            )
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Any:  # noqa: ANN401 - Mapping's own signature
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class Facts(Names):
    """Free-form names, where a template may ask whether one `is defined`."""

    def __getitem__(self, name: str) -> object:
        return self._values[name]


class Upload(Names):
    """`upload.NAME`: a value that only the agent knows when it uploads."""

    def __init__(self) -> None:
        super().__init__("upload", {})

    def __getitem__(self, name: str) -> object:
        try:
            return upload_reference(name)
        except ValueError as error:
            raise JinjaError(f'"upload.{name}" is no variable that the agent can fill in: {error}') from error


def to_json(value: object) -> str:
    """Data as JSON that stands in YAML as it is; text keeps its characters but those YAML readers trip over."""
    text = json.dumps(value, ensure_ascii=False, default=_jsonable)
    return _UNSAFE_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


_UNSAFE_IN_YAML: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def _jsonable(value: object) -> Plain:
    if isinstance(value, jinja2.Undefined):
        str(value)  # raises what is undefined
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple | set | frozenset):
        return list(value)
    raise JinjaError(f"tojson cannot write {type(value).__name__}")


_KUBELET: Final = re.compile(r"\$+(?=\()|\${2,}")


def k8s_escape(text: object) -> str:
    """Escape text that the kubelet expands once more.

    Kubernetes: in a container's environment `$$` becomes `$`, and `$(NAME)` a variable's value; any other `$` stays.
    """
    return _KUBELET.sub(lambda run: run[0] * 2, str(text))


def _sh_quote(value: object) -> str:
    return shell.quote(str(value))


def _sh_join(words: Iterable[object]) -> str:
    return shell.join([str(word) for word in words])


class _Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox with what it lacks against strangers: a budget, no formatting, few filters and methods."""

    intercepted_binops = frozenset({"*", "**", "%"})

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - Jinja's own options
        super().__init__(undefined=jinja2.StrictUndefined, autoescape=False, keep_trailing_newline=True, **options)
        self.filters = {name: _bounded(self.filters[name]) for name in _FILTERS}
        self.filters |= {"tojson": to_json, "sh_quote": _sh_quote, "sh_join": _sh_join, "k8s_escape": k8s_escape}
        self.tests = {name: self.tests[name] for name in _TESTS}
        self.globals = {"range": self._range, "namespace": jinja2.utils.Namespace, "pipegen_step": self._step}
        self._steps = 0

    def start(self) -> None:
        """Begin a rendering with a full budget."""
        self._steps = 0

    def _step(self) -> str:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise JinjaError(f"it takes more than {MAX_STEPS:,} steps")
        return ""

    def _range(self, *bounds: int) -> range:
        result = range(*bounds)
        if len(result) > 10_000:
            raise JinjaError("range() gives more than 10,000 numbers")
        return result

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """Count the turns of every loop and the calls of every macro, from inside of the template."""
        tree = super()._parse(source, name, filename)
        bodies = [node.body for node in tree.find_all(nodes.For)]
        bodies += [node.body for node in tree.find_all(nodes.Macro)]
        bodies += [node.body for node in tree.find_all(nodes.CallBlock)]
        for body in bodies:
            step = nodes.Call(nodes.Name("pipegen_step", "load"), [], [], None, None)
            body.insert(0, nodes.Output([step]).set_lineno(1))
        return tree

    def getattr(self, obj: Any, attribute: str) -> Any:  # noqa: ANN401 - Jinja's own signature
        if not isinstance(obj, Names):
            return super().getattr(obj, attribute)
        try:
            return obj[attribute]
        except KeyError:
            return self.undefined(hint=f'"{obj.what}.{attribute}" is not defined')

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:  # noqa: ANN401 - Jinja's own signature
        if isinstance(obj, str | list | tuple | dict | Mapping) and callable(value) and attr not in _METHODS:
            return False
        return super().is_safe_attribute(obj, attr, value)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:  # noqa: ANN401
        if not all(isinstance(side, int | float) for side in (left, right)):
            raise JinjaError(f'"{operator}" is for numbers', hint="join text with ~")
        if operator == "**" and (abs(left) > 1_000_000 or abs(right) > 64):
            raise JinjaError('"**" is for small numbers')
        return super().call_binop(context, operator, left, right)


def _bounded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter whose result is held to the bound, so that a chain of them cannot grow without end."""

    def check(result: Any) -> Any:  # noqa: ANN401 - whatever the filter gives
        if isinstance(result, str) and len(result) > MAX_OUTPUT:
            raise JinjaError(f"it produces more than {MAX_OUTPUT:,} characters")
        return result

    def bounded(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - whatever the filter takes
        return check(function(*args, **kwargs))

    for mark in ("jinja_pass_arg", "jinja_async_variant"):
        if hasattr(function, mark):
            setattr(bounded, mark, getattr(function, mark))
    return bounded


def _joined(pieces: Iterable[str]) -> str:
    result: list[str] = []
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > MAX_OUTPUT:
            raise JinjaError(f"it produces more than {MAX_OUTPUT:,} characters")
        result.append(piece)
    return "".join(result)


def _translated(error: Exception) -> JinjaError:
    """Jinja's error in our words; the template's line where Jinja knows it."""
    match error:
        case JinjaError():
            return error
        case jinja2.TemplateSyntaxError():
            return JinjaError(_lower(error.message or "not Jinja"), line=error.lineno)
        case jinja2.TemplateNotFound():
            return JinjaError(f'there is no template "{error.name}"')
        case RecursionError():
            return JinjaError("it calls itself without end")
        case _:
            return JinjaError(_lower(str(error)) or type(error).__name__)


def _lower(text: str) -> str:
    text = " ".join(text.split()).rstrip(".")
    return text[:1].lower() + text[1:] if not text[:2].isupper() else text


_FAULTS: Final = (
    jinja2.TemplateError,
    JinjaError,
    ArithmeticError,
    LookupError,
    TypeError,
    ValueError,
    RecursionError,
    AttributeError,
)


class Expressions:
    """Evaluates `{{ … }}` in values. Compiles each text once; everything else of the text stays as it is."""

    def __init__(self) -> None:
        self._sandbox = _Sandbox(
            block_start_string=_OFF + "%",
            block_end_string="%" + _OFF,
            comment_start_string=_OFF + "#",
            comment_end_string="#" + _OFF,
        )
        self._compiled: dict[str, jinja2.Template] = {}

    def evaluate(self, text: str, names: Mapping[str, object]) -> str:
        """The text with its expressions replaced by their values.

        Raises:
            JinjaError: an expression is malformed, reads something that is not defined, or costs too much.
        """
        if "{{" not in text or not JINJA.search(text):
            return text
        kept: list[str] = []

        def keep(found: re.Match[str]) -> str:
            kept.append(found[0])
            return f"{_KEPT_OPEN}{len(kept) - 1}{_KEPT_CLOSE}"

        source = _MATRIX.sub(keep, text).replace("\r", _CARRIAGE_RETURN)
        self._sandbox.start()
        try:
            if source not in self._compiled:
                self._compiled[source] = self._sandbox.from_string(source)
            template = self._compiled[source]
            result = _joined(template.root_render_func(template.new_context(dict(names))))
        except _FAULTS as error:
            raise _translated(error) from error
        return _KEPT.sub(lambda found: kept[int(found[1])], result.replace(_CARRIAGE_RETURN, "\r"))


class Templates:
    """Renders template files of one folder; `{% include %}` and `{% import %}` reach that folder alone."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sandbox = _Sandbox(loader=jinja2.DictLoader(sources), trim_blocks=True, lstrip_blocks=True)

    def render(self, name: str, names: Mapping[str, object]) -> str:
        """What the template makes of the names.

        Raises:
            JinjaError: the template is missing or malformed, reads something undefined, or costs too much.
        """
        self._sandbox.start()
        try:
            template = self._sandbox.get_template(name)
            return _joined(template.root_render_func(template.new_context(dict(names))))
        except _FAULTS as error:
            raise _translated(error) from error
