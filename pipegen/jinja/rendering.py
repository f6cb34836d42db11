"""Expressions in values, and whole templates, evaluated; what goes wrong comes back in words of ours."""

import re
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Final

import jinja2
from jinja2 import meta

from pipegen.diagnostics import did_you_mean
from pipegen.dollar import UPLOAD_CLOSE, UPLOAD_OPEN
from pipegen.dollar import references as upload_references
from pipegen.jinja.filters import FILTERS, joined, shown
from pipegen.jinja.names import JinjaError
from pipegen.jinja.sandbox import Sandbox
from pipegen.manifest.located import JINJA

_MATRIX: Final = re.compile(r"\{\{\s*matrix\s*(?:\.[\w.-]+)?\s*\}\}")
# Noncharacters, which authored text cannot hold: they stand for text that Jinja must not see or change.
_KEPT_OPEN, _KEPT_CLOSE, _CARRIAGE_RETURN, _OFF = "\ufdd2", "\ufdd3", "\ufdd4", "\ufdd5"
_KEPT: Final = re.compile(f"{_KEPT_OPEN}([0-9]+){_KEPT_CLOSE}")

_PATH: Final = re.compile(r"(?<!\{)\{\{\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*\}\}", re.ASCII)
"""An expression that only names a value. Jinja's own words (`true`) are among no names, and so left to Jinja."""

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
_UNDEFINED: Final = re.compile(r"'([^']*)' is undefined")
_EXPECTED: Final = re.compile(r"[Ee]xpected (?:token '(.+)'|an expression), got '(.+)'", re.DOTALL)
_AN_EXPRESSION: Final = '"an expression"'
_UNCLOSED: Final = re.compile(r"innermost block that needs to be closed is '(\w+)'")
_NO_FILTER: Final = re.compile(r"[Nn]o (filter|test) named '(.*?)'", re.DOTALL)
_ENDS: Final[Mapping[str, str]] = {
    "end of print statement": "the end of the expression",
    "end of statement block": "the end of the block",
    "end of template": "the end of the file",
}


TEMPLATE_SUFFIX: Final = ".yaml.j2"
"""What the file of a template is called behind its name; other files of its folder are parts of templates."""


def references(source: str) -> frozenset[str] | None:
    """The files that a template includes, imports or extends; None where only rendering it would tell."""
    try:
        found = set(meta.find_referenced_templates(Sandbox().parse(source)))
    except jinja2.TemplateError:
        return None
    return None if None in found else frozenset(name for name in found if name is not None)


