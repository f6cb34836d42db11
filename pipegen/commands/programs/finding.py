"""`find`: what it prints, and what it runs for each."""

from typing import Final

from pipegen.commands.finds import AllOf, AnyOf, FindTest, Kind, KindIs, NameIs, Negation, Root, Search
from pipegen.commands.reading import Why
from pipegen.commands.running.machine import Call, Machine, Result, from_root, on_machine, unread
from pipegen.commands.running.values import Each, Field, Piece, Text, known, plain, written
from pipegen.dataclass import dataclass, replace

_GLOBAL: Final = frozenset({"-H", "-L", "-P"})
_NAMES: Final = {"-name": (False, False), "-iname": (False, True)} | {
    "-path": (True, False),
    "-wholename": (True, False),
    "-ipath": (True, True),
}
_DEPTHS: Final = frozenset({"-maxdepth", "-mindepth"})
_PRINTS: Final = frozenset({"-print", "-print0"})
_RUNS: Final = frozenset({"-exec", "-ok"})


class _UnreadError(Exception):
    """A word of find's expression that is not read here."""


@dataclass(slots=True, kw_only=True)
class _Expression:
    """find's expression as it is being read: what is left of its words, and what it has said so far."""

    words: list[Field]
    depths: dict[str, int]
    prints: bool = False
    command: tuple[Field, ...] | None = None

    def peek(self) -> str | None:
        """The next word, None at the end."""
        return written(self.words[0]) if self.words else None

    def take(self) -> str:
        """The next word, which has to be there and known."""
        text = known(self.words.pop(0)) if self.words else None
        if text is None:
            raise _UnreadError("a word that is not known before it runs")
        return text

    def whole(self) -> FindTest:
        """All of it."""
        test = self.either()
        if self.words:
            raise _UnreadError(f'"{self.peek()}"')
        return test

    def either(self) -> FindTest:
        """Tests with `-o` between them."""
        tests = [self.both()]
        while self.peek() in {"-o", "-or"}:
            if self.command is not None or self.prints:
                raise _UnreadError('an action in front of "-o"')
            self.take()
            tests.append(self.both())
        if len(tests) > 1 and (self.command is not None or self.prints):
            raise _UnreadError('an action behind "-o"')
        return tests[0] if len(tests) == 1 else AnyOf(tests=tuple(tests))

    def both(self) -> FindTest:
        """Tests side by side."""
        tests: list[FindTest] = []
        while self.words and self.peek() not in {"-o", "-or", ")"}:
            if self.peek() in {"-a", "-and"}:
                self.take()
                continue
            test = self.single()
            if test is not None:
                tests.append(test)
        return tests[0] if len(tests) == 1 else AllOf(tests=tuple(tests))

    def single(self) -> FindTest | None:
        """One test or action; None for an action."""
        word = self.take()
        if word in {"!", "-not"}:
            inner = self.single()
            if inner is None:
                raise _UnreadError("an action that is negated")
            return Negation(test=inner)
        if word == "(":
            inner = self.either()
            if self.take() != ")":
                raise _UnreadError('"(" without ")"')
            return inner
        if word in _NAMES:
            whole, ignores_case = _NAMES[word]
            return NameIs(pattern=self.take(), whole=whole, ignores_case=ignores_case)
        if word == "-type":
            return self._kind()
        self._action(word)
        return None

    def _kind(self) -> FindTest:
        kind = self.take()
        if kind not in {"f", "d"}:
            raise _UnreadError(f'"-type {kind}"')
        return KindIs(kind=Kind(kind))

    def _action(self, word: str) -> None:
        if word in _DEPTHS:
            number = self.take()
            if not number.isdecimal():
                raise _UnreadError(f'"{word} {number}"')
            self.depths[word] = int(number)
        elif word in _PRINTS:
            self.prints = True
        elif word in _RUNS and self.command is None:
            self.command = self._command()
        else:
            raise _UnreadError(f'"{word}"')

    def _command(self) -> tuple[Field, ...]:
        argv: list[Field] = []
        while self.words:
            word = self.words.pop(0)
            if known(word) in {";", "+"}:
                return tuple(argv)
            argv.append(word)
        raise _UnreadError('"-exec" without ";"')


def run_find(machine: Machine, call: Call) -> Result:
    """Read a call of find; what it runs is run once, for each of the files that it finds."""
    roots, words = _roots(call)
    expression = _Expression(words=words, depths={})
    try:
        test = expression.whole()
    except _UnreadError as error:
        if "-exec" in [known(word) for word in call.argv]:
            return unread(machine, call, Why.FOREIGN, f"find: {error} is not followed")
        return Result(output=call.unknown_output())
    found = _search(machine, call, roots, test, expression)
    if expression.command is None:
        return Result(output=call.unknown_output() if found is None else ((Each(found, call.at),),))
    if found is None:
        return unread(machine, call, Why.FOLDER, "where find begins is not known")
    argv = tuple(put(word, "{}", (Each(found, call.at),)) for word in expression.command)
    if argv:
        machine.run(replace(call.of(argv), state=call.state.copy()))
    return Result(output=call.unknown_output())


def _roots(call: Call) -> tuple[list[Field], list[Field]]:
    """Where find begins, and its expression."""
    words = list(call.argv[1:])
    while words and known(words[0]) in _GLOBAL:
        words.pop(0)
    roots: list[Field] = []
    while words and not (written(words[0]).startswith(("-", "(", ")", "!"))):
        roots.append(words.pop(0))
    return roots or [plain(".", call.at)], words


def _search(machine: Machine, call: Call, roots: list[Field], test: FindTest, expression: _Expression) -> Search | None:
    found: list[Root] = []
    for root in roots:
        text = known(root)
        place = on_machine(call.state, text) if text is not None else None
        path = from_root(machine.checkout, place) if place is not None else None
        if text is None or path is None:
            return None
        found.append(Root(path=path, written=text))
    return Search(
        roots=tuple(found),
        test=test,
        written=f"$({call.shown})",
        min_depth=expression.depths.get("-mindepth", 0),
        max_depth=expression.depths.get("-maxdepth"),
    )


def put(word: Field, sign: str, item: Field) -> Field:
    """A word with an item wherever a sign stands in it."""
    pieces: list[Piece] = []
    for piece in word:
        if not isinstance(piece, Text) or sign not in piece.text:
            pieces.append(piece)
            continue
        for index, text in enumerate(piece.text.split(sign)):
            if index:
                pieces += item
            if text:
                pieces.append(Text(text, quoted=piece.quoted, at=piece.at, exact=False))
    return tuple(pieces)
