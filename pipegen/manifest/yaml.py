"""Bytes to located nodes. Built on libyaml's events, so that depth, size and aliases are bounded before they cost.

The limits are far above any real manifest and far below what hurts: they are refused at their place.
"""

import codecs
import re
from collections.abc import Iterator
from collections.abc import Mapping as MappingABC
from typing import Final

import yaml

from pipegen import codes
from pipegen.diagnostics import Related, Span, meant
from pipegen.manifest.building import MAX_DEPTH, QUOTE_IT, UNQUOTED, Builder, TooLargeError, braces, place_of_mark
from pipegen.manifest.located import Node, Report, Scalar
from pipegen.source import MissingError, Tree, UnreadableError

MAX_BYTES: Final = 1 << 20

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BREAK: Final = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufeff\ufffe\uffff\ud800-\udfff]")


def lines(text: str) -> list[str]:
    """Split text into lines as YAML counts them."""
    return _BREAK.split(text)


def read_yaml(tree: Tree, path: str, report: Report, *, named_at: Span | None = None) -> Node | None:
    """Read one file into nodes; None if a diagnostic says why there are none.

    `named_at` is the place that names the file, which is to blame where there is none.
    """
    content = _content(tree, path, report, limit=MAX_BYTES, named_at=named_at)
    return None if content is None else parse_yaml(content, path, report)


def read_text(tree: Tree, path: str, report: Report, *, limit: int) -> str | None:
    """Read one file of at most `limit` bytes as UTF-8 text; None if a diagnostic says why there is none."""
    content = _content(tree, path, report, limit=limit)
    return None if content is None else _decode(content, path, report, limit=limit)


def _content(tree: Tree, path: str, report: Report, *, limit: int, named_at: Span | None = None) -> bytes | None:
    try:
        return tree.read(path, limit=limit)
    except UnreadableError as error:
        at = named_at if isinstance(error, MissingError) and named_at is not None else Span(path=path)
        missing = isinstance(error, MissingError)
        hint = near_path(tree, path, at.path) if missing else "make it a file that can be read"
        report.add(codes.UNREADABLE_FILE, at, f'cannot read "{path}": {error}', hint=hint)
        return None


def near_path(tree: Tree, path: str, named_in: str, usual: str = "") -> str:
    """The help line for a path that is not there: the file or folder that was probably meant.

    It is looked for in the path's own folder, beside the file that names it, and at the usual place: a whole
    repository is too much to search. A path that ends with `/` is a folder's.
    """
    beside: set[str] = set()
    for place in (path.rstrip("/").rpartition("/")[0], named_in.rpartition("/")[0], usual):
        try:
            beside.update(tree.under(place) if place else ())
        except UnreadableError:
            continue
    if path.endswith("/"):
        beside = {f"{folder}/" for file in beside for folder in _folders(file)}
    return meant(path, beside)


def _folders(file: str) -> Iterator[str]:
    """The folders that a file lies in."""
    while (file := file.rpartition("/")[0]) != "":
        yield file


def parse_yaml(content: bytes, path: str, report: Report) -> Node | None:
    """Parse the bytes of one file into nodes; None if a diagnostic says why there are none."""
    text = _decode(content, path, report, limit=MAX_BYTES)
    if text is None:
        return None
    before = len(report.found)
    builder = Builder(path=path, text=text, report=report)
    root: Node | None = None
    try:
        root = builder.build(yaml_events(text))
    except yaml.MarkedYAMLError as error:
        _syntax_error(error, text, path, report)
    except yaml.YAMLError as error:
        report.add(codes.YAML_SYNTAX, _after("", path), "not YAML: " + " ".join(str(error).split()))
    except TooLargeError as error:
        report.add(codes.TOO_LARGE, error.span, str(error), hint=error.hint)
    if root is not None and not (isinstance(root, Scalar) and root.is_empty):
        return root
    if len(report.found) == before:
        report.add(codes.EMPTY_FILE, _after("", path), "the file holds nothing", hint="fill it, or delete it")
    return None


def yaml_events(text: str) -> Iterator[yaml.Event]:
    """The events that libyaml makes of a text, one at a time; the caller bounds what it builds of them."""
    loader = _LOADER(text)
    try:
        while type(event := loader.get_event()) is not yaml.StreamEndEvent:
            yield event
    finally:
        loader.dispose()


