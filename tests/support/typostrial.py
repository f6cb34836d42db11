"""One misspelling in one workspace: what pipegen says of it, held against what it must say."""

import enum
import functools
from collections.abc import Iterator

from pipegen import app
from pipegen.app.cases import check_selection_cases
from pipegen.diagnostics import Diagnostic, ordered
from tests.support.bases import Base
from tests.support.typos import Exempt, Known, Place, ambiguous, exempt, fault, places, replaced


class Outcome(enum.Enum):
    """How a misspelling that is dealt with as it must be is dealt with."""

    FOUND = "found, with the right word first"
    AMBIGUOUS = "found, with the right word among those that are as likely"
    VALID = Exempt.VALID.value
    MEANS_MORE = Exempt.MEANS_MORE.value
    NO_WORD = Exempt.NO_WORD.value


_CASES = "selection_cases.yaml"


def places_of(base: Base) -> tuple[Place, ...]:
    """Every place of the files that people write for this pipeline."""
    plan = _sound(base)
    known = Known.of(plan.workspace, plan.catalogue.hardware, plan.expansion, base.files, base.templates())
    return tuple(place for path in _read(base, plan) for place in places(path, base.files[path], known))


def _read(base: Base, plan: app.Plan) -> Iterator[str]:
    """The files of the base that its pipeline is made from; others belong to another pipeline of the workspace."""
    workspace = plan.workspace
    folders = tuple(folder.text.rstrip("/") + "/" for folder in workspace.areas)
    named = (*workspace.hardware_files, *workspace.selection.cases)
    for path in base.authored:
        if path in (base.workspace, *(place.text for place in named)) or path.startswith(folders):
            yield path


def trial(base: Base, place: Place, word: str, *, whole: bool = False) -> Outcome | str:
    """How the misspelling was dealt with, or what is wrong with that.

    Rendering takes long and finds little more, so that it is left out where mistakes are found before, unless the
    `whole` is asked for.
    """
    excused = exempt(place, word)
    if excused is not None:
        return Outcome(excused.value)
    changed = {place.path: replaced(base.files[place.path], place, word)}
    found = diagnostics(base, changed, whole=whole, cases=place.path.endswith(_CASES))
    wrong = fault(place, word, found)
    if wrong is not None:
        return wrong
    return Outcome.AMBIGUOUS if ambiguous(place, word) else Outcome.FOUND


def diagnostics(base: Base, changed: dict[str, bytes], *, whole: bool, cases: bool) -> tuple[Diagnostic, ...]:
    """Everything that is found in a workspace with some files changed."""
    request = base.request(changed)
    if cases:
        plan = _sound(base)
        return check_selection_cases(request, plan)
    plan_found = app.make_plan(request)
    found = plan_found if isinstance(plan_found, tuple) else plan_found.diagnostics
    if found and not whole:
        return ordered(found)
    return base.generate(changed).diagnostics


@functools.cache
def _sound(base: Base) -> app.Plan:
    return base.sound_plan()
