"""Use cases: what each command does, with every input given and every product returned.

What `generate` does without is imported when it is asked for.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Final

from pipegen.app.changes import Asked
from pipegen.app.expansion import Plan, Request, choose_pipeline, make_plan
from pipegen.app.generate import REFUSAL, Output, Product, generate, refusal, render_plan, write
from pipegen.app.place import DEFAULT_WORKSPACE, Place, find_workspace
from pipegen.app.templates import MAX_TEMPLATE_BYTES

if TYPE_CHECKING:
    from pipegen.app.cases import check_selection_cases
    from pipegen.app.explain import Answer, JobsAnswer, PathAnswer
    from pipegen.app.importing import import_fleet, write_workspace

__all__ = [
    "DEFAULT_WORKSPACE",
    "MAX_TEMPLATE_BYTES",
    "REFUSAL",
    "Answer",
    "Asked",
    "JobsAnswer",
    "Output",
    "PathAnswer",
    "Place",
    "Plan",
    "Product",
    "Request",
    "check_selection_cases",
    "choose_pipeline",
    "find_workspace",
    "generate",
    "import_fleet",
    "make_plan",
    "refusal",
    "render_plan",
    "write",
    "write_workspace",
]

_HOMES: Final[Mapping[str, str]] = {
    "Answer": "pipegen.app.explain",
    "JobsAnswer": "pipegen.app.explain",
    "PathAnswer": "pipegen.app.explain",
    "check_selection_cases": "pipegen.app.cases",
    "import_fleet": "pipegen.app.importing",
    "write_workspace": "pipegen.app.importing",
}
"""Where a name is that is imported when it is asked for."""


def __getattr__(name: str) -> object:
    """Import what is asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
