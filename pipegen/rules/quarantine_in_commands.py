"""A job runs a test in quarantine by commands of its own, which pipegen does not change.

Where a step has `commands`, its author says what runs. Leave the test out there (`--ignore` a file, `--deselect` a
class with `::` behind it), or let the step have no `commands`, so that the call is generated.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.commands import Named, TestRun, Tool
from pipegen.diagnostics import Code, Diagnostic, Related, Severity, first_of
from pipegen.expression import Kind, matches_keyword, parse
from pipegen.rules.facts import Facts, JobFacts
from pipegen.rules.frame import Rule
from pipegen.rules.quarantined import quarantined, repository_path, still_runs

QUARANTINE_IN_COMMANDS: Final = Code(
    code="PG823",
    name="quarantine-in-commands",
    summary="A job with commands of its own runs a test in quarantine.",
    severity=Severity.FINDING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    for entry in quarantined(facts):
        path = repository_path(entry, facts)
        jobs = {
            one.job.key: one
            for one in facts.jobs
            if not one.generated
            and entry in one.pipeline.workspace.quarantine
            and not still_runs(entry, one.job)
            and _runs(one, path)
        }
        if jobs:
            first = jobs[min(jobs)].job
            yield Diagnostic(
                code=QUARANTINE_IN_COMMANDS,
                span=entry.test.span,
                message=f'"{entry.test.text}" is in quarantine, and the commands of {first_of(sorted(jobs))} run it',
                help="leave it out in the commands, or let the call be generated: no commands",
                related=(Related(span=first.nodes["commands"].span, note="the commands"),),
            )


def _runs(one: JobFacts, path: str) -> bool:
    """Whether the job's commands run the test, as far as they can be read."""
    file, _, node = path.partition("::")
    return any(
        ran.run.executes
        and file in ran.collection.paths
        and (ran.run.tool is not Tool.PYTEST or not node or _takes(ran.run, file, node))
        for ran in one.runs
    )


def _takes(run: TestRun, file: str, node: str) -> bool:
    """Whether a run of pytest that collects the file takes the node."""
    if any(_deselects(spot.written, file, node) for spot in run.deselects):
        return False
    around = [target for target in run.targets if not isinstance(target, Named) or _covers(target.path, file)]
    inside = [target.node for target in around if isinstance(target, Named) and target.path == file and target.node]
    if inside and len(inside) == len(around) and not any(_meet(other, node) for other in inside):
        return False
    return run.k is None or _keyword(run.k.text, file, node)


def _covers(path: str, file: str) -> bool:
    return path in ("", file) or file.startswith(f"{path}/")


def _meet(one: str, other: str) -> bool:
    """Whether two nodes of a file are one, or one is in the other."""
    return one == other or one.startswith((f"{other}::", f"{other}[")) or other.startswith((f"{one}::", f"{one}["))


def _deselects(written: str, file: str, node: str) -> bool:
    """Whether an option leaves the test out: its node id begins like that."""
    return f"{file}::{node}".startswith(written) or f"{file}::{node}::" == written


def _keyword(text: str, file: str, node: str) -> bool:
    """Whether `-k` takes a test of these names; its marks, which only the file knows, left out."""
    try:
        return matches_keyword(parse(text, Kind.KEYWORD), [*file.split("/"), *node.split("::")])
    except ValueError:
        return True


RULE: Final = Rule(codes=(QUARANTINE_IN_COMMANDS,), check=_check)
