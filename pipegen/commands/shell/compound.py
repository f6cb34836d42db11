"""Compound commands: groups, subshells, loops, conditions, `case`, functions and `[[ … ]]`."""

import re
from collections.abc import Callable
from typing import Final

from pipegen.commands.shell.cursor import Cursor
from pipegen.commands.shell.dollars import closing_parentheses
from pipegen.commands.shell.syntax import (
    Arm,
    Braced,
    Case,
    Command,
    For,
    Function,
    If,
    Literal,
    Redirect,
    Script,
    ShellSyntaxError,
    Test,
    While,
    Word,
)
from pipegen.commands.shell.words import read_word, skip_blanks

Redirects = Callable[[Cursor], tuple[Redirect, ...]]

_NAME: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_FUNCTION_NAME: Final = re.compile(r"([^\s|&;()<>$`\"'\\]+)(?:[ \t]*\([ \t]*\))?")
_SEPARATORS: Final = re.compile(r"(?:[ \t\r\n]|\\\n|#[^\n]*)*;?(?:[ \t\r\n]|\\\n|#[^\n]*)*")
_BETWEEN: Final = re.compile(r"(?:\s|\\\n|#[^\n]*)*")
_TEST_OPERATOR: Final = re.compile(r"&&|\|\||[()<>]|!(?=\s)")
_TEST_END: Final = re.compile(r"\]\](?=[\s;&|()<>]|\Z)")
_REGEX: Final = re.compile(r"[^\s\"'$`\\]+")


def read_compound(cursor: Cursor, opener: str, redirects: Redirects) -> Command:
    """The compound command that begins with this word.

    Raises:
        ShellSyntaxError: it is not one.
    """
    start = cursor.position
    cursor.position += len(opener)
    match opener:
        case "(":
            return _parenthesis(cursor, start, redirects)
        case "{":
            body = _until(cursor, "}")
            return Braced(body=body, subshell=False, redirects=redirects(cursor), at=start)
        case "[[":
            return Test(words=_test(cursor), redirects=redirects(cursor), at=start)
        case "if":
            return _if(cursor, start, redirects)
        case "while" | "until":
            condition = _until(cursor, "do")
            body = _until(cursor, "done")
            return While(condition=condition, body=body, until=opener == "until", redirects=redirects(cursor), at=start)
        case "case":
            return _case(cursor, start, redirects)
        case "function":
            return _function(cursor, start, redirects)
        case _:
            return _for(cursor, start, redirects, select=opener == "select")


def _until(cursor: Cursor, closing: str) -> Script:
    """Commands and the word that closes them."""
    body = _some(cursor, frozenset({closing}))
    cursor.position += len(closing)
    return body


def _some(cursor: Cursor, closing: frozenset[str]) -> Script:
    """Commands up to a closing word, one at least."""
    body = cursor.script(cursor, closing)
    if not body.lists:
        raise ShellSyntaxError("expected a command before what closes it", cursor.position)
    return body


def _parenthesis(cursor: Cursor, start: int, redirects: Redirects) -> Command:
    if cursor.starts("("):
        end = closing_parentheses(cursor.text, cursor.position + 1)
        if end is not None:
            cursor.position = end
            return Test(words=(), redirects=redirects(cursor), at=start)
    body = _until(cursor, ")")
    return Braced(body=body, subshell=True, redirects=redirects(cursor), at=start)


def _if(cursor: Cursor, start: int, redirects: Redirects) -> If:
    branches: list[tuple[Script, Script]] = []
    otherwise: Script | None = None
    while True:
        condition = _until(cursor, "then")
        body = _some(cursor, frozenset({"elif", "else", "fi"}))
        branches.append((condition, body))
        if cursor.take("elif"):
            continue
        if cursor.take("else"):
            otherwise = _some(cursor, frozenset({"fi"}))
        cursor.expect("fi", what='behind "if"')
        return If(branches=tuple(branches), otherwise=otherwise, redirects=redirects(cursor), at=start)


def _for(cursor: Cursor, start: int, redirects: Redirects, *, select: bool) -> For:
    skip_blanks(cursor)
    name: str | None = None
    words: tuple[Word, ...] | None = None
    if cursor.take("(("):
        end = closing_parentheses(cursor.text, cursor.position)
        if end is None:
            raise ShellSyntaxError('expected "))" behind "for (("', cursor.position, incomplete=True)
        cursor.position = end
        words = ()
    else:
        found = _NAME.match(cursor.text, cursor.position)
        if not found:
            raise ShellSyntaxError('expected a name behind "for"', cursor.position, incomplete=cursor.ended)
        name = found[0]
        cursor.position = found.end()
        words = _for_words(cursor)
    _skip(cursor, _SEPARATORS)
    cursor.expect("do", what='behind "for"')
    body = _until(cursor, "done")
    return For(name=name, words=words, body=body, redirects=redirects(cursor), at=start, select=select)


