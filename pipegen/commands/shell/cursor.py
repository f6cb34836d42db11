"""A position in shell text, and the here-documents whose bodies have not been reached yet."""

from collections.abc import Callable
from dataclasses import field

from pipegen.commands.shell.syntax import Script, ShellSyntaxError, Word
from pipegen.dataclass import dataclass


@dataclass(slots=True, kw_only=True)
class Pending:
    """A here-document whose body begins behind the next newline."""

    at: int
    delimiter: str
    strips_tabs: bool
    expands: bool


@dataclass(slots=True, kw_only=True)
class Cursor:
    """Where reading has got to. `script` reads commands up to a closing word; words need it for `$(…)`."""

    text: str
    script: Callable[["Cursor", frozenset[str]], Script]
    position: int = 0
    depth: int = 0
    pending: list[Pending] = field(default_factory=list)
    documents: dict[int, Word] = field(default_factory=dict)

    @property
    def ended(self) -> bool:
        """Whether nothing is left."""
        return self.position >= len(self.text)

    @property
    def peek(self) -> str:
        """The next character, empty at the end."""
        return self.text[self.position : self.position + 1]

    def starts(self, text: str) -> bool:
        """Whether this text comes next."""
        return self.text.startswith(text, self.position)

    def take(self, text: str) -> bool:
        """Step over this text if it comes next."""
        if not self.text.startswith(text, self.position):
            return False
        self.position += len(text)
        return True

    def expect(self, text: str, *, what: str) -> None:
        """Step over this text.

        Raises:
            ShellSyntaxError: something else comes next.
        """
        if not self.take(text):
            raise ShellSyntaxError(f'expected "{text}" {what}', self.position, incomplete=self.ended)
