"""Upload references in the texts of a step: the parts that only the agent knows."""

from collections.abc import Iterable, Mapping

from pipegen.diagnostics import listing
from pipegen.dollar import UPLOAD_CLOSE, UPLOAD_OPEN, references
from pipegen.plain import Plain, show


def has_reference(text: str) -> bool:
    """Whether the agent fills something into this text at upload."""
    return bool(references(text))


def is_one_reference(text: str) -> bool:
    """Whether the text is a single reference and nothing else."""
    names = references(text)
    return len(names) == 1 and text == _mark(names[0])


def without_references(text: str) -> str:
    """The part of the text that is known now."""
    for name in references(text):
        text = text.replace(_mark(name), "")
    return text


def shown(value: Plain) -> str:
    """`show` for a message, with references as authors write them: `{{ upload.NAME }}`."""
    if isinstance(value, (list, tuple, Mapping)) and not value:
        return "an empty mapping" if isinstance(value, Mapping) else "an empty list"
    return show(_readable(value) if isinstance(value, str) else value)


def spelled(text: str) -> str:
    """A text on one line and whole, for a place that has quotes already, or needs none."""
    return _readable(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def listed(names: Iterable[str], *, limit: int = 12) -> str:
    """`listing` of names that could hold anything."""
    return listing(map(spelled, names), limit=limit)


def _readable(text: str) -> str:
    for name in references(text):
        text = text.replace(_mark(name), f"{{{{ upload.{name} }}}}")
    return text


def _mark(name: str) -> str:
    return f"{UPLOAD_OPEN}{name}{UPLOAD_CLOSE}"
