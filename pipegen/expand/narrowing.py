"""Parts: which `-k` and `-m` a job runs with, and the computed rest that makes sure nothing is lost."""

from collections.abc import Mapping, Sequence

from pipegen import codes
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span, listing
from pipegen.expand.parts import is_rest
from pipegen.expand.reading import Reader, text_of
from pipegen.expand.variation import Variation
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
from pipegen.manifest.layers import Layer, Nodes
from pipegen.manifest.located import Report, has_jinja
from pipegen.plain import show

OPTIONS = (("k", Kind.KEYWORD), ("m", Kind.MARK))


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """The expressions of a job's pytest call, as text."""

    k: str | None
    m: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one part or step takes, and where that is written."""

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
    taken: list[Share] = []
    if variation.part is not None and is_rest(variation.part):
        others = [variation.parts[name] for name in sorted(variation.part_names) if name != variation.part.name]
        taken += [share for other in others for share in shares(other.nodes, reader, names)]
    elif variation.part is not None:
        for name, kind in OPTIONS:
            share = _share(variation.part.nodes, name, kind, reader, names)
            if share is not None:
                texts[name] = _narrowed(
                    texts[name], kind, share.expression, _text(variation.part.nodes, name, reader, names)
                )
    if variation.step.rest:
        taken += [share for nodes in siblings for share in shares(nodes, reader, names)]
    for name, kind in OPTIONS:
        expressions = [share.expression for share in taken if share.kind is kind]
        if expressions:
            rest = complement(expressions)
            texts[name] = _narrowed(texts[name], kind, rest, render(rest))
    return Narrowing(k=texts["k"], m=texts["m"])


def _own(variation: Variation, name: str, reader: Reader, names: Mapping[str, object]) -> str | None:
    """The step's own expression. One without expressions of Jinja's was checked where it is written."""
    text = text_of(reader.read(variation.nodes, name, names))
    if text is not None and has_jinja(variation.nodes[name]):
        _parsed(text, dict(OPTIONS)[name], variation.nodes[name].span, reader.report)
    return text


def _text(nodes: Nodes, name: str, reader: Reader, names: Mapping[str, object]) -> str:
    return text_of(reader.read(nodes, name, names)) or ""


def shares(nodes: Nodes, reader: Reader, names: Mapping[str, object]) -> list[Share]:
    """What a part or step takes by its own `k` and `m`."""
    found = [_share(nodes, name, kind, reader, names) for name, kind in OPTIONS]
    return [share for share in found if share is not None]


def _share(nodes: Nodes, name: str, kind: Kind, reader: Reader, names: Mapping[str, object]) -> Share | None:
    text = text_of(reader.read(nodes, name, names))
    if text is None:
        return None
    expression = _parsed(text, kind, nodes[name].span, reader.report)
    return None if expression is None else Share(kind=kind, expression=expression, span=nodes[name].span)


def _parsed(text: str, kind: Kind, span: Span, report: Report) -> Expression | None:
    try:
        return parse(text, kind)
    except ExpressionError as error:
        report.add(codes.BAD_EXPRESSION, span, f"pytest -{kind.value} {show(text)}: {error}", hint=error.help)
        return None


def _narrowed(base: str | None, kind: Kind, expression: Expression, text: str) -> str:
    """Both at once; where there is no base the author's text stays as it is."""
    if base is None:
        return text
    try:
        return render(conjunction(parse(base, kind), expression))
    except ExpressionError:
        return text  # the base's own mistake is reported where it is written


def proven(expressions: Sequence[Expression]) -> bool:
    """Whether logic alone shows that every test is taken by one of the expressions."""
    return bool(expressions) and covers(expressions) is Coverage.PROVEN


def _other_tests(parts: Sequence[Layer], report: Report) -> None:
    """Report a part beside a rest that takes its share of other tests, so that share and rest are not the whole."""
    if not any(is_rest(part) for part in parts):
        return
    for part in parts:
        for name in ("tests", "ignore"):
            if name in part.nodes:
                report.add(
                    codes.UNPROVEN_PARTS,
                    part.nodes[name].span,
                    f'part "{part.name}" has {name} of its own: the rest is computed for the tests of the step, '
                    "and what lies between them may run nowhere",
                    hint=f"write {name} at the step, or make an area of the part",
                )


def unproven_parts(variation: Variation, reader: Reader, names: Mapping[str, object]) -> None:
    """Report the parts that a step or mirror has, where logic cannot prove that they take every test between them."""
    parts = [variation.parts[name] for name in variation.part_names]
    _other_tests(parts, reader.report)
    if not parts or variation.rerun or any(is_rest(part) or not part.nodes.keys() & {"k", "m"} for part in parts):
        return  # the rest is taken, or the lack of a share is reported where the part is written
    trial = Reader(expressions=reader.expressions, report=Report())
    expressions = [share.expression for part in parts for share in shares(part.nodes, trial, names)]
    if trial.report.found or proven(expressions):
        return
    mirror = variation.origin.mirror
    where = "" if mirror is None else f' in mirror "{mirror}"'
    reader.report.add(
        codes.UNPROVEN_PARTS,
        parts[0].place,
        f"parts {listing(variation.part_names)} are not proven to take every test between them{where}",
        hint="add a part with rest: true, or write the last one as the complement of the others",
    )
