"""What a shell does itself: folders, variables, parameters, and ending."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pipegen.commands.programs.shells import run_eval, run_source
from pipegen.commands.reading import Why
from pipegen.commands.running.conditions import test_status
from pipegen.commands.running.machine import Call, Machine, Result, Status, on_machine, unread
from pipegen.commands.running.simple import assign, export, remember, take_out
from pipegen.commands.running.state import State, Stop
from pipegen.commands.running.values import Field, Hole, Items, Text, bared, joined, known, place_of, split, written
from pipegen.commands.shell.syntax import Assignment, Word

_NAME: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_ASSIGNED: Final = re.compile(r"([A-Za-z_]\w*)(\+?)=", re.ASCII)
_TESTS: Final = re.compile(r"\bpy\.?test\b")


def _cd(_: Machine, call: Call) -> Result:
    target = _operand(call)
    if target is None:
        call.state.lose("cd")
        return Result()
    _enter(call.state, target)
    return Result()


def _enter(state: State, target: Field) -> None:
    text = known(target)
    if text == "-":
        state.folder, state.previous = state.previous, state.folder
        state.lost = state.lost or "cd -"
        return
    folder = on_machine(state, text) if text is not None else None
    if text is None or (folder is None and not state.lost):
        state.lose(f"cd {written(target)}")
    else:
        state.previous, state.folder = state.folder, folder


def _operand(call: Call) -> Field | None:
    """The first argument that is no option."""
    for argument in call.argv[1:]:
        text = known(argument)
        if text is None or text == "-" or not text.startswith("-"):
            return argument
    return None


def _pushd(_: Machine, call: Call) -> Result:
    target = _operand(call)
    if target is None:
        call.state.lose("pushd")
    else:
        call.state.stack = (*call.state.stack, call.state.folder)
        _enter(call.state, target)
    return Result()


def _popd(_: Machine, call: Call) -> Result:
    if not call.state.stack or len(call.argv) > 1:
        call.state.lose("popd")
    else:
        *rest, folder = call.state.stack
        call.state.stack = tuple(rest)
        call.state.previous, call.state.folder = call.state.folder, folder
    return Result()


def _declare(machine: Machine, call: Call) -> Result:
    """`export`, `declare`, `local` and their like."""
    command = known(call.argv[0])
    texts = [text for text in map(known, call.argv[1:]) if text]
    if any(text[0] == "-" and "f" in text for text in texts):
        call.state.handed_on.update(text for text in texts if _NAME.fullmatch(text))
        return Result()
    exports = _exports(command, texts)
    for argument in call.argv[1:]:
        found = _split(argument)
        name = found[0] if found else known(argument)
        if name is None or not _NAME.fullmatch(name):
            call.state.unsure |= name is None  # `export $(cat FILE)`
            continue
        if command == "local":
            remember(call.state, name)
        _put(machine, call, name, place_of(argument, call.at), exports=exports)
        if found:
            _assign(machine, call, found, place_of(argument, call.at))
        elif exports:
            export(machine, call.state, call.frame, name, place_of(argument, call.at))
    return Result()


def _put(machine: Machine, call: Call, name: str, at: int, *, exports: bool | None) -> None:
    """Put a variable into the environment, or take it out, whatever its value is."""
    if exports:
        call.state.hand_out(name)
    elif exports is not None:
        call.state.keep_in(name)
        take_out(machine, call.state, call.frame, name, at)


def _exports(command: str | None, words: Sequence[str]) -> bool | None:
    """Whether a declaration puts variables into the environment, or takes them out (False); None for neither."""
    is_export = command == "export"
    for word in words:
        if (is_export and word[0] == "-" and "n" in word) or (word[0] == "+" and "x" in word):
            return False
    return True if is_export or any(word[0] == "-" and "x" in word for word in words) else None


def _split(argument: Field) -> tuple[str, bool, Field] | None:
    """`name=value` or `name+=value`: the name, whether it is added, and the value."""
    head = argument[0] if argument else None
    found = _ASSIGNED.match(head.text) if isinstance(head, Text) else None
    if found is None or not isinstance(head, Text):
        return None
    at = head.at + found.end() if head.exact else head.at
    rest = Text(head.text[found.end() :], quoted=head.quoted, at=at, exact=head.exact)
    value = (rest, *argument[1:]) if rest.text or len(argument) == 1 else argument[1:]
    return found[1], bool(found[2]), bared(value)


def _assign(machine: Machine, call: Call, found: tuple[str, bool, Field], at: int) -> None:
    name, append, value = found
    assignment = Assignment(name=name, append=append, index=None, value=Word((), at=at), at=at)
    assign(machine, assignment, value, call.state, call.frame)


def _unset(machine: Machine, call: Call) -> Result:
    functions = any(known(argument) == "-f" for argument in call.argv[1:])
    for argument in call.argv[1:]:
        text = known(argument)
        if text is None or not _NAME.fullmatch(text):
            continue
        if functions:
            call.state.functions.pop(text, None)
            continue
        call.state.unset(text)
        take_out(machine, call.state, call.frame, text, place_of(argument, call.at))
    return Result()


def _set(_: Machine, call: Call) -> Result:
    """`set`: of its options only `-a` matters; what follows them are the positional parameters."""
    state = call.state
    arguments = call.argv[1:]
    index = 0
    while index < len(arguments):
        text = known(arguments[index])
        if text is None or text[:1] not in {"-", "+"} or text == "-":
            break
        index += 1
        if text == "--":
            state.arguments = ()
            break
        word = known(arguments[index]) if text[1:].endswith("o") and index < len(arguments) else None
        index += word is not None
        if "a" in text or word == "allexport":
            state.exports_all = text.startswith("-")
    if index < len(arguments):
        state.arguments = tuple(bared(value) for value in arguments[index:])
    return Result(status=Status.TRUE)


def _shopt(_: Machine, call: Call) -> Result:
    texts = [known(argument) for argument in call.argv[1:]]
    if "globstar" in texts:
        call.state.globstar = "-s" in texts
    return Result()


def _shift(_: Machine, call: Call) -> Result:
    count = known(call.argv[1]) if len(call.argv) > 1 else "1"
    arguments = call.state.arguments
    known_count = arguments is not None and count is not None and count.isdecimal()
    call.state.arguments = arguments[int(count or 0) :] if known_count and arguments is not None else None
    return Result()


def _exit(_: Machine, call: Call) -> Result:
    status = known(call.argv[1]) if len(call.argv) > 1 else "0"
    call.state.stop = Stop.EXIT if status in {"0", None} else Stop.FAILURE
    return Result(status=_status(call))


def _status(call: Call) -> Status:
    """The status that `exit` and `return` give."""
    text = known(call.argv[1]) if len(call.argv) > 1 else None
    return Status.FINE if text is None else Status.TRUE if text == "0" else Status.FALSE


def _return(_: Machine, call: Call) -> Result:
    call.state.stop = Stop.RETURN
    return Result(status=_status(call))


def _break(_: Machine, call: Call) -> Result:
    call.state.stop = Stop.BREAK if known(call.argv[0]) == "break" else Stop.CONTINUE
    return Result()


def _true(_: Machine, __: Call) -> Result:
    return Result(status=Status.TRUE)


def _false(_: Machine, __: Call) -> Result:
    return Result(status=Status.FALSE)


def _test(_: Machine, call: Call) -> Result:
    words = call.argv[1:-1] if known(call.argv[0]) == "[" else call.argv[1:]
    return Result(status=test_status(words, double=False))


def _read(machine: Machine, call: Call) -> Result:
    """`read`: variables get the words of the first line of what it reads, where a redirection of its own says it."""
    words = list(call.argv[1:])
    listed = None
    while words and (known(words[0]) or "").startswith("-"):
        option = known(words.pop(0))
        if option in {"-a", "-ra"} and words:
            listed = known(words.pop(0))
        elif option != "-r":
            return _reads(machine, call)
    names = [known(word) for word in words]
    if call.reads is None or "IFS" in call.prefix or not all(name and _NAME.fullmatch(name) for name in names):
        return _reads(machine, call)
    line = split(bared(call.reads[0])) if call.reads else []
    if any(isinstance(piece, Hole) for field in line for piece in field):
        return _reads(machine, call)
    if listed:
        call.state.assign(listed, Items(tuple(line)))
    for index, name in enumerate(names):
        last = index == len(names) - 1
        call.state.assign(name or "", joined(line[index:], " ") if last else joined(line[index : index + 1], ""))
    return Result()


def _reads(_: Machine, call: Call) -> Result:
    """`read`, `getopts`, `mapfile`, `let`: variables get values that only come when it runs."""
    names = [text for text in map(known, call.argv[1:]) if text and _NAME.fullmatch(text)]
    implied = {"read": ["REPLY"], "getopts": ["OPTARG", "OPTIND"], "mapfile": ["MAPFILE"]}
    call.state.forget([*names, *implied.get(known(call.argv[0]) or "", [])], call.at)
    return Result(status=Status.OPEN)


def _trap(machine: Machine, call: Call) -> Result:
    if len(call.argv) > 1 and _TESTS.search(written(call.argv[1])):
        return unread(machine, call, Why.FOREIGN, "what a trap runs is not followed")
    return Result()


def _command(machine: Machine, call: Call) -> Result:
    """`command` and `builtin`: the program itself, whatever function has its name."""
    rest = call.argv[1:]
    if rest and known(rest[0]) in {"-v", "-V"}:
        return Result(status=Status.OPEN, output=call.unknown_output())
    while rest and known(rest[0]) in {"-p", "--"}:
        rest = rest[1:]
    return machine.run(call.of(rest)) if rest else Result()


def _exec(machine: Machine, call: Call) -> Result:
    rest = call.argv[1:]
    while rest and (known(rest[0]) or "").startswith("-"):
        rest = rest[2:] if known(rest[0]) == "-a" else rest[1:]
    if not rest:
        return Result()
    result = machine.run(call.of(rest))
    call.state.stop = Stop.EXIT
    return result


BUILTINS: Final[Mapping[str, Callable[[Machine, Call], Result]]] = {
    ".": run_source,
    ":": _true,
    "[": _test,
    "break": _break,
    "builtin": _command,
    "cd": _cd,
    "chdir": _cd,
    "command": _command,
    "continue": _break,
    "declare": _declare,
    "eval": run_eval,
    "exec": _exec,
    "exit": _exit,
    "export": _declare,
    "false": _false,
    "getopts": _reads,
    "let": _reads,
    "local": _declare,
    "mapfile": _reads,
    "popd": _popd,
    "pushd": _pushd,
    "read": _read,
    "readarray": _reads,
    "readonly": _declare,
    "return": _return,
    "set": _set,
    "shift": _shift,
    "shopt": _shopt,
    "source": run_source,
    "test": _test,
    "trap": _trap,
    "true": _true,
    "typeset": _declare,
    "unset": _unset,
}
