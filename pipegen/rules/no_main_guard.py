"""A command runs a test file with Python, and the file only defines its tests.

`python test_core.py` imports and defines, runs no test, and ends well: the job is green whatever the tests would say.
Run it with pytest; or, if it is meant to be a program, let it end in `if __name__ == "__main__":` and a call.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.commands import Named, Tool
from pipegen.diagnostics import Code, Diagnostic, Severity
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.places import span_of

NO_MAIN_GUARD: Final = Code(
    code="PG607",
    name="no-main-guard",
    summary="Python runs a test file that only defines its tests.",
    severity=Severity.FINDING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    for job in facts.jobs:
        for ran in job.runs:
            run = ran.run
            named = next((target for target in run.targets if isinstance(target, Named)), None)
            if run.tool is Tool.PYTHON and not run.executes and named is not None:
                yield Diagnostic(
                    code=NO_MAIN_GUARD,
                    span=span_of(job.job, run.place),
                    message=f'"{run.text}" runs no test: "{named.path}" only defines them',
                    help=f"run it with pytest: pytest {named.written}",
                )


RULE: Final = Rule(codes=(NO_MAIN_GUARD,), check=_check, reads_content=True)
