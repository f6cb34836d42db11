"""What expressions and templates may read, by name, and what is said of a name that is not there."""

from collections.abc import Iterator, Mapping
from typing import NoReturn

from pipegen.diagnostics import listing, meant
from pipegen.dollar import references, upload_reference


class JinjaError(Exception):
    """An expression or template that cannot be evaluated: what is wrong, what to do, and where.

    `template` is the file in which it happened, and `line` the line (from 1, 0 if unknown).
    """

    def __init__(self, message: str, *, hint: str = "", template: str | None = None, line: int = 0) -> None:
        super().__init__(message)
        self.hint = hint
        self.template = template
        self.line = line


class Names(Mapping[str, object]):
    """A group of names that expressions read as `what.NAME`; an unknown one is an error that says what there is.

    Where their declaration has a mistake itself they are `uncertain`: an unknown name then passes for empty text.
    """

    def __init__(self, what: str, values: Mapping[str, object], *, unknown: str = "", uncertain: bool = False) -> None:
        self.what = what
        self._values = values
        self._unknown = unknown
        self._uncertain = uncertain

    def __getitem__(self, name: str) -> object:
        if name in self._values:
            return self._values[name]
        if self._uncertain:
            return ""
        raise JinjaError(f'"{self.what}.{name}" is not defined', hint=self._near(name))

    def _near(self, name: str) -> str:
        if likely := meant(name, self._values, f'"{self.what}.{{}}"'):
            return likely
        if self._unknown:
            return self._unknown
        return f"{self.what} has {listing(self._values)}" if self._values else ""

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class Facts(Names):
    """Free-form names, where a template may ask whether one `is defined`."""

    def __getitem__(self, name: str) -> object:
        return self._values[name]


class Reference(str):
    """A value that only the agent knows: it goes into text and data as it is, and nothing can be asked of it."""

    __slots__ = ()

    def _unknown(self, *_: object) -> NoReturn:
        raise unknown_until_upload(str(self))

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = _unknown
    __bool__ = __len__ = __getitem__ = __iter__ = _unknown
    __hash__ = str.__hash__


def unknown_until_upload(text: str) -> JinjaError:
    """What is said where an expression asks something of a value that only the agent knows."""
    names = " and ".join(f'"upload.{name}"' for name in references(text))
    return JinjaError(
        f"{names} is known only when the agent uploads", hint="put it into the text as it is, or ask in the job's shell"
    )


class Upload(Names):
    """`upload.NAME`: a value that only the agent knows when it uploads."""

    def __init__(self) -> None:
        super().__init__("upload", {})

    def __getitem__(self, name: str) -> object:
        try:
            return Reference(upload_reference(name))
        except ValueError as error:
            message = f'"upload.{name}" is no variable that the agent can fill in'
            raise JinjaError(message, hint="expected a letter, then letters, digits or _") from error
