"""What must not be shown: the values of variables that hold secrets, and text without them."""

import json
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Final

SECRET_NAMES: Final = (
    "*_PASSWORD *_SECRET *_TOKEN *_PRIVATE_KEY *_SSH_KEY *_ACCESS_KEY *_SECRET_KEY *_CONNECTION_STRING *_API_KEY"
).split()
"""Variables that hold secrets, by the agent's own list (its option --redacted-vars)."""
MORE_NAMES: Final = "BUILDKITE_REDACTED_VARS"
"""In this variable the agent tells its jobs of its own list, with commas."""
SHORTEST_SECRET: Final = 6
"""Bytes; the agent takes nothing shorter for a secret."""

_REDACTED: Final = "[REDACTED]"
_CUT: Final = "..."


def secrets_of(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of variables that hold secrets, as they are and as JSON spells them, the longest first."""
    told = (pattern.strip() for pattern in environment.get(MORE_NAMES, "").split(","))
    patterns = (*SECRET_NAMES, *(pattern for pattern in told if pattern))
    found = {
        value
        for name, value in environment.items()
        if len(value.encode(errors="replace")) >= SHORTEST_SECRET and any(fnmatchcase(name, p) for p in patterns)
    }
    # A key of several lines, or a password with a quote, stands in a document as its string has it.
    spelled = {json.dumps(value, ensure_ascii=False)[1:-1] for value in found}
    return tuple(sorted(found | spelled, key=lambda value: (-len(value), value)))


def redacted(text: str, secrets: Iterable[str]) -> str:
    """A text without the secrets, and without the beginning of one where a message was cut inside of it."""
    for secret in secrets:
        text = _without_beginning(text.replace(secret, _REDACTED), secret)
    return text


def _without_beginning(text: str, secret: str) -> str:
    *cut, rest = text.split(_CUT)
    return _CUT.join((*(_shortened(piece, secret) for piece in cut), rest))


def _shortened(piece: str, secret: str) -> str:
    """What stands in front of a cut, without the longest beginning of a secret at its end."""
    tail = piece[1 - len(secret) :]
    if secret[:SHORTEST_SECRET] not in tail:
        return piece
    lengths = range(len(tail), SHORTEST_SECRET - 1, -1)
    shown = next((length for length in lengths if tail.endswith(secret[:length])), 0)
    return piece[: len(piece) - shown] + _REDACTED if shown else piece
