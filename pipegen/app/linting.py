"""`lint`: everything that is wrong with a workspace, or what is wrong that another revision does not have."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import field
from typing import Final

from pipegen.app.checking import Checked, Earlier, check
from pipegen.app.commit import Commit, committed
from pipegen.app.known import known_codes
from pipegen.app.request import Request, Wanted
from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import Code, Diagnostic, PipegenError, Severity, Span, WrongUsageError, ordered
from pipegen.git import (
    Comparison,
    Everything,
    RevisionTree,
    base_commit,
    renamed_files,
)
from pipegen.git.causes import GIT_FAILED
from pipegen.rules import RULES
from pipegen.rules.choosing import chosen, untold
from pipegen.rules.frame import Rule
from pipegen.source import UnreadableError


@dataclass(frozen=True, slots=True, kw_only=True)
class Linted:
    """What `lint` reports, sorted: `diagnostics`, and `old`, which the base has too.

    `ignored` is what inline ignores silenced, `waived` what waivers did, `implied` what something that is reported
    tells as well.

    `texts` are the files of the workspace that were read. `notes` say in a line each what could not be looked at.
    """

    diagnostics: tuple[Diagnostic, ...]
    old: tuple[Diagnostic, ...] = ()
    implied: tuple[Diagnostic, ...] = ()
    ignored: tuple[Diagnostic, ...] = ()
    waived: tuple[Diagnostic, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def lint(request: Request, wanted: Wanted) -> Linted:
    """Look at all of the workspace, and report what was asked for.

    In the hook of a commit all of it is as that commit will have it.

    Raises:
        WrongUsageError: a code, name or path that was asked for is not there.
        PipegenError: the workspace cannot be read, or git refuses the repository.
    """
    rules = RULES if wanted.rules is None else wanted.rules
    codes = chosen(wanted.select, wanted.ignore, known_codes(rules))
    request = replace(request, place=committed(request.place, request.environment))
    earlier, warnings = (None, ()) if wanted.base is None else _earlier(request, wanted, wanted.base, rules)
    now = check(request, wanted.today, rules, earlier)
    # What keeps the rules from looking is reported whatever was asked for: silence would pass for their answer.
    stops = frozenset[Diagnostic]() if now.whole else frozenset(d for d in now.diagnostics if _is_error(d))
    asked = [d for d in now.diagnostics if d in stops or d.code in codes]
    if wanted.paths:
        _check_paths(wanted.paths, now)
        asked = [d for d in asked if d in stops or any(_is_about(d, path, now) for path in wanted.paths)]
    new, old = (tuple(asked), ()) if earlier is None else _divided(asked, earlier)
    kept = untold(new, new)
    old = untold(old, (*new, *old))
    return Linted(
        diagnostics=ordered((*kept, *warnings)),
        old=old,
        implied=tuple(one for one in new if one.implied_by and one not in kept),
        ignored=now.ignored,
        waived=now.waived,
        texts=now.texts,
        notes=tuple(_notes(now, old, wanted, earlier, has_rules=bool(rules))),
    )


def _is_error(diagnostic: Diagnostic) -> bool:
    return diagnostic.severity is Severity.ERROR


def _notes(
    now: Checked, old: tuple[Diagnostic, ...], wanted: Wanted, earlier: Earlier | None, *, has_rules: bool
) -> Iterable[str]:
    if not now.whole and has_rules:
        yield "the rules did not look: they need a workspace without these errors"
    if now.names_only:
        count = len(now.names_only)
        yield (
            f"{count} rule{'' if count == 1 else 's'} did not look: "
            f"{'it reads' if count == 1 else 'they read'} files, and the listing has only their names"
        )
    if earlier is not None and not earlier.checked.whole:
        has = (
            "errors, so that the rules cannot look there" if earlier.checked.plans else "no workspace that can be read"
        )
        yield f"every finding counts as new: {wanted.base} has {has}"
    if old:
        yield f"{_count(old)} that {wanted.base} has too; pipegen lint without --base shows {_them(old)}"


def _count(found: tuple[Diagnostic, ...]) -> str:
    findings = sum(1 for diagnostic in found if diagnostic.severity is Severity.FINDING)
    kinds = ((findings, "finding"), (len(found) - findings, "warning"))
    return " and ".join(f"{count} {word}{'' if count == 1 else 's'}" for count, word in kinds if count)


def _them(found: tuple[Diagnostic, ...]) -> str:
    return "it" if len(found) == 1 else "them"


# --- Paths ----------------------------------------------------------------------------------------------------------

_QUOTED: Final = re.compile(r'"([^"]+)"')


def _check_paths(paths: Iterable[str], now: Checked) -> None:
    """Refuse a path that nothing could be about: silence would pass for an answer."""
    known = [*now.texts, *now.paths, *(diagnostic.span.path for diagnostic in now.diagnostics)]
    for path in paths:
        if path != "." and not any(_holds(path, one) for one in known):
            raise WrongUsageError(f'"{path}": no such file or folder in the workspace')


def _holds(folder: str, path: str) -> bool:
    return folder in {".", path} or path.startswith(f"{folder}/")


def _is_about(diagnostic: Diagnostic, path: str, now: Checked) -> bool:
    """Whether a diagnostic stands in a file, or names a path of the repository that is there, or below it."""
    if _holds(path, diagnostic.span.path):
        return True
    named = (word.rstrip("/") for word in _QUOTED.findall(diagnostic.message))
    return any(_holds(path, word) or _holds(word, path) for word in named if word in now.paths and word)


# --- The base -------------------------------------------------------------------------------------------------------

_LINE: Final = re.compile(r":\d+(:\d+)?\b")


def _earlier(
    request: Request, wanted: Wanted, base: str, rules: tuple[Rule, ...]
) -> tuple[Earlier | None, tuple[Diagnostic, ...]]:
    """What the base has; where that cannot be told, nothing, and why everything counts as new."""
    git = request.place.git(request.environment)
    hook = request.place.held if isinstance(request.place.held, Commit) else None
    # A hook runs before every commit, where waiting for a remote is no help.
    found = base_commit(git, Comparison(base=base), fetch=hook is None, uncommitted=hook is not None)
    match found:
        case None:
            return None, ()
        case Everything():
            return None, (_warning(request, found.code, found.why, found.help),)
        case str():
            pass
    try:
        with closing(RevisionTree.of(git, found)) as tree:
            then = replace(request, place=request.place.of_revision(tree))
            checked = check(then, wanted.today, rules)
        renames = renamed_files(git, found, index_file=None if hook is None else hook.index_file)
    except (PipegenError, UnreadableError) as error:
        cause = f"the workspace of {found[:12]} cannot be read: {error}"
        return None, (_warning(request, GIT_FAILED, cause, "see whether pipegen lint works there"),)
    return Earlier(checked=checked, renames=renames, called=base), ()


def _divided(asked: Iterable[Diagnostic], earlier: Earlier) -> tuple[tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    """Which are new and which are old. One of the base stands for one here, wherever in its file either is.

    An end that passed is old only where it is a warning: else it is the change, or the schedule, that asks for it.
    """
    known = Counter(_identity(diagnostic, earlier.renames) for diagnostic in earlier.checked.diagnostics)
    new, old = [], []
    for diagnostic in asked:
        identity = _identity(diagnostic, {})
        asks = diagnostic.code.end and diagnostic.severity is not Severity.WARNING
        if known[identity] and not asks and not _is_error(diagnostic):
            known[identity] -= 1
            old.append(diagnostic)
        else:
            new.append(diagnostic)
    return tuple(new), tuple(old)


def _identity(diagnostic: Diagnostic, renames: Mapping[str, str]) -> tuple[Code, str, str]:
    """What stays of a diagnostic when lines move: its code, its file and its words without places."""
    path = diagnostic.span.path
    return diagnostic.code, renames.get(path, path), _LINE.sub("", diagnostic.message)


def _warning(request: Request, code: Code, cause: str, hint: str) -> Diagnostic:
    hint = "name a commit that this clone has: --base" if "--changed-files" in hint else hint
    span = Span(path=request.place.path)
    return Diagnostic(code=code, span=span, message=f"every finding counts as new: {cause}", help=hint)
