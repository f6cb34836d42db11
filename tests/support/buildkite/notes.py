"""The annotations and the meta-data of a loopback build."""

from dataclasses import dataclass, replace

MAX_CONTEXT = 100
MAX_BODY = 1024 * 1024  # bytes
MAX_VALUE = 100 * 1024  # bytes
STYLES = ("", "success", "info", "warning", "error")


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """What stands on the build's page; `context` is its name there. Priority 1 to 10."""

    body: str
    context: str = "default"
    style: str = ""
    priority: int = 3
    scope: str = "build"

    @property
    def fault(self) -> str | None:
        """What Buildkite documents that it does not take (the words are ours)."""
        if len(self.body.encode()) > MAX_BODY:
            return "The annotation body must be less than 1 MB"
        if len(self.context) > MAX_CONTEXT:
            return f"The context must be at most {MAX_CONTEXT} characters"
        if self.style not in STYLES:
            return f"`{self.style}` is not a style"
        if not 1 <= self.priority <= 10:
            return "The priority must be between 1 and 10"
        return None


class Notes:
    """What a job writes on its build."""

    def __init__(self) -> None:
        self._annotations: dict[tuple[str, str], Annotation] = {}
        self.meta_data: dict[str, str] = {}

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        """All annotations, in the order in which their contexts came up."""
        return tuple(self._annotations.values())

    def annotate(self, annotation: Annotation, *, append: bool) -> None:
        """Write an annotation in place of the one of its scope and context, or at the end of its body."""
        place = (annotation.scope, annotation.context)
        before = self._annotations.get(place)
        if append and before is not None:
            style = annotation.style or before.style
            annotation = replace(annotation, body=before.body + annotation.body, style=style)
        self._annotations[place] = annotation

    def remove(self, *, scope: str, context: str) -> bool:
        """Remove an annotation; False if there is none."""
        return self._annotations.pop((scope, context), None) is not None

    def set(self, items: dict[str, str]) -> str | None:
        """Set all items, or none and say why not (the words are ours)."""
        for key, value in items.items():
            if not key.strip() or not value.strip():
                return "meta-data must have a key and a value that are not blank"
            if len(value.encode()) > MAX_VALUE:
                return "meta-data values must be at most 100 kB"
        self.meta_data.update(items)
        return None
