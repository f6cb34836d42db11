"""What buildkite-agent says, read: its version, and why an upload was refused."""

import re
from typing import Final

from pipegen.dataclass import dataclass

_VERSION: Final = re.compile(r"\bversion v?(\d+)\.(\d+)\.(\d+)")
KNOWN_VERSIONS: Final = (3, 4)

_REJECTED: Final = re.compile(r"pipeline upload rejected: (?P<message>.*)")
_UNPROCESSABLE: Final = re.compile(r": 422 Unprocessable Entity: (?P<message>.*)")
_USED_KEY: Final = re.compile(r'The key "(?P<key>[^"]*)" has already been used')
_NOT_FOUND: Final = re.compile(r": 404 Not Found\b")
_HEAD: Final = re.compile(r"^(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d )?(?:buildkite-agent: )?(?P<level>[A-Za-z]+):? +")


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Version:
    """A version of the agent."""

    major: int
    minor: int
    patch: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


def version_of(output: str) -> Version | None:
    """The version that `buildkite-agent --version` names, or None if it names none."""
    found = _VERSION.search(output)
    return None if found is None else Version(major=int(found[1]), minor=int(found[2]), patch=int(found[3]))


def refusal_of(complaint: str) -> str | None:
    """Buildkite's own words, where it took an upload for wrong; None where the upload failed for another reason.

    Told on a poll ("pipeline upload rejected") or at once (422). No other answer says anything about the document.
    """
    found = _REJECTED.search(complaint) or _UNPROCESSABLE.search(complaint)
    return None if found is None else found["message"].strip()


def used_key_of(refusal: str) -> str | None:
    """The key that the build has already, where that is why an upload was refused."""
    found = _USED_KEY.search(refusal)
    return None if found is None else found["key"]


def says_not_found(complaint: str) -> bool:
    """Whether Buildkite answered that there is no such thing."""
    return _NOT_FOUND.search(complaint) is not None


def last_words(complaint: str) -> str:
    """The agent's last complaint without date and level, its lines as one; an empty text if it made none."""
    lines = [" ".join(line.split()) for line in complaint.splitlines() if line.strip()]
    for at in reversed(range(len(lines))):
        found = _HEAD.match(lines[at])
        if found is not None and found["level"].lower() in ("error", "fatal"):
            return " ".join((lines[at][found.end() :], *lines[at + 1 :]))
    return lines[-1] if lines else ""


def troubles(complaint: str) -> tuple[str, ...]:
    """What the agent warned of although it went on."""
    found = []
    for line in complaint.splitlines():
        head = _HEAD.match(line)
        if head is not None and head["level"].lower() in ("warn", "error"):
            found.append(line[head.end() :].strip())
    return tuple(found)
