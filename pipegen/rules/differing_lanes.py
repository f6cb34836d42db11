"""A lane runs with a toggle as it is by default, where the step that it mirrors leaves the default on its own lane.

Then the two lanes test different things, and a bug that one of them has hides in the other. Sometimes that is meant:
then say so in the mirror, in the long form with `because` and `until`. What the mirror inherits it need not repeat.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Related, Severity, Span
from pipegen.manifest.located import Entry
from pipegen.manifest.located import Mapping as MappingNode
from pipegen.model import Job
from pipegen.rules.facts import Facts, JobFacts
from pipegen.rules.frame import Rule

DIFFERING_LANES: Final = Code(
    code="PG310",
    name="differing-lanes",
    summary="A mirror drops a toggle that its step sets, and does not say why.",
    severity=Severity.FINDING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    own = {_origin(one.job): one for one in facts.jobs if one.job.origin.mirror is None}
    told: set[Span] = set()
    for one in facts.jobs:
        original = own.get(_origin(one.job))
        if one.job.origin.mirror is None or original is None or original.job.lane == one.job.lane:
            continue
        if not _leaves_defaults(original):
            continue
        mirror = facts.chain(one).mirror
        env = None if mirror is None else mirror.nodes.get("env")
        for entry in env.entries if isinstance(env, MappingNode) else ():
            if entry.key.span not in told and _drops(entry, one, original):
                told.add(entry.key.span)
                yield _diagnostic(entry, one, original)


def _leaves_defaults(one: JobFacts) -> bool:
    toggles = one.pipeline.workspace.toggles
    return any(name in toggles and value != toggles[name].default for name, value in one.job.env.items())


def _origin(job: Job) -> tuple[object, ...]:
    origin = job.origin
    return job.span, origin.area, origin.step, origin.part, origin.variant


def _drops(entry: Entry, mirrored: JobFacts, original: JobFacts) -> bool:
    """Whether the step's own job leaves the toggle's default, and the mirror goes back to it without a reason."""
    toggle = original.pipeline.workspace.toggles.get(entry.key.text)
    if toggle is None or isinstance(entry.value, MappingNode):
        return False
    here, there = (one.job.env.get(toggle.name, toggle.default) for one in (mirrored, original))
    return here == toggle.default != there


def _diagnostic(entry: Entry, mirrored: JobFacts, original: JobFacts) -> Diagnostic:
    name = entry.key.text
    value = original.job.env[name]
    set_at = next(one for one in _entries(original.job) if one.key.text == name)
    return Diagnostic(
        code=DIFFERING_LANES,
        span=entry.key.span,
        message=f'{name} is "{value}" on lane {original.job.lane}, and mirror "{mirrored.job.origin.mirror}" drops '
        f"it on lane {mirrored.job.lane} without saying why",
        help=f"take it out to inherit it, or write {name}: {{value: {_default(mirrored, name)}, because: WHY, "
        'until: DATE or "#N"}',
        related=(Related(span=set_at.key.span, note=f"set here for lane {original.job.lane}"),),
    )


def _entries(job: Job) -> tuple[Entry, ...]:
    env = job.nodes.get("env")
    return env.entries if isinstance(env, MappingNode) else ()


def _default(one: JobFacts, name: str) -> str:
    return one.pipeline.workspace.toggles[name].default


RULE: Final = Rule(codes=(DIFFERING_LANES,), check=_check)
