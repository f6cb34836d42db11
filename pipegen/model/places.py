"""Text with its place, which all parts of the model are made of."""

from pipegen.dataclass import dataclass
from pipegen.diagnostics import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """Text with the place where it was written."""

    text: str
    span: Span
