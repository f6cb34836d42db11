"""Keys and labels: what a job is called by machines and by people.

Keys are `AREA[-STEP][-PART][-VARIANT]` with `/` and `_` written as `-`, a mirror's `NAME-KEY`; an authored key is the
prefix of what it expands to. Buildkite: a key has at most 100 characters, and identifies a step in the whole build.
"""

import re
from collections.abc import Mapping

from pipegen.expand.reading import Reader, texts
from pipegen.expand.variations import Variation
from pipegen.manifest.fields import Level
from pipegen.manifest.layers import Layer
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.manifest.located import Scalar
from pipegen.model import Gate


def key_of(variation: Variation) -> str:
    """The key of one job."""
    origin = variation.origin
    authored = _authored(variation)
    key = _key_without_mirror(variation, authored)
    if origin.mirror is None or (authored is not None and authored[0] is Level.MIRROR):
        return key
    return f"{_dashed(origin.mirror)}-{key}"


def _key_without_mirror(variation: Variation, authored: tuple[Level, str] | None) -> str:
    """The key that the step itself has, whose names follow the most special one that is authored."""
    origin = variation.origin
    if authored is None:
        return _joined([origin.area, origin.step, origin.part, origin.variant])
    level, text = authored
    follow = {
        Level.AREA: [origin.step, origin.part, origin.variant],
        Level.PART: [origin.variant],
        Level.VARIANT: [origin.part],
    }.get(level, [origin.part, origin.variant])
    return _joined([text, *follow], first_as_is=True)


def _authored(variation: Variation) -> tuple[Level, str] | None:
    """The most special key that an author wrote, and where: a mirror's own, else its step's."""
    chain = [*variation.step.layers, variation.part, _layer(variation, Level.VARIANT), _layer(variation, Level.MIRROR)]
    for layer in reversed([layer for layer in chain if layer is not None]):
        found = texts(layer.nodes.get("key"))
        if found and not found[0].is_null:
            return layer.level, found[0].text
    return None


def _layer(variation: Variation, level: Level) -> Layer | None:
    return next((layer for layer in variation.layers if layer.level is level), None)


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
            prefix = reader.text(authored_key, names) or key
            key = (
                prefix
                if "{{" in authored_key.text
                else _joined([prefix, variation.origin.part, variation.origin.variant], first_as_is=True)
            )
        if isinstance(authored_label, Scalar):
            label = reader.text(authored_label, names) or label
        depends_on = tuple(item.text for item in texts(node.get("depends_on")))
    return Gate(key=key, label=label, depends_on=depends_on, span=span)
