"""File names and values in sentences. They come from strangers, and sentences end up in logs, comments and steps."""

from collections.abc import Iterable

SKIP_LENGTH = 70
"""Buildkite: "The reason provided to `skip` is too long. The maximum length is 70 characters"."""


def quoted(text: str) -> str:
    """Text in double quotes on one line: what would end the line, or cannot be printed, is escaped."""
    shown = "".join(
        character if character.isprintable() else character.encode("unicode_escape", "backslashreplace").decode()
        for character in text.replace("\\", "\\\\").replace('"', '\\"')
    )
    return f'"{shown}"'


def joined(words: Iterable[str]) -> str:
    """`a, b and c`."""
    given = list(words)
    return ", ".join(given[:-1]) + " and " + given[-1] if len(given) > 1 else "".join(given)


def shortened(text: str, length: int = SKIP_LENGTH) -> str:
    """Text of at most `length` characters, with an ellipsis where it was cut."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"
