"""What selects a job: source paths of step files, and regular expressions that run everything, as patterns."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from pipegen.commands.collecting.files import Files
from pipegen.dataclass import dataclass
from pipegen.importer import codes
from pipegen.importer.comments import Comments
from pipegen.importer.nodes import said_at
from pipegen.importer.writing import Bare, Item, List
from pipegen.manifest.located import JINJA, Report, Scalar
from pipegen.patterns import PatternError, Patterns

_GLOB: Final = re.compile(r"([*?\[\\])")
_REGEX: Final = re.compile(r"\\(?P<escaped>[^\w\s])|(?P<any>\.\*)|(?P<name>\[\^/\][*+])|(?P<bad>[\\^$*+?{}\[\]|()])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Translates the paths of one file."""

    files: Files
    comments: Comments
    report: Report

    def items(self, nodes: Iterable[Scalar]) -> tuple[Item, ...]:
        """Path prefixes as patterns, each once, sorted unless something is said between them."""
        found: dict[str, Item] = {}
        for node in nodes:
            pattern = self._pattern(node)
            if pattern is not None:
                found.setdefault(pattern, Item(value=pattern, said=said_at(self.comments, node.span.line)))
        items = tuple(found.values())
        return items if any(item.said for item in items) else sorted_items(items)

    def _pattern(self, node: Scalar) -> str | None:
        text = node.text.strip()
        sign = "!" if text.startswith("!") else ""
        body = text.removeprefix("!").strip().removeprefix("./").lstrip("/")
        pattern = sign + _GLOB.sub(r"\\\1", body)
        try:
            Patterns.compile([pattern])
        except PatternError as error:
            self.report.add(codes.NOT_CARRIED, node.span, f"source is no path: {error}", hint="it is left behind")
            return None
        if JINJA.search(pattern):
            self.report.add(codes.NOT_CARRIED, node.span, f'source "{text}" is no path', hint="it is left behind")
            return None
        if not self.files.exists(body.rstrip("/")):
            self.report.add(
                codes.DEAD_PATH,
                node.span,
                f'source "{text}" is no file or folder of the repository',
                hint="it selects nothing: name whole files and folders",
            )
        return pattern


def sorted_items(items: Iterable[Item]) -> tuple[Item, ...]:
    """Patterns in order, those that exclude at the end."""
    return tuple(sorted(items, key=lambda item: (str(item.value).startswith("!"), str(item.value))))


def inherited_and(items: Sequence[Item], *, inherits: bool) -> List:
    """A list of patterns, behind what is inherited where there is anything."""
    plus = (Item(value=Bare("+")),) if inherits else ()
    return List(items=(*plus, *items))


def run_all(included: Iterable[Scalar], excluded: Iterable[Scalar], report: Report) -> tuple[str, ...]:
    """Regular expressions at the start of a path as patterns: what one of them matches and all below."""
    result: dict[str, None] = {}
    for sign, nodes in (("", included), ("!", excluded)):
        for node in nodes:
            pattern = _from_regex(node, report)
            if pattern is not None:
                result.setdefault(sign + pattern)
    return tuple(sorted(result, key=lambda text: (text.startswith("!"), text)))


def _from_regex(node: Scalar, report: Report) -> str | None:
    """A dot is taken for the dot that its author means; what else an expression can say is reported."""
    text = node.text.strip().removeprefix("^")
    whole = text.endswith("$") and not text.endswith("\\$")
    text = text.removesuffix("$") if whole else text
    pieces: list[str] = []
    at = 0
    for found in _REGEX.finditer(text):
        pieces.append(text[at : found.start()])
        at = found.end()
        if found["bad"]:
            report.add(
                codes.NOT_CARRIED,
                node.span,
                f'"{node.text}" is a regular expression that no pattern can say',
                hint="write the patterns that it stands for under selection: run_all",
            )
            return None
        escaped = found["escaped"]
        pieces.append("**" if found["any"] else "*" if found["name"] else _GLOB.sub(r"\\\1", escaped))
    body = "".join(pieces) + text[at:]
    if not whole and not body.endswith(("/", "*")):
        body += "*"
    try:
        Patterns.compile([body])
    except PatternError as error:
        report.add(codes.NOT_CARRIED, node.span, f'"{node.text}" is no pattern: {error}', hint=error.help)
        return None
    return body
