"""Keys and labels: what a job is called by machines and by people.

Keys are `AREA[-STEP][-PART][-VARIANT]` with `/` and `_` written as `-`, a mirror's `NAME-KEY`; an authored key is the
prefix of what it expands to. Buildkite: a key has at most 100 characters, and identifies a step in the whole build.
"""

import re
from collections.abc import Mapping, Sequence

from pipegen import codes
from pipegen.dollar import references
from pipegen.expand.reading import Reader, texts
from pipegen.expand.variation import Variation
from pipegen.manifest.fields import Level
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.located import Scalar
from pipegen.model import Gate


def key_of(variation: Variation) -> str:
    """The key of one job."""
    for at in _most_special_first(variation):
        authored = variation.chain[at].nodes.get("key")
        if isinstance(authored, Scalar) and not authored.is_null:
            return _prefixed(variation, at, authored.text)
        if authored is not None:
            break
    names = variation.origin
    return _mirrored(variation, -1, _joined([names.area, names.step, names.part, names.variant]))


def _most_special_first(variation: Variation) -> Sequence[int]:
    """Where the layers of a variation stand in its chain, the most special first."""
    return range(len(variation.chain) - 1, -1, -1)


def _prefixed(variation: Variation, at: int, prefix: str) -> str:
    """What an authored key becomes: the names of all that is more special than its layer follow it.

    A mirror's name stands in front, unless the key is written in the mirror itself.
    """
    origin = variation.origin
    level = variation.chain[at].level
    follow = {
        Level.FILE: [origin.area, origin.step, origin.part, origin.variant],
        Level.AREA: [origin.step, origin.part, origin.variant],
        Level.PART: [origin.variant],
        Level.VARIANT: [origin.part],
    }.get(level, [origin.part, origin.variant])
    return _mirrored(variation, at, _joined([prefix, *follow], first_as_is=True))


def _mirrored(variation: Variation, at: int, key: str) -> str:
    mirror = next((i for i, layer in enumerate(variation.chain) if layer.level is Level.MIRROR), None)
    name = variation.origin.mirror
    return key if name is None or mirror is None or at >= mirror else f"{_dashed(name)}-{key}"


def _joined(words: list[str | None], *, first_as_is: bool = False) -> str:
    given = [word for word in words if word]
    return "-".join(word if first_as_is and at == 0 else _dashed(word) for at, word in enumerate(given))


def _dashed(name: str) -> str:
    return name.replace("/", "-").replace("_", "-")


def default_title(name: str) -> str:
    """A title made of an area's name or a step's key: its words, those in lower case with a capital."""
    words = re.split(r"[/_\-.\s]+", name)
    return " ".join(word[:1].upper() + word[1:] if word.islower() else word for word in words if word)


def full_title(variation: Variation, title: str | None, parallelism: int) -> str:
    """The title as the label carries it: with the names that tell its jobs apart, and `%N` where it is sharded.

    A step of an area that has no title of its own is told apart by its name, as a part is.
    """
    origin = variation.origin
    own = any("title" in layer.nodes for layer in variation.layers if layer.level not in (Level.FILE, Level.AREA))
    if title is None:
        keys = texts(variation.step.layers[-1].nodes.get("key"))
        title = default_title(origin.area or (keys[0].text if keys else ""))
    names = [None if own else origin.step, origin.part, origin.variant]
    shown = ", ".join(name for name in names if name)
    return title + (f" ({shown})" if shown else "") + (" %N" if parallelism > 1 else "")


def gate_of(variation: Variation, names: Mapping[str, object], reader: Reader) -> Gate:
    """The gate in front of a job: `block-KEY`, `Run LABEL` and no dependencies, unless a lane or step says otherwise.

    An authored gate key is a prefix, as a step's key is, so that the gates of several jobs differ.
    """
    node = variation.nodes.get("gate")
    key, label = f"block-{names['key']}", f"Run {names['label']}"
    depends_on: tuple[str, ...] = ()
    span = variation.step.span
    if isinstance(node, MappingNode):
        span = node.span
        authored_key, authored_label = node.get("key"), node.get("label")
        if isinstance(authored_key, Scalar):
            key = _gate_key(variation, authored_key, reader.text(authored_key, names) or key)
            for name in references(key):
                reader.report.add(
                    codes.JINJA_ERROR,
                    authored_key.span,
                    f'key of a gate: "upload.{name}" is known only when the agent uploads, and keys are needed before',
                    hint="write the key itself",
                )
        if isinstance(authored_label, Scalar):
            label = reader.text(authored_label, names) or label
        waits = [reader.text(item, names) for item in texts(node.get("depends_on"))]
        depends_on = tuple(key for key in waits if key is not None)
    return Gate(key=key, label=label, depends_on=depends_on, span=span)


def _gate_key(variation: Variation, node: Scalar, text: str) -> str:
    """A gate's authored key as a prefix, as a step's key is; what a lane or hardware says of gates is a format."""
    for at in _most_special_first(variation):
        gate = variation.chain[at].nodes.get("gate")
        written = gate.get("key") if isinstance(gate, MappingNode) else None
        if written is not None and written.span == node.span:
            return _prefixed(variation, at, text)
    return text
