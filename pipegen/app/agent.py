"""Running buildkite-agent: found on PATH, words and no shell, one document on standard input, and never for ever."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import PipegenError
from pipegen.report.secrets import redacted, secrets_of
from pipegen.upload.answers import (
    KNOWN_VERSIONS,
    last_words,
    says_not_found,
    troubles,
    version_of,
)

PROGRAM: Final = "buildkite-agent"
CALL_SECONDS: Final = 120.0
"""How long a call may take that uploads no pipeline: time for six attempts of `meta-data set`, each of which the agent
waits for twice as long as for the one before."""

_NO_SUCH_KEY: Final = 100
"""The status of `meta-data exists` where there is none; 1 says that nobody can tell."""

SETTINGS: Final[Mapping[str, str | None]] = MappingProxyType(
    {
        # Refuse what v4 refuses of itself. As variables, since an agent that lacks such an option ignores them.
        "BUILDKITE_AGENT_PIPELINE_UPLOAD_REJECT_SECRETS": "true",
        "BUILDKITE_AGENT_PIPELINE_UPLOAD_REJECT_PARSE_WARNINGS": "true",
        # The earlier attempt of a retried job is where its plan is.
        "BUILDKITE_AGENT_INCLUDE_RETRIED_JOBS": "true",
        # What the agent says is read: it says enough, in plain letters, and no bodies of requests.
        "BUILDKITE_AGENT_NO_COLOR": "true",
        "BUILDKITE_AGENT_LOG_LEVEL": "notice",
        "BUILDKITE_AGENT_DEBUG": None,
        "BUILDKITE_AGENT_DEBUG_HTTP": None,
        # A job's environment must not turn one upload into another kind, or one build's notes into another's.
        "BUILDKITE_PIPELINE_REPLACE": None,
        "BUILDKITE_PIPELINE_NO_INTERPOLATION": None,
        "BUILDKITE_PIPELINE_UPLOAD_DRY_RUN": None,
        "BUILDKITE_PIPELINE_UPLOAD_DRY_RUN_FORMAT": None,
        "BUILDKITE_METADATA_BUILD_ID": None,
        "BUILDKITE_ANNOTATION_APPEND": None,
        "BUILDKITE_ANNOTATION_SCOPE": None,
        "BUILDKITE_ANNOTATION_PRIORITY": None,
        "BUILDKITE_AGENT_ARTIFACT_LITERAL": None,
        "BUILDKITE_ARTIFACT_CONTENT_TYPE": None,
        "BUILDKITE_ARTIFACT_UPLOAD_SKIP_SYMLINKS": None,
    }
)
"""The agent's options that a call sets by variables, None for those that it must not find set."""


_ENDED_BY_SIGNAL: Final = 128
"""What a shell adds to the number of the signal that ended a program; Python takes it as negative."""


