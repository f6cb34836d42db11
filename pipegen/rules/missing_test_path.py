"""A path in `tests` or `also` names nothing: no file, no directory, and, for a glob, nothing that it matches.

pytest runs nothing at all when one of its paths is missing: it exits with 4, and the job is red in every build until
somebody follows the rename. A job with `commands` stays green, and its area owns nothing. Write the new name. Where
git saw the file or the directory move, the fix does it.
"""

from collections.abc import Iterator
from typing import Final

from pipegen.diagnostics import Code, Diagnostic, Edit, Related, Severity
from pipegen.rules.edits import replaced
from pipegen.rules.facts import Facts
from pipegen.rules.frame import Rule
from pipegen.rules.missing import Missing, followed, ignored_of, missing, said_of, successors, written_like
from pipegen.rules.places import span_of

MISSING_TEST_PATH: Final = Code(
    code="PG207",
    name="missing-test-path",
    summary="A path in tests or also names nothing.",
    severity=Severity.FINDING,
)


def _check(facts: Facts) -> Iterator[Diagnostic]:
    for one in missing(facts):
        folders = facts.inventory.files.folders
        names = [written_like(one.test, it.path, folder=it.path in folders) for it in one.successors]
        sure = bool(one.successors) and one.successors[0].sure
        yield Diagnostic(
            code=MISSING_TEST_PATH,
            span=one.test.span,
            message=f'{one.word}: "{one.test.written}" '
            + ("matches nothing" if one.test.is_glob else "is no file or directory")
            + (f': it is "{names[0]}" now' if sure else ""),
            help=_help(names, one, facts),
            related=tuple(_in_commands(one)),
            fix=_fix(one, names[0], facts) if sure else (),
        )


def _help(names: list[str], one: Missing, facts: Facts) -> str:
    if one.successors and one.successors[0].sure:
        owner = _owner(one, facts)
        return f'write "{names[0]}"' if owner is None else f'{_out(one)}: "{names[0]}" is in area "{owner}" already'
    if len(names) > 1:
        return f"its files went to several places: write {' and '.join(names)}"
    return f'did you mean "{names[0]}"?' if names else f"{_out(one, one.word)}, or write the path that it has now"


def _out(one: Missing, of: str = "") -> str:
    """What to take out: the path, or the area that has nothing else to run."""
    area = one.jobs[0].job.origin.area if one.jobs else None
    alone = all(job.generated and (*job.job.tests, *job.job.also) == (one.test,) for job in one.jobs)
    if area is not None and alone:
        return f'take area "{area}" out'
    return f"take it out of {of}" if of else "take it out"


def _owner(one: Missing, facts: Facts) -> str | None:
    """The area that names the new path already."""
    new = one.successors[0].path
    return next((claim.area for claim in facts.ownership.claims if claim.test.file == new), None)


def _in_commands(one: Missing) -> Iterator[Related]:
    """Where its jobs name the same in commands and ignores: these have to follow as well."""
    said = [(job, spot) for job in one.jobs for _, spot in said_of(job, one.test.file)]
    places = {span_of(job.job, spot.place, spot.written) for job, spot in said}
    yield from (Related(span=span, note="the commands name it as well") for span in sorted(places))
    yield from (Related(span=entry.span, note="so does ignore") for entry in ignored_of(one))


def _fix(one: Missing, name: str, facts: Facts) -> tuple[Edit, ...]:
    """The new name in the manifest and in the commands beside it.

    None where not all commands can follow, or where somebody names the new path already.
    """
    following = [followed(job, ran, spot, facts) for job in one.jobs for ran, spot in said_of(job, one.test.file)]
    edits = [edit for edit in dict.fromkeys(following) if edit is not None]
    for entry in ignored_of(one):
        new = successors(entry.file, facts)
        if not new or not new[0].sure:
            return ()
        folder = new[0].path in facts.inventory.files.folders
        edits.append(replaced(entry.span, written_like(entry, new[0].path, folder=folder)))
    if None in following or _owner(one, facts) is not None:
        return ()
    return (replaced(one.test.span, name), *edits)


RULE: Final = Rule(codes=(MISSING_TEST_PATH,), check=_check)