class Expressions:
    """Evaluates `{{ … }}` in values. Compiles each text once; everything else of the text stays as it is."""

    def __init__(self) -> None:
        self._sandbox = Sandbox(
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
        try:
            self._sandbox.start()
            filled = self._filled(source, names)
            result = self._sandbox.wrote(self._rendered(source, names) if filled is None else filled)
        except _FAULTS as error:
            raise _translated(error, names) from error
        if UPLOAD_OPEN in result or UPLOAD_CLOSE in result:
            _check_references(result)
        return _KEPT.sub(lambda found: kept[int(found[1])], result.replace(_CARRIAGE_RETURN, "\r"))

    def _filled(self, source: str, names: Mapping[str, object]) -> str | None:
        """The text if nothing but `{{ NAME.NAME }}` stands in it and all of them are there; else None, for Jinja.

        Nine of ten are like that (`{{ title }}`), and Jinja takes a hundred times as long to compile one.
        """
        pieces = _PATH.split(source)
        if any("{{" in text for text in pieces[::2]):
            return None
        try:
            pieces[1::2] = [self._value(path, names) for path in pieces[1::2]]
        except _FAULTS:
            return None  # Jinja says it better
        return joined(pieces)

    def _value(self, path: str, names: Mapping[str, object]) -> str:
        first, *rest = path.split(".")
        value = names[first]
        for name in rest:
            value = self._sandbox.getattr(value, name)
        return str(shown(value))

    def _rendered(self, source: str, names: Mapping[str, object]) -> str:
        if source not in self._compiled:
            self._compiled[source] = self._sandbox.from_string(source)
        template = self._compiled[source]
        return joined(template.root_render_func(template.new_context(dict(names))))


class Templates:
    """Renders template files of one folder; `{% include %}` and `{% import %}` reach that folder alone."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self._sandbox = Sandbox(loader=jinja2.DictLoader(sources), trim_blocks=True, lstrip_blocks=True)

    def render(self, name: str, names: Mapping[str, object]) -> str:
        """What the template makes of the names.

        Raises:
            JinjaError: the template is missing or malformed, reads something undefined, or costs too much.
        """
        try:
            self._sandbox.start()
            template = self._sandbox.get_template(name)
            text = self._sandbox.wrote(joined(template.root_render_func(template.new_context(dict(names)))))
            _check_references(text)
        except _FAULTS as error:
            raise _translated(error, names, self._sources) from error
        return text


def _check_references(text: str) -> None:
    """Refuse a text that holds a piece of the mark that stands for a value that only the agent knows."""
    try:
        upload_references(text)
    except ValueError as error:
        message = "it cuts a value apart that is known only when the agent uploads"
        raise JinjaError(message, hint="put upload.NAME into the text as it is, or cut in the job's shell") from error


def _translated(error: Exception, names: Iterable[str], files: Iterable[str] = ()) -> JinjaError:
    """Jinja's error in our words, with the template and line in which it happened as far as Jinja knows them."""
    template, line = _place(error.__traceback__)
    match error:
        case JinjaError():
            said = error
        case jinja2.TemplateSyntaxError():
            said = _syntax(error)
            template, line = error.name or template, error.lineno
        case jinja2.TemplateNotFound():
            said = JinjaError(f'there is no file "{error.name}" among the templates')
            said.hint = did_you_mean(str(error.name), files)
        case jinja2.UndefinedError() if found := _UNDEFINED.fullmatch(str(error)):
            said = JinjaError(f'"{found[1]}" is not defined', hint=did_you_mean(found[1], names))
        case jinja2.TemplateRuntimeError() if found := _NO_FILTER.match(str(error)):
            said = _no_filter(found)
        case RecursionError():
            said = JinjaError("it calls itself without end", hint="let it stop calling itself")
        case _:
            said = JinjaError(_plain_words(str(error)) or type(error).__name__)
    return JinjaError(str(said), hint=said.hint, template=template, line=line)


def _place(trace: TracebackType | None) -> tuple[str | None, int]:
    """The innermost template that was at work, and its line."""
    found: tuple[str | None, int] = (None, 0)
    while trace is not None:
        template = trace.tb_frame.f_globals.get("__jinja_template__")
        if isinstance(template, jinja2.Template):
            found = (template.name, template.get_corresponding_lineno(trace.tb_lineno))
        trace = trace.tb_next
    return found


def _syntax(error: jinja2.TemplateSyntaxError) -> JinjaError:
    message = error.message or "not Jinja"
    if found := _NO_FILTER.match(message):
        return _no_filter(found)
    if found := _UNCLOSED.search(message):
        return JinjaError(f'a "{found[1]}" is never closed', hint=f"write {{% end{found[1]} %}}")
    if "end of template, expected 'end of print statement'" in message:
        return JinjaError("an expression has no end", hint="close it with }}")
    if found := _EXPECTED.match(message):
        wanted, got = (_ENDS.get(word, f'"{word}"') for word in (found[1] or "an expression", found[2]))
        message = f"expected {wanted.replace(_AN_EXPRESSION, _AN_EXPRESSION[1:-1])}, found {got}"
    literal = "a literal {{ is written {{ '{{' }}"
    closed = "close what is open: {{ … }}, {% … %}, {# … #}, brackets and quotes"
    return JinjaError(_plain_words(message), hint=literal if error.name is None else closed)


def _no_filter(found: re.Match[str]) -> JinjaError:
    hint = did_you_mean(found[2], FILTERS) if found[1] == "filter" else ""
    return JinjaError(f'no {found[1]} is called "{found[2]}"', hint=hint)


def _plain_words(text: str) -> str:
    """Jinja's sentence as a message: one line, lower case, double quotes."""
    text = re.sub(r"'([^']*)'", r'"\1"', " ".join(text.split())).rstrip(".")
    return text[:1].lower() + text[1:] if not text[:2].isupper() else text
