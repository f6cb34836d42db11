"""Inputs that nobody would write, and what must hold whatever pipegen is given.

Every input has a number; the same seed and number make the same input on every machine.
"""

import functools
import json
import random
import re
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType, MappingProxyType
from typing import Final

import yaml

from pipegen import app
from pipegen.app.linting import lint
from pipegen.app.request import Wanted
from pipegen.diagnostics import MAX_MESSAGE, Diagnostic, PipegenError, WrongUsageError, has_errors
from pipegen.manifest.located import Report
from pipegen.manifest.yaml import lines, parse_yaml
from pipegen.plain import Plain
from pipegen.report.text import Style, render_text
from tests.support.bases import Base, every_golden
from tests.support.fields import every_field
from tests.support.schemas import as_editors_read
from tests.support.tiny import tiny
from tests.support.traps import TEXTS
from tests.support.typos import misspellings

_SHARE_OF_TINY: Final = 0.9
"""A few lines meet most of the code in a tenth of the time; the goldens bring what needs more around it."""
_LINTED: Final = 20
"""Of so many inputs one goes through all rules as well."""
SECONDS: Final = 20
"""What one input may take, on a machine that does other things as well."""

_TEMPLATE: Final = b'commands: {{ job.commands | map(attribute="run") | list | tojson }}\nenv: {{ job.env | tojson }}\n'
_BUILDS: Final = (
    app.Asked(every=True),
    app.Asked(changed_files=b"src/engine/a.py\nareas/engine.yaml\n"),
    app.Asked(changed_files=b"docs/index.md\n", labels=("ready",)),
)
_SCALARS: Final = (
    "", "null", "true", "False", "~", "0", "-1", "007", "0x1F", "1e3", "1.10", "2024-01-01", "+", "*", "<<", "no", "on",
    "{{ vars.REPOSITORY }}", "{{ nope }}", "{{", "}}", "{{ upload.BUILDKITE_COMMIT }}", "{{matrix}}", "$HOME", "\\$X",
    "l4", "amd", "engine/core", "image-build", "nightly", "../..", "//x", "a::b", "**/x", "#1", "\ufeff", "é", "🚀",
    "x" * 101, "k and not m", "(", "a or", "build.branch == 'main'",
)  # fmt: skip
_SNIPPETS: Final = (
    "\t", "  ", "- ", ": ", "? ", "| \n", ">-\n", "&a ", "*a", "!x ", "{", "}", "[", "]", "'", '"', "#", "%", "@", "`",
    "\n\n", "---\n", "...\n", "<<: *a\n", "\r\n", "\x85", "\u2028", "{{ ", " }}", "{% if %}", "{# #}", "null", "+",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One input: the workspace that it was made of, the file that was changed, and the build that it is made for."""

    number: int
    mode: str
    base: Base
    path: str
    content: bytes
    asked: app.Asked

    @property
    def files(self) -> Mapping[str, bytes]:
        """All files."""
        return {**self.base.files, self.path: self.content}


@functools.cache
def _bases() -> tuple[Base, ...]:
    """Golden workspaces of the language, with a template that is quick to compile in the place of packaged ones."""
    found = []
    for base in every_golden():
        if base.name.startswith("diagnostics/"):
            continue
        templates = {f"templates/{name}.yaml.j2": _TEMPLATE for name in ("plain",)}
        files = {**templates, **base.files}
        if base.authored and sum(map(len, files.values())) < 50_000:
            found.append(Base(name=base.name, files=files, authored=base.authored, pipeline=base.pipeline))
    return tuple(found)


@functools.cache
def _words() -> tuple[str, ...]:
    """The vocabulary of the language."""
    return tuple(sorted({part for name in every_field() for part in name.split(".")}))


def make(seed: str, number: int) -> Input:
    """The input of a number."""
    chance = random.Random(f"{seed}:{number}")
    base = chance.choice(tiny() if chance.random() < _SHARE_OF_TINY else _bases())
    path = chance.choice([path for path in base.files if path.endswith((".yaml", ".j2"))])
    mode = chance.choice(tuple(MODES))
    content = MODES[mode](base.files[path], chance)
    return Input(number=number, mode=mode, base=base, path=path, content=content, asked=chance.choice(_BUILDS))


def _any_bytes(_content: bytes, chance: random.Random) -> bytes:
    return chance.randbytes(chance.choice((0, 1, 3, 20, 200, 2000)))


def _changed_bytes(content: bytes, chance: random.Random) -> bytes:
    found = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        if found:
            found[chance.randrange(len(found))] = chance.randrange(256)
    return bytes(found)


def _any_yaml(_content: bytes, chance: random.Random) -> bytes:
    return _written(_tree(chance, 4), chance)


def _changed_text(content: bytes, chance: random.Random) -> bytes:
    text = content.decode("utf-8", errors="replace")
    for _ in range(chance.randint(1, 4)):
        text = chance.choice(_EDITS)(text, chance)
    return text.encode()


def _changed_tree(content: bytes, chance: random.Random) -> bytes:
    root = parse_yaml(content, "x", Report())
    if root is None:
        return _any_yaml(content, chance)
    tree = json.loads(json.dumps(as_editors_read(root)))
    for _ in range(chance.randint(1, 3)):
        tree = _mutated(tree, chance)
    return _written(tree, chance)


MODES: Final[Mapping[str, Callable[[bytes, random.Random], bytes]]] = MappingProxyType(
    {
        "any bytes": _any_bytes,
        "changed bytes": _changed_bytes,
        "any YAML": _any_yaml,
        "changed text": _changed_text,
        "changed tree": _changed_tree,
        "tree changed twice": _changed_tree,
    }
)
"""What is put in the place of a file."""


def _written(tree: object, chance: random.Random) -> bytes:
    if chance.random() < 0.5:
        return json.dumps(tree, ensure_ascii=False).encode("utf-8", errors="replace")
    return yaml.safe_dump(tree, allow_unicode=True, default_flow_style=None, sort_keys=False).encode(
        "utf-8", errors="replace"
    )


def _tree(chance: random.Random, depth: int) -> object:
    kind = chance.random()
    if depth == 0 or kind < 0.3:
        return chance.choice((*_SCALARS, *TEXTS, *_words(), None, True, 1, 1.5, -1))
    if kind < 0.5:
        return [_tree(chance, depth - 1) for _ in range(chance.randint(0, 4))]
    return {_key(chance): _tree(chance, depth - 1) for _ in range(chance.randint(0, 5))}


def _key(chance: random.Random) -> str:
    word = chance.choice((*_words(), *_SCALARS)) if chance.random() < 0.9 else chance.choice(TEXTS)
    slips = misspellings(word) if chance.random() < 0.1 and 0 < len(word) < 40 else ()
    return chance.choice(slips) if slips else word


def _places(tree: object) -> Iterator[tuple[object, object]]:
    """Every container with every key or index of it."""
    pending = [tree]
    while pending:
        node = pending.pop()
        items = (
            list(node.items()) if isinstance(node, dict) else list(enumerate(node)) if isinstance(node, list) else []
        )
        for at, inner in items:
            yield node, at
            pending.append(inner)


def _mutated(tree: object, chance: random.Random) -> object:
    places = list(_places(tree))
    if not places:
        return _tree(chance, 3)
    holder, at = chance.choice(places)
    other, there = chance.choice(places)
    kind = chance.randrange(7)
    if isinstance(holder, dict):
        _change_mapping(holder, at, kind, chance, _value(other, there))
    elif isinstance(holder, list) and isinstance(at, int):
        _change_list(holder, at, kind, chance, _value(other, there))
    return tree


def _value(holder: object, at: object) -> object:
    """A copy of what stands at a place, so that no tree ever holds itself."""
    match holder, at:
        case dict(), _:
            value = holder[at]
        case list(), int():
            value = holder[at]
        case _:
            value = None
    found: object = json.loads(json.dumps(value))
    return found


def _change_mapping(holder: dict[object, object], at: object, kind: int, chance: random.Random, other: object) -> None:
    match kind:
        case 0:
            del holder[at]
        case 1:
            holder[_key(chance)] = holder.pop(at)
        case 2:
            holder[_key(chance)] = _tree(chance, 2)
        case 3:
            holder[at] = other
        case 4:
            holder[_key(chance)] = other
        case 5:
            holder[at] = [holder[at]] if chance.random() < 0.5 else {_key(chance): holder[at]}
        case _:
            holder[at] = _tree(chance, chance.randint(0, 2))


def _change_list(holder: list[object], at: int, kind: int, chance: random.Random, other: object) -> None:
    match kind:
        case 0:
            del holder[at]
        case 1:
            holder.insert(at, other)
        case 2:
            chance.shuffle(holder)
        case 3:
            holder.insert(at, holder[at])
        case _:
            holder[at] = _tree(chance, chance.randint(0, 2))


def _without_line(text: str, chance: random.Random) -> str:
    rows = text.split("\n")
    del rows[chance.randrange(len(rows))]
    return "\n".join(rows)


def _line_again(text: str, chance: random.Random) -> str:
    rows = text.split("\n")
    rows.insert(chance.randrange(len(rows)), chance.choice(rows))
    return "\n".join(rows)


def _indented(text: str, chance: random.Random) -> str:
    rows = text.split("\n")
    at = chance.randrange(len(rows))
    rows[at] = " " * chance.randint(0, 8) + rows[at].lstrip()
    return "\n".join(rows)


def _inserted(text: str, chance: random.Random) -> str:
    at = chance.randint(0, len(text))
    return text[:at] + chance.choice((*_SNIPPETS, *_SCALARS)) + text[at:]


def _cut(text: str, chance: random.Random) -> str:
    start = chance.randint(0, len(text))
    return text[:start] + text[start + chance.randint(0, 20) :]


def _ended(text: str, chance: random.Random) -> str:
    return text[: chance.randint(0, len(text))]


def _word_changed(text: str, chance: random.Random) -> str:
    words = text.split(" ")
    words[chance.randrange(len(words))] = chance.choice((*_words(), *_SCALARS))
    return " ".join(words)


_EDITS: Final = (_without_line, _line_again, _indented, _inserted, _cut, _ended, _word_changed)


class TooSlowError(Exception):
    """An input took longer than any may."""


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raise `TooSlowError` inside of what takes longer; for the main thread of a process alone."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def fault(given: Input) -> str | None:
    """What is wrong with how pipegen deals with an input; None where nothing is."""
    try:
        with time_limit(SECONDS):
            return _fault(given)
    except TooSlowError:
        return f"it takes more than {SECONDS} seconds"
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        return f"{type(error).__name__}: {error}"


def outcome(given: Input) -> str:
    """What became of an input, for the count: the exit code that `pipegen generate` ends with."""
    try:
        product = app.generate(given.base.request({given.path: given.content}), app.Output(), given.asked)
    except WrongUsageError:
        return "exit 2"
    except PipegenError:
        return "exit 3"
    return "exit 0" if product.document is not None else "exit 1"


def _fault(given: Input) -> str | None:
    request = given.base.request({given.path: given.content})
    try:
        product = app.generate(request, app.Output(), given.asked)
    except WrongUsageError as error:
        return None if _one_line(str(error)) else f"said in several lines: {error}"
    except PipegenError as error:
        known = "version" in str(error)  # of the language; all else is a mistake somewhere in the files
        return None if known and _one_line(str(error)) else f"exit 3: {error}"
    return _wrong_product(product) or _wrong_diagnostics(given, product.diagnostics) or _wrong_lint(given, product)


def _wrong_lint(given: Input, product: app.Product) -> str | None:
    """The lint finds what stops `generate`, in a few of the inputs: rules take longer than all else."""
    if given.number % _LINTED:
        return None
    request = given.base.request({given.path: given.content})
    linted = lint(request, Wanted(today="2026-11-30"))
    if has_errors(product.diagnostics) and not has_errors(linted.diagnostics):
        return "lint finds no error where generate does"
    return _wrong_diagnostics(given, linted.diagnostics)


def _wrong_product(product: app.Product) -> str | None:
    """A document is whole, or there is none."""
    if (product.document is None) != has_errors(product.diagnostics):
        return "a document in spite of errors, or none without any"
    if product.document is None or product.document.startswith("# pipegen: nothing selected"):
        return None
    read = yaml.load(product.document, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    steps = [step for group in read["steps"] for step in group["steps"]]
    if not steps or any("command" not in step and "plugins" not in step and "block" not in step for step in steps):
        return "a step that does nothing"
    keys = [step["key"] for step in steps]
    return "a key twice" if len(keys) != len(set(keys)) else None


def _wrong_diagnostics(given: Input, found: tuple[Diagnostic, ...]) -> str | None:
    """Each is one line, at a place that is there."""
    for one in found:
        if not 0 < len(one.message) <= MAX_MESSAGE or len(one.help) > MAX_MESSAGE:
            return f"nothing said, or too much: {one.message!r} {one.help!r}"
        for span in (one.span, *(related.span for related in one.related)):
            content = given.files.get(span.path)
            if span.line and content is not None and not _inside(content, span.line, span.column):
                return f"{span} is outside of the file: {one.message}"
    texts = {path: content.decode("utf-8", errors="replace") for path, content in given.files.items()}
    shown = render_text(found, texts.get, Style(color=False), shown_path=lambda path: path)
    heads = re.findall(r"^\S.* PG\d\d\d .* \[[a-z0-9-]+\]$", shown, re.M)
    return None if len(heads) == len(found) else f"{len(found)} diagnostics and {len(heads)} lines that say so"


def _inside(content: bytes, line: int, column: int) -> bool:
    rows = lines(content.decode("utf-8-sig", errors="replace"))
    return line <= len(rows) and column <= len(rows[line - 1]) + 2


def _one_line(text: str) -> bool:
    return bool(text) and "\n" not in text and len(text) < 4000


def reproduced(given: Input) -> Mapping[str, Plain]:
    """What is needed to look at an input again."""
    return {
        "number": given.number,
        "mode": given.mode,
        "base": given.base.name,
        "path": given.path,
        "content": given.content.decode("utf-8", errors="backslashreplace"),
    }
