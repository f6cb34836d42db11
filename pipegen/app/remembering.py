"""`lint`, which looks again only where something that it looked at is no longer as it was."""

import json
from collections.abc import Callable
from dataclasses import field
from typing import Final

from pipegen.app.memory import Memory
from pipegen.app.request import INDEX_FILE, Request, Wanted
from pipegen.app.seen import SeenTree
from pipegen.app.verdict import Verdict, from_plain, mapping, sequence, texts_of, to_plain
from pipegen.app.witness import Witness
from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import Diagnostic
from pipegen.git.causes import CAUSES
from pipegen.plain import Plain, PlainMap
from pipegen.report.secrets import redacted, secrets_of
from pipegen.source import FolderTree

FORMAT: Final = 1
"""Of what is kept."""


def _look(request: Request, wanted: Wanted) -> Verdict:
    from pipegen.app.linting import lint  # noqa: PLC0415 - whoever remembers needs nothing of it

    return Verdict.of(lint(request, wanted))


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembering:
    """`lint` with a memory. A verdict is remembered with everything that the run asked of disk, environment and git.

    It holds as long as all of that has the same answers, and as pipegen (`program` tells it from others, or says None
    where nobody can) and what is asked of it are the same. A hook of a commit is about what no other run sees, so it
    looks itself.
    """

    memory: Memory
    program: Callable[[], str | None]
    look: Callable[[Request, Wanted], Verdict] = field(default=_look)

    def verdict(self, request: Request, wanted: Wanted) -> Verdict:
        """What `lint` finds.

        Raises:
            WrongUsageError, PipegenError: see `lint`.
        """
        asked_apart = request.environment.get(INDEX_FILE) or request.place.held is not None or wanted.rules is not None
        program = None if asked_apart else self.program()
        if program is None:
            return self.look(request, wanted)
        key = _key(program, request, wanted)
        known = self._remembered(self.memory.recall(key), request)
        if known is not None:
            return known
        witness = Witness(root=request.place.root, environment=request.environment)
        place = replace(request.place, witness=witness)
        verdict = self.look(replace(request, place=place, environment=witness.environment), wanted)
        # A pipegen that was installed meanwhile must not take this for its own.
        if witness.settles and self.program() == program and _may_be_kept(verdict, request):
            self.memory.keep(key, _kept(verdict, witness))
        return verdict

    def _remembered(self, document: Plain, request: Request) -> Verdict | None:
        """The verdict that was kept, if it still holds."""
        try:
            kept = mapping(document)
            questions = tuple(texts_of(question) for question in sequence(kept["questions"]))
            disk = SeenTree(FolderTree(root=request.place.root))
            witness = Witness(root=request.place.root, environment=request.environment, disk=disk)
            witness.ask(questions)
            if not witness.settles or witness.answers != kept["answers"]:
                return None
            return from_plain(kept["verdict"], disk.text)
        except (OSError, KeyError, TypeError, ValueError, OverflowError):  # nothing was kept, or not by this pipegen
            return None


def _key(program: str, request: Request, wanted: Wanted) -> str:
    asked = (request.pipeline, sorted(request.facts.items()), sorted(request.variables.items()))
    about = (str(request.place.root), request.place.path, *asked, request.schedules, request.labels)
    options = (wanted.today, wanted.select, wanted.ignore, wanted.paths, wanted.base)
    return json.dumps([FORMAT, program, about, options])


def _kept(verdict: Verdict, witness: Witness) -> PlainMap:
    questions = [list[Plain](question) for question in witness.questions]
    return {"questions": questions, "answers": witness.answers, "verdict": to_plain(verdict)}


def _may_be_kept(verdict: Verdict, request: Request) -> bool:
    """Whether a verdict may lie on a disk: it tells no secret, and says nowhere that git could not answer."""
    found = (*verdict.diagnostics, *verdict.old)
    if any(diagnostic.code in CAUSES for diagnostic in found):
        return False
    secrets = secrets_of(request.environment)
    return not secrets or all(redacted(text, secrets) == text for one in found for text in _said(one))


def _said(diagnostic: Diagnostic) -> tuple[str, ...]:
    notes = (related.note for related in diagnostic.related)
    return diagnostic.message, diagnostic.help, *notes, *(edit.text for edit in diagnostic.fix)
