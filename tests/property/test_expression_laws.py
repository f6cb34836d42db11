"""Laws of `-k` and `-m` expressions, and pytest's own parser and matchers as the judge of ours."""

import itertools
import keyword
from collections.abc import Sequence
from types import SimpleNamespace

import pytest
from _pytest.mark import KeywordMatcher, MarkMatcher, deselect_by_keyword
from _pytest.mark.expression import Expression as Reference
from _pytest.mark.structures import Mark
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipegen.expression import (
    And,
    Call,
    Coverage,
    Expression,
    ExpressionError,
    Kind,
    Name,
    Not,
    Or,
    Value,
    complement,
    conjunction,
    covers,
    disjoint,
    disjunction,
    matches_keyword,
    matches_marks,
    parse,
    render,
)

NAMES = st.sampled_from(["a", "b", "c", "A", "ab", "test_x[1-a]", "+q.5", "None", r"x\y", "é", "NOT"])
VALUES: st.SearchStrategy[Value] = st.one_of(
    st.integers(-3, 3),
    st.booleans(),
    st.none(),
    st.sampled_from(["", "x", "it's", 'say "x"', "a or b", "(", "x\ny"]),
)
ARGUMENTS = st.dictionaries(st.sampled_from(["n", "size", "match"]), VALUES, min_size=1, max_size=3)


def names(text: st.SearchStrategy[str]) -> st.SearchStrategy[Expression]:
    return st.builds(Name, text=text)


def calls() -> st.SearchStrategy[Expression]:
    return st.builds(
        lambda name, arguments: Call(name=name, arguments=tuple(arguments.items())),
        st.sampled_from(["a", "b", "mark"]),
        ARGUMENTS,
    )


