"""A mirror says what it would have anyway.

A mirror takes over what its step says, but for what belongs to a machine: hardware, GPUs, template, label, key, timeout
and dependencies. What is written again is one more place to change, and sooner or later only one of the two is changed.
Take it out; `--fix` does.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Code, Diagnostic, Related, Severity, Span
from pipegen.manifest.fields import Merge
from pipegen.manifest.inheritance import lay
from pipegen.manifest.layers import FIELDS, Layer, Nodes, is_null
from pipegen.manifest.located import Items, Node, Report, Scalar, describe
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.rules.chains import Chain
from pipegen.rules.entries import removed_entry
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule

REPEATING_MIRROR: Final = Code(
    code="PG309",
    name="repeating-mirror",
    summary="A mirror overrides a value with the same value.",
    severity=Severity.FINDING,
)
_NOT_COMPARED: Final = frozenset({"hardware", "depends_on", "parts", "variants", "mirrors"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Override:
    """Something that a mirror says, and what it would have.

    `key` is where its name stands, if it is an entry of an attribute.
    """

    name: str
    node: Node
    inherited: Node
    key: Span | None


@dataclass(slots=True)
class _Found:
    override: _Override
    mirror: str
    always: bool = True


def _check(facts: Facts) -> Iterator[Diagnostic]:
    found: dict[Span, _Found] = {}
    for one in facts.jobs:
        if one.job.origin.mirror is None:
            continue
        chain = facts.chain(one)
        if chain.mirror is None:
            continue
        for override, same in _overrides(chain, chain.mirror):
            place = found.setdefault(override.node.span, _Found(override, chain.mirror.name))
            place.always &= same
    for span, place in sorted(found.items(), key=lambda item: item[0].order):
        if place.always:
            yield _diagnostic(span, place, facts)


def _diagnostic(span: Span, place: _Found, facts: Facts) -> Diagnostic:
    override = place.override
    text = facts.source(span.path)
    at = span if override.key is None else override.key
    return Diagnostic(
        code=REPEATING_MIRROR,
        span=span,
        message=f'mirror "{place.mirror}" says {override.name}: {describe(override.node)}, which it has anyway',
        help="take it out",
        related=(Related(span=override.inherited.span, note="from here"),),
        fix=() if text is None else removed_entry(text, at, further=1, by_value=override.key is None),
    )


def _overrides(chain: Chain, mirror: Layer) -> Iterator[tuple[_Override, bool]]:
    """What a mirror says that its job would have in another way, and whether that is the same."""
    without = chain.without_mirror()
    inside = _after(chain, mirror)
    for name, node in mirror.nodes.items():
        inherited = without.get(name)
        if name in _NOT_COMPARED or is_null(node) or name in inside:
            continue
        if FIELDS[name].merge is Merge.MAP and isinstance(node, MappingNode) and isinstance(inherited, MappingNode):
            entries = tuple(_entries(name, node, inherited))
            whole = all(same for _, same in entries)
            yield _Override(name=name, node=node, inherited=inherited, key=None), whole
            yield from () if whole else entries
        elif inherited is not None:
            laid = lay([_only(inherited, name, mirror), mirror], Report()).get(name)
            same = laid is not None and _same(laid, inherited)
            yield _Override(name=name, node=node, inherited=inherited, key=None), same
        else:
            yield _Override(name=name, node=node, inherited=node, key=None), False


def _entries(name: str, node: MappingNode, inherited: MappingNode) -> Iterator[tuple[_Override, bool]]:
    for entry in node.entries:
        before = inherited.get(entry.key.text)
        shown = f"{entry.key.text} of {name}"
        override = _Override(name=shown, node=entry.value, inherited=before or entry.value, key=entry.key.span)
        yield override, before is not None and not is_null(entry.value) and _same(entry.value, before)


def _after(chain: Chain, mirror: Layer) -> frozenset[str]:
    """What the mirror's own parts and variants say: their word counts, and is not compared."""
    at = next(index for index, layer in enumerate(chain.layers) if layer is mirror)
    return frozenset(name for layer in chain.layers[at + 1 :] for name in layer.nodes)


def _only(node: Node, name: str, like: Layer) -> Layer:
    nodes: Nodes = {name: node}
    return Layer(level=like.level, name=like.name, span=like.span, nodes=nodes)


def _same(one: Node, other: Node) -> bool:
    """Whether two values are the same text at every place, however they were quoted."""
    match one, other:
        case Scalar(), Scalar():
            return one.text == other.text
        case Items(), Items():
            return len(one.items) == len(other.items) and all(map(_same, one.items, other.items))
        case MappingNode(), MappingNode():
            mine, theirs = _texts(one), _texts(other)
            return mine.keys() == theirs.keys() and all(_same(mine[name], theirs[name]) for name in mine)
        case Items(), Scalar():
            return len(one.items) == 1 and _same(one.items[0], other)
        case Scalar(), Items():
            return _same(other, one)
        case _:
            return False


def _texts(node: MappingNode) -> Mapping[str, Node]:
    return {entry.key.text: entry.value for entry in node.entries}


RULE: Final = Rule(codes=(REPEATING_MIRROR,), check=_check)
