"""Use cases: what each command does, with every input given and every product returned."""

from pipegen.app.cases import check_selection_cases
from pipegen.app.changes import Asked
from pipegen.app.expansion import Plan, Request, choose_pipeline, make_plan
from pipegen.app.explain import Answer, JobsAnswer, PathAnswer, explain
from pipegen.app.generate import REFUSAL, Output, Product, generate, refusal, write
from pipegen.app.importing import import_fleet, write_workspace
from pipegen.app.place import DEFAULT_WORKSPACE, Place, find_workspace
from pipegen.app.templates import MAX_TEMPLATE_BYTES, render_plan

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
    "explain",
    "find_workspace",
    "generate",
    "import_fleet",
    "make_plan",
    "refusal",
    "render_plan",
    "write",
    "write_workspace",
]
