"""A pattern stands in a list that takes all of it without it.

It stands there twice, or another pattern of the list is wider: `src/engine/` beside `src/engine/core.py`. A reader
takes it for something more, and whoever narrows the list has to find both. Take it out, or, if the wide one is the
mistake, that one.

Only what holds whatever files come is reported: one pattern contains the other by what it says, not by the files that
there happen to be today. A pattern that several jobs inherit is reported where it was written, and only if it is
redundant for all of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Related, Severity
from pipegen.model import Located
from pipegen.patterns import fixed_folder, lineage
from pipegen.rules.containment import Containment
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.pattern_lists import Written, is_exclusion, pattern_lists, taken_out, written_patterns

REDUNDANT_PATTERN: Final = Code(
    code="PG403",
    name="redundant-pattern",
    summary="A pattern stands twice in a list, or another one takes all that it takes.",
    severity=Severity.FINDING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    containment = Containment(files=facts.inventory.files)
    wider = {id(one): _wider(one.patterns, containment) for one in pattern_lists(facts)}
    for one in written_patterns(facts):
        if not all(wider[id(where)] for where in one.lists):
            continue  # as in most lists nothing is redundant
        found = [wider[id(where)].get(one.pattern) for where in one.lists]
        if found[0] is not None and all(other is not None for other in found) and facts.taken.by(one.pattern.text):
            yield _report(one, found[0], facts)


def _wider(patterns: Sequence[Located], containment: Containment) -> Mapping[Located, Located]:
    """For each pattern another of the same sign that takes all that it takes; of two alike the first stays."""
    bodies = [pattern.text.removeprefix("!") for pattern in patterns]
    folders = [fixed_folder(body) for body in bodies]
    plain: dict[str, list[int]] = {}
    globs = []
    for index, (body, folder) in enumerate(zip(bodies, folders, strict=True)):
        if folder == body.strip("/"):  # it is a path
            plain.setdefault(folder, []).append(index)
        else:
            globs.append(index)
    found: dict[Located, Located] = {}
    for index, (pattern, folder) in enumerate(zip(patterns, folders, strict=True)):
        around = [at for path in lineage(folder) if path in plain for at in plain[path]]
        for at in sorted((*around, *globs)) if globs or around != [index] else ():
            if at != index and _contains(patterns, at, index, containment):
                found.setdefault(pattern, patterns[at])
    return found


def _contains(patterns: Sequence[Located], at: int, index: int, containment: Containment) -> bool:
    one, other = patterns[at], patterns[index]
    if is_exclusion(one) != is_exclusion(other):
        return False
    wide, body = one.text.removeprefix("!"), other.text.removeprefix("!")
    return containment.holds(wide, body) and (at < index or not containment.holds(body, wide))


def _report(one: Written, wider: Located, facts: Facts) -> Diagnostic:
    text = one.pattern.text
    same = text.strip("/") == wider.text.strip("/")
    does = "excludes" if is_exclusion(wider) else "takes"
    message = f'"{text}" stands twice in' if same else f'"{wider.text}" {does} all that "{text}" {does} in'
    return Diagnostic(
        code=REDUNDANT_PATTERN,
        span=one.pattern.span,
        message=f"{message} {one.where}",
        help=f'take "{text}" out' if not same else "take one of them out",
        related=(Related(span=wider.span, note="first here" if same else "the wider one"),),
        fix=taken_out(one.pattern, facts),
    )


RULE: Final = Rule(codes=(REDUNDANT_PATTERN,), check=_check)
