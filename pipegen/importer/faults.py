"""Quotes that do not mean what they seem to mean, in commands of step files."""

from collections.abc import Iterator
from typing import Final

from pipegen.importer import codes
from pipegen.importer.shellwords import Call, UnbalancedError, calls
from pipegen.manifest.located import Report, Scalar

_DEPTH: Final = 3


def check_quoting(node: Scalar, report: Report) -> None:
    """Report what is wrong with the quotes of one command, once for each kind of mistake."""
    text = node.text.replace("$$", "$")
    for message, hint in dict.fromkeys(_faults(text, _DEPTH)):
        report.add(codes.BROKEN_QUOTING, node.span, message, hint=hint)


def _faults(text: str, depth: int) -> Iterator[tuple[str, str]]:
    if (inner := _reopened(text)) is not None:
        yield (
            f'the quote in front of "{inner}" closes the one around it',
            "use the other kind of quotes inside",
        )
    try:
        found = calls(text)
    except UnbalancedError:
        yield "a quote is opened and never closed", "close it, or escape it"
        return
    for call in found:
        yield from _redirected(call)
        if depth > 1:
            for word in call.words[1:]:
                if any(character.isspace() for character in word) and _is_script(call):
                    yield from _faults(word, depth - 1)


def _is_script(call: Call) -> bool:
    return call.words[0] in ("bash", "sh") or call.words[0].endswith(".sh")


def _redirected(call: Call) -> Iterator[tuple[str, str]]:
    for file in call.redirected:
        if file.startswith("="):
            yield (
                f'the shell writes to a file "{file}": ">{file}" is a redirection',
                f'quote the requirement, as "NAME>{file}"',
            )


def _reopened(text: str) -> str | None:
    """What follows a quote that seems to open inside of others of its kind: a space before it and a word behind it."""
    quote = ""
    escaped = False
    for at, character in enumerate(text):
        if escaped:
            escaped = False
        elif character == "\\" and quote != "'":
            escaped = True
        elif not quote and character in "'\"":
            quote = character
        elif character == quote:
            quote = ""
            before, behind = text[at - 1], text[at + 1 : at + 2]
            if before.isspace() and behind and (behind.isalnum() or behind == "_"):
                return text[at + 1 : at + 20].split(character, 1)[0]
    return None
