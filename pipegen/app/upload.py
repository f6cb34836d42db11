"""The pipeline of a build, handed to buildkite-agent: whole, once, whatever becomes of the job that does it.

An attempt first keeps what it decided (an artifact with the plan and the documents, and a note in the build's meta-data
that names it), then uploads part after part and counts them in the meta-data. A later attempt of the same job finds the
note, takes the kept documents and goes on behind the last part that was counted.

Between Buildkite's acceptance of a part and our count of it an attempt can be lost. The next one then uploads that part
again. Buildkite applies an upload as a whole or not at all, and refuses one with a key that the build has already; the
first group of every part has a key that nothing else has, its marker. So a part that is there is refused, and a
refusal that names the marker says that it is there. Which of several used keys a refusal names is not documented: where
it is another one, the build is asked for the marker, and failing that for every step of the part.
"""

from collections.abc import Callable, Mapping
from typing import Final

from pipegen.app.agent import PROGRAM, Agent, AgentError
from pipegen.app.changes import Asked
from pipegen.app.prepared import Prepared, prepare
from pipegen.app.request import Request
from pipegen.dataclass import dataclass
from pipegen.diagnostics import Diagnostic, PipegenError, Severity
from pipegen.plain import Plain
from pipegen.report.annotation import annotation
from pipegen.report.commonmark import escaped
from pipegen.upload.answers import last_words, refusal_of, used_key_of
from pipegen.upload.record import Note, Part, RecordError, Sealed, decode, decode_note, digest_of, name_of, note_key

DEADLINE_MINUTES: Final = 10.0
"""Of an attempt. The agent itself would try a single upload for ten minutes, and longer where nobody answers."""

LAST_WORDS_SECONDS: Final = 15.0
"""What the annotation may take once the deadline has passed: else the page would say what an earlier attempt said."""