def _for_words(cursor: Cursor) -> tuple[Word, ...] | None:
    _skip(cursor, _BETWEEN)
    found = re.compile(r"in(?=[\s;]|\Z)").match(cursor.text, cursor.position)
    if not found:
        return None
    cursor.position = found.end()
    words: list[Word] = []
    while True:
        skip_blanks(cursor)
        if cursor.starts("#"):
            return tuple(words)
        word = read_word(cursor)
        if word is None:
            return tuple(words)
        words.append(word)


def _case(cursor: Cursor, start: int, redirects: Redirects) -> Case:
    _skip(cursor, _BETWEEN)
    subject = read_word(cursor)
    _skip(cursor, _BETWEEN)
    if subject is None:
        raise ShellSyntaxError('expected a word behind "case"', cursor.position, incomplete=cursor.ended)
    cursor.expect("in", what='behind "case"')
    arms: list[Arm] = []
    while True:
        _skip(cursor, _BETWEEN)
        if re.compile(r"esac(?=[\s;&|()<>]|\Z)").match(cursor.text, cursor.position):
            cursor.position += len("esac")
            return Case(subject=subject, arms=tuple(arms), redirects=redirects(cursor), at=start)
        arms.append(_arm(cursor))


def _arm(cursor: Cursor) -> Arm:
    cursor.take("(")
    patterns: list[Word] = []
    while True:
        _skip(cursor, _BETWEEN)
        pattern = read_word(cursor)
        if pattern is None:
            raise ShellSyntaxError('expected a pattern in "case"', cursor.position, incomplete=cursor.ended)
        patterns.append(pattern)
        _skip(cursor, _BETWEEN)
        if cursor.take(")"):
            break
        cursor.expect("|", what="between patterns")
    body = cursor.script(cursor, frozenset({";;", ";&", ";;&", "esac"}))
    end = next((sign for sign in (";;&", ";;", ";&") if cursor.take(sign)), ";;")
    return Arm(patterns=tuple(patterns), body=body, end=end)


def _function(cursor: Cursor, start: int, redirects: Redirects) -> Function:
    skip_blanks(cursor)
    found = _FUNCTION_NAME.match(cursor.text, cursor.position)
    if not found:
        raise ShellSyntaxError('expected a name behind "function"', cursor.position, incomplete=cursor.ended)
    cursor.position = found.end()
    _skip(cursor, _BETWEEN)
    if not (cursor.starts("{") or cursor.starts("(")):
        raise ShellSyntaxError('expected "{" behind the name of a function', cursor.position, incomplete=cursor.ended)
    return Function(name=found[1], body=read_compound(cursor, cursor.peek, redirects), at=start)


def _test(cursor: Cursor) -> tuple[Word, ...]:
    """The words of `[[ … ]]`; operators are words too, and what stands behind `=~` is one word up to a blank."""
    words: list[Word] = []
    regex = False
    while True:
        _skip(cursor, re.compile(r"(?:\s|\\\n)*"))
        if not regex and _TEST_END.match(cursor.text, cursor.position):
            cursor.position += 2
            return tuple(words)
        operator = None if regex else _TEST_OPERATOR.match(cursor.text, cursor.position)
        if operator:
            words.append(Word((Literal(operator[0], quoted=False, at=cursor.position),), at=cursor.position))
            cursor.position = operator.end()
            continue
        word = _regex(cursor) if regex else read_word(cursor)
        if word is None:
            raise ShellSyntaxError('expected "]]" behind "[["', cursor.position, incomplete=cursor.ended)
        regex = word.bare == "=~" and not regex
        words.append(word)


def _regex(cursor: Cursor) -> Word | None:
    start = cursor.position
    parts = []
    while not cursor.ended and not cursor.peek.isspace():
        found = _REGEX.match(cursor.text, cursor.position)
        if found:
            parts.append(Literal(found[0], quoted=False, at=cursor.position))
            cursor.position = found.end()
            continue
        word = read_word(cursor)
        if word is None:
            break
        parts += [part for part in word.parts if isinstance(part, Literal)]
    return Word(tuple(parts), at=start) if cursor.position > start else None


def _skip(cursor: Cursor, pattern: re.Pattern[str]) -> None:
    found = pattern.match(cursor.text, cursor.position)
    if found:
        cursor.position = found.end()