class AgentError(PipegenError):
    """buildkite-agent could not do what it was asked; the text says why in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """How a call of the agent ended."""

    status: int
    output: str
    complaint: str

    @property
    def is_an_answer(self) -> bool:
        """Whether the agent ended by itself. A killed one has said nothing about what it was given."""
        return 0 <= self.status <= _ENDED_BY_SIGNAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """buildkite-agent, in the environment of a job, until `ends` by `clock` (both in seconds).

    `tell` is given what the agent warned of, a line at a time, without the secrets of the environment.
    """

    program: str
    environment: Mapping[str, str] = field(repr=False)
    clock: Callable[[], float]
    ends: float
    tell: Callable[[str], None]
    secrets: tuple[str, ...] = field(repr=False)

    @classmethod
    def find(
        cls, environment: Mapping[str, str], *, clock: Callable[[], float], seconds: float, tell: Callable[[str], None]
    ) -> "Agent":
        """The agent that the environment's PATH leads to.

        Raises:
            AgentError: there is none, this is no job of a build, or the agent is too old.
        """
        program = shutil.which(PROGRAM, path=environment.get("PATH", ""))
        if program is None:
            raise AgentError(f"there is no {PROGRAM} on PATH: run this in a Buildkite job, or look with --dry-run")
        if not environment.get("BUILDKITE_JOB_ID"):
            raise AgentError("BUILDKITE_JOB_ID is not set: run this in a Buildkite job, or look with --dry-run")
        kept = {name: value for name, value in environment.items() if name not in SETTINGS}
        settings = {name: value for name, value in SETTINGS.items() if value is not None}
        secrets = secrets_of(environment)
        ends = clock() + seconds
        agent = cls(
            program=str(Path(program).absolute()),  # it runs in other folders, where a relative one leads nowhere
            environment={**kept, **settings},
            clock=clock,
            ends=ends,
            tell=tell,
            secrets=secrets,
        )
        agent.check_version()
        return agent

    def check_version(self) -> None:
        """Refuse an agent that is too old, and warn of one that is newer than those that are known.

        Raises:
            AgentError: it is too old, or does not even say its version.
        """
        answer = self.run("--version")
        version = version_of(answer.output)
        if answer.status or version is None:
            self.tell(f'"{self.program} --version" names no version: expected 3 or 4, going on')
        elif version.major < min(KNOWN_VERSIONS):
            raise AgentError(f"{PROGRAM} is version {version}: expected 3 or 4")
        elif version.major not in KNOWN_VERSIONS:
            self.tell(f"{PROGRAM} is version {version}, of which pipegen knows nothing: expected 3 or 4, going on")

    @property
    def seconds_left(self) -> float:
        """Until the deadline; negative behind it."""
        return self.ends - self.clock()

    def with_grace(self, seconds: float) -> "Agent":
        """The same agent with at least so much time left."""
        return replace(self, ends=max(self.ends, self.clock() + seconds))

    def run(
        self,
        *arguments: str,
        document: str | None = None,
        folder: Path | None = None,
        seconds: float = CALL_SECONDS,
    ) -> Answer:
        """Run one command of the agent, which repeats by itself what may succeed later.

        Raises:
            AgentError: it cannot be started, or did not end within `seconds` or before the deadline.
        """
        left = self.seconds_left
        if left <= 0:
            raise AgentError("the deadline has passed")
        try:
            done = subprocess.run(  # noqa: S603 - words, no shell
                [self.program, *arguments],
                input=b"" if document is None else document.encode("utf-8"),
                env=dict(self.environment),
                cwd=folder,
                capture_output=True,
                timeout=min(seconds, left),
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            which = "before the deadline" if left <= seconds else f"within {seconds:.0f} seconds"
            raise AgentError(f"{self._named(arguments)} did not end {which}") from error
        except OSError as error:
            raise AgentError(f'cannot run "{self.program}": {(error.strerror or str(error)).lower()}') from error
        complaint = redacted(done.stderr.decode(errors="replace"), self.secrets)
        if done.returncode == 0:
            for line in troubles(complaint):
                self.tell(f"{self._named(arguments)}: {line}")
        return Answer(status=done.returncode, output=done.stdout.decode(errors="replace"), complaint=complaint)

    def must(self, *arguments: str, document: str | None = None, folder: Path | None = None) -> str:
        """The output of a command that has to succeed.

        Raises:
            AgentError: it did not.
        """
        answer = self.run(*arguments, document=document, folder=folder)
        if answer.status:
            raise self.failure(arguments, answer)
        return answer.output

    def failure(self, arguments: tuple[str, ...], answer: Answer) -> AgentError:
        """A failed call in one line."""
        why = last_words(answer.complaint) or f"it ended with status {answer.status} and said nothing"
        return AgentError(f"{self._named(arguments)}: {why}")

    def _named(self, arguments: tuple[str, ...]) -> str:
        words = [word for word in arguments[:2] if not word.startswith("-")]
        return " ".join((PROGRAM, *words))

    def meta_data(self, key: str) -> str | None:
        """A value of the build's meta-data, or None if there is none.

        Raises:
            AgentError: it cannot be read.
        """
        arguments = ("meta-data", "exists", key)
        answer = self.run(*arguments)
        if answer.status == _NO_SUCH_KEY:
            return None
        if answer.status:
            raise self.failure(arguments, answer)
        return self.must("meta-data", "get", key).strip()

    def set_meta_data(self, key: str, value: str) -> None:
        """Write a value of the build's meta-data. Raises AgentError if it cannot."""
        self.must("meta-data", "set", key, document=value)

    def annotate(self, context: str, style: str, body: str) -> None:
        """Put an annotation in the place of the one of the same context. Raises AgentError if it cannot."""
        self.must("annotate", "--context", context, "--style", style, document=body)

    def upload_artifact(self, path: str, content: bytes) -> None:
        """Keep a file with the build, under a path of our choice. Raises AgentError if it cannot."""
        with tempfile.TemporaryDirectory(prefix="pipegen-") as folder:
            file = Path(folder, path)
            file.parent.mkdir(parents=True)
            file.write_bytes(content)
            self.must("artifact", "upload", path, folder=Path(folder))

    def download_artifact(self, path: str) -> bytes:
        """A file of the build, of whichever attempt of a job. Raises AgentError if it cannot be had."""
        with tempfile.TemporaryDirectory(prefix="pipegen-") as folder:
            self.must("artifact", "download", path, ".", folder=Path(folder))
            try:
                return Path(folder, path).read_bytes()
            except OSError as error:
                raise AgentError(f'{PROGRAM} artifact download left no "{path}"') from error

    def has_step(self, key: str) -> bool:
        """Whether the build has a step of this key. Raises AgentError if nobody can say."""
        arguments = ("step", "get", "--step", key, "--format", "json")
        answer = self.run(*arguments)
        if answer.status and not says_not_found(answer.complaint):
            raise self.failure(arguments, answer)
        return answer.status == 0 and bool(_object(answer.output))


def _object(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None
