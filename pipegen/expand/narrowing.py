"""Parts: which `-k` and `-m` a job runs with, and the computed rest that makes sure nothing is lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipegen import codes
from pipegen.diagnostics import Span
from pipegen.expand.reading import Reader, text_of
from pipegen.expand.variations import Variation
from pipegen.expression import (
    Coverage,
    Expression,
    ExpressionError,
    Kind,
    complement,
    conjunction,
    covers,
    parse,
    render,
)
from pipegen.manifest.layers import Layer, Nodes, lay
from pipegen.manifest.located import Report, Scalar

OPTIONS = (("k", Kind.KEYWORD), ("m", Kind.MARK))


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """The expressions of a job's pytest call, as text."""

    k: str | None
    m: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Share:
    """What one part or sibling takes, and where that is written."""

    kind: Kind
    expression: Expression
    span: Span


def narrowing(
    variation: Variation, siblings: Sequence[Nodes], reader: Reader, names: Mapping[str, object]
) -> Narrowing:
    """The `-k` and `-m` of one job.

    A part narrows what its step's own expression leaves; the rest is what no other part takes. `siblings` are the
    attributes of the other steps of the area that have a place on the lane, for a step that takes the rest of them.
    """
    texts = {name: _own(variation, name, reader, names) for name, _ in OPTIONS}
    taken: list[_Share] = []
    if variation.part is not None and _is_rest(variation.part):
        others = [variation.parts[name] for name in variation.part_names if name != variation.part.name]
        taken += [share for other in others for share in _shares(other.nodes, reader, names)]
    elif variation.part is not None:
        for name, kind in OPTIONS:
            share = _share(variation.part.nodes, name, kind, reader, names)
            if share is not None:
                texts[name] = _narrowed(
                    texts[name], kind, share.expression, _text(variation.part.nodes, name, reader, names)
                )
    if variation.step.rest:
        taken += [share for nodes in siblings for share in _shares(nodes, reader, names)]
    for name, kind in OPTIONS:
        expressions = [share.expression for share in taken if share.kind is kind]
        if expressions:
            rest = complement(expressions)
            texts[name] = _narrowed(texts[name], kind, rest, render(rest))
    return Narrowing(k=texts["k"], m=texts["m"])


def _own(variation: Variation, name: str, reader: Reader, names: Mapping[str, object]) -> str | None:
    return text_of(reader.read(variation.nodes, name, names))


def _is_rest(part: Layer) -> bool:
    node = part.extra.get("rest")
    return isinstance(node, Scalar) and node.text == "true"


def _text(nodes: Nodes, name: str, reader: Reader, names: Mapping[str, object]) -> str:
    return text_of(reader.read(nodes, name, names)) or ""


def _shares(nodes: Nodes, reader: Reader, names: Mapping[str, object]) -> list[_Share]:
    found = [_share(nodes, name, kind, reader, names) for name, kind in OPTIONS]
    return [share for share in found if share is not None]


def _share(nodes: Nodes, name: str, kind: Kind, reader: Reader, names: Mapping[str, object]) -> _Share | None:
    text = text_of(reader.read(nodes, name, names))
    if text is None:
        return None
    expression = _parsed(text, kind, nodes[name].span, reader.report)
    return None if expression is None else _Share(kind=kind, expression=expression, span=nodes[name].span)


def _parsed(text: str, kind: Kind, span: Span, report: Report) -> Expression | None:
    try:
        return parse(text, kind)
    except ExpressionError as error:
        report.add(codes.BAD_EXPRESSION, span, f'pytest -{kind.value} "{text}": {error}')
        return None


def _narrowed(base: str | None, kind: Kind, expression: Expression, text: str) -> str:
    """Both at once; where there is no base the author's text stays as it is."""
    if base is None:
        return text
    try:
        return render(conjunction(parse(base, kind), expression))
    except ExpressionError:
        return text  # the base's own mistake is reported where it is written


def unproven_parts(parts: Mapping[str, Layer], report: Report) -> None:
    """Report parts without a rest that logic cannot prove to cover everything."""
    if not parts or any(_is_rest(part) for part in parts.values()):
        return
    expressions = []
    for part in parts.values():
        for name, kind in OPTIONS:
            node = part.nodes.get(name)
            if isinstance(node, Scalar):
                parsed = _parsed(node.text, kind, node.span, Report())
                if parsed is None:
                    return
                expressions.append(parsed)
    if covers(expressions) is not Coverage.PROVEN:
        first = next(iter(parts.values()))
        report.add(
            codes.UNPROVEN_PARTS,
            first.span,
            f"parts {', '.join(parts)} are not proven to take every test between them",
            hint="add a part with rest: true, or write the last one as the complement of the others",
        )


def narrowed_by(layer: Layer) -> Nodes:
    """The `k` and `m` that a step of an area writes itself."""
    nodes = lay([layer], Report())
    return {name: nodes[name] for name, _ in OPTIONS if name in nodes}