def trees(leaves: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    """Trees as anybody may build them: rows in rows, negations of negations."""

    def grown(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        rows = st.lists(inner, min_size=2, max_size=4).map(tuple)
        return st.one_of(st.builds(Not, operand=inner), st.builds(And, operands=rows), st.builds(Or, operands=rows))

    return st.recursive(leaves, grown, max_leaves=10)


KEYWORD_TREES = trees(names(NAMES))
MARK_TREES = trees(st.one_of(names(NAMES), calls()))
FEW_NAMES = trees(names(st.sampled_from(["a", "b", "c", "d"])))


def atoms(expression: Expression) -> set[str]:
    match expression:
        case Name(text=text):
            return {text}
        case Call():
            raise AssertionError("these laws are about names")
        case Not(operand=operand):
            return atoms(operand)
        case And(operands=operands) | Or(operands=operands):
            return {atom for operand in operands for atom in atoms(operand)}


def holds(expression: Expression, present: frozenset[str]) -> bool:
    """Evaluated from the definition of the operators, apart from the code under test."""
    match expression:
        case Name(text=text):
            return text in present
        case Call():
            raise AssertionError("these laws are about names")
        case Not(operand=operand):
            return not holds(operand, present)
        case And(operands=operands):
            return min(holds(operand, present) for operand in operands)
        case Or(operands=operands):
            return max(holds(operand, present) for operand in operands)


def worlds(expressions: Sequence[Expression]) -> list[frozenset[str]]:
    names = sorted(set().union(*(atoms(expression) for expression in expressions)))
    return [frozenset(itertools.compress(names, bits)) for bits in itertools.product([False, True], repeat=len(names))]


def flat(expression: Expression) -> Expression:
    match expression:
        case Not(operand=operand):
            return Not(operand=flat(operand))
        case And(operands=operands):
            rows = [part.operands if isinstance(part, And) else (part,) for part in map(flat, operands)]
            return And(operands=tuple(itertools.chain(*rows)))
        case Or(operands=operands):
            rows = [part.operands if isinstance(part, Or) else (part,) for part in map(flat, operands)]
            return Or(operands=tuple(itertools.chain(*rows)))
        case _:
            return expression


class TestText:
    @given(KEYWORD_TREES)
    def test_keywords_read_back(self, tree: Expression) -> None:
        assert repr_without_columns(parse(render(tree), Kind.KEYWORD)) == repr_without_columns(flat(tree))

    @given(MARK_TREES)
    def test_marks_read_back(self, tree: Expression) -> None:
        assert repr_without_columns(parse(render(tree), Kind.MARK)) == repr_without_columns(flat(tree))

    @given(MARK_TREES)
    def test_parentheses_are_minimal(self, tree: Expression) -> None:
        """Dropping any pair of the parentheses that group gives another tree or none."""
        text = render(tree)
        for opening, closing in grouping(text):
            without = text[:opening] + text[opening + 1 : closing] + text[closing + 1 :]
            assert parse(without, Kind.MARK) != parse(text, Kind.MARK)


def repr_without_columns(expression: Expression) -> str:
    """A form in which `True` and `1` differ, as they do on paper."""
    match expression:
        case Name(text=text):
            return repr(text)
        case Call(name=name, arguments=arguments):
            return f"{name!r}{arguments!r}"
        case Not(operand=operand):
            return f"not[{repr_without_columns(operand)}]"
        case And(operands=operands) | Or(operands=operands):
            return f"{type(expression).__name__}[{', '.join(map(repr_without_columns, operands))}]"


def grouping(text: str) -> list[tuple[int, int]]:
    """Where pairs of parentheses open and close, those of calls and those inside quotes apart."""
    pairs: list[tuple[int, int]] = []
    opened: list[int] = []
    quoted = ""
    for at, character in enumerate(text):
        if quoted:
            quoted = "" if character == quoted else quoted
        elif character in "'\"":
            quoted = character
        elif character == "(":
            opened.append(at)
        elif character == ")":
            start = opened.pop()
            if start == 0 or text[start - 1] in " (":
                pairs.append((start, at))
    return pairs


class TestLogic:
    @given(st.lists(FEW_NAMES, min_size=1, max_size=4))
    def test_the_complement_is_exactly_what_is_left(self, parts: list[Expression]) -> None:
        rest = complement(parts)
        for world in worlds(parts):
            assert holds(rest, world) is not any(holds(part, world) for part in parts)

    @given(st.lists(FEW_NAMES, min_size=1, max_size=4))
    def test_the_complement_is_flat_and_repeats_nothing(self, parts: list[Expression]) -> None:
        rest = complement(parts)
        assert parse(render(rest), Kind.KEYWORD) == flat(rest)
        if isinstance(rest, And):
            assert len(set(rest.operands)) == len(rest.operands)
            assert not any(isinstance(part, And) for part in rest.operands)

    @given(FEW_NAMES, FEW_NAMES)
    def test_conjunction_and_disjunction(self, first: Expression, second: Expression) -> None:
        for world in worlds((first, second)):
            both = (holds(first, world), holds(second, world))
            assert holds(conjunction(first, second), world) is all(both)
            assert holds(disjunction(first, second), world) is any(both)

    @given(st.lists(FEW_NAMES, max_size=4))
    def test_covers_is_complete_within_its_bound(self, parts: list[Expression]) -> None:
        everywhere = all(any(holds(part, world) for part in parts) for world in worlds(parts))
        assert (covers(parts) is Coverage.PROVEN) is everywhere

    @given(FEW_NAMES, FEW_NAMES)
    def test_disjoint_is_complete_within_its_bound(self, first: Expression, second: Expression) -> None:
        never = not any(holds(first, world) and holds(second, world) for world in worlds((first, second)))
        assert (disjoint(first, second) is Coverage.PROVEN) is never

    @given(st.lists(trees(names(st.integers(0, 60).map("n{}".format))), min_size=1, max_size=8))
    def test_parts_and_their_complement_cover_and_are_apart(self, parts: list[Expression]) -> None:
        """However many names there are: what `rest: true` promises is always proven."""
        rest = complement(parts)
        assert covers([*parts, rest]) is Coverage.PROVEN
        assert all(disjoint(part, rest) is Coverage.PROVEN for part in parts)

    @given(
        st.lists(trees(names(st.integers(0, 40).map("n{}".format))), min_size=1, max_size=8),
        st.lists(st.frozensets(st.integers(0, 40).map("n{}".format)), min_size=1, max_size=20),
    )
    def test_covers_is_sound_beyond_its_bound(self, parts: list[Expression], some_worlds: list[frozenset[str]]) -> None:
        if covers(parts) is Coverage.PROVEN:
            assert all(any(holds(part, world) for part in parts) for world in some_worlds)

    @given(st.lists(trees(calls()), min_size=1, max_size=3), st.data())
    def test_covers_is_sound_for_marks(self, parts: list[Expression], data: st.DataObject) -> None:
        if covers(parts) is Coverage.PROVEN:
            marks = data.draw(st.dictionaries(st.sampled_from(["a", "b", "mark"]), st.lists(ARGUMENTS, max_size=2)))
            assert any(matches_marks(part, marks) for part in parts)


# Pieces that make texts which are nearly expressions.
WORDS = ("a", "b", "or", "and", "not", "NOT", "f", "match", "if", "True", "None", "__debug__", "é", "1", "-1", "²")
SIGNS = ("(", ")", " ", "\t", "=", ",", "\\", "-", "+", ".", "::", "[1]", "/", "*", "!", "'", '"', "{", "#", "$")
LONGER = ("f(n=1)", "f(n=", "n=", "'x'", '"y"', "\n", "\x00", "\u00a0", "\ud800", "\u0661")
PIECES = st.sampled_from(WORDS + SIGNS + LONGER)
HOSTILE = st.one_of(st.lists(PIECES, max_size=12).map("".join), st.text(max_size=20))


def reference(text: str) -> Reference | None:
    """pytest's own answer; it stops with a bare ValueError at numbers that Python does not convert."""
    try:
        return Reference.compile(text)
    except (SyntaxError, ValueError):
        return None


def ours(text: str, kind: Kind) -> Expression | None:
    try:
        return parse(text, kind)
    except ExpressionError as refusal:
        error = refusal
    assert 1 <= error.column <= len(text) + 1
    assert str(error).startswith("expected ")
    assert "\n" not in str(error)
    return None


def has_call(expression: Expression) -> bool:
    match expression:
        case Call():
            return True
        case Name():
            return False
        case Not(operand=operand):
            return has_call(operand)
        case And(operands=operands) | Or(operands=operands):
            return any(has_call(operand) for operand in operands)


MARKS = st.dictionaries(
    st.sampled_from(["a", "b", "f", "mark", "None", "é"]),
    st.lists(st.dictionaries(st.sampled_from(["n", "size", "match"]), VALUES, max_size=2), max_size=3),
)
KEYWORDS = st.lists(st.sampled_from(["a", "AB", "test_x[1-a]", "c.d", "É", "None", "İx", ""]), max_size=4)


def as_pytest_marks(marks: dict[str, list[dict[str, Value]]]) -> MarkMatcher:
    return MarkMatcher.from_markers(
        Mark(name, (), arguments, _ispytest=True) for name, given in marks.items() for arguments in given
    )


class TestAgainstPytest:
    @settings(max_examples=500)
    @given(HOSTILE, MARKS)
    @example("f(n=1, n=2)", {})
    @example("f(__debug__=1)", {})
    @example("f(n=²)", {})
    @example("f(n='\x00')", {"f": [{"n": "\x00"}]})
    def test_hostile_texts_for_marks(self, text: str, marks: dict[str, list[dict[str, Value]]]) -> None:
        theirs, mine = reference(text), ours(text, Kind.MARK)
        if not text.strip(" \t"):
            # pytest takes an empty -m for no expression and a blank one for one that nothing matches.
            assert mine is None
            return
        assert (mine is None) == (theirs is None)
        if mine is not None and theirs is not None:
            assert matches_marks(mine, marks) is theirs.evaluate(as_pytest_marks(marks))

    @settings(max_examples=500)
    @given(HOSTILE, KEYWORDS)
    def test_hostile_texts_for_keywords(self, text: str, keywords: list[str]) -> None:
        mine = ours(text, Kind.KEYWORD)
        stripped = text.lstrip()  # as pytest's deselect_by_keyword does
        theirs = reference(stripped) if stripped else None
        as_mark = ours(stripped, Kind.MARK)
        if as_mark is not None and has_call(as_mark):
            assert mine is None
            return
        assert (mine is None) == (theirs is None)
        if mine is not None and theirs is not None:
            assert matches_keyword(mine, keywords) is theirs.evaluate(KeywordMatcher(set(keywords)))

    @given(MARK_TREES, MARKS)
    def test_marks(self, tree: Expression, marks: dict[str, list[dict[str, Value]]]) -> None:
        theirs = Reference.compile(render(tree))
        assert matches_marks(tree, marks) is theirs.evaluate(as_pytest_marks(marks))

    @given(KEYWORD_TREES, KEYWORDS)
    def test_keywords(self, tree: Expression, keywords: list[str]) -> None:
        theirs = Reference.compile(render(tree))
        assert matches_keyword(tree, keywords) is theirs.evaluate(KeywordMatcher(set(keywords)))

    @given(st.lists(KEYWORD_TREES, min_size=1, max_size=3), KEYWORDS)
    def test_a_complement_takes_what_pytest_leaves(self, parts: list[Expression], keywords: list[str]) -> None:
        matcher = KeywordMatcher(set(keywords))
        taken = any(Reference.compile(render(part)).evaluate(matcher) for part in parts)
        assert Reference.compile(render(complement(parts))).evaluate(matcher) is not taken

    @pytest.mark.parametrize("word", [*keyword.kwlist, *keyword.softkwlist])
    def test_words_of_python(self, word: str) -> None:
        for text in (word, f"f({word}=1)", f"f(n={word})", f"{word}(n=1)"):
            assert (ours(text, Kind.MARK) is None) == (reference(text) is None)

    def test_pytest_stops_at_a_call_in_a_keyword_expression(self) -> None:
        """Why `-k` takes none here: pytest compiles it, and refuses it once it has a test to ask about."""
        theirs = Reference.compile("f(n=1)")
        with pytest.raises(pytest.UsageError, match="do not support call parameters"):
            theirs.evaluate(KeywordMatcher({"f"}))

    def test_pytest_strips_the_front_of_a_keyword_expression(self) -> None:
        """Why a line break in front is no error in `-k` and one in `-m`."""
        items: list[pytest.Item] = []
        deselect_by_keyword(items, SimpleNamespace(option=SimpleNamespace(keyword="\n a")))  # type: ignore[arg-type]
        with pytest.raises(SyntaxError):
            Reference.compile("\n a")
