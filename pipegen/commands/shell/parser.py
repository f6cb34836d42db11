"""Shell text to its syntax: lists, pipelines, simple commands, redirections and here-documents.

Written for the part of POSIX shell and bash that CI commands use. The one parser of bash in pure Python, bashlex, is
under the GPL, knows neither `case` nor `[[ … ]]`, and has had no release since 2023; tree-sitter's needs two compiled
packages and repairs broken text silently, while this reader must say what it could not read.
"""

import re
from typing import Final

from pipegen.commands.shell.compound import read_compound
from pipegen.commands.shell.cursor import Cursor, Pending
from pipegen.commands.shell.syntax import (
    AndOr,
    Assignment,
    Command,
    Function,
    Literal,
    Parsed,
    Pipeline,
    Redirect,
    Script,
    ShellSyntaxError,
    Simple,
    Word,
)
from pipegen.commands.shell.words import read_document, read_word, skip_blanks

MAX_DEPTH: Final = 40

_REDIRECT: Final = re.compile(r"(?:\d+|\{[A-Za-z_]\w*\})?(&>>?|<<<|<<-?|<&|<>|<(?!\()|>>|>&|>\||>(?!\())")
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)(\[[^]\n]*\])?(\+?)=", re.ASCII)
_PLAIN: Final = re.compile(r"(?:-[\w./=:,+-]*|[\w./-]+)(?=[ \t\r\n]|\Z)")
"""A whole word without a quote, an expansion, a redirection or an assignment."""
_FUNCTION: Final = re.compile(r"([^\s|&;()<>$`\"'\\=]+)[ \t]*\([ \t]*\)")
_RESERVED: Final = re.compile(
    r"(?:if|then|elif|else|fi|do|done|case|esac|while|until|for|select|function|time|\{|\}|!|\[\[)(?=[\s;&|()<>]|\Z)"
)
_OPENERS: Final = frozenset({"if", "case", "while", "until", "for", "select", "function", "{", "[["})
_DECLARE: Final = frozenset({"declare", "typeset", "local", "export", "readonly"})
_END_OF_LIST: Final = re.compile(r";;&|;;|;&|\)")


def parse(text: str) -> Parsed:
    """Read a whole text.

    Raises:
        ShellSyntaxError: a shell would refuse it, or it is beyond what is read here.
    """
    cursor = Cursor(text=text, script=read_script)
    script = read_script(cursor, frozenset())
    if cursor.pending:
        raise ShellSyntaxError("a here-document has no end", cursor.pending[0].at, incomplete=True)
    return Parsed(script=script, documents=cursor.documents)


def read_script(cursor: Cursor, closing: frozenset[str]) -> Script:
    """Lists of commands up to one of the closing words, which stays; without any, up to the end."""
    cursor.depth += 1
    if cursor.depth > MAX_DEPTH:
        raise ShellSyntaxError(f"commands nest more than {MAX_DEPTH} deep", cursor.position)
    lists: list[AndOr] = []
    while True:
        _skip_newlines(cursor)
        if cursor.ended:
            if closing:
                word = next(iter(closing & {"fi", "esac"}), min(closing))
                raise ShellSyntaxError(f'expected "{word}" at the end', cursor.position, incomplete=True)
            break
        if _closes(cursor, closing):
            break
        lists.append(_and_or(cursor))
    cursor.depth -= 1
    return Script(lists=tuple(lists))


def _closes(cursor: Cursor, closing: frozenset[str]) -> bool:
    found = _END_OF_LIST.match(cursor.text, cursor.position) or _RESERVED.match(cursor.text, cursor.position)
    if not found or found[0] in _OPENERS or found[0] in {"!", "time"}:
        return False
    if found[0] in closing:
        return True
    raise ShellSyntaxError(f'"{found[0]}" closes nothing', cursor.position)


