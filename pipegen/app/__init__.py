"""Use cases: what each command does, with every input given and every product returned.

Each is imported when it is asked for: no command waits for what another needs.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pipegen.app.cases import check_selection_cases
    from pipegen.app.changes import Asked
    from pipegen.app.expansion import Plan, choose_pipeline, make_plan
    from pipegen.app.explain import Answer, JobsAnswer, PathAnswer
    from pipegen.app.generating import REFUSAL, Output, Product, generate, refusal, render_plan, write
    from pipegen.app.importing import import_fleet, write_workspace
    from pipegen.app.place import DEFAULT_WORKSPACE, Place, find_workspace
    from pipegen.app.request import Request
    from pipegen.app.templates import MAX_TEMPLATE_BYTES

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
    "Answer": "explain",
    "Asked": "changes",
    "DEFAULT_WORKSPACE": "place",
    "JobsAnswer": "explain",
    "MAX_TEMPLATE_BYTES": "templates",
    "Output": "generating",
    "PathAnswer": "explain",
    "Place": "place",
    "Plan": "expansion",
    "Product": "generating",
    "REFUSAL": "generating",
    "Request": "request",
    "check_selection_cases": "cases",
    "choose_pipeline": "expansion",
    "find_workspace": "place",
    "generate": "generating",
    "import_fleet": "importing",
    "make_plan": "expansion",
    "refusal": "generating",
    "render_plan": "generating",
    "write": "generating",
    "write_workspace": "importing",
}
"""The module here that each name is in."""


def __getattr__(name: str) -> object:
    """Import what is asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
