"""Words to the arguments that a shell makes of them: braces, tilde, parameters, output of commands, splitting."""

from collections.abc import Callable, Iterable
from dataclasses import field
from typing import Final

from pipegen.commands.running.parameters import Parameters, list_text
from pipegen.commands.running.state import State
from pipegen.commands.running.values import (
    Field,
    Hole,
    Items,
    Output,
    Piece,
    Text,
    Value,
    bared,
    joined,
    moved,
    quoted,
    split,
)
from pipegen.commands.shell.braces import expand_braces, has_braces
from pipegen.commands.shell.syntax import Literal, Parameter, Substitution, Unknown, Word
from pipegen.dataclass import dataclass

_NO_SHORT_WAY: Final = frozenset("{~")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expander:
    """Expands words in a shell's state. `substitute` runs the script of `$(…)` and gives what it prints."""

    state: State
    substitute: Callable[[Substitution], Output]

    def fields(self, words: Iterable[Word]) -> tuple[Field, ...]:
        """The arguments that words become. Globs stay in them, unquoted."""
        fields: list[Field] = []
        for word in words:
            bare = word.bare
            if bare is not None and _NO_SHORT_WAY.isdisjoint(bare):
                fields.append((Text(bare, quoted=False, at=word.at),))
                continue
            for one in expand_braces(word) if has_braces(word) else (word,):
                fields += self._split(one)
        return tuple(fields)

    def one(self, word: Word) -> Field:
        """The text of a word where the shell does not split it: values, patterns, here-documents."""
        pieces: list[Piece] = []
        for index, part in enumerate(word.parts):
            match part:
                case Literal():
                    pieces += _literal(part, first=index == 0)
                case Unknown():
                    pieces.append(Hole(part.written, quoted=part.quoted, at=part.at))
                case Substitution():
                    output = joined(self._output(part), "\n")
                    pieces += quoted(output) if part.quoted else output
                case Parameter():
                    value = self._value(part)
                    text = list_text(value) if isinstance(value, Items) else value
                    pieces += moved(quoted(text) if part.quoted else text, part.at)
        return tuple(pieces)

    def _value(self, part: Parameter) -> Value:
        return Parameters(state=self.state, expand=self.one).value(part)

    def _output(self, part: Substitution) -> Output:
        """What a script prints, without the empty lines at its end."""
        output = self.substitute(part)
        if part.process:
            return ((Hole(part.written, quoted=True, at=part.at),),)
        end = len(output)
        while end and all(isinstance(piece, Text) and not piece.text for piece in output[end - 1]):
            end -= 1
        return tuple(moved(line, part.at) for line in output[:end])

    def _split(self, word: Word) -> list[Field]:
        made = _Fields()
        for index, part in enumerate(word.parts):
            match part:
                case Literal():
                    made.add(_literal(part, first=index == 0))
                case Unknown():
                    made.add((Hole(part.written, quoted=part.quoted, at=part.at),))
                case Substitution():
                    self._split_output(made, part)
                case Parameter():
                    self._split_value(made, part)
        return made.finished()

    def _split_output(self, made: "_Fields", part: Substitution) -> None:
        output = self._output(part)
        if part.quoted or part.process:
            made.add(quoted(joined(output, "\n")))
            return
        for index, line in enumerate(output):
            if index:
                made.close()
            made.add_split(bared(line))

    def _split_value(self, made: "_Fields", part: Parameter) -> None:
        value = self._value(part)
        if not isinstance(value, Items):
            value = moved(value, part.at)
            if part.quoted:
                made.add(quoted(value))
            else:
                made.add_split(value)
            return
        if part.quoted and "*" in (part.index, part.name):
            made.add(quoted(moved(list_text(value), part.at)))
            return
        for index, item in enumerate(value.items):
            if index:
                made.close()
            item = moved(item, part.at)  # noqa: PLW2901
            if part.quoted:
                made.add(quoted(item))
            else:
                made.add_split(item)


@dataclass(slots=True, kw_only=True)
class _Fields:
    """Fields as they are being made of the parts of one word."""

    closed: list[Field] = field(default_factory=list)
    current: list[Piece] = field(default_factory=list)
    there: bool = False

    def add(self, pieces: Iterable[Piece]) -> None:
        """Text that stays together."""
        self.current += pieces
        self.there = True

    def add_split(self, pieces: Iterable[Piece]) -> None:
        """An expansion without quotes: blanks in it part fields."""
        for piece in pieces:
            if not isinstance(piece, Text) or piece.quoted:
                self.add((piece,))
                continue
            if piece.text[:1].isspace():
                self.close()
            for index, part in enumerate(split((piece,))):
                if index:
                    self.close()
                self.add(part)
            if piece.text[-1:].isspace():
                self.close()

    def close(self) -> None:
        """End the current field, if there is one."""
        if self.there:
            self.closed.append(tuple(self.current))
        self.current, self.there = [], False

    def finished(self) -> list[Field]:
        """All fields."""
        self.close()
        return self.closed


def _literal(part: Literal, *, first: bool) -> tuple[Piece, ...]:
    if first and not part.quoted and part.text.startswith("~"):
        home, slash, rest = part.text.partition("/")
        hole = Hole(home, quoted=True, at=part.at)
        return (hole, Text(slash + rest, quoted=False, at=part.at + len(home), exact=part.exact)) if slash else (hole,)
    return (Text(part.text, quoted=part.quoted, at=part.at, exact=part.exact),)
