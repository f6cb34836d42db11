"""Attempts of `pipegen upload` whose machine is lost at a call of the agent."""

import time
from dataclasses import field
from pathlib import Path

from pipegen import app
from pipegen.app.agent import Agent as PipegenAgent
from pipegen.app.agent import Answer
from pipegen.app.upload import Voice, upload
from pipegen.dataclass import dataclass
from tests.support.loopback import LoopbackServer
from tests.support.uploads import Job


class LostError(Exception):
    """The agent's machine is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mortal(PipegenAgent):
    """The real agent, on a machine that is lost in front of its last call, or right behind it."""

    calls: list[tuple[str, ...]] = field(default_factory=list)
    last: int
    behind: bool

    def run(
        self, *arguments: str, document: str | None = None, folder: Path | None = None, seconds: float = 120
    ) -> Answer:
        self.calls.append(arguments[:2])
        if len(self.calls) == self.last and not self.behind:
            raise LostError
        answer = PipegenAgent.run(self, *arguments, document=document, folder=folder, seconds=seconds)
        if len(self.calls) == self.last:
            raise LostError
        return answer


def attempt(job: Job, server: LoopbackServer, *, last: int = 0, behind: bool = False) -> list[tuple[str, ...]]:
    """One attempt in this process, with the calls that it made; it may be lost at the last of them."""
    environment = job.environment(server)
    place = app.find_workspace(job.root, None)
    request = app.Request(place=place, environment=environment)
    found = PipegenAgent.find(environment, clock=time.monotonic, seconds=300, tell=print)
    names = ("program", "environment", "clock", "ends", "tell", "secrets")
    given = {name: getattr(found, name) for name in names}
    mortal = Mortal(**given, last=last, behind=behind)
    try:
        assert upload(request, app.Asked(every=True), mortal, Voice(tell=print, show=print)) is None
        assert not last
    except LostError:
        assert last
    return mortal.calls