def _decode(content: bytes, path: str, report: Report, *, limit: int) -> str | None:
    if len(content) > limit:
        message = f"the file has more than {limit:,} bytes"
        report.add(codes.TOO_LARGE, Span(path=path), message, hint="split it into several files")
        return None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8", errors="replace")
        utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        found = "the file is UTF-16" if utf16 else f"byte 0x{content[error.start]:02x} is not UTF-8"
        report.add(codes.NOT_UTF8, _after(before, path), found, hint="save the file as UTF-8")
        return None
    if bad := _UNPRINTABLE.search(text):
        number = ord(bad[0])
        report.add(
            codes.FORBIDDEN_CHARACTER,
            _after(text[: bad.start()], path),
            f"character U+{number:04X} cannot stand in YAML",
            hint="remove it" + (f', or write "\\u{number:04x}" in double quotes' if number else ""),
        )
        return None
    return text


def _after(before: str, path: str) -> Span:
    """The character that comes after some text of a file."""
    seen = lines(before)
    line, column = len(seen), len(seen[-1]) + 1
    return Span(path=path, line=line, column=column, end_line=line, end_column=column + 1)


_HERE: Final = "here"
_CLOSE: Final = 'close it, or put a value that holds ": ", "," or a bracket in double quotes'
_TAG: Final = ('"!" begins a tag', QUOTE_IT, _HERE)
_TAB: Final = ("a tab cannot stand here", "indent with spaces")
_FAULTS: Final[MappingABC[str, tuple[str, str, str]]] = {
    "could not find expected ':'": ('expected ":" after this key', "write KEY: VALUE", _HERE),
    "found unexpected end of stream": ("a quote that is never closed", "close it with the same quote", _HERE),
    "found unknown escape character": ("unknown escape in double quotes", "write it in single quotes", ""),
    "mapping values are not allowed in this context": ('a second ":" in one line', QUOTE_IT, ""),
    "did not find expected key": ("expected a key", "begin all keys of a mapping in one column", "the mapping begins"),
    "did not find expected '-' indicator": ('expected "- "', "begin all items in one column", "the list begins"),
    "did not find expected ',' or ']'": ('expected "," or "]"', _CLOSE, "the list begins"),
    "did not find expected ',' or '}'": ('expected "," or "}"', _CLOSE, "the mapping begins"),
    "did not find expected alphabetic or numeric character": ('"*" begins an alias, "&" an anchor', QUOTE_IT, _HERE),
    "did not find expected whitespace or line break": _TAG,
    "did not find expected tag URI": _TAG,
    "found undefined tag handle": _TAG,
}
"""What libyaml's problems mean to an author: the message, what to type, and what stands where libyaml began to read
the thing that it gave up on (`_HERE`: the mistake itself)."""


def _syntax_error(error: yaml.MarkedYAMLError, text: str, path: str, report: Report) -> None:
    line, column = place_of_mark(error.problem_mark or error.context_mark)
    source = ["", *lines(text), ""]
    if error.problem == "exceeded maximum nesting depth":  # of libyaml itself, which reads ahead
        report.add(codes.TOO_LARGE, _after("", path), f"nested more than {MAX_DEPTH} levels deep", hint="nest less")
        return
    for at in (line, line - 1):
        if unquoted := re.search(r"(?:^|[:\[,-])\s*(\{\{)", source[at]):
            report.add(codes.UNQUOTED_JINJA, braces(path, at, unquoted.start(1) + 1), UNQUOTED, hint=QUOTE_IT)
            return
    problem = error.problem or "cannot be read"
    message, hint, start = _FAULTS.get(problem, (problem, "", ""))
    if problem == "found character that cannot start any token":
        found = source[line][column - 1 : column]
        message, hint = _TAB if found == "\t" else (f'no value begins with "{found}"', QUOTE_IT)
    related: tuple[Related, ...] = ()
    if error.context_mark is not None and start == _HERE:
        line, column = place_of_mark(error.context_mark)
    elif error.context_mark is not None and start:
        begun = place_of_mark(error.context_mark)
        related = (Related(span=Span(path=path, line=begun[0], column=begun[1]), note=f"{start} here"),)
    if line >= len(source) - 1:  # libyaml looks for more below the last line
        line, column = len(source) - 2, len(source[-2]) + 1
    place = Span(path=path, line=line, column=column, end_line=line, end_column=column + 1)
    report.add(codes.YAML_SYNTAX, place, f"not YAML: {message}", hint=hint, related=related)
