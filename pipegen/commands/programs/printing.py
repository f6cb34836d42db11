"""Programs whose output is known from their arguments: what `$(…)`, pipes and `xargs` get from them."""

import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Final

from pipegen.commands.finds import Glob
from pipegen.commands.running.machine import Call, Machine, Result, on_machine
from pipegen.commands.running.simple import file_text
from pipegen.commands.running.values import Each, Field, Output, joined, known, lines_of, plain

_DIRECTIVE: Final = re.compile(r"%(?:s|%)|\\(?:n|t|0|\\)")
_ECHO_OPTION: Final = re.compile(r"-[neE]+")


def _printed(call: Call, output: Output | None) -> Result:
    return Result(output=call.unknown_output() if output is None else output)


def _echo(_: Machine, call: Call) -> Result:
    words = list(call.argv[1:])
    while words and _ECHO_OPTION.fullmatch(known(words[0]) or ""):
        words.pop(0)
    return _printed(call, lines_of(joined(words, " ")) or ((),))


def _printf(_: Machine, call: Call) -> Result:
    """`printf FORMAT …` with `%s` and plain text; the format is used again until no argument is left."""
    if len(call.argv) < 2:
        return Result()
    form = known(call.argv[1])
    if form is None or re.search(r"%[^s%]|\\[^nt0\\]", form):
        return _printed(call, None)
    pieces: list[Field] = []
    arguments = list(call.argv[2:])
    while True:
        at = 0
        for found in _DIRECTIVE.finditer(form):
            pieces.append(plain(form[at : found.start()], call.at))
            at = found.end()
            if found[0] == "%s":
                pieces.append(arguments.pop(0) if arguments else ())
            else:
                pieces.append(plain({"\\n": "\n", "\\0": "\n", "\\t": "\t", "%%": "%"}.get(found[0], "\\"), call.at))
        pieces.append(plain(form[at:], call.at))
        if not arguments or "%s" not in form:
            break
    return _printed(call, lines_of(tuple(piece for field in pieces for piece in field)))


def _cat(machine: Machine, call: Call) -> Result:
    names = [word for word in call.argv[1:] if known(word) != "-"]
    if not names:
        return _printed(call, call.frame.stdin)
    texts = [file_text(machine, call.state, name) for name in names]
    if any(text is None for text in texts):
        return _printed(call, None)
    return _printed(call, lines_of(plain("".join(text or "" for text in texts), call.at)))


def _ls(_: Machine, call: Call) -> Result:
    """`ls` with patterns of files; what a folder holds is not known before it runs."""
    words = [word for word in call.argv[1:] if not (known(word) or "").startswith("-")]
    options = "".join(text for text in map(known, call.argv[1:]) if text and text.startswith("-"))
    if not words or set(options) - set("-1dt"):
        return _printed(call, None)
    return _printed(call, tuple(words) if all(_is_file(word, options) for word in words) else None)


def _is_file(word: Field, options: str) -> bool:
    """Whether `ls` prints the word itself: a file, or a folder with `-d`."""
    if len(word) == 1 and isinstance(word[0], Each) and isinstance(word[0].found, Glob):
        return "d" in options or word[0].found.pattern.endswith(".py")
    return (known(word) or "").endswith(".py")


def _pwd(_: Machine, call: Call) -> Result:
    folder = call.state.folder
    return _printed(call, None if folder is None else (plain(folder, call.at),))


def _dirname(_: Machine, call: Call) -> Result:
    return _path(call, lambda path: posixpath.dirname(path.rstrip("/")) or ("/" if path.startswith("/") else "."))


def _basename(_: Machine, call: Call) -> Result:
    if len(call.argv) == 3:
        suffix = known(call.argv[2])
        name = known(call.argv[1])
        if suffix is None or name is None:
            return _printed(call, None)
        base = posixpath.basename(name.rstrip("/"))
        return _printed(call, (plain(base.removesuffix(suffix) if base != suffix else base, call.at),))
    return _path(call, lambda path: posixpath.basename(path.rstrip("/")) or "/")


def _realpath(_: Machine, call: Call) -> Result:
    """`realpath` and `readlink -f`: no link is known of."""
    words = tuple(word for word in call.argv[1:] if not (known(word) or "").startswith("-"))
    options = [word for word in call.argv[1:] if word not in words]
    if len(words) != 1 or (known(call.argv[0]) == "readlink" and not options):
        return _printed(call, None)
    name = known(words[0])
    place = on_machine(call.state, name) if name is not None else None
    return _printed(call, None if place is None else (plain(place, call.at),))


def _path(call: Call, change: Callable[[str], str]) -> Result:
    words = [word for word in call.argv[1:] if known(word) != "--"]
    name = known(words[0]) if len(words) == 1 else None
    return _printed(call, None if name is None else (plain(change(name), call.at),))


def _git(machine: Machine, call: Call) -> Result:
    texts = [known(word) for word in call.argv[1:]]
    if texts == ["rev-parse", "--show-toplevel"]:
        return _printed(call, (plain(machine.checkout, call.at),))
    return _printed(call, None)


def _passes(_: Machine, call: Call) -> Result:
    """Programs that print what they read, in another order at most."""
    words = [known(word) or "$" for word in call.argv[1:]]
    if known(call.argv[0]) != "tee" and any(not word.startswith("-") for word in words):
        return _printed(call, None)
    return _printed(call, call.frame.stdin)


def _tr(_: Machine, call: Call) -> Result:
    r"""`tr '\n' ' '` and the like, which only change what stands between words."""
    words = [known(word) for word in call.argv[1:]]
    stdin = call.frame.stdin
    if stdin is None or words not in (["\\n", " "], ["\n", " "], ["\\0", "\\n"], ["\\n", "\\0"]):
        return _printed(call, None)
    return _printed(call, (joined(stdin, " "),) if words[1] == " " else stdin)


PRINTING: Final[Mapping[str, Callable[[Machine, Call], Result]]] = {
    "basename": _basename,
    "cat": _cat,
    "dirname": _dirname,
    "echo": _echo,
    "git": _git,
    "ls": _ls,
    "printf": _printf,
    "pwd": _pwd,
    "readlink": _realpath,
    "realpath": _realpath,
    "shuf": _passes,
    "sort": _passes,
    "tee": _passes,
    "tr": _tr,
    "uniq": _passes,
}
