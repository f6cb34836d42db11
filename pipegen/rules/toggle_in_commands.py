"""A command sets a toggle: `export X=0`, or `X=0` in front of a program, in quoted words of a wrapper as well.

There it has no reason and no end, nobody finds it, and the rest of the job may run without it. Write it under `env:`,
which reaches everything that the job runs, except where a wrapper runs it in an environment of its own: a container
has what its script lets in. Where one of several commands alone is to have it, make a step or a variant of that one;
where the job tries several values, a variant for each. What scripts of the repository set themselves is theirs.

One that says the default is taken out by `--fix`, where nothing else has to do with that variable.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Edit, Related, Severity, Span, listing
from pipegen.manifest.located import Items, Scalar
from pipegen.rules.edits import removed
from pipegen.rules.elsewhere import mentions, scripts_of
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
_STATUS: Final = re.compile(r"\$\{?(?:\?|PIPESTATUS)")


def _check(facts: Facts) -> Iterator[Diagnostic]:
    for one in in_commands(facts):
        if is_flipped(one, facts):
            continue
        yield Diagnostic(
            code=TOGGLE_IN_COMMANDS,
            span=one.span,
            message=_message(one),
            help=what_to_do(one, facts),
            related=(Related(span=one.toggle.span, note="the toggle"),),
            fix=_fix(one, facts),
        )


def _message(one: InCommands) -> str:
    name = one.toggle.name
    if one.unsets:
        return f'a command takes "{name}" out of the environment, where nothing says why or until when'
    shown = listing(f"{name}={value}" for value in one.values) if one.values else f'"{name}"'
    return f"a command sets {shown}, where nothing says why or until when"


def _fix(one: InCommands, facts: Facts) -> tuple[Edit, ...]:
    """Take out a command that does nothing but that, if it can be seen that nothing changes by it."""
    if not one.changes_nothing:
        return ()
    item = _item(one)
    holders = () if item is None else facts.once(_holders).get(item.span, ())
    jobs = {id(job) for job in one.jobs}
    text = facts.source(one.span.path)
    if item is None or text is None or any(id(job) not in jobs for job in holders):
        return ()
    return removed(text, item.span) if all(_is_idle(job, item, one, facts) for job in holders) else ()


def _item(one: InCommands) -> Scalar | None:
    """The item of `commands` that does just this, the same in all jobs."""
    found = set()
    for setting in one.settings:
        job, at = setting.job.job, setting.setting.place.command
        nodes = _commands(setting.job)
        node = nodes[at - len(job.setup)] if 0 <= at - len(job.setup) < len(nodes) else None
        if not isinstance(node, Scalar) or _toggle_of(node, setting.job) != one.toggle.name:
            return None
        found.add(node)
    return found.pop() if len({node.span for node in found}) == 1 else None


def _commands(one: JobFacts) -> tuple[object, ...]:
    authored = one.job.nodes.get("commands")
    return authored.items if isinstance(authored, Items) else ()


def _holders(facts: Facts) -> Mapping[Span, tuple[JobFacts, ...]]:
    """The jobs that have an item among their commands, by its place."""
    found: dict[Span, list[JobFacts]] = {}
    for one in facts.jobs:
        for node in _commands(one):
            if isinstance(node, Scalar):
                found.setdefault(node.span, []).append(one)
    return {span: tuple(jobs) for span, jobs in found.items()}


def _toggle_of(node: object, one: JobFacts) -> str | None:
    """The toggle that an item sets to its default, if it does nothing else."""
    found = _EXPORT.fullmatch(node.text) if isinstance(node, Scalar) else None
    toggle = one.pipeline.workspace.toggles.get(found["name"]) if found is not None else None
    return toggle.name if found is not None and toggle is not None and found["value"] == toggle.default else None


def _is_idle(one: JobFacts, item: Scalar, found: InCommands, facts: Facts) -> bool:
    """Whether a job does the same without an item of its commands.

    What would not: its last command, whose status is the job's; one in front of a command that asks for its status;
    the only one that does anything; one of a loop or a condition; one whose variable something else has to do with.
    """
    nodes = _commands(one)
    at = next(index for index, node in enumerate(nodes) if isinstance(node, Scalar) and node.span == item.span)
    runs = [command.run for command in one.job.commands]
    here = at + len(one.job.setup)
    others = [*runs[:here], *runs[here + 1 :], *(value for name, value in sorted(one.job.env.items()))]
    return (
        not one.reading.together
        and at + 1 < len(nodes)
        and not _STATUS.search(runs[here + 1])
        and any(_toggle_of(node, one) is None for node in nodes)
        and not any(mentions(text, found.toggle.name) for text in others)
        and all(_leaves_alone(path, found.toggle.name, facts) for path in scripts_of(one))
    )


def _leaves_alone(path: str, name: str, facts: Facts) -> bool:
    """Whether a script that a job runs can be read, and does not name a variable."""
    text = facts.inventory.content(path)
    return text is not None and not mentions(text, name)


RULE: Final = Rule(codes=(TOGGLE_IN_COMMANDS,), check=_check)
