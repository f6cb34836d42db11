"""A command sets a toggle: `export X=0`, or `X=0` in front of a program, in quoted words of a wrapper as well.

There it has no reason and no end, nobody finds it, and the rest of the job may run without it. Write it under `env:`,
which reaches everything that the job runs, except where a wrapper runs it in an environment of its own: a container
has what its script lets in. Where one of several commands alone is to have it, make a step or a variant of that one;
where the job tries several values, a variant for each. What scripts of the repository set themselves is theirs.

One that says the default is taken out by `--fix`, where nothing else has to do with that variable: no other command, no
value of `env`, no script of the job and no hook of the agent (`.buildkite/hooks/`) names it. Nor is it taken out where
its status may count: as the last command, or in front of `$?` or a bare `exit`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Edit, Related, Severity, Span, listing
from pipegen.manifest.located import Items, Scalar
from pipegen.rules.edits import removed
from pipegen.rules.elsewhere import is_named, scripts_of
from pipegen.rules.facts import Facts, JobFacts
from pipegen.rules.flipped_default import is_flipped
from pipegen.rules.frame import Rule
from pipegen.rules.in_commands import InCommands, in_commands
from pipegen.rules.toggle_help import what_to_do

TOGGLE_IN_COMMANDS: Final = Code(
    code="PG507",
    name="toggle-in-commands",
    summary="A toggle is set inside of a command, where nothing says why or until when.",
    severity=Severity.FINDING,
)

_EXPORT: Final = re.compile(r"\s*export (?P<name>\w+)=(?P<value>\S*)\s*", re.ASCII)
_STATUS: Final = re.compile(
    r"""
    \$\{?[#!]?\? | PIPESTATUS
    | (?<![\w./-]) (?:exit|return) (?![\w./=-])  # which give the status of what ran before,
      (?! [ \t]+ ["']? (?:\$ | \d+ (?![\d<>])) )  # where none is written behind them
    """,
    re.VERBOSE,
)
_FUNCTION: Final = re.compile(r"\(\s*\)|\bfunction\b")
_SOURCES: Final = re.compile(r"(?<![\w./-])(?:source|\.)\s")


def _check(facts: Facts) -> Iterator[Diagnostic]:
    for site in in_commands(facts):
        if is_flipped(site, facts):
            continue
        yield Diagnostic(
            code=TOGGLE_IN_COMMANDS,
            span=site.span,
            message=_message(site),
            help=what_to_do(site, facts),
            related=(Related(span=site.toggle.span, note="the toggle"),),
            fix=_fix(site, facts),
        )


def _message(site: InCommands) -> str:
    name = site.toggle.name
    if site.unsets:
        return f'a command takes "{name}" out of the environment, where nothing says why or until when'
    shown = listing(f"{name}={value}" for value in site.values) if site.values else f'"{name}"'
    return f"a command sets {shown}, where nothing says why or until when"


def _fix(site: InCommands, facts: Facts) -> tuple[Edit, ...]:
    """Take out a command that does nothing but that, if it can be seen that nothing changes by it."""
    if not site.changes_nothing:
        return ()
    item = _item(site)
    holders = () if item is None else facts.once(_holders).get(item.span, ())
    jobs = {id(job) for job in site.jobs}
    text = facts.source(site.span.path)
    if item is None or text is None or any(id(job) not in jobs for job in holders):
        return ()
    return removed(text, item.span) if all(_is_idle(job, item, site, facts) for job in holders) else ()


def _item(site: InCommands) -> Scalar | None:
    """The item of `commands` that does just this, the same in all jobs."""
    found = set()
    for setting in site.settings:
        job, at = setting.job.job, setting.setting.place.command
        nodes = _commands(setting.job)
        node = nodes[at - len(job.setup)] if 0 <= at - len(job.setup) < len(nodes) else None
        if not isinstance(node, Scalar) or _toggle_of(node, setting.job) != site.toggle.name:
            return None
        found.add(node)
    return found.pop() if len({node.span for node in found}) == 1 else None


def _commands(job: JobFacts) -> tuple[object, ...]:
    authored = job.job.nodes.get("commands")
    return authored.items if isinstance(authored, Items) else ()


def _holders(facts: Facts) -> Mapping[Span, tuple[JobFacts, ...]]:
    """The jobs that have an item among their commands, by its place."""
    found: dict[Span, list[JobFacts]] = {}
    for job in facts.jobs:
        for node in _commands(job):
            if isinstance(node, Scalar):
                found.setdefault(node.span, []).append(job)
    return {span: tuple(jobs) for span, jobs in found.items()}


def _toggle_of(node: object, job: JobFacts) -> str | None:
    """The toggle that an item sets to its default, if it does nothing else."""
    found = _EXPORT.fullmatch(node.text) if isinstance(node, Scalar) else None
    toggle = job.pipeline.workspace.toggles.get(found["name"]) if found is not None else None
    return toggle.name if found is not None and toggle is not None and found["value"] == toggle.default else None


def _is_idle(job: JobFacts, item: Scalar, site: InCommands, facts: Facts) -> bool:
    """Whether a job does the same without an item of its commands.

    What would not: one whose status something asks for; the only one that does anything; one of a loop or a condition;
    one whose variable something else has to do with.
    """
    nodes = _commands(job)
    at = next(index for index, node in enumerate(nodes) if isinstance(node, Scalar) and node.span == item.span)
    here = at + len(job.job.setup)
    return (
        not job.reading.together
        and not _is_asked(job, here, facts)
        and any(_toggle_of(node, job) is None for node in nodes)
        and not is_named(job, site.toggle.name, facts, besides=here)
    )


def _is_asked(job: JobFacts, here: int, facts: Facts) -> bool:
    """Whether the status of a command may count: it is the job's own, or what runs next may ask for it.

    That may call a function, which is in one of the other commands or in a script that one of them reads in.
    """
    runs = [command.run for command in job.job.commands]
    following = next((run for run in runs[here + 1 :] if not _is_comment(run)), None)
    if following is None:
        return True
    texts = [following, *(run for run in runs if _FUNCTION.search(run))]
    if any(_SOURCES.search(run) for run in runs):
        texts += [facts.inventory.content(path) or "" for path in scripts_of(job, facts)]
    return any(_STATUS.search(text) for text in texts)


def _is_comment(run: str) -> bool:
    return all(line.lstrip().startswith("#") for line in run.splitlines() if line.strip())


RULE: Final = Rule(codes=(TOGGLE_IN_COMMANDS,), check=_check)