class RefusedError(PipegenError):
    """Buildkite or its agent refused the document; nothing that a second attempt could help (exit 1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """Who hears of an upload while it goes on: `tell` of what is done, in lines, `show` of what was found."""

    tell: Callable[[str], None]
    show: Callable[[tuple[Diagnostic, ...]], None]


def upload(request: Request, asked: Asked, agent: Agent, voice: Voice) -> str | None:
    """Upload the pipeline of this build, or what an earlier attempt of this job left of it.

    The result says in one line why no more was uploaded, where that is the document's fault; None: all of it is in the
    build. Whatever happens to an upload, the build's annotation says it.

    Raises:
        PipegenError: it could not be done; another attempt may go on.
    """
    key = note_key(_identity(request, asked))
    uploader = _Uploader(agent=agent, tell=voice.tell, key=key, context=_context(request))
    note = agent.meta_data(key)
    if note is None:
        prepared = prepare(request, asked)
        if isinstance(prepared, tuple):
            voice.show(prepared)
            errors = sum(1 for one in prepared if one.severity is Severity.ERROR)
            return f"nothing is uploaded: {errors} error{'' if errors == 1 else 's'}"
        voice.show(prepared.diagnostics)
        return uploader.begin(prepared)
    return uploader.resume(note, request, asked)


def _identity(request: Request, asked: Asked) -> Mapping[str, Plain]:
    """What tells this call from others in the same build, and not from another attempt of the same job."""
    environment = request.environment
    return {
        "step": environment.get("BUILDKITE_STEP_ID") or environment.get("BUILDKITE_STEP_KEY", ""),
        "shard": environment.get("BUILDKITE_PARALLEL_JOB", ""),
        "workspace": request.place.path,
        "pipeline": request.pipeline,
        "variables": dict(request.variables),
        "facts": dict(request.facts),
        "base": asked.base,
        "listed": asked.changed_files is not None,
        "only": list(asked.only),
        "labels": list(asked.labels),
        "schedules": list(asked.schedules),
        "every": asked.every,
        "timeouts": asked.timeouts,
    }


def _context(request: Request) -> str:
    """The name of the annotation; each of several pipelines has its own."""
    return "pipegen" if request.pipeline is None else f"pipegen-{request.pipeline}"[:100]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Uploader:
    """One attempt. `key` names the note in the build's meta-data, `context` the annotation."""

    agent: Agent
    tell: Callable[[str], None]
    key: str
    context: str

    def begin(self, prepared: Prepared) -> str | None:
        """The first attempt: nothing is uploaded before all of it is checked and kept."""
        sealed = prepared.sealed
        content = sealed.encode()
        digest = digest_of(content)
        if sealed.parts:
            refused = self._check(sealed, interpolation=prepared.interpolation)
            if refused is not None:
                return refused
        self.agent.upload_artifact(name_of(digest), content)
        if not sealed.parts:
            self._annotate(sealed, "Nothing is uploaded.")
            self.tell(f"nothing to upload: {prepared.nothing}")
            return None
        note = Note(digest=digest, jobs=tuple(part.jobs for part in sealed.parts), interpolation=prepared.interpolation)
        self.agent.set_meta_data(self.key, note.encode())
        return self._send(sealed, note, done=0)

    def resume(self, text: str, request: Request, asked: Asked) -> str | None:
        """A later attempt: the plan of the first, from where it was lost."""
        try:
            note = decode_note(text)
        except RecordError as error:
            raise PipegenError(f'the note "{self.key}" in the build\'s meta-data {error}: start a new build') from error
        sealed = self._recall(note, request, asked)
        total = len(sealed.parts)
        counted = self.agent.meta_data(self._count_key)
        # Any other text is no count of ours: from the first part on, what is there is found to be there.
        done = next((number for number in range(1, total + 1) if counted == str(number)), 0)
        self.tell(f"an earlier attempt of this job uploaded {done} of {total} parts: its plan is used")
        return self._send(sealed, note, done=done)

    @property
    def _count_key(self) -> str:
        return f"{self.key}:uploaded"

    def _check(self, sealed: Sealed, *, interpolation: bool) -> str | None:
        """Why the agent would refuse a part; it needs nobody to say so. Raises AgentError if it was killed."""
        for number, part in enumerate(sealed.parts, start=1):
            words = ("pipeline", "upload", "--dry-run", *_mode(interpolation=interpolation))
            answer = self.agent.run(*words, document=part.document)
            if not answer.is_an_answer:
                raise self.agent.failure(words, answer)
            if answer.status:
                why = last_words(answer.complaint) or f"it ended with status {answer.status} and said nothing"
                return f"{PROGRAM} refuses {_which(number, sealed)}: {why}"
        return None

    def _recall(self, note: Note, request: Request, asked: Asked) -> Sealed:
        """What the first attempt kept; made again where it cannot be had, if that comes to the same."""
        name = name_of(note.digest)
        try:
            content = self.agent.download_artifact(name)
            why = f'the artifact "{name}" is not what was kept'
        except AgentError as error:
            content, why = b"", str(error)
        if digest_of(content) != note.digest:
            self.tell(f"the plan of the earlier attempt cannot be had, making it again: {why}")
            prepared = prepare(request, asked)
            content = b"" if isinstance(prepared, tuple) else prepared.sealed.encode()
        if digest_of(content) != note.digest:
            raise PipegenError(f'the plan of the earlier attempt is lost (artifact "{name}"): start a new build')
        return decode(content)

    def _send(self, sealed: Sealed, note: Note, *, done: int) -> str | None:
        """Upload what is not there yet, and say on the build's page how that went."""
        total = len(sealed.parts)
        number = done
        try:
            for number, part in enumerate(sealed.parts[done:], start=done + 1):
                self._send_part(part, number, sealed, interpolation=note.interpolation)
        except PipegenError as error:
            stopped = f"**The upload stopped** at part {number} of {total}: {escaped(str(error))}"
            advice = "" if isinstance(error, RefusedError) else " Retry the job: it goes on from there."
            self._annotate(sealed, stopped + advice, style="error")
            if isinstance(error, RefusedError):
                return str(error)
            raise PipegenError(
                f"{error}; {number - 1} of {total} parts are uploaded, retry this job to go on"
            ) from error
        jobs = sum(part.jobs for part in sealed.parts)
        self._annotate(sealed, f"Uploaded in {total} part{'' if total == 1 else 's'}.")
        self.tell(f"uploaded {jobs} jobs (groups and gates counted) in {total} part{'' if total == 1 else 's'}")
        return None

    def _send_part(self, part: Part, number: int, sealed: Sealed, *, interpolation: bool) -> None:
        words = ("pipeline", "upload", *_mode(interpolation=interpolation))
        answer = self.agent.run(*words, document=part.document, seconds=float("inf"))
        if answer.status == 0:
            self.tell(f"{_which(number, sealed)} is uploaded: {part.jobs} jobs")
        else:
            refusal = refusal_of(answer.complaint)
            if refusal is None:
                raise self.agent.failure(words, answer)
            if not self._is_there(part, refusal):
                raise RefusedError(f"Buildkite refuses {_which(number, sealed)}: {refusal}")
            self.tell(f"{_which(number, sealed)} is in the build already")
        self._count(number)

    def _count(self, number: int) -> None:
        """Note how many parts are there. Without the note the next attempt would find out by itself."""
        try:
            self.agent.set_meta_data(self._count_key, str(number))
        except AgentError as error:
            self.tell(f"cannot note what is uploaded, going on: {error}")

    def _is_there(self, part: Part, refusal: str) -> bool:
        """Whether a part was refused because all of it is in the build.

        Raises:
            AgentError: nobody can say.
        """
        used = used_key_of(refusal)
        if used is None or used == part.marker:
            return used is not None
        if self.agent.has_step(part.marker):
            return True
        # Should Buildkite not tell of groups: with all of its keys there, none of its jobs is missing. A single key
        # says nothing that the refusal did not say: the job that has it may be anybody's.
        others = [key for key in part.keys if key != used]
        return used in part.keys and bool(others) and all(self.agent.has_step(key) for key in others)

    def _annotate(self, sealed: Sealed, head: str, *, style: str | None = None) -> None:
        """Say it on the build's page, behind the deadline as well; no upload fails for want of that."""
        agent = self.agent.with_grace(LAST_WORDS_SECONDS)
        try:
            agent.annotate(self.context, style or sealed.style, annotation(head, sealed.summary))
        except AgentError as error:
            self.tell(f"the build has no annotation: {error}")


def _mode(*, interpolation: bool) -> tuple[str, ...]:
    return () if interpolation else ("--no-interpolation",)


def _which(number: int, sealed: Sealed) -> str:
    return f"part {number} of {len(sealed.parts)}"