def _skip_newlines(cursor: Cursor) -> None:
    """Step over blanks, comments and newlines, reading the here-documents that begin behind one."""
    while True:
        skip_blanks(cursor)
        if cursor.starts("#"):
            end = cursor.text.find("\n", cursor.position)
            cursor.position = len(cursor.text) if end < 0 else end
        if not cursor.take("\n"):
            return
        _read_documents(cursor)


def _read_documents(cursor: Cursor) -> None:
    for pending in cursor.pending:
        start = cursor.position
        lines: list[str] = []
        while True:
            if cursor.ended:
                raise ShellSyntaxError("a here-document has no end", pending.at, incomplete=True)
            end = cursor.text.find("\n", cursor.position)
            line = cursor.text[cursor.position :] if end < 0 else cursor.text[cursor.position : end + 1]
            cursor.position += len(line)
            bare = line.lstrip("\t") if pending.strips_tabs else line
            if bare.rstrip("\n") == pending.delimiter:
                break
            lines.append(bare)
        body = "".join(lines)
        exact = not pending.strips_tabs
        if pending.expands and exact:
            inner = Cursor(text=cursor.text[: start + len(body)], script=read_script, position=start)
            cursor.documents[pending.at] = read_document(inner)
        elif pending.expands:
            inner = Cursor(text=body, script=read_script)
            cursor.documents[pending.at] = read_document(inner)
        else:
            cursor.documents[pending.at] = Word((Literal(body, quoted=True, at=start, exact=exact),), at=start)
    cursor.pending.clear()


def _and_or(cursor: Cursor) -> AndOr:
    first = _pipeline(cursor)
    rest: list[tuple[str, Pipeline]] = []
    while True:
        skip_blanks(cursor)
        operator = "&&" if cursor.take("&&") else "||" if cursor.take("||") else None
        if operator is None:
            break
        _skip_newlines(cursor)
        rest.append((operator, _pipeline(cursor)))
    background = False
    if not _END_OF_LIST.match(cursor.text, cursor.position):
        background = cursor.take("&")
        if not background and not cursor.take(";") and not _ends(cursor):
            raise ShellSyntaxError("expected an operator behind a command", cursor.position)
    return AndOr(first=first, rest=tuple(rest), background=background)


def _ends(cursor: Cursor) -> bool:
    """Whether a command may end here without an operator: a line does, or a word closes what it stands in."""
    return cursor.ended or cursor.peek in {"\n", "#"} or _RESERVED.match(cursor.text, cursor.position) is not None


def _pipeline(cursor: Cursor) -> Pipeline:
    start = cursor.position
    negated = False
    while True:
        skip_blanks(cursor)
        found = _RESERVED.match(cursor.text, cursor.position)
        if found and found[0] == "!":
            negated = not negated
        elif not found or found[0] != "time":
            break
        cursor.position = found.end()
        skip_blanks(cursor)
        if found[0] == "time":
            cursor.take("-p ")
    commands = [_command(cursor)]
    while True:
        skip_blanks(cursor)
        if cursor.starts("||") or not (cursor.take("|&") or cursor.take("|")):
            break
        _skip_newlines(cursor)
        commands.append(_command(cursor))
    return Pipeline(commands=tuple(commands), negated=negated, at=start)


def _command(cursor: Cursor) -> Command:
    skip_blanks(cursor)
    start = cursor.position
    found = _RESERVED.match(cursor.text, start)
    if cursor.starts("(") or (found and found[0] in _OPENERS):
        return read_compound(cursor, found[0] if found else "(", redirects)
    if found:
        raise ShellSyntaxError(f'"{found[0]}" closes nothing', start)
    function = _FUNCTION.match(cursor.text, start)
    if function:
        cursor.position = function.end()
        _skip_newlines(cursor)
        body = _command(cursor)
        if isinstance(body, Simple):
            raise ShellSyntaxError("expected a compound command as the body of a function", start)
        return Function(name=function[1], body=body, at=start)
    return _simple(cursor)


