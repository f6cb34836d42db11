"""The selection cases of a workspace, held against what it selects."""

from pipegen.app.expansion import Plan
from pipegen.app.request import Request
from pipegen.diagnostics import Diagnostic, ordered
from pipegen.manifest.cases import load_cases
from pipegen.manifest.located import Report
from pipegen.select.cases import check_cases
from pipegen.select.edits import Entries


def check_selection_cases(request: Request, plan: Plan) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with the cases, and everything that they say and selection does not do.

    Raises:
        PipegenError: a template cannot be read.
    """
    tree, workspace = request.place.tree, plan.workspace
    report = Report()
    cases = load_cases(tree, workspace, report)
    entries = Entries.of(plan.expansion, plan.catalogue.hardware, plan.templates.sources)
    return ordered((*report.found, *check_cases(plan.expansion, workspace, entries, cases)))
