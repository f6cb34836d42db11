"""The interpolation of `buildkite-agent pipeline upload`, after `parser.go` and `interpolate.go` of
`github.com/buildkite/interpolate` v0.1.5, function by function: the property tests hold pipegen's escaping against
it, and the agent tests hold it against the agent.
"""

import re
from collections.abc import Callable, Mapping

LETTERS_AND_NUMBERS_OR_UNDERSCORE = re.compile(r"\w")
OFFSET = re.compile(r"[-+]?[0-9]+")


class FatalInterpolationError(Exception):
    """The agent stops here and uploads nothing."""


def interpolate(text: str, env: Mapping[str, str]) -> str:
    """What the agent makes of a text under an environment; raises `FatalInterpolationError` where it gives up."""
    return _Parser(text, env).expression("")


class _Parser:
    """Parses and expands in one go; nothing is missed while it is not `live`, inside a branch that is not taken."""

    def __init__(self, text: str, env: Mapping[str, str]) -> None:
        self.text = text
        self.env = env
        self.position = 0
        self.live = True

    def expression(self, stop: str) -> str:
        pieces: list[str] = []
        while (char := self.peek()) and char not in stop:
            rest = self.text[self.position : self.position + 2]
            if rest in ("\\\\", "$("):
                self.position += 2
                pieces.append(rest)
            elif rest in ("\\$", "$$"):
                self.position += 2
                pieces.append("$")
            elif char == "$" and len(rest) == 2:
                pieces.append(self.expansion())
            else:
                self.position += 1
                pieces.append(char + self.until(lambda c: c in "$\\" or c in stop))
        return "".join(pieces)

    def expansion(self) -> str:
        self.position += 1
        following = self.peek()
        if following == "{":
            return self.brace()
        if not following.isalpha():
            return "$"
        return self.env.get(self.identifier(), "")

    def brace(self) -> str:
        self.position += 1
        name = self.identifier()
        if self.peek() == "}":
            self.position += 1
            return self.env.get(name, "")
        expanded = self.operation(name, self.next())
        if self.next() != "}":
            raise FatalInterpolationError("expected brace expansion to end with }")
        return expanded

    def operation(self, name: str, operator: str) -> str:
        if operator == ":" and self.peek() == "-":
            self.position += 1
            default = self.branch(taken=not self.env.get(name))
            return self.env.get(name) or default
        if operator == "-":
            default = self.branch(taken=name not in self.env)
            return self.env.get(name, default)
        if operator == ":":
            return self.substring(self.env.get(name, ""))
        if operator == "?":
            message = self.branch(taken=name not in self.env)
            if name not in self.env and self.live:
                raise FatalInterpolationError(f"${name}: {message or 'not set'}")
            return self.env.get(name, "")
        raise FatalInterpolationError(f"expected an operator, got {operator!r}")

    def branch(self, *, taken: bool) -> str:
        """A default or a message. One that is not taken is parsed as well, but misses nothing that it requires."""
        outside = self.live
        self.live = outside and taken
        text = self.expression("}")
        self.live = outside
        return text

    def substring(self, value: str) -> str:
        whole = value.encode()
        start = self.number(self.until(lambda c: c in ":}"))
        start = min(max(start + len(whole) if start < 0 else start, 0), len(whole))
        if self.peek() == "}":
            return whole[start:].decode(errors="replace")
        self.position += 1
        length = self.number(self.until(lambda c: c == "}"))
        end = start + length if length >= 0 else max(len(whole) + length, start)
        return whole[start : min(end, len(whole))].decode(errors="replace")

    def number(self, text: str) -> int:
        if not OFFSET.fullmatch(text.strip()) or not -(2**63) <= int(text) < 2**63:
            raise FatalInterpolationError(f"unable to parse {text!r}")
        return int(text)

    def identifier(self) -> str:
        if not self.peek().isalpha():
            raise FatalInterpolationError("expected identifier to start with a letter")
        return self.until(lambda c: LETTERS_AND_NUMBERS_OR_UNDERSCORE.fullmatch(c) is None)

    def until(self, stops: Callable[[str], bool]) -> str:
        """Up to a character that stops; U+FFFD always does, because Go takes it for a decoding error."""
        start = self.position
        while self.position < len(self.text):
            char = self.text[self.position]
            if char == "\N{REPLACEMENT CHARACTER}" or stops(char):
                break
            self.position += 1
        return self.text[start : self.position]

    def peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def next(self) -> str:
        char = self.peek()
        self.position += 1
        return char