def redirects(cursor: Cursor) -> tuple[Redirect, ...]:
    """The redirections behind a compound command."""
    found: list[Redirect] = []
    skip_blanks(cursor)
    while True:
        redirect = _redirect(cursor)
        if redirect is None:
            return tuple(found)
        found.append(redirect)
        skip_blanks(cursor)


def _redirect(cursor: Cursor) -> Redirect | None:
    found = _REDIRECT.match(cursor.text, cursor.position)
    if not found:
        return None
    start = cursor.position
    cursor.position = found.end()
    skip_blanks(cursor)
    target = None if cursor.starts("#") else read_word(cursor)
    if target is None:
        raise ShellSyntaxError(f'expected a word behind "{found[1]}"', cursor.position, incomplete=cursor.ended)
    if found[1] in {"<<", "<<-"}:
        parts = [part for part in target.parts if isinstance(part, Literal)]
        delimiter = "".join(part.text for part in parts)
        expands = not any(part.quoted for part in parts)
        strips = found[1] == "<<-"
        cursor.pending.append(Pending(at=start, delimiter=delimiter, strips_tabs=strips, expands=expands))
    return Redirect(operator=found[1], target=target, at=start)


def _simple(cursor: Cursor) -> Simple:
    start = cursor.position
    assignments: list[Assignment] = []
    words: list[Word] = []
    found: list[Redirect] = []
    while True:
        _plain_words(cursor, words)
        redirect = _redirect(cursor)
        if redirect is not None:
            found.append(redirect)
            continue
        assigns = _ASSIGNMENT.match(cursor.text, cursor.position)
        if assigns and not words:
            assignments.append(_assignment(cursor, assigns))
            continue
        if cursor.starts("#"):
            break
        word = _declared(cursor) if assigns and words[0].bare in _DECLARE else read_word(cursor)
        if word is None:
            break
        words.append(word)
    if not (assignments or words or found):
        what = f'"{cursor.peek}"' if cursor.peek.strip() else "the end"
        raise ShellSyntaxError(f"expected a command before {what}", cursor.position, incomplete=cursor.ended)
    if cursor.starts("("):
        raise ShellSyntaxError('"(" inside of a command', cursor.position)
    return Simple(assignments=tuple(assignments), words=tuple(words), redirects=tuple(found), at=start)


def _plain_words(cursor: Cursor, words: list[Word]) -> None:
    """Blanks, and the words between them that are nothing but themselves, as most are: `read_word` reads the same."""
    skip_blanks(cursor)
    while plain := _PLAIN.match(cursor.text, cursor.position):
        words.append(Word((Literal(plain[0], quoted=False, at=cursor.position),), at=cursor.position))
        cursor.position = plain.end()
        skip_blanks(cursor)


def _assignment(cursor: Cursor, found: re.Match[str]) -> Assignment:
    start = cursor.position
    cursor.position = found.end()
    value: Word | tuple[Word, ...]
    value = _array(cursor) if cursor.take("(") else read_word(cursor) or Word((), at=cursor.position)
    index = found[2][1:-1] if found[2] else None
    return Assignment(name=found[1], append=bool(found[3]), index=index, value=value, at=start)


def _array(cursor: Cursor) -> tuple[Word, ...]:
    items: list[Word] = []
    while True:
        _skip_newlines(cursor)
        if cursor.take(")"):
            return tuple(items)
        word = read_word(cursor)
        if word is None:
            raise ShellSyntaxError('expected ")" behind the items', cursor.position, incomplete=cursor.ended)
        items.append(word)


def _declared(cursor: Cursor) -> Word | None:
    """An argument of `declare` and its like, which may assign a list."""
    start = cursor.position
    found = _ASSIGNMENT.match(cursor.text, start)
    if found and cursor.text.startswith("(", found.end()):
        cursor.position = found.end() + 1
        head = Literal(found[0], quoted=False, at=start)
        return Word((head,), at=start, array=_array(cursor))
    return read_word(cursor)
